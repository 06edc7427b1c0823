//! Searches. They know positions and evaluators, no game, no protocol and no clock but the one they are given.
//!
//! Read [`search`] first: what every search is asked and what it answers.

pub mod alpha_beta;
mod finished;
pub mod flat;
pub mod greedy;
pub mod mate;
pub mod ordering;
pub mod quiescence;
pub mod random;
pub mod score;
pub mod search;
pub mod softmax;
mod sync;
pub mod time;
pub mod transposition;
pub mod tree;

pub use search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};
