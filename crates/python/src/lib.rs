//! Yomi for Python. This is a front end like the program: it turns Python values into the texts and numbers of `yomi-session` and
//! `yomi-lab` and gives back what these say, as JSON (`docs/json.md`) or bytes. Everything that is nicer in Python is written in Python,
//! in `python/yomi`.
//!
//! Nothing here panics on bad input: errors of the project are `yomi.Error` with the text and the place that the program would show.
//! Whatever takes long runs on a thread of its own with the interpreter released, so that Ctrl-C is heard ([`interrupt`]).

mod board;
mod error;
mod experiment;
mod farm;
mod interrupt;
mod learn;
mod lists;
mod matches;
mod network;
mod stats;
mod worker;

use pyo3::prelude::*;

/// The compiled half of the package yomi.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::error::Error;
    #[pymodule_export]
    use super::experiment::{ExperimentRun, experiments};
    #[pymodule_export]
    use super::farm::{TrainingRun, check_part, gather, self_play, self_play_orders};
    #[pymodule_export]
    use super::learn::{LearningRun, learn};
    #[pymodule_export]
    use super::lists::{games, methods, signature};
    #[pymodule_export]
    use super::matches::play_match;
    #[pymodule_export]
    use super::network::Network;
    #[pymodule_export]
    use super::stats::{binomial, compare, elo, games_needed, sprt};
    #[pymodule_export]
    use super::worker::worker;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
