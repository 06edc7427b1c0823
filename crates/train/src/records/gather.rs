//! Reads records and writes sample files: one to train on, one that is held out.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use yomi_core::record::ROOT;
use yomi_core::{Record, TextError};
use yomi_games::shogi::records::AnyRecord;
use yomi_games::{RecordFormat, go, sgf, shogi};
use yomi_net::input::Layout;

use super::identity::{fingerprint, is_held_out};
use super::split::{Part, parts};
use super::{Event, Order, Reason, Summary, lesson};
use crate::files::{replace, trouble};
use crate::game::Trainable;
use crate::samples::Writer;

/// The file to train on, in the folder of an order.
pub const TRAINING: &str = "training.samples";
/// The file of games that are held out.
pub const HELD_OUT: &str = "held-out.samples";
/// What the files were made with and what came of it.
const ABOUT: &str = "records.json";
/// No record file is larger.
const LARGEST_FILE: u64 = 1 << 30;

/// Makes samples of records. Games that are in the files of the folder already count as doubled, so that an order that was stopped goes on,
/// and a folder grows with new records.
pub(crate) fn gather<P: Trainable>(
    start: &P,
    order: &Order<'_>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Summary, TextError> {
    order.selection.check()?;
    let mut gathering = Gathering::open(start, order)?;
    for (path, format) in order.files {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        gathering.take_file(path, *format, tell)?;
        gathering.summary.files += 1;
        tell(Event::File);
    }
    gathering.close()
}

struct Gathering<'a, P: Trainable> {
    start: &'a P,
    order: &'a Order<'a>,
    training: Writer,
    held_out: Writer,
    summary: Summary,
}

impl<'a, P: Trainable> Gathering<'a, P> {
    fn open(start: &'a P, order: &'a Order<'a>) -> Result<Self, TextError> {
        std::fs::create_dir_all(order.out).map_err(|error| trouble(order.out, error))?;
        let layout = start.layout();
        let about = order.out.join(ABOUT);
        let made_with = json!({ "game": layout.game(), "selection": order.selection });
        if about.exists() {
            let text = yomi_core::file::read_text_file(&about.display().to_string(), 1 << 20)?;
            let mut found: serde_json::Value = serde_json::from_str(&text).map_err(|error| trouble(&about, error))?;
            if let Some(members) = found.as_object_mut() {
                members.remove("summary");
            }
            if found != made_with {
                return Err(trouble(&about, format!("the samples were begun with {found}, not with {made_with}"))
                    .hinting("give the same options again, or another folder"));
            }
        } else {
            replace(&about, format!("{made_with}\n").as_bytes())?;
        }
        let open = |name: &str| Writer::open(&order.out.join(name), layout);
        Ok(Gathering {
            start,
            order,
            training: open(TRAINING)?,
            held_out: open(HELD_OUT)?,
            summary: Summary::default(),
        })
    }

    /// Reads a file and takes what can be learned from. What cannot be read is reported and left out; an error is one of writing.
    fn take_file(
        &mut self,
        path: &Path,
        format: RecordFormat,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), TextError> {
        let name = path.display().to_string();
        let read = fits(self.start.layout(), format).and_then(|()| yomi_core::file::read_file(&name, LARGEST_FILE));
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                self.summary.unreadable += 1;
                tell(Event::Fault(&if error.message.starts_with(&name) { error } else { error.context(&name) }));
                return Ok(());
            }
        };
        let parts = parts(&bytes, format);
        let several = parts.len() > 1;
        for (part, number) in parts.iter().zip(1..) {
            match read_part(self.start, part, format) {
                Ok(records) => {
                    for record in &records {
                        self.take(record)?;
                    }
                }
                Err(error) => {
                    self.summary.unreadable += 1;
                    let place = if several { format!("{name}, game {number}") } else { name.clone() };
                    tell(Event::Fault(&error.context(place)));
                }
            }
        }
        Ok(())
    }

    /// Writes what a game teaches, or counts why not.
    fn take(&mut self, record: &Record<P>) -> Result<(), TextError> {
        self.summary.games += 1;
        let (selection, number) = (self.order.selection, fingerprint(record, self.order.selection.skip_first));
        let samples = match lesson::samples(record, number, selection) {
            Ok(_) if [&self.training, &self.held_out].iter().any(|writer| writer.games().contains(&number)) => {
                Err(Reason::Doubled)
            }
            other => other,
        };
        match samples {
            Err(reason) => *self.summary.left_out.entry(reason).or_default() += 1,
            Ok((mut samples, evaluated)) => {
                let held_out = is_held_out(number, selection.held_out, selection.seed);
                let (writer, written) = if held_out {
                    (&mut self.held_out, &mut self.summary.held_out)
                } else {
                    (&mut self.training, &mut self.summary.training)
                };
                writer.append(&mut samples)?;
                written.games += 1;
                written.samples += samples.len() as u64;
                self.summary.evaluated += evaluated;
            }
        }
        Ok(())
    }

    fn close(self) -> Result<Summary, TextError> {
        self.training.sync()?;
        self.held_out.sync()?;
        let game = self.start.layout().game();
        let about = json!({ "game": game, "selection": self.order.selection, "summary": self.summary });
        replace(&self.order.out.join(ABOUT), format!("{about}\n").as_bytes())?;
        Ok(self.summary)
    }
}

