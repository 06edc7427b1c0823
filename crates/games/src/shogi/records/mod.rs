//! Game records: KIF, KI2 and CSA, of shogi and of minishogi.
//!
//! [`read`] takes any of them, in UTF-8 or Shift_JIS; [`write()`] makes any of them, [`encode`] its bytes. Reading is forgiving where
//! files differ in style (spaces and digits of either width, 王 and 玉, lines and times left out) and strict where a game would
//! be misread: every move must be legal, and an error names the line, the move and the rule.
//!
//! A node that ends the game has no move. Four properties may stand at a node: [`WORD`], [`ILLEGAL`], [`BOOKMARK`] and
//! [`EVALUATION`].
//!
//! Reading order: `kanji` and `move_text` are the words of Japanese moves; `relative` finds the piece that is meant; `diagram`
//! reads boards; `endings` knows how games end, `evaluation` what engines said; `scribe` writes all that down; `kif` and `csa` read files, the writers write them.

use std::borrow::Cow;

use yomi_core::record::{Node, Record};
use yomi_core::{Notation, Position, TextError};

use super::variant::Variant;
use super::{Kind, Minishogi, Shogi, Shogi9, ShogiMove, Square};

mod csa;
mod csa_opening;
mod csa_writer;
mod diagram;
mod encoding;
mod endings;
mod evaluation;
mod headers;
mod kanji;
mod kif;
mod kif_writer;
mod move_text;
mod odds;
mod relative;
mod scribe;
mod spoken;
pub mod usi;

pub use csa::parse_move as parse_csa_move;
pub use csa_writer::move_text as csa_move_text;
pub use encoding::{Encoding, encode};
pub use spoken::{japanese_move_text, looks_japanese, parse_japanese_move};

/// The property that keeps the word of KIF for an end where it says more than [`yomi_core::Ending`] does: 封じ手, 待った.
pub const WORD: &str = "word";
/// The property that keeps the illegal last move of a game, in USI. Its player is still to move and has lost.
pub const ILLEGAL: &str = "illegal";
/// The property that keeps the name of a bookmark (しおり) of KIF.
pub const BOOKMARK: &str = "bookmark";
/// The property that keeps what an engine said about its move: hundredths of a pawn as Black sees them, a whole number, and then the moves it
/// expected, in USI.
pub const EVALUATION: &str = "evaluation";

/// A record of either game.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one to a file")]
pub enum AnyRecord {
    /// Nine by nine.
    Shogi(Record<Shogi9>),
    /// Five by five.
    Minishogi(Record<Minishogi>),
}

impl AnyRecord {
    /// The record, if it is one of shogi.
    pub fn shogi(self) -> Option<Record<Shogi9>> {
        if let AnyRecord::Shogi(record) = self { Some(record) } else { None }
    }

    /// The record, if it is one of minishogi.
    pub fn minishogi(self) -> Option<Record<Minishogi>> {
        if let AnyRecord::Minishogi(record) = self { Some(record) } else { None }
    }

    /// The record as a text of this format.
    pub fn write(&self, format: Format) -> Result<String, TextError> {
        match self {
            AnyRecord::Shogi(record) => write(record, format),
            AnyRecord::Minishogi(record) => write(record, format),
        }
    }
}

/// The forms of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Kakinoki's format: a move per line, with origins and times.
    Kif,
    /// The same without origins and times, as books print games. Times are lost.
    Ki2,
    /// The Computer Shogi Association's format, version 2.2: what servers and older programs read. Variations are lost.
    Csa,
    /// Its version 3.0, with times in milliseconds. Variations are lost.
    Csa3,
}

/// The format of a text, judged by the first line that only one of them has.
pub fn detect(text: &str) -> Option<Format> {
    let mut japanese = None;
    for (_, line) in encoding::lines(text) {
        let line = line.trim();
        if line.starts_with("#KIF") {
            return Some(Format::Kif);
        }
        if japanese.is_none() && (line.starts_with("V3") || line.starts_with("'CSA encoding")) {
            return Some(Format::Csa3);
        }
        if japanese.is_none() && csa::is_sign(line) {
            return Some(Format::Csa);
        }
        if line.starts_with(|c| kanji::marked(c).is_some()) && move_text::begins(line) {
            return Some(Format::Ki2);
        }
        if kif::begins_moves(line) && !line.starts_with("変化") && !line.starts_with("まで") {
            return Some(Format::Kif);
        }
        if line.starts_with("手合割") || line.starts_with("まで") || diagram::is_row(line) {
            japanese = Some(Format::Kif);
        }
    }
    japanese
}

/// Reads a record in any of the formats.
pub fn read(bytes: &[u8]) -> Result<AnyRecord, TextError> {
    let text: Cow<'_, str> = encoding::decode(bytes)?;
    match detect(&text) {
        Some(Format::Kif | Format::Ki2) => kif::read(&text),
        Some(Format::Csa | Format::Csa3) => csa::read(&text),
        None => Err(TextError::new("this is no KIF, KI2 or CSA: no line of it is a move or a board")),
    }
}

/// Reads all records of a file. Only CSA files can hold more than one.
pub fn read_all(bytes: &[u8]) -> Result<Vec<AnyRecord>, TextError> {
    let text = encoding::decode(bytes)?;
    match detect(&text) {
        Some(Format::Csa | Format::Csa3) => csa::read_all(&text),
        _ => Ok(vec![read(bytes)?]),
    }
}

/// The record as a text of this format. An error means that the record itself holds an illegal move.
pub fn write<V: Variant>(record: &Record<Shogi<V>>, format: Format) -> Result<String, TextError> {
    match format {
        Format::Kif | Format::Ki2 => kif_writer::write(record, format),
        Format::Csa | Format::Csa3 => csa_writer::write(record, format),
    }
}

/// A move of a record must be legal where it stands.
fn legal_move<V: Variant>(position: &Shogi<V>, mv: ShogiMove, node: usize) -> Result<(), TextError> {
    if position.is_legal(mv) {
        return Ok(());
    }
    let reason = relative::refuse(position, mv).reason;
    Err(TextError::new(format!("node {node} of the record: {} is illegal: {reason}", position.move_text(mv))))
}

/// The illegal move that ended the game at a node, if it can be written in this position.
fn illegal_move<V: Variant>(position: &Shogi<V>, node: &Node<ShogiMove>) -> Option<ShogiMove> {
    let text = property(node, ILLEGAL)?;
    let to = Square::parse::<V>(text.get(2..4)?)?;
    let mv = match (text.get(..2)?, text.get(4..)?) {
        (from, "") if from.ends_with('*') => ShogiMove::drop(from.chars().next().and_then(Kind::from_letter)?, to),
        (from, "") => ShogiMove::new(Square::parse::<V>(from)?, to),
        (from, "+") => ShogiMove::promoting(Square::parse::<V>(from)?, to),
        _ => return None,
    };
    (relative::has_piece(position, mv) && !position.is_legal(mv)).then_some(mv)
}

/// The first value of a property of a node.
fn property<'a, M>(node: &'a Node<M>, key: &str) -> Option<&'a str> {
    node.properties.iter().find(|(known, _)| known == key)?.1.first().map(String::as_str)
}
