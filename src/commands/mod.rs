//! One file a command.

pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod convert;
pub(crate) mod games;
pub(crate) mod learn;
pub(crate) mod methods;
pub(crate) mod perft;
pub(crate) mod sample;
pub(crate) mod show;
pub(crate) mod stats;
