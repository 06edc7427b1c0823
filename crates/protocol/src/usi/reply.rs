//! What an engine answers.

use std::fmt;
use std::str::FromStr;

use yomi_core::TextError;

use super::info::Info;
use super::option::EngineOption;

/// A line from the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// `id name …`.
    Name(String),
    /// `id author …`.
    Author(String),
    /// `option …`.
    Option(EngineOption),
    /// `usiok`: that was all about me.
    UsiOk,
    /// `readyok`: everything is loaded.
    ReadyOk,
    /// `info …`.
    Info(Box<Info>),
    /// `bestmove …`.
    Best(BestMove),
    /// `checkmate …`.
    Checkmate(Checkmate),
}

/// The answer to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// What it does.
    pub choice: Choice,
    /// The reply it would like to think about.
    pub ponder: Option<String>,
}

/// What the engine does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// It plays.
    Move(String),
    /// It gives up.
    Resign,
    /// It declares the win of the entering king.
    Win,
}

/// The answer to `go mate`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checkmate {
    /// These moves give mate.
    Moves(Vec<String>),
    /// There is none.
    NoMate,
    /// None was found in time.
    Timeout,
    /// This engine looks for no mates.
    NotImplemented,
}

impl FromStr for Reply {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Reply, TextError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim_start();
        match (word, rest.split_once(char::is_whitespace).unwrap_or((rest, ""))) {
            ("id", ("name", name)) => Ok(Reply::Name(name.trim().to_string())),
            ("id", ("author", name)) => Ok(Reply::Author(name.trim().to_string())),
            ("option", _) => rest.parse().map(Reply::Option),
            ("usiok", _) => Ok(Reply::UsiOk),
            ("readyok", _) => Ok(Reply::ReadyOk),
            ("info", _) => Ok(Reply::Info(Box::new(Info::parse(rest)))),
            ("bestmove", _) => rest.parse().map(Reply::Best),
            ("checkmate", _) => rest.parse().map(Reply::Checkmate),
            _ => Err(TextError::at(line, 0, "this is no answer of a USI engine")),
        }
    }
}

impl FromStr for BestMove {
    type Err = TextError;

    /// Reads what stands behind `bestmove`.
    fn from_str(text: &str) -> Result<BestMove, TextError> {
        let mut words = text.split_whitespace();
        let choice = match words.next() {
            None => return Err(TextError::new("a move was expected after `bestmove`")),
            Some("resign") => Choice::Resign,
            Some("win") => Choice::Win,
            Some(mv) => Choice::Move(mv.to_string()),
        };
        let ponder = if words.next() == Some("ponder") { words.next().map(str::to_string) } else { None };
        Ok(BestMove { choice, ponder })
    }
}

impl FromStr for Checkmate {
    type Err = TextError;

    /// Reads what stands behind `checkmate`.
    fn from_str(text: &str) -> Result<Checkmate, TextError> {
        Ok(match text.trim() {
            "" => return Err(TextError::new("moves were expected after `checkmate`")),
            "nomate" => Checkmate::NoMate,
            "timeout" => Checkmate::Timeout,
            "notimplemented" => Checkmate::NotImplemented,
            moves => Checkmate::Moves(moves.split_whitespace().map(str::to_string).collect()),
        })
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Move(mv) => write!(f, "{mv}"),
            Choice::Resign => write!(f, "resign"),
            Choice::Win => write!(f, "win"),
        }
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.choice)?;
        self.ponder.iter().try_for_each(|mv| write!(f, " ponder {mv}"))
    }
}

impl fmt::Display for Checkmate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Checkmate::Moves(moves) => write!(f, "{}", moves.join(" ")),
            Checkmate::NoMate => write!(f, "nomate"),
            Checkmate::Timeout => write!(f, "timeout"),
            Checkmate::NotImplemented => write!(f, "notimplemented"),
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Name(name) => write!(f, "id name {name}"),
            Reply::Author(name) => write!(f, "id author {name}"),
            Reply::Option(option) => write!(f, "option {option}"),
            Reply::UsiOk => write!(f, "usiok"),
            Reply::ReadyOk => write!(f, "readyok"),
            Reply::Info(info) => write!(f, "info {info}"),
            Reply::Best(best) => write!(f, "bestmove {best}"),
            Reply::Checkmate(checkmate) => write!(f, "checkmate {checkmate}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_as_it_reads() {
        for line in [
            "id name Fairy-Stockfish 11.1 LB 64",
            "id author teamgps",
            "option name Thread type spin default 2 min 1 max 2",
            "usiok",
            "readyok",
            "info depth 3 score cp 5 pv 7g7f",
            "bestmove 7g7f ponder 3c3d",
            "bestmove resign",
            "bestmove win",
            "checkmate G*5b 4a3b",
            "checkmate nomate",
        ] {
            assert_eq!(line.parse::<Reply>().unwrap().to_string(), line);
        }
        for line in ["", "hello", "bestmove", "id", "option", "checkmate"] {
            assert!(line.parse::<Reply>().is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(line in "(info|option name|bestmove|checkmate|id) ?[ a-z0-9+*é-]{0,60}") {
            if let Ok(reply) = line.parse::<Reply>() {
                prop_assert_eq!(reply.to_string().parse::<Reply>().ok(), Some(reply));
            }
        }
    }
}
