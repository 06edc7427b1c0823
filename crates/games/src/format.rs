//! The formats of game records, by the endings of their files.

use std::str::FromStr;

use yomi_core::TextError;
use yomi_core::hint::did_you_mean;

use crate::shogi::records::{Encoding, Format as ShogiFormat};

/// A format of game records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordFormat {
    /// KIF, KI2 or CSA, with the encoding its ending stands for.
    Shogi(ShogiFormat, Encoding),
    /// One USI `position` line.
    Usi,
    /// SGF of Go.
    Sgf,
    /// Blokus SGF.
    Blksgf,
}

/// Endings and what they stand for. Old Japanese programs write Shift_JIS unless the ending says otherwise.
const ENDINGS: &[(&str, RecordFormat)] = &[
    ("kif", RecordFormat::Shogi(ShogiFormat::Kif, Encoding::ShiftJis)),
    ("kifu", RecordFormat::Shogi(ShogiFormat::Kif, Encoding::Utf8)),
    ("ki2", RecordFormat::Shogi(ShogiFormat::Ki2, Encoding::ShiftJis)),
    ("ki2u", RecordFormat::Shogi(ShogiFormat::Ki2, Encoding::Utf8)),
    ("csa", RecordFormat::Shogi(ShogiFormat::Csa, Encoding::Utf8)),
    ("csa3", RecordFormat::Shogi(ShogiFormat::Csa3, Encoding::Utf8)),
    ("usi", RecordFormat::Usi),
    ("sfen", RecordFormat::Usi),
    ("sgf", RecordFormat::Sgf),
    ("blksgf", RecordFormat::Blksgf),
];

impl FromStr for RecordFormat {
    type Err = TextError;

    fn from_str(ending: &str) -> Result<RecordFormat, TextError> {
        let found = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        let known: Vec<&str> = ENDINGS.iter().map(|&(known, _)| known).collect();
        found.map(|&(_, format)| format).ok_or_else(|| {
            let meant = did_you_mean(ending, known.iter().copied());
            TextError::new(format!("{ending} is no format; there are {}{meant}", known.join(", ")))
        })
    }
}

impl RecordFormat {
    /// What stands between the games of one file; none if a file of this format holds one game.
    pub fn separator(self) -> Option<&'static str> {
        match self {
            RecordFormat::Shogi(ShogiFormat::Csa | ShogiFormat::Csa3, _) => Some("/\n"),
            RecordFormat::Shogi(..) => None,
            RecordFormat::Usi | RecordFormat::Sgf | RecordFormat::Blksgf => Some(""),
        }
    }
}
