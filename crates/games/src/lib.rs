//! The games: rules, text, records and pictures. They know no search.
//!
//! [`for_each_game!`] is the list of them; [`Game`] is what a game has beside its rules.
//!
//! ```
//! use yomi_core::{Notation, Position, perft::perft};
//! use yomi_games::shogi::Minishogi;
//!
//! let start = Minishogi::default();
//! assert_eq!(perft(&start, 3), 2_512);
//! let mut next = start;
//! next.play(start.parse_move("2e1d").unwrap());
//! assert_eq!(next.position_text(), "rbsgk/4p/5/P3B/KGS1R w - 2");
//! ```

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
pub use game::{Game, Worth, variation};
pub use list::{FAMILIES, Family, game_names, known_game_names, unknown_game};
#[doc(hidden)]
pub use yomi_core::{Notation, Spec};
