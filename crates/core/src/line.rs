//! A position and how it was reached.

use crate::position::{Outcome, Ply, Position};

/// A position with the plies that led to it: what a protocol sets up and a search walks along.
#[derive(Clone)]
pub struct Line<P: Position> {
    position: P,
    /// One entry per position from the start to now, the current one last.
    plies: Vec<Ply>,
    /// The only moves allowed next; empty if all legal moves are.
    only: Vec<P::Move>,
}

impl<P: Position> Line<P> {
    /// A line that begins here.
    pub fn new(position: P) -> Self {
        let plies = vec![position.ply()];
        Line { position, plies, only: Vec::new() }
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
        self.only.clear();
    }

    /// Lets nothing but `moves` be played next; once a move is played, everything is free again. What is not legal is left out. False,
    /// and nothing is changed, if no legal move is among them.
    pub fn limit_to(&mut self, moves: &[P::Move]) -> bool {
        let mut legal = Vec::new();
        self.generate(&mut legal);
        legal.retain(|mv| moves.contains(mv));
        if legal.is_empty() {
            return false;
        }
        self.only = legal;
        true
    }

    /// The moves that [`Line::limit_to`] left, in order; empty if it left all.
    pub fn only(&self) -> &[P::Move] {
        &self.only
    }

    /// The legal moves under the whole of the rules, or how the game has ended: repetition and superko included. After
    /// [`Line::limit_to`], those of them that it left.
    pub fn generate(&self, moves: &mut Vec<P::Move>) -> Option<Outcome> {
        if let Some(outcome) = self.position.repetition(self.past()) {
            moves.clear();
            return Some(outcome);
        }
        let outcome = self.position.generate(moves);
        self.position.restrict(&self.plies, moves);
        if !self.only.is_empty() {
            moves.retain(|mv| self.only.contains(mv));
        }
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
        self.only.clone_from(&root.only);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Nim;

    #[test]
    fn the_next_move_can_be_limited_and_no_other() {
        let mut line = Line::new(Nim::new(9));
        let moves = |line: &Line<Nim>| {
            let mut moves = Vec::new();
            line.generate(&mut moves);
            moves
        };
        let all = moves(&line);
        assert_eq!(all.len(), 3);
        let mut ended = Line::new(Nim::new(1));
        ended.play(moves(&ended)[0]);
        assert!(!ended.limit_to(&all) && !line.limit_to(&[]), "nothing would be left");
        assert_eq!((moves(&line), line.only().len()), (all.clone(), 0));
        assert!(line.limit_to(&[all[2], all[1], all[1]]));
        assert_eq!(moves(&line), all[1..]);
        assert!(line.is_legal(all[1]) && !line.is_legal(all[0]));
        assert!(line.limit_to(&all[2..]) && !line.limit_to(&all[..1]), "limits add up");
        let mut other = Line::new(Nim::new(9));
        other.rewind_to(&line);
        assert_eq!(moves(&other), all[2..]);
        other.play(all[2]);
        assert_eq!(moves(&other), all, "the move after is free");
    }
}
