//! Searches. They know positions and evaluators, no game, no protocol and no clock but the one they are given.
//!
//! Read [`search`] first: what every search is asked and what it answers.

pub mod alpha_beta;
pub mod backup;
pub mod expand;
mod finished;
pub mod flat;
pub mod greedy;
pub mod growth;
pub mod mate;
pub mod methods;
pub mod options;
pub mod ordering;
pub mod parameters;
pub mod quiescence;
pub mod random;
pub mod recipe;
pub mod score;
pub mod search;
pub mod select;
pub mod softmax;
mod sync;
#[cfg(test)]
mod synthetic;
pub mod temperature;
#[cfg(all(test, not(loom)))]
mod testing;
pub mod time;
pub mod transposition;
pub mod tree;
pub mod tree_search;

pub use alpha_beta::{AlphaBeta, AlphaBetaOptions};
pub use flat::{Flat, FlatOptions};
pub use greedy::Greedy;
pub use methods::{METHODS, Method};
pub use quiescence::{Quiet, QuietOptions};
pub use random::RandomPlayer;
pub use recipe::Recipe;
pub use search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};
pub use tree_search::TreeSearch;