/// Refuses files of other games by their names.
fn fits(layout: Layout, format: RecordFormat) -> Result<(), TextError> {
    let (fits, holds) = match format {
        RecordFormat::Shogi(..) => {
            (matches!(layout, Layout::Shogi | Layout::Minishogi), "KIF, KI2 and CSA hold games of shogi and minishogi")
        }
        RecordFormat::Usi => {
            (matches!(layout, Layout::Shogi | Layout::Minishogi), "USI lines are of shogi and minishogi")
        }
        RecordFormat::Sgf => (matches!(layout, Layout::Go(_)), "SGF holds games of Go"),
        RecordFormat::Blksgf => (layout == Layout::BlokusDuo, "Blokus SGF holds games of Blokus Duo"),
    };
    if fits { Ok(()) } else { Err(TextError::new(format!("{holds}, not of {}", layout.game()))) }
}

/// The records of a part, which has one; lines of errors are those of the file.
fn read_part<P: Trainable>(start: &P, part: &Part, format: RecordFormat) -> Result<Vec<Record<P>>, TextError> {
    let read = || match (format, start.layout()) {
        (RecordFormat::Usi, layout) => Ok(vec![usi(start, &part.bytes, layout)?]),
        (RecordFormat::Sgf, Layout::Go(size)) => {
            // Boards of several sizes have one type.
            let text = sgf::decode(&part.bytes);
            for tree in sgf::trees(&text) {
                let found = go::records::size(&tree?)?;
                if found != usize::from(size) {
                    return Err(TextError::new(format!("this is a record of go{found}, not of go{size}")));
                }
            }
            P::read_records(&part.bytes)
        }
        _ => P::read_records(&part.bytes),
    };
    // Of two games in one format the reader says that it is the wrong one; people want to hear which it is.
    let named = |error: TextError| match other_shogi(&part.bytes, format, start.layout()) {
        Some(found) => TextError::new(format!("this is a record of {found}, not of {}", start.layout().game())),
        None => error,
    };
    let records =
        read().map_err(named).map_err(|error| TextError { line: part.line + error.line.saturating_sub(1), ..error })?;
    if records.is_empty() {
        return Err(TextError { line: part.line, ..TextError::new("there is no game here") });
    }
    Ok(records)
}

/// The name of the other shogi, if this is a record of it.
fn other_shogi(bytes: &[u8], format: RecordFormat, layout: Layout) -> Option<&'static str> {
    let RecordFormat::Shogi(..) = format else { return None };
    match (shogi::records::read_all(bytes).ok()?.first()?, layout) {
        (AnyRecord::Shogi(_), Layout::Minishogi) => Some("shogi"),
        (AnyRecord::Minishogi(_), Layout::Shogi) => Some("minishogi"),
        _ => None,
    }
}

/// A USI line: `[position] startpos|sfen … [moves …]`.
fn usi<P: Trainable>(start: &P, bytes: &[u8], layout: Layout) -> Result<Record<P>, TextError> {
    let text = std::str::from_utf8(bytes).map_err(|error| TextError::new(format!("a USI line is UTF-8: {error}")))?;
    // Five rows and nine differ in the number of strokes between them.
    let board = text.split_whitespace().find_map(|word| match word.matches('/').count() {
        4 => Some((Layout::Minishogi, "minishogi")),
        8 => Some((Layout::Shogi, "shogi")),
        _ => None,
    });
    if let Some((_, found)) = board.filter(|(board, _)| *board != layout) {
        return Err(TextError::new(format!("this is a line of {found}, not of {}", layout.game())));
    }
    let (head, moves) = text.split_once(" moves").unwrap_or((text, ""));
    let head = head.trim();
    let mut position = start.parse_position(head.strip_prefix("position").unwrap_or(head).trim())?;
    let mut record = Record::new(position.clone());
    let mut node = ROOT;
    for (word, number) in moves.split_whitespace().zip(1..) {
        let mv = position.parse_move(word).map_err(|error| error.context(format!("move {number}")))?;
        position.play(mv);
        node = record.add(node, Some(mv));
    }
    Ok(record)
}
