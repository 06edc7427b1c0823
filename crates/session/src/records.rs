//! Game records of every game and format: what a file holds, and how it is written. Files themselves are the caller's.

use yomi_core::{Ending, Line, Record, Spec, TextError};
use yomi_games::shogi::records::{self as shogi_records, AnyRecord as ShogiRecord, usi};
use yomi_games::{RecordFormat, Worth, blokus, go, sgf, with_game};

pub use yomi_games::shogi::records::Encoding;

use crate::Playable;
use crate::game_session::open_record;
use crate::session::Session;
use crate::variation::parse_moves;

/// A record of any game, its type forgotten.
pub trait AnyRecord: Send {
    /// The game that was played, with its rules.
    fn game(&self) -> String;

    /// How many moves the main line has.
    fn plies(&self) -> usize;

    /// The record as the bytes of a file.
    fn write(&self, format: RecordFormat, encoding: Option<Encoding>) -> Result<Vec<u8>, TextError>;

    /// A session at the end of the main line.
    fn open(&self) -> Box<dyn Session>;

    /// What the file says about the game: players, date, event.
    fn headers(&self) -> &[(String, String)];

    /// How the main line ended, if the file says so.
    fn ending(&self) -> Option<Ending>;

    /// Writes what was found about the move that was played after `plies` moves into the record, behind what it says already.
    fn annotate(&mut self, plies: usize, note: &Note) -> Result<(), TextError>;
}

/// What was found about a move of a record.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Note {
    /// Black's chance of winning after the move, 0 to 1.
    pub chance: Option<f32>,
    /// A few words.
    pub comment: String,
    /// A better line, moves in the game's own text separated by spaces: it becomes a variation.
    pub better: String,
}

impl<P: Playable> AnyRecord for Record<P> {
    fn game(&self) -> String {
        self.start.rules()
    }

    fn plies(&self) -> usize {
        self.moves().len()
    }

    fn write(&self, format: RecordFormat, encoding: Option<Encoding>) -> Result<Vec<u8>, TextError> {
        P::write_as(self, format, encoding)
    }

    fn open(&self) -> Box<dyn Session> {
        open_record(self)
    }

    fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    fn ending(&self) -> Option<Ending> {
        Record::ending(self)
    }

    fn annotate(&mut self, plies: usize, note: &Note) -> Result<(), TextError> {
        let played: Vec<usize> = self.main_line().filter(|&node| self.nodes[node].mv.is_some()).collect();
        let node = *played.get(plies).ok_or_else(|| TextError::new(format!("the game has no move {}", plies + 1)))?;
        let said = std::mem::take(&mut self.nodes[node].comment);
        if let Some(chance) = note.chance {
            P::annotate(&mut self.nodes[node], Worth::Chance(chance));
        }
        let found = std::mem::take(&mut self.nodes[node].comment);
        let words = [said, note.comment.clone(), found];
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|words| !words.is_empty()).collect();
        self.nodes[node].comment = words.join("\n");
        let mut line = Line::new(self.start.clone());
        played[..plies].iter().filter_map(|&node| self.nodes[node].mv).for_each(|mv| line.play(mv));
        let better = parse_moves(&mut line, &note.better)?;
        better.into_iter().fold(self.nodes[node].parent, |parent, mv| self.add(parent, Some(mv)));
        Ok(())
    }
}

fn any<P: Playable>(record: Record<P>) -> Box<dyn AnyRecord> {
    Box::new(record)
}

/// Reads the games of a file. `game` decides where the file does not: a USI line from the start position may be of either shogi.
///
/// ```
/// use yomi_session::{RecordFormat, records};
///
/// let games = records::read_all(b"startpos moves 7g7f 3c3d", "usi".parse()?, None)?;
/// assert_eq!((games[0].game().as_str(), games[0].plies()), ("shogi", 2));
/// let csa = games[0].write("csa".parse()?, None)?;
/// assert!(String::from_utf8(csa).unwrap().contains("+7776FU"));
/// # Ok::<(), yomi_core::TextError>(())
/// ```
pub fn read_all(bytes: &[u8], format: RecordFormat, game: Option<&Spec>) -> Result<Vec<Box<dyn AnyRecord>>, TextError> {
    let records: Vec<Box<dyn AnyRecord>> = match format {
        RecordFormat::Shogi(..) => shogi_records::read_all(bytes)?
            .into_iter()
            .map(|record| match record {
                ShogiRecord::Shogi(record) => any(record),
                ShogiRecord::Minishogi(record) => any(record),
            })
            .collect(),
        RecordFormat::Usi => {
            let text =
                std::str::from_utf8(bytes).map_err(|error| TextError::new(format!("a USI line is UTF-8: {error}")))?;
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let read = |(i, line)| read_usi_line(line, game).map_err(|error| error.context(format!("line {}", i + 1)));
            lines.map(read).collect::<Result<_, _>>()?
        }
        RecordFormat::Sgf => {
            let text = sgf::decode(bytes);
            sgf::trees(&text).map(|tree| read_sgf(&tree?)).collect::<Result<_, _>>()?
        }
        RecordFormat::Blksgf => blokus::records::read_all(bytes)?.into_iter().map(any).collect(),
    };
    if records.is_empty() {
        return Err(TextError::new("there is no game in this file"));
    }
    Ok(records)
}

fn read_usi_line(line: &str, game: Option<&Spec>) -> Result<Box<dyn AnyRecord>, TextError> {
    fn of<P: Playable>(_: P, line: &str) -> Result<Box<dyn AnyRecord>, TextError> {
        P::read_usi(line).map(any)
    }
    let game = Spec::named(game.map_or_else(|| usi::game(line), |spec| &spec.name));
    with_game!(&game, |start| of(start, line))
}

/// A game of an SGF file, on a board that holds it.
fn read_sgf(tree: &sgf::Tree<'_>) -> Result<Box<dyn AnyRecord>, TextError> {
    fn of<P: Playable>(_: P, tree: &sgf::Tree<'_>) -> Result<Box<dyn AnyRecord>, TextError> {
        P::read_sgf(tree).map(any)
    }
    let game = Spec::named(&format!("go{}", go::records::size(tree)?));
    with_game!(&game, |start| of(start, tree))
}
