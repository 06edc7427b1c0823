//! The order in which the moves of a node are tried.

use yomi_core::{Evaluator, Move, Position};

use crate::alpha_beta::node::{Node, Worker};
use crate::ordering::{Guide, Scored};

/// A move's place in the order: the table's, good captures, killers, quiet moves, losing captures.
pub(super) const FROM_TABLE: i32 = i32::MAX;
pub(super) const GOOD_CAPTURE: i32 = 1_000_000;
const KILLER: i32 = 900_000;
/// Killers have ranks below this.
const KILLERS: i32 = 100;
const BAD_CAPTURE: i32 = -1_000_000;

/// Places a move by its value in pawns, below killers.
pub(super) fn by_value<M>(next: &mut Scored<M>, pawns: f32) {
    if next.score < KILLER - KILLERS {
        next.score = (pawns * 1000.0).clamp(-800_000.0, 800_000.0) as i32;
    }
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Rates every move for the order in which they are tried.
    pub(super) fn score(
        &self,
        position: &P,
        moves: &[P::Move],
        known: Option<u16>,
        ply: usize,
        scored: &mut Vec<Scored<P::Move>>,
    ) {
        let killers = self.memory.levels.killers(ply);
        let side = position.turn();
        scored.clear();
        scored.extend(moves.iter().map(|&mv| {
            let gain = self.guide.gain(position, mv);
            let score = if known == Some(mv.to_bits()) {
                FROM_TABLE
            } else if gain > 0 {
                gain + if self.guide.loses_exchange(position, mv) { BAD_CAPTURE } else { GOOD_CAPTURE }
            } else if let Some(rank) = killers.rank(mv).filter(|_| self.options.killers) {
                KILLER - rank as i32
            } else {
                let history = if self.options.history { self.memory.history.get(side, mv.to_bits()) } else { 0 };
                history + self.guide.promise(position, mv)
            };
            Scored { mv, score, gain }
        }));
    }

    /// The last of the moves tried was too good for the other side: quiet moves are remembered for it, those before it blamed.
    pub(super) fn reward(&mut self, node: &Node<'_, P>, tried: &[Scored<P::Move>]) {
        let Some((best, before)) = tried.split_last().filter(|(best, _)| best.gain <= 0) else { return };
        let side = node.position.turn();
        let bonus = (node.depth * node.depth).min(400);
        self.memory.levels.at(node.ply).killers.note(best.mv);
        self.memory.history.add(side, best.mv.to_bits(), bonus);
        for other in before.iter().filter(|other| other.gain <= 0) {
            self.memory.history.add(side, other.mv.to_bits(), -bonus);
        }
    }
}
