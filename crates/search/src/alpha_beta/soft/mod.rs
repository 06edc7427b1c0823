//! A softmax tree over the likely moves, whose leaves are alpha-beta searches: `mcss-deep`.
//!
//! The tree is that of S0.1 to S0.3: a node's moves have Boltzmann probabilities, and its value is their expectation. What is new is where
//! the leaf values come from. The whole tree is deepened at once, so that all values of one tree rest on the same number of plies, and
//! all searches share one transposition table. A softmax needs exact values only near the best: the other moves must merely show by a
//! null window that they lie further below than `k` temperatures, and have no weight.
//!
//! The tree grows where it matters: a move's replies belong to it while the move's realization probability, the product of the
//! probabilities on the way, is above `reach` (S0.5). At `t=0` only the best has weight, and the search is alpha-beta, node for node.

mod branch;
mod deepening;
mod options;
#[cfg(all(test, not(loom)))]
mod tests;
mod visit;

pub use self::options::{PARAMETERS, SoftBackup, SoftOptions};
