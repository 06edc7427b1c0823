//! The games: rules, text, records and pictures. They know no search.
//!
//! [`for_each_game!`] is the list of them; [`Game`] is what a game has beside its rules.

pub mod blokus;
mod count;
mod date;
pub mod draw;
mod format;
mod game;
pub mod go;
mod list;
pub mod othello;
pub mod sgf;
pub mod shogi;
pub mod toys;

pub use count::Count;
pub use date::Date;
pub use format::RecordFormat;
pub use game::{Game, Worth};
pub use list::{FAMILIES, Family, game_names, unknown_game};
#[doc(hidden)]
pub use yomi_core::{Notation, Spec};
