//! Blokus Duo.
//!
//! Read it in this order: [`cells`] (squares and sets of them), [`pieces`], [`tables`] (all placements, and which can lie over an
//! attach point), [`position`], `movegen`, [`moves`] (two notations), `notation` (positions as text), `playout`.

pub mod cells;
mod movegen;
pub mod moves;
mod notation;
pub mod pieces;
mod playout;
pub mod position;
pub mod records;
pub mod setup;
pub mod symmetry;
pub mod tables;
mod twin;

pub use cells::{Cell, CellSet};
pub use moves::BlokusMove;
pub use pieces::{Piece, PieceSet};
pub use playout::Sampler;
pub use position::{BlokusDuo, Rules};
pub use setup::Fault;
pub use symmetry::Symmetry;
pub use tables::{PLACEMENTS, START};
