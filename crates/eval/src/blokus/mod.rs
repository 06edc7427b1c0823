//! The linear evaluation of Blokus Duo of S1.2, and what it takes to compute it a few million times a second.
//!
//! Nine kinds of squares count for the side that has them and against the other: a weight per kind and square, and one per kind that
//! all squares share. `V = 1/(1 + exp(-k·v))` is the expected result of simulated games, which is what the weights are learned from
//! (`yomi learn simulations`).
//!
//! What S1 leaves open is decided here once:
//! - both sides use the same weights, each seeing the board from its own start square: White's squares are turned by half a turn. So
//!   the empty board is worth 0 and a position is worth the opposite of its image with colours exchanged;
//! - dead squares are all squares beside own pieces, as the text says, even where an opponent's piece stands on them;
//! - a side without a piece on the board has no feature; its start square is no corner.
//!
//! Reading order: `kinds` names the features, `features` counts them (`twin` does so square by square), `weights` is the file, `reach`
//! holds which squares can be reached from where, `outline` what lies around a piece, `field` numbers to be added up over one, `tables` the weights in the form that speed wants, `sums` is the evaluation by
//! difference, `evaluation` what playouts ask, and `learned` what searches ask.
//! [`moves`] says how probable moves are.

mod evaluation;
mod features;
mod field;
mod kinds;
mod learned;
pub mod moves;
mod outline;
mod reach;
mod sums;
mod tables;
#[cfg(test)]
mod twin;
mod weights;

pub use evaluation::{Evaluation, Following};
pub use features::Features;
pub use kinds::{KINDS, Kind, SQUARES, WEIGHTS};
pub use learned::{LARGEST_WEIGHTS, Learned, LearnedScratch, Unit};
pub use sums::{Ready, Sums};
pub use tables::{SCALE, Tables};
pub use weights::{GAIN, Weights, sigmoid};
