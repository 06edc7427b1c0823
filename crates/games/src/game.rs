//! What every front end needs of a game beside rules, text and pictures: how people speak of its moves, how matches end, how it is recorded.
//!
//! A game implements this in its own folder; whatever it leaves out has a default that suits a game without special customs. Together with
//! its line in [`for_each_game!`](crate::for_each_game) that is all there is to adding a game.

use yomi_core::record::Node;
use yomi_core::{Ending, Line, Notation, Outcome, Record, Simulate, TextError};

use crate::date::Date;
use crate::draw::Draw;
use crate::format::RecordFormat;
use crate::sgf;
use crate::shogi::records::Encoding;

/// How good a position is for Black, in a unit that records can state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Worth {
    /// The probability that Black wins, from 0 to 1.
    Chance(f32),
    /// How far Black is ahead in the player's own unit: hundredths of a pawn, points.
    Lead(f32),
}

/// A game that can be played, matched and recorded.
pub trait Game: Notation + Simulate + Draw {
    /// What moves look like, for people who are asked for one.
    const MOVE_EXAMPLES: &'static str;

    /// A game that lasts longer is drawn, unless a match says otherwise. Counted in plies.
    const MOVE_LIMIT: u32 = 1000;

    /// The headers of the two players in records, Black's first.
    const PLAYER_KEYS: [&'static str; 2] = ["PB", "PW"];

    /// The header of the event in records.
    const EVENT_KEY: &'static str = "EV";

    /// A legal move in all the forms a person may know; `before` is the move before it.
    fn spoken(&self, mv: Self::Move, before: Option<Self::Move>) -> String {
        let _ = before;
        self.move_text(mv)
    }

    /// The legal move that a person means by `text`; `before` is the move before it.
    fn understand(&self, text: &str, before: Option<Self::Move>) -> Result<Self::Move, TextError> {
        let _ = before;
        self.parse_move(text)
    }

    /// Whether a move is a pass.
    fn is_pass(mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// What the pass that led to this position means for the game.
    fn pass_note(&self) -> String {
        String::new()
    }

    /// What the side to move gets if it declares a win now; none if it may not.
    fn declared(&self) -> Option<Outcome> {
        None
    }

    /// What records call an end that the rules brought about.
    fn ending(line: &Line<Self>, outcome: Outcome) -> Ending {
        let _ = line;
        Ending::Counted(outcome)
    }

    /// The same game from `self` on in all symmetric forms, itself included.
    fn images(&self, moves: &[Self::Move]) -> Vec<Vec<Self::Move>> {
        vec![moves.to_vec()]
    }

    /// Whether `mv` is one of the first moves of S1.4: a pentomino.
    fn is_pentomino(mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The headers that say when a game began and ended.
    fn dates(began: Date, ended: Date) -> Vec<(&'static str, String)> {
        let _ = ended;
        vec![("DT", began.sgf())]
    }

    /// Writes down what a player said about the move of a node, in the way that programs for this game read it.
    fn annotate(node: &mut Node<Self::Move>, worth: Worth) {
        node.comment = match worth {
            Worth::Chance(chance) => format!("Black wins {:.1}%", chance * 100.0),
            Worth::Lead(lead) => format!("Black leads by {lead:+.1}"),
        };
    }

    /// Adds the moves that the player expected after the move of the node, which led to `position`. Called after [`Game::annotate`].
    fn annotate_line(node: &mut Node<Self::Move>, position: &Self, moves: &[Self::Move]) {
        node.comment += &format!("\nexpects {}", variation(position, moves).join(" "));
    }

    /// The games of a record file of this game.
    fn read_records(bytes: &[u8]) -> Result<Vec<Record<Self>>, TextError> {
        let _ = bytes;
        Err(TextError::new(format!("{} has no records; openings are lines of positions and moves", Self::NAME)))
    }

    /// A game that is one line of USI.
    fn read_usi(line: &str) -> Result<Record<Self>, TextError> {
        let _ = line;
        Err(TextError::new(format!("a USI line is of shogi or minishogi, not of {}", Self::NAME)))
    }

    /// A game of an SGF file.
    fn read_sgf(tree: &sgf::Tree<'_>) -> Result<Record<Self>, TextError> {
        let _ = tree;
        Err(TextError::new(format!("{} has no records in SGF", Self::NAME)))
    }

    /// The record in the formats that games are saved in: file ending and bytes, the usual one first.
    fn write_record(record: &Record<Self>) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let mut position = record.start.clone();
        let mut text = format!("{}\n{}\n", position.rules(), position.position_text());
        for mv in record.moves() {
            text += &format!("{}\n", position.move_text(mv));
            position.play(mv);
        }
        Ok(vec![("txt", text.into_bytes())])
    }

    /// The record in this format; `encoding` replaces the one that the format's ending stands for.
    fn write_as(record: &Record<Self>, format: RecordFormat, encoding: Option<Encoding>) -> Result<Vec<u8>, TextError> {
        let _ = (format, encoding);
        Err(wrong_format(record))
    }
}

/// Moves from a position on as text.
pub fn variation<P: Notation>(position: &P, moves: &[P::Move]) -> Vec<String> {
    let mut position = position.clone();
    let text = |&mv: &P::Move| {
        let text = position.move_text(mv);
        position.play(mv);
        text
    };
    moves.iter().map(text).collect()
}

/// The error for a game that has no records in a format.
pub(crate) fn wrong_format<P: Notation>(record: &Record<P>) -> TextError {
    TextError::new(format!("a record of {} cannot be written in this format", record.start.rules()))
}
