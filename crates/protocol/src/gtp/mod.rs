//! The Go Text Protocol, version 2: commands and responses as types that read and print themselves.
//!
//! A controller sends one-line [`Command`]s, the engine answers each with a [`Response`] that ends in an empty line. What the words
//! mean is up to the game: points of Go and piece placements of Blokus are text here.

mod command;
mod response;
mod time;

pub use command::Command;
pub use response::{Response, ResponseReader};
pub use time::TimeSettings;

use yomi_core::{Color, TextError};

/// What `genmove` answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A point, or whatever a move is in the game played.
    Move(String),
    /// No stone this time.
    Pass,
    /// It gives up.
    Resign,
}

impl std::str::FromStr for Choice {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Choice, TextError> {
        let mut words = text.split_whitespace();
        match (words.next(), words.next()) {
            (Some(word), None) => Ok(match word.to_ascii_lowercase().as_str() {
                "pass" => Choice::Pass,
                "resign" => Choice::Resign,
                _ => Choice::Move(word.to_string()),
            }),
            _ => Err(TextError::at(text, 0, "a move, pass or resign was expected")),
        }
    }
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Choice::Move(mv) => write!(f, "{mv}"),
            Choice::Pass => write!(f, "pass"),
            Choice::Resign => write!(f, "resign"),
        }
    }
}

/// Reads a colour: `b`, `black`, `w` or `white`, in any case.
pub fn parse_color(word: &str) -> Result<Color, TextError> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(TextError::at(word, 0, "a colour is black or white")),
    }
}

/// The colour as it is written: Black plays first.
pub fn color_text(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}
