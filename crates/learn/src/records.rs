//! Games of others to learn from: records of shogi and minishogi (KIF, KI2, CSA, USI lines), and the files of games that the regression
//! keeps ([`crate::games`]). What cannot be read is left out and named, so that one damaged file among thousands stops nothing.
//!
//! A file of several CSA games is read as a whole or not at all; of USI lines, each line stands for itself.

use std::any::Any;
use std::fs;
use std::path::Path;

use yomi_core::record::Record;
use yomi_core::{Notation, Outcome, Position, TextError};
use yomi_games::shogi::records::{self, AnyRecord, usi};
use yomi_games::shogi::{Shogi, Variant};

use crate::games::{self, Game};

/// A game and where it began.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded<P: Position> {
    /// The position before the first move: handicaps and problems begin elsewhere.
    pub start: P,
    /// What was played from there.
    pub game: Game<P::Move>,
}

/// What files and folders hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Library<P: Position> {
    /// The games, in the order of the files.
    pub games: Vec<Recorded<P>>,
    /// Which files, or lines of them, were left out, and why.
    pub skipped: Vec<TextError>,
}

impl<P: Position> Default for Library<P> {
    fn default() -> Self {
        Library { games: Vec::new(), skipped: Vec::new() }
    }
}

/// Endings of the files that are read from a folder; a file that is named itself is read whatever it is called.
pub const ENDINGS: [&str; 9] = ["kif", "kifu", "ki2", "ki2u", "csa", "csa3", "usi", "sfen", "games"];

/// No file of games is larger.
const LARGEST: u64 = 1 << 32;

/// Reads files, and folders with everything below them in the order of their names.
pub fn read<V: Variant>(paths: &[String]) -> Library<Shogi<V>> {
    let mut library = Library::default();
    for path in paths {
        read_path(Path::new(path), &mut library);
    }
    library
}

fn read_path<V: Variant>(path: &Path, library: &mut Library<Shogi<V>>) {
    if !path.is_dir() {
        return read_file(path, library);
    }
    let mut inside: Vec<_> = match fs::read_dir(path) {
        Ok(entries) => entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect(),
        Err(error) => return library.skipped.push(TextError::new(error.to_string()).context(path.display())),
    };
    inside.sort();
    for path in inside {
        // A link to a folder may lead in a circle.
        let is_folder = path.is_dir() && !path.is_symlink();
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        if is_folder || path.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            read_path(&path, library);
        }
    }
}

fn read_file<V: Variant>(path: &Path, library: &mut Library<Shogi<V>>) {
    let name = path.display().to_string();
    let bytes = match yomi_core::file::read_file(&name, LARGEST) {
        Ok(bytes) => bytes,
        // The error names the file already.
        Err(error) => return library.skipped.push(error),
    };
    let found = library.games.len() + library.skipped.len();
    let mut take = |game: Result<Recorded<Shogi<V>>, TextError>| match game {
        Ok(game) => library.games.push(game),
        Err(error) => library.skipped.push(error.context(&name)),
    };
    if games::is_file(&bytes) {
        match games::read::<Shogi<V>>(&bytes) {
            Ok(games) => games.into_iter().for_each(|game| take(Ok(Recorded { start: Shogi::default(), game }))),
            Err(error) => take(Err(error)),
        }
    } else if let Some(text) = usi_text(&bytes) {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let game = usi::read::<V>(line).and_then(|record| recorded(&record));
            take(game.map_err(|error| error.context(format!("line {}", number + 1))));
        }
    } else {
        match records::read_all(&bytes) {
            Ok(all) => all.into_iter().for_each(|record| {
                let wrong = || TextError::new(format!("this is no record of {}", V::NAME));
                take(of_game::<V>(record).ok_or_else(wrong).and_then(|record| recorded(&record)));
            }),
            Err(error) => take(Err(error)),
        }
    }
    if library.games.len() + library.skipped.len() == found {
        library.skipped.push(TextError::new("there is no game in this file").context(&name));
    }
}

/// The text, if its first line is a position in USI.
fn usi_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let first = text.split_whitespace().next()?;
    ["position", "startpos", "sfen"].contains(&first).then_some(text)
}

/// The record, if it is one of this game.
fn of_game<V: Variant>(record: AnyRecord) -> Option<Record<Shogi<V>>> {
    let any: Box<dyn Any> = match record {
        AnyRecord::Shogi(record) => Box::new(record),
        AnyRecord::Minishogi(record) => Box::new(record),
    };
    any.downcast().ok().map(|record| *record)
}

/// The main line. A game that was broken off counts as drawn; the searches gave no values.
fn recorded<P: Notation>(record: &Record<P>) -> Result<Recorded<P>, TextError> {
    let moves: Vec<P::Move> = record.moves().into_iter().take(games::LONGEST).collect();
    if moves.is_empty() {
        return Err(TextError::new("this game has no moves"));
    }
    let mut last = record.start.clone();
    for (ply, &mv) in moves.iter().enumerate() {
        if !last.is_legal(mv) {
            return Err(TextError::new(format!("move {} is not legal", ply + 1)));
        }
        last.play(mv);
    }
    let by_rules = || last.generate(&mut Vec::new());
    let outcome = record.ending().and_then(|ending| ending.outcome(last.turn())).or_else(by_rules);
    let values = vec![f32::NAN; moves.len()];
    let game = Game { moves, random: 0, values, outcome: outcome.unwrap_or(Outcome::Draw) };
    Ok(Recorded { start: record.start.clone(), game })
}
