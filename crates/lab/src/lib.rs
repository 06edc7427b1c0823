//! The laboratory: matches and experiments, and what can be concluded from them.
//!
//! A match, in reading order:
//!
//! 1. [`player`], [`referee`], [`clock`], [`conditions`], [`ending`]: one game between two players who are not trusted.
//! 2. [`config`], [`schedule`], [`opening`], [`plan`], [`row`]: who plays whom from where. A game is a pure function of the plan and its place.
//! 3. [`directory`], [`ledger`], [`engine_logs`], [`runner`], [`standing`]: playing what is missing and writing it down, so that kill -9 costs nothing.
//! 4. [`summary`], [`report`], [`manifest`], [`verify`], [`worker`]: what is reported of it, proven of it, and played elsewhere.
//!
//! Only [`players`] and the inside of [`arena`] know the types of games; everything else goes through [`arena::Arena`].
//!
//! [`statistics`] answers the questions of a match: is it more than luck, by how much, how many games will it take, who is
//! the strongest of a pool. [`plots`] draws the answers. Both know no game and no search; counts go in, numbers and pictures come out.
//! [`experiment`] reproduces the tables and figures of the papers; [`tune`] finds numbers for players by matches.
//!
//! Is 60 to 40 more than luck, and would a sequential test have stopped by now?
//!
//! ```
//! use yomi_lab::statistics::elo::elo;
//! use yomi_lab::statistics::{Decision, Level, Model, Sprt, Tally};
//!
//! let tally = Tally::games(60, 0, 40)?;
//! let found = elo(&tally, Level::P95).expect("some games");
//! assert!((found.value - 70.4).abs() < 0.1);
//! assert!(found.interval.low > 0.0 && found.interval.high < 150.0);
//!
//! let test = Sprt::new(Model::Logistic, 0.0, 30.0, 0.05, 0.05)?;
//! assert_eq!(test.decide(test.log_likelihood_ratio(&tally)), Decision::Continue);
//! # Ok::<(), yomi_core::TextError>(())
//! ```

pub mod any_run;
pub mod arena;
mod balance;
pub mod clock;
pub mod conditions;
pub mod config;
pub mod directory;
pub mod ending;
pub mod engine_logs;
pub mod error;
pub mod expected;
pub mod experiment;
pub mod ledger;
pub mod manifest;
pub mod opening;
pub mod plan;
pub mod player;
pub mod players;
pub mod plots;
pub mod record;
pub mod referee;
pub mod report;
pub mod row;
pub mod runner;
pub mod schedule;
pub mod standing;
pub mod summary;
pub mod tune;
pub mod verify;
pub mod worker;
pub mod worth;

pub use yomi_session::budget;
pub use yomi_statistics as statistics;
