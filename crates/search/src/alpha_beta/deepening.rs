//! The root: iterative deepening, aspiration windows, several lines.

use yomi_core::{Evaluator, Position};

use crate::alpha_beta::node::Worker;
use crate::ordering::{Guide, pick};
use crate::search::{Ended, Proof, RootMove};

/// From which depth on the last value is trusted enough to search near it first.
pub(super) const ASPIRE_FROM: usize = 4;

/// A move of the root.
pub(crate) struct Root<M> {
    mv: M,
    /// Its value when it was last the best of its line.
    value: f32,
    pv: Vec<M>,
    nodes: u64,
    depth: usize,
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Searches deeper and deeper from depth `from` until `to` is reached, the game is solved, or the meter says stop. The result
    /// stands in the meter's `so_far`.
    pub(crate) fn deepen(&mut self, position: &P, moves: &[P::Move], from: usize, to: usize) {
        let mut roots = self.roots(position, moves);
        let lines = self.lines(&roots);
        self.publish(&roots, lines, 0);
        if to == 0 && !self.meter.look() {
            let value = self.leaf(position, f32::NEG_INFINITY, f32::INFINITY, 0);
            self.meter.so_far.value = value;
            // Without a ply of search all that is known of the move is what the position is worth.
            self.meter.so_far.moves.iter_mut().take(1).for_each(|row| row.value = value);
        }
        for depth in from..=to {
            self.iteration = depth;
            if self.meter.look() {
                return;
            }
            for line in 0..lines {
                if self.aspire(position, &mut roots, line, depth).is_none() {
                    return;
                }
                roots[..=line].sort_by(|a, b| b.value.total_cmp(&a.value));
            }
            self.publish(&roots, lines, depth);
            self.meter.report();
            if roots[..lines].iter().all(|root| self.is_solved(root.value, depth)) {
                self.meter.ended = Some(Ended::Solved);
                return;
            }
        }
        self.meter.ended.get_or_insert(Ended::Depth);
    }

    /// The moves of the root, the most promising first.
    fn roots(&mut self, position: &P, moves: &[P::Move]) -> Vec<Root<P::Move>> {
        let mut scored = Vec::new();
        let known = if self.options.table { self.table.get(position.key()).and_then(|entry| entry.mv) } else { None };
        self.score(position, moves, known, 0, &mut scored);
        let root = |mv| Root { mv, value: 0.0, pv: vec![mv], nodes: 0, depth: 0 };
        (0..scored.len()).map(|index| root(pick(&mut scored, index).mv)).collect()
    }

    /// How many moves get a line of their own.
    fn lines(&self, roots: &[Root<P::Move>]) -> usize {
        self.options.multipv.clamp(1, roots.len())
    }

    /// Whether deepening cannot change the result: a win or loss that the full width of the tree has been searched for.
    fn is_solved(&self, value: f32, depth: usize) -> bool {
        match self.scale.proof(value) {
            Some(Proof::Win(plies) | Proof::Loss(plies)) => plies as usize <= depth,
            _ => false,
        }
    }

    /// Finds the best of the moves from `line` on and puts it there. The first window lies around the last value and opens to the side
    /// where it proves too narrow. None if the search was stopped.
    fn aspire(&mut self, position: &P, roots: &mut [Root<P::Move>], line: usize, depth: usize) -> Option<()> {
        let guess = roots[line].value;
        let mut margin = self.options.aspiration as f32 * self.options.pawn / 100.0;
        let near = margin > 0.0 && depth >= ASPIRE_FROM && self.scale.proof(guess).is_none();
        let (mut alpha, mut beta) =
            if near { (guess - margin, guess + margin) } else { (f32::NEG_INFINITY, f32::INFINITY) };
        loop {
            let value = self.root(position, roots, line, depth, alpha, beta)?;
            margin *= 4.0;
            let open = margin >= self.scale.won_in(0);
            if value <= alpha && alpha > f32::NEG_INFINITY {
                alpha = if open { f32::NEG_INFINITY } else { guess - margin };
            } else if value >= beta && beta < f32::INFINITY {
                beta = if open { f32::INFINITY } else { guess + margin };
            } else {
                return Some(());
            }
        }
    }

    /// One search of the moves from `line` on within the window: the best value, and the best move moves to the front.
    fn root(
        &mut self,
        position: &P,
        roots: &mut [Root<P::Move>],
        line: usize,
        depth: usize,
        alpha: f32,
        beta: f32,
    ) -> Option<f32> {
        let mut best = f32::NEG_INFINITY;
        if self.is_by_probability() {
            self.weigh_moves(position, 0, depth as i32);
        }
        for index in line..roots.len() {
            let floor = best.max(alpha);
            let nodes = self.meter.nodes;
            let mut child = position.clone();
            child.play(roots[index].mv);
            self.memory.path.push(child.ply());
            let mut value = f32::INFINITY;
            let plies = if self.is_by_probability() { self.plies_of(0, roots[index].mv) } else { 1 };
            let below = depth as i32 - plies;
            if index > line && self.options.scout {
                value = -self.node(&child, -floor.next_up(), -floor, below, 1, true);
            }
            if value > floor && (value < beta || index == line || !self.options.scout) {
                value = -self.node(&child, -beta, -floor, below, 1, true);
            }
            self.memory.path.pop();
            if self.meter.has_ended() {
                // Of a lost move and one without a value, the latter. What is known of the best move so far is not thrown away.
                if line == 0 && self.scale.is_lost(best) && self.meter.so_far.best != Some(roots[index].mv) {
                    self.propose(&roots[index]);
                }
                return None;
            }
            let root = &mut roots[index];
            root.nodes += self.meter.nodes - nodes;
            if value > best {
                best = value;
                if value > alpha || index == line {
                    root.value = value;
                    root.depth = depth;
                    root.pv.truncate(1);
                    root.pv.extend_from_slice(self.memory.levels.pv(1));
                    roots[line..=index].rotate_right(1);
                }
                // The best move so far is worth showing, and playing, even if the time runs out now. But only all moves together can
                // prove a loss.
                if value > alpha && line == 0 && !self.scale.is_lost(value) {
                    self.publish(roots, self.lines(roots), self.meter.so_far.depth as usize);
                }
                if value >= beta {
                    break;
                }
            }
        }
        Some(best)
    }

    /// Puts a move first about which nothing is known.
    fn propose(&mut self, root: &Root<P::Move>) {
        let so_far = &mut self.meter.so_far;
        so_far.best = Some(root.mv);
        so_far.proof = None;
        so_far.pv = vec![root.mv];
        so_far.moves = vec![RootMove { visits: root.nodes, value: so_far.value, ..RootMove::new(root.mv) }];
    }

    /// Writes down what is believed now: `lines` moves, searched to `depth`.
    fn publish(&mut self, roots: &[Root<P::Move>], lines: usize, depth: usize) {
        let scale = self.scale;
        let so_far = &mut self.meter.so_far;
        let show = |(rank, root): (usize, &Root<P::Move>)| RootMove {
            visits: root.nodes,
            value: root.value,
            proof: scale.proof(root.value),
            backup: if rank == 0 { 1.0 } else { 0.0 },
            depth: root.depth as f32,
            pv: root.pv.clone(),
            ..RootMove::new(root.mv)
        };
        so_far.moves = roots[..lines].iter().enumerate().map(show).collect();
        so_far.depth = depth as u32;
        if let Some(best) = so_far.moves.first() {
            so_far.best = Some(best.mv);
            so_far.value = best.value;
            so_far.proof = best.proof;
            so_far.pv.clone_from(&best.pv);
        }
    }
}
