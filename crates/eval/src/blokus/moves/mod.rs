//! Which moves are played in Blokus Duo: a softmax of linear features of a move, learned from games.
//!
//! The features are of the kinds that strong programs of this game use as knowledge before any search: what a piece covers, what it
//! touches, and which corners it gains. Their weights are our own, learned from games of our own searches (`yomi_learn::blokus::moves`).
//!
//! `context` looks at a position once, `features` counts for each move, `model` holds the weights and makes probabilities of them.

mod context;
mod features;
mod model;

pub use context::MoveContext;
pub use features::{Counts, FEATURES, NAMES, PHASES};
pub use model::{LARGEST_MODEL, Model};
