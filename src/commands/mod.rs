//! One file a command.

pub(crate) mod analysis;
pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod csa;
pub(crate) mod experiment;
pub(crate) mod games;
pub(crate) mod gtp;
pub(crate) mod guard;
pub(crate) mod learn;
pub(crate) mod learn_go;
pub(crate) mod levels;
pub(crate) mod man;
pub(crate) mod match_;
pub(crate) mod methods;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod sample;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod usi;
pub(crate) mod verify;
pub(crate) mod worker;
