//! Game records of every game and format: what a file holds, and how it is written.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use yomi_core::hint::did_you_mean;
use yomi_core::record::ROOT;
use yomi_core::{Notation, Position, Record, Spec, TextError};
use yomi_games::blokus::{self, BlokusDuo};
use yomi_games::go::{self, Go9, Go13, Go19};
use yomi_games::sgf;
use yomi_games::shogi::records::{self as shogi_records, AnyRecord as ShogiRecord, Encoding};
use yomi_games::shogi::{Minishogi, Shogi, Shogi9, Variant};

/// The formats, by the endings of their files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// KIF, KI2 or CSA, with the encoding its ending stands for.
    Shogi(shogi_records::Format, Encoding),
    /// One USI `position` line.
    Usi,
    /// SGF of Go.
    Sgf,
    /// Blokus SGF.
    Blksgf,
}

/// Endings and what they stand for. Old Japanese programs write Shift_JIS unless the ending says otherwise.
const ENDINGS: &[(&str, Format)] = &[
    ("kif", Format::Shogi(shogi_records::Format::Kif, Encoding::ShiftJis)),
    ("kifu", Format::Shogi(shogi_records::Format::Kif, Encoding::Utf8)),
    ("ki2", Format::Shogi(shogi_records::Format::Ki2, Encoding::ShiftJis)),
    ("ki2u", Format::Shogi(shogi_records::Format::Ki2, Encoding::Utf8)),
    ("csa", Format::Shogi(shogi_records::Format::Csa, Encoding::Utf8)),
    ("csa3", Format::Shogi(shogi_records::Format::Csa3, Encoding::Utf8)),
    ("usi", Format::Usi),
    ("sfen", Format::Usi),
    ("sgf", Format::Sgf),
    ("blksgf", Format::Blksgf),
];

impl FromStr for Format {
    type Err = anyhow::Error;

    fn from_str(ending: &str) -> anyhow::Result<Format> {
        let found = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
        let known: Vec<&str> = ENDINGS.iter().map(|&(known, _)| known).collect();
        found.map(|&(_, format)| format).with_context(|| {
            let meant = did_you_mean(ending, known.iter().copied());
            format!("{ending} is no format; there are {}{meant}", known.join(", "))
        })
    }
}

impl Format {
    /// The format that a file's ending stands for.
    pub(crate) fn of(path: &Path) -> anyhow::Result<Format> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.with_context(|| format!("{} has no ending that tells its format", path.display()))?.parse()
    }

    /// What stands between the games of one file; none if a file of this format holds one game.
    pub(crate) fn separator(self) -> Option<&'static str> {
        match self {
            Format::Shogi(shogi_records::Format::Csa | shogi_records::Format::Csa3, _) => Some("/\n"),
            Format::Shogi(..) => None,
            Format::Usi | Format::Sgf | Format::Blksgf => Some(""),
        }
    }
}

/// A record of any game.
#[allow(clippy::large_enum_variant, reason = "there is one of it, and it is not moved about")]
pub(crate) enum AnyRecord {
    Shogi(Record<Shogi9>),
    Minishogi(Record<Minishogi>),
    Go9(Record<Go9>),
    Go13(Record<Go13>),
    Go19(Record<Go19>),
    Blokus(Record<BlokusDuo>),
}

/// Reads the games of a file. `game` decides where the file does not: a USI line from the start position may be of either shogi.
pub(crate) fn read_all(bytes: &[u8], format: Format, game: Option<&Spec>) -> anyhow::Result<Vec<AnyRecord>> {
    let records: Vec<AnyRecord> = match format {
        Format::Shogi(..) => shogi_records::read_all(bytes)?
            .into_iter()
            .map(|record| match record {
                ShogiRecord::Shogi(record) => AnyRecord::Shogi(record),
                ShogiRecord::Minishogi(record) => AnyRecord::Minishogi(record),
            })
            .collect(),
        Format::Usi => {
            let text = std::str::from_utf8(bytes).context("a USI line is UTF-8")?;
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            lines
                .map(|(i, line)| read_usi_line(line, game).with_context(|| format!("line {}", i + 1)))
                .collect::<Result<_, _>>()?
        }
        Format::Sgf => {
            let text = sgf::decode(bytes);
            sgf::trees(&text).map(|tree| read_sgf(&tree?)).collect::<Result<_, _>>()?
        }
        Format::Blksgf => blokus::records::read_all(bytes)?.into_iter().map(AnyRecord::Blokus).collect(),
    };
    ensure!(!records.is_empty(), "there is no game in this file");
    Ok(records)
}

