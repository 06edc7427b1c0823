//! Shogi on nine by nine and minishogi on five by five squares, from one table of constants.
//!
//! Reading order: [`Kind`], [`Square`], [`ShogiMove`] say what things are called; [`Variant`] is the table of constants;
//! `bits` are sets of squares; `board` keeps pieces, hands and key in step; [`Shogi`] is the position; `movegen` finds the legal
//! moves; `plain` says the same rules once more, slowly; `sfen` and `notation` are the text.
//!
//! ```
//! use yomi_core::{Notation, Position, perft::perft};
//! use yomi_games::shogi::{Minishogi, Shogi9};
//!
//! let line = Shogi9::default().parse_line("position startpos moves 7g7f 3c3d")?;
//! assert_eq!(line.position().position_text(), "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
//! let capture = line.position().parse_move("8h2b+")?;
//! assert!(capture.promotes() && !line.position().gives_check(capture));
//! assert_eq!(perft(&Minishogi::default(), 3), 2512);
//! # Ok::<(), yomi_core::TextError>(())
//! ```

mod attacks;
mod bits;
mod bits25;
mod bits81;
mod board;
mod checks;
mod declaration;
mod effects;
mod game;
mod geometry;
mod movegen;
mod moves;
mod noisy;
mod notation;
mod piece;
mod plain;
mod position;
pub mod records;
mod rules;
mod setup;
mod sfen;
mod simulate;
mod sinks;
mod square;
mod tables;
mod tactics;
mod variant;
mod western;
pub mod winning_chance;

pub use attacks::{KingZone, Watch};
pub use bits::{Bits, Squares};
pub use bits25::Bits25;
pub use bits81::Bits81;
pub use declaration::{Declaration, points};
pub use effects::Effects;
pub use moves::ShogiMove;
pub use piece::{Kind, Piece};
pub use plain::Illegal;
pub use position::Shogi;
pub use rules::{Entering, Repetition, Rules};
pub use setup::Setup;
pub use simulate::MoveSets;
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
