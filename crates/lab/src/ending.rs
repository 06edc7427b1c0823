//! How a game of a match ended, and why.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use yomi_core::{Color, Outcome};

/// Why a game ended: what tables and filters ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// By the rules of the game: mate, count, repetition, perpetual check, declaration.
    Normal,
    /// A player gave up.
    Resign,
    /// A player did what the rules forbid, wrong declarations included.
    Illegal,
    /// A player overstepped its time.
    Timeout,
    /// A player died or broke the protocol.
    Crash,
    /// The referee called it by what the players said about it.
    Adjudicated,
    /// The agreed number of moves was reached.
    MoveLimit,
    /// A fault that is charged to no player: the game is played again.
    Void,
}

impl Reason {
    /// All of them, in the order of tables.
    pub const ALL: [Reason; 8] = [
        Reason::Normal,
        Reason::Resign,
        Reason::Illegal,
        Reason::Timeout,
        Reason::Crash,
        Reason::Adjudicated,
        Reason::MoveLimit,
        Reason::Void,
    ];

    /// The word for it in ledgers and tables.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Normal => "normal",
            Reason::Resign => "resign",
            Reason::Illegal => "illegal",
            Reason::Timeout => "timeout",
            Reason::Crash => "crash",
            Reason::Adjudicated => "adjudicated",
            Reason::MoveLimit => "move-limit",
            Reason::Void => "void",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Reason {
    type Err = String;

    fn from_str(word: &str) -> Result<Reason, String> {
        let found = Reason::ALL.into_iter().find(|reason| reason.word() == word);
        found.ok_or_else(|| format!("{word} is no reason for the end of a game"))
    }
}

/// The end of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// Who won; nothing, if the game does not count.
    pub outcome: Option<Outcome>,
    /// Why.
    pub reason: Reason,
    /// The same in words, for people: `repetition`, `B+7.5`, `P*5e cannot be played: …`.
    pub detail: String,
}

impl Finish {
    /// A game that does not count.
    pub fn void(detail: impl Into<String>) -> Finish {
        Finish { outcome: None, reason: Reason::Void, detail: detail.into() }
    }

    /// Lost by that side.
    pub fn lost_by(side: Color, reason: Reason, detail: impl Into<String>) -> Finish {
        Finish { outcome: Some(Outcome::Win(!side)), reason, detail: detail.into() }
    }

    /// Neither side won.
    pub fn drawn(reason: Reason, detail: impl Into<String>) -> Finish {
        Finish { outcome: Some(Outcome::Draw), reason, detail: detail.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_as_they_are_written() {
        for reason in Reason::ALL {
            assert_eq!(reason.to_string().parse(), Ok(reason));
        }
        assert!("boredom".parse::<Reason>().is_err());
    }
}