fn read_usi_line(line: &str, game: Option<&Spec>) -> anyhow::Result<AnyRecord> {
    // Five rows are told from nine by the strokes between them.
    let small = line.split_whitespace().any(|word| word.matches('/').count() == 4);
    Ok(match game.map(|spec| spec.name.as_str()) {
        Some("minishogi") => AnyRecord::Minishogi(read_usi(line)?),
        None if small => AnyRecord::Minishogi(read_usi(line)?),
        None | Some("shogi") => AnyRecord::Shogi(read_usi(line)?),
        Some(other) => bail!("a USI line is of shogi or minishogi, not of {other}"),
    })
}

/// A record as the bytes of a file.
pub(crate) fn write(record: &AnyRecord, format: Format, encoding: Option<Encoding>) -> anyhow::Result<Vec<u8>> {
    Ok(match (record, format) {
        (AnyRecord::Shogi(record), Format::Shogi(format, usual)) => encode(record, format, encoding.unwrap_or(usual))?,
        (AnyRecord::Minishogi(record), Format::Shogi(format, usual)) => {
            encode(record, format, encoding.unwrap_or(usual))?
        }
        (AnyRecord::Shogi(record), Format::Usi) => write_usi(record).into_bytes(),
        (AnyRecord::Minishogi(record), Format::Usi) => write_usi(record).into_bytes(),
        (AnyRecord::Go9(record), Format::Sgf) => go::records::write(record).into_bytes(),
        (AnyRecord::Go13(record), Format::Sgf) => go::records::write(record).into_bytes(),
        (AnyRecord::Go19(record), Format::Sgf) => go::records::write(record).into_bytes(),
        (AnyRecord::Blokus(record), Format::Blksgf) => blokus::records::write(record).into_bytes(),
        (record, _) => bail!("a record of {} cannot be written in this format", record.game()),
    })
}

/// Calls `$body` with the record inside, whatever game it is of.
macro_rules! with_record {
    ($any:expr, |$record:ident| $body:expr) => {
        match $any {
            AnyRecord::Shogi($record) => $body,
            AnyRecord::Minishogi($record) => $body,
            AnyRecord::Go9($record) => $body,
            AnyRecord::Go13($record) => $body,
            AnyRecord::Go19($record) => $body,
            AnyRecord::Blokus($record) => $body,
        }
    };
}

pub(crate) use with_record;

impl AnyRecord {
    /// The game that was played.
    pub(crate) fn game(&self) -> String {
        with_record!(self, |record| record.start.rules())
    }

    /// How many moves the main line has.
    pub(crate) fn plies(&self) -> usize {
        with_record!(self, |record| record.moves().len())
    }
}

/// A game of an SGF file, on a board that holds it.
fn read_sgf(tree: &sgf::Tree<'_>) -> anyhow::Result<AnyRecord> {
    Ok(match go::records::size(tree)? {
        2..=9 => AnyRecord::Go9(go::records::read(tree)?),
        10..=13 => AnyRecord::Go13(go::records::read(tree)?),
        _ => AnyRecord::Go19(go::records::read(tree)?),
    })
}

fn encode<V: Variant>(
    record: &Record<Shogi<V>>,
    format: shogi_records::Format,
    encoding: Encoding,
) -> Result<Vec<u8>, TextError> {
    shogi_records::encode(&shogi_records::write(record, format)?, encoding)
}

/// `[position] startpos|sfen … [moves …]` as a record.
fn read_usi<V: Variant>(text: &str) -> anyhow::Result<Record<Shogi<V>>> {
    let text = text.trim();
    let start = Shogi::<V>::start(&Spec::named(V::NAME))?;
    // Read as a whole first: its errors say where in the line they are.
    start.parse_line(text)?;
    let (head, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let mut position = start.parse_position(head.trim_start_matches("position").trim())?;
    let mut record = Record::new(position);
    let mut node = ROOT;
    for word in moves.split_whitespace() {
        let mv = position.parse_move(word)?;
        position.play(mv);
        node = record.add(node, Some(mv));
    }
    Ok(record)
}

/// The main line as one USI line.
fn write_usi<V: Variant>(record: &Record<Shogi<V>>) -> String {
    let mut position = record.start;
    let usual =
        Shogi::<V>::start(&Spec::named(V::NAME)).is_ok_and(|start| start.position_text() == position.position_text());
    let mut text = if usual { "startpos".to_string() } else { format!("sfen {}", position.position_text()) };
    for (i, mv) in record.moves().into_iter().enumerate() {
        text += if i == 0 { " moves " } else { " " };
        text += &position.move_text(mv);
        position.play(mv);
    }
    text + "\n"
}
