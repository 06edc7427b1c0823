//! All moves as first: every move of a sample counts for the nodes above it where the same side could have played it (S2.1).

use yomi_core::{Evaluator, Move, Position};

use super::flight::PathNode;
use super::sample::{Sampler, State, Task};

/// Which side played each move first, from some node on: a stamp for each of the 65,536 encodings, so that clearing costs nothing.
#[derive(Default)]
pub(super) struct Amaf {
    /// Twice the number of the playout, and the side.
    stamps: Vec<u32>,
    now: u32,
}

impl Amaf {
    /// Forgets all moves.
    fn clear(&mut self) {
        if self.now >= u32::MAX / 2 || self.stamps.is_empty() {
            self.stamps.clear();
            self.stamps.resize(1 << 16, 0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// `side` played a move before all that are known.
    #[inline]
    fn played(&mut self, side: usize, mv: u16) {
        self.stamps[usize::from(mv)] = 2 * self.now + side as u32;
    }

    /// Whether `side` played the move, and played it first: whatever the other side does there before is another move.
    #[inline]
    fn has_played(&self, side: usize, mv: u16) -> bool {
        self.stamps[usize::from(mv)] == 2 * self.now + side as u32
    }
}

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Gives the result of each playout to every child, along the path, whose move the same side played later, and before the other did.
    pub(super) fn count_all_moves_as_first(&mut self) {
        let Sampler { task: Task { tree, .. }, state: State { flight, amaf, deferred, .. }, .. } = self;
        let (path, answer) = (&flight.path, &flight.answer);
        let last = path.len() - 1;
        for (moves, value) in answer.playouts.iter() {
            amaf.clear();
            // Sides are counted by the parity of the depth; the playout's first move is the leaf's.
            for (i, mv) in moves.iter().enumerate().rev() {
                amaf.played((last + i) % 2, mv.to_bits());
            }
            for depth in (0..path.len()).rev() {
                let side = depth % 2;
                if let Some(next) = path.get(depth + 1) {
                    amaf.played(side, tree.mv(next.node));
                }
                let value_here = if side == last % 2 { value } else { -value };
                let Some(block) = tree.children(path[depth].node) else { continue };
                let played = block.children().enumerate().filter(|&(_, child)| amaf.has_played(side, tree.mv(child)));
                match path[depth] {
                    PathNode { node, deferred: true, .. } => {
                        played.for_each(|(i, _)| deferred.play_as_first(tree, node, i, value_here));
                    }
                    _ => played.for_each(|(_, child)| tree.add_amaf(child, 1, value_here)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written backwards, so that the first to play a move keeps it.
    #[test]
    fn the_first_to_play_a_move_has_it() {
        let mut amaf = Amaf::default();
        for _ in 0..3 {
            amaf.clear();
            assert!(!amaf.has_played(0, 7) && !amaf.has_played(1, 7));
            amaf.played(0, 7);
            amaf.played(1, 9);
            amaf.played(1, 7);
            assert!(amaf.has_played(1, 7) && !amaf.has_played(0, 7) && amaf.has_played(1, 9));
        }
        amaf.now = u32::MAX / 2;
        amaf.clear();
        assert!(!amaf.has_played(1, 9));
    }
}
