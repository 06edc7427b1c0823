//! A position and how it was reached.

use crate::position::{Outcome, Ply, Position};

/// A position with the plies that led to it: what a protocol sets up and a search walks along.
#[derive(Clone)]
pub struct Line<P: Position> {
    position: P,
    /// One entry a position from the start to now, the current one last.
    plies: Vec<Ply>,
}

impl<P: Position> Line<P> {
    /// A line that begins here.
    pub fn new(position: P) -> Self {
        let plies = vec![position.ply()];
        Line { position, plies }
    }

    /// Where the line stands.
    #[inline]
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The plies of the positions before the current one, oldest first.
    #[inline]
    pub fn past(&self) -> &[Ply] {
        &self.plies[..self.plies.len() - 1]
    }

    /// The plies of all positions, the current one last: the past of every child.
    #[inline]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// How many moves were played since the line began.
    pub fn len(&self) -> usize {
        self.plies.len() - 1
    }

    /// Whether no move was played yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Plays a move that [`Line::generate`] gave.
    #[inline]
    pub fn play(&mut self, mv: P::Move) {
        self.position.play(mv);
        self.plies.push(self.position.ply());
    }

    /// The legal moves under the whole of the rules, or how the game has ended: repetition and superko included.
    pub fn generate(&self, moves: &mut Vec<P::Move>) -> Option<Outcome> {
        if let Some(outcome) = self.position.repetition(self.past()) {
            moves.clear();
            return Some(outcome);
        }
        let outcome = self.position.generate(moves);
        self.position.restrict(&self.plies, moves);
        outcome
    }

    /// How the game has ended, if it has: what [`Line::generate`] says, without the moves; `moves` is working memory.
    #[inline]
    pub fn ended(&self, moves: &mut Vec<P::Move>) -> Option<Outcome> {
        self.position.repetition(self.past()).or_else(|| self.position.ended(moves))
    }

    /// Whether `mv` may be played now under the whole of the rules.
    pub fn is_legal(&self, mv: P::Move) -> bool {
        let mut moves = Vec::new();
        self.generate(&mut moves).is_none() && moves.contains(&mv)
    }

    /// Makes this line equal to `root`, keeping its buffers: how a search starts its next descent.
    pub fn rewind_to(&mut self, root: &Line<P>) {
        self.position.clone_from(&root.position);
        self.plies.clear();
        self.plies.extend_from_slice(&root.plies);
    }
}
