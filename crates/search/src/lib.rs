//! Searches. They know positions and evaluators, no game, no protocol and no clock but the one they are given.
//!
//! Read [`search`] first: what every search is asked and what it answers.

pub mod backup;
pub mod expand;
pub mod growth;
pub mod methods;
pub mod options;
pub mod parameters;
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
pub mod tree;
pub mod tree_search;

pub use methods::{METHODS, Method};
pub use recipe::Recipe;
pub use search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};
pub use tree_search::TreeSearch;
