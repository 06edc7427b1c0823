//! Othello on eight by eight squares.
//!
//! Read it in this order: [`board`] (discs as bits: legal squares and flips), [`position`] (the rules), [`notation`] (moves and positions as
//! text), [`transcript`] (whole games), `simulate` (random games), [`symmetry`], `draw` (pictures); `twin` says the rules again, slowly.

pub mod board;
pub mod draw;
mod game;
mod moves;
pub mod notation;
pub mod position;
mod simulate;
pub mod symmetry;
pub mod transcript;
mod twin;

pub use moves::OthelloMove;
pub use position::Othello;
