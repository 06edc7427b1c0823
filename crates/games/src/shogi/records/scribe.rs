//! Writes down what a reader finds, move by move, and checks every move on the board.

use std::time::Duration;

use yomi_core::record::{Node, ROOT, Record};
use yomi_core::{Ending, Notation, Position, TextError};

use super::super::moves::ShogiMove;
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::Variant;
use super::endings::End;
use super::relative::Refusal;
use super::{BOOKMARK, ILLEGAL, WORD, evaluation};

/// The longest time of a move that is read. KIF writes minutes of at most six digits; without a limit for all formats a record of one could
/// not be written in another.
pub(super) const LONGEST_TIME: Duration = Duration::from_secs(60 * 1_000_000 - 1);

/// The longest line of moves that is read: ten times any game ever played. A position is kept for each of them.
const LONGEST: usize = 20_000;
/// The most moves that are read, all variations together: what a hostile file may cost.
const MOST: usize = 500_000;

/// A record in the making.
pub(super) struct Scribe<V: Variant> {
    record: Record<Shogi<V>>,
    /// The line being read, from the root on.
    path: Vec<PathPosition<V>>,
    /// The last move was illegal: fine if the next thing said is that this ended the game.
    refused: Option<TextError>,
    /// The last thing said was a comment: only then it may be the reason of a last line ([`End::reason`]).
    commented: bool,
}

/// A node of the line with the position after it.
struct PathPosition<V: Variant> {
    node: usize,
    position: Shogi<V>,
    /// Where the last move went.
    to: Option<Square>,
}

impl<V: Variant> Scribe<V> {
    pub(super) fn new(start: Shogi<V>, to: Option<Square>, headers: Vec<(String, String)>) -> Scribe<V> {
        let mut record = Record::new(start);
        record.headers = headers;
        Scribe { record, path: vec![PathPosition { node: ROOT, position: start, to }], refused: None, commented: false }
    }

    fn last(&self) -> &PathPosition<V> {
        self.path.last().expect("the root is never taken off the path")
    }

    fn node(&mut self) -> &mut Node<ShogiMove> {
        let node = self.last().node;
        &mut self.record.nodes[node]
    }

    /// The position in which the next move is played.
    pub(super) fn position(&self) -> &Shogi<V> {
        &self.last().position
    }

    /// Where the last move went.
    pub(super) fn before(&self) -> Option<Square> {
        self.last().to
    }

    /// How many moves have been played on this line.
    pub(super) fn played(&self) -> usize {
        self.path.len() - 1
    }

    /// Plays a move that was found legal, or remembers why it is not.
    pub(super) fn play(
        &mut self,
        mv: Result<ShogiMove, Refusal>,
        error: impl Fn(&str) -> TextError,
    ) -> Result<(), TextError> {
        self.settle()?;
        self.commented = false;
        if self.node().ending.is_some() {
            return Err(error("the game is over"));
        }
        if self.played() >= LONGEST || self.record.nodes.len() >= MOST {
            return Err(error(&format!("no line has more than {LONGEST} moves, no record more than {MOST}")));
        }
        let parent = self.last().node;
        let mut position = *self.position();
        match mv {
            Ok(mv) => {
                position.play(mv);
                let node = self.record.add(parent, Some(mv));
                self.path.push(PathPosition { node, position, to: Some(mv.to()) });
            }
            Err(Refusal { reason, mv: None }) => return Err(error(&reason)),
            Err(Refusal { reason, mv: Some(mv) }) => {
                let node = self.record.add(parent, None);
                self.record.nodes[node].properties.push((ILLEGAL.to_string(), vec![position.move_text(mv)]));
                self.path.push(PathPosition { node, position, to: Some(mv.to()) });
                self.refused = Some(error(&reason));
            }
        }
        Ok(())
    }

    /// The game ends here.
    pub(super) fn end(&mut self, end: End, error: impl Fn(&str) -> TextError) -> Result<(), TextError> {
        self.commented = false;
        if let Some(refused) = self.refused.take() {
            if !matches!(end.ending, Ending::IllegalMove | Ending::IllegalAction) {
                return Err(refused);
            }
            // The illegal move was not played, so its player is still to move.
            self.node().ending = Some(Ending::IllegalAction);
            return Ok(());
        }
        if self.node().ending.is_some() {
            return Err(error("the game is over"));
        }
        let (parent, to, position) = (self.last().node, self.last().to, *self.position());
        let node = self.record.add(parent, None);
        self.record.nodes[node].ending = Some(end.ending);
        if let Some(word) = end.word {
            self.record.nodes[node].properties.push((WORD.to_string(), vec![word.to_string()]));
        }
        self.path.push(PathPosition { node, position, to });
        Ok(())
    }

    /// The last line of a record: it ends a game that has not ended yet, or says more about how it ended. A comment directly before
    /// it may say still more ([`End::reason`]).
    pub(super) fn summary(&mut self, line: &str, error: impl Fn(&str) -> TextError) -> Result<(), TextError> {
        let turn = self.position().turn();
        let mut stated = End::from_summary(line, turn);
        let ended = self.node().ending;
        if std::mem::take(&mut self.commented) {
            let comment = &mut self.node().comment;
            let (rest, last) = comment.rsplit_once('\n').unwrap_or(("", comment));
            if let Some(reason) = End::from_reason_before(line, last, ended, turn) {
                *comment = rest.to_string();
                stated = Some(reason);
            }
        }
        match (ended, stated) {
            (None, Some(end)) => self.end(end, error),
            (None, None) => Ok(()),
            (Some(Ending::IllegalMove), Some(End { ending: Ending::PerpetualCheck, .. })) => {
                self.node().ending = Some(Ending::PerpetualCheck);
                Ok(())
            }
            (Some(_), _) => Ok(()),
        }
    }

    /// What was said about the last move: one line.
    pub(super) fn comment(&mut self, line: &str) {
        let (position, before) = (*self.position(), self.before());
        self.commented = !evaluation::take(self.node(), line, &position, before);
        if !self.commented {
            return;
        }
        let comment = &mut self.node().comment;
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(line);
    }

    /// A name for the position after the last move.
    pub(super) fn bookmark(&mut self, name: &str) {
        self.commented = false;
        self.node().properties.push((BOOKMARK.to_string(), vec![name.to_string()]));
    }

    /// The time used for the last move; before the first move there is none.
    pub(super) fn time(&mut self, time: Duration) {
        if self.played() > 0 {
            self.node().time = Some(time);
        }
    }

    /// Another line begins with the move of this number, counted from 1.
    pub(super) fn vary(&mut self, number: usize) -> Result<(), String> {
        self.commented = false;
        let parent = number.checked_sub(1).and_then(|before| self.path.get(before));
        let ended = parent.map(|step| self.record.nodes[step.node].ending.is_some());
        match ended {
            Some(false) => {
                self.path.truncate(number);
                Ok(())
            }
            _ => Err(format!("there is no move {number} in the line before it")),
        }
    }

    /// Nothing but the end of the game may follow an illegal move.
    pub(super) fn settle(&mut self) -> Result<(), TextError> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// The record.
    pub(super) fn finish(mut self) -> Result<Record<Shogi<V>>, TextError> {
        self.settle()?;
        Ok(self.record)
    }
}
