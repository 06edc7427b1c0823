//! Blokus Duo.
//!
//! Read it in this order: [`cells`] (squares and sets of them), [`pieces`], [`tables`] (all placements), `directed` (what can lie over
//! an attach point), [`position`] (the rules), `movegen` and `playout` (moves listed and drawn), [`moves`] (two notations), `notation` and
//! [`setup`] (positions as text and from pieces), [`records`] (.blksgf), [`symmetry`]; `twin` says it all again, slowly.

pub mod cells;
mod directed;
mod game;
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
pub use tables::{PLACEMENTS, SHAPES, START};
