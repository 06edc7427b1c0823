//! One file a command.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod convert;
pub(crate) mod games;
pub(crate) mod learn_go;
pub(crate) mod match_;
pub(crate) mod methods;
pub(crate) mod perft;
pub(crate) mod sample;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod usi;
