//! The Universal Shogi Interface: the lines of both sides as types that read and print themselves.
//!
//! A [`Command`] goes to the engine, a [`Reply`] comes back. Reading is forgiving where programs in use differ (unknown words are
//! kept or skipped, option names may hold spaces, minus times count as none left) and never panics; printing is strict.

mod command;
mod go;
mod info;
mod option;
mod reply;

pub use command::{Command, GameResult, PositionText};
pub use go::{Go, Mate};
pub use info::{Bound, Info, Score};
pub use option::{EngineOption, OptionKind};
pub use reply::{BestMove, Checkmate, Choice, Reply};

/// What the protocol writes for a text that is empty.
pub const EMPTY: &str = "<empty>";
