//! Shogi on nine by nine and minishogi on five by five squares, from one table of constants.
//!
//! Reading order: [`Kind`], [`Square`], [`ShogiMove`] say what things are called; [`Variant`] is the table of constants;
//! `board` keeps pieces, hands and key in step; [`Shogi`] is the position; `movegen` finds the legal moves; `plain` says the same
//! rules once more, slowly; `sfen` and `usi` are the text.

mod attacks;
mod bits;
mod board;
mod geometry;
mod movegen;
mod moves;
mod notation;
mod piece;
mod plain;
mod position;
mod rules;
mod setup;
mod sfen;
mod simulate;
mod sinks;
mod square;
mod tables;
mod tactics;
mod variant;

pub use bits::{Bits, Bits25, Bits81, Squares};
pub use moves::ShogiMove;
pub use piece::{Kind, Piece};
pub use plain::Illegal;
pub use position::Shogi;
pub use rules::{Entering, Repetition, Rules};
pub use setup::Setup;
pub use square::Square;
pub use tables::Tables;
pub use variant::{Five, Nine, Variant};

/// Shogi.
pub type Shogi9 = Shogi<Nine>;
/// Minishogi.
pub type Minishogi = Shogi<Five>;

impl<V: Variant> Default for Shogi<V> {
    /// The start position under the usual rules.
    fn default() -> Self {
        Self::from_sfen("startpos").expect("the start position is a position")
    }
}
