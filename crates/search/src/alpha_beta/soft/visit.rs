//! One node of the softmax tree: which of its moves are near the best, and what they are worth.

use yomi_core::{Evaluator, Move, Position};

use crate::alpha_beta::deepening::ASPIRE_FROM;
use crate::alpha_beta::node::{Node, Worker};
use crate::alpha_beta::path::Repeated;
use crate::alpha_beta::soft::branch::{Branch, back_up, weigh};
use crate::alpha_beta::soft::options::SoftOptions;
use crate::ordering::{Guide, pick};
use crate::quiescence::Pace;
use crate::transposition::{Bound, Entry};

/// A node of the softmax tree, and how probable it is that the game comes here.
pub(super) struct Place<'p, P> {
    pub(super) node: Node<'p, P>,
    pub(super) reach: f32,
}

/// Where a value is looked for.
#[derive(Clone, Copy)]
pub(super) struct Window {
    alpha: f32,
    beta: f32,
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// The branches of a position, the most promising first.
    pub(super) fn branches(&mut self, position: &P, moves: &[P::Move], ply: usize) -> Vec<Branch<P::Move>> {
        let mut scored = Vec::new();
        let known = if self.options.table { self.table.get(position.key()).and_then(|entry| entry.mv) } else { None };
        self.score(position, moves, known, ply, &mut scored);
        let branch = |index| {
            let next = pick(&mut scored, index);
            Branch::new(next.mv, next.gain)
        };
        (0..moves.len()).map(branch).collect()
    }

    /// Searches all branches of the root, and the best of them is the answer. The first window lies around the last value and opens to the
    /// side where it proves too narrow: as in alpha-beta. None if the search was stopped.
    pub(super) fn aspire_softly(
        &mut self,
        soft: &SoftOptions,
        place: &Place<'_, P>,
        branches: &mut [Branch<P::Move>],
    ) -> Option<f32> {
        let guess = branches.first().map_or(0.0, |first| first.value);
        let mut margin = self.margin();
        let near = margin > 0.0 && place.node.depth >= ASPIRE_FROM as i32 && self.scale.proof(guess).is_none();
        let mut window = if near {
            Window { alpha: guess - margin, beta: guess + margin }
        } else {
            Window { alpha: f32::NEG_INFINITY, beta: f32::INFINITY }
        };
        loop {
            let value = self.sweep(soft, place, branches, window)?;
            margin *= 4.0;
            let open = margin >= self.scale.won_in(0);
            if value <= window.alpha && window.alpha > f32::NEG_INFINITY {
                window.alpha = if open { f32::NEG_INFINITY } else { guess - margin };
            } else if value >= window.beta && window.beta < f32::INFINITY {
                window.beta = if open { f32::INFINITY } else { guess + margin };
            } else {
                return Some(value);
            }
        }
    }

    /// One search of all branches within the window: the best value. The branches near it move to the front, the best first.
    fn sweep(
        &mut self,
        soft: &SoftOptions,
        place: &Place<'_, P>,
        branches: &mut [Branch<P::Move>],
        window: Window,
    ) -> Option<f32> {
        let mut best = f32::NEG_INFINITY;
        for index in 0..branches.len() {
            let floor = self.floor(soft, best).max(window.alpha);
            let Some(value) = self.try_branch(soft, place, &mut branches[index], index, floor, window.beta) else {
                if place.node.ply == 0 && self.scale.is_lost(best) {
                    self.propose_instead(&branches[index]);
                }
                return None;
            };
            settle(&mut branches[..=index]);
            if value > best {
                best = value;
                if place.node.ply == 0 && value > window.alpha && !self.scale.is_lost(value) {
                    self.publish_softly(soft, branches, self.meter.so_far.depth as usize);
                }
                if value >= window.beta {
                    return Some(best);
                }
            }
        }
        if best > window.alpha && window.alpha > f32::NEG_INFINITY {
            // Moves that fell below the window before the best was known may lie near it.
            let floor = self.floor(soft, best);
            for index in 0..branches.len() {
                if !branches[index].near && branches[index].value > floor {
                    let value = self.try_branch(soft, place, &mut branches[index], index.max(1), floor, window.beta)?;
                    best = best.max(value);
                    settle(&mut branches[..=index]);
                }
            }
        }
        Some(best)
    }

    /// Whatever is worth no more has no weight beside a move of this value. Next to a game that is won or lost by force everything else has
    /// none.
    fn floor(&self, soft: &SoftOptions, best: f32) -> f32 {
        if self.scale.proof(best).is_some() { best } else { best - soft.width() }
    }

    /// Searches a branch. Its value is exact if it lies between `floor` and `beta`.
    fn try_branch(
        &mut self,
        soft: &SoftOptions,
        place: &Place<'_, P>,
        branch: &mut Branch<P::Move>,
        index: usize,
        floor: f32,
        beta: f32,
    ) -> Option<f32> {
        let nodes = self.meter.nodes;
        let mut child = place.node.position.clone();
        child.play(branch.mv);
        self.memory.path.push(child.ply());
        let value = self.branch_value(soft, place, &child, branch, index, floor, beta);
        self.memory.path.pop();
        branch.nodes += self.meter.nodes - nodes;
        let value = value.filter(|_| !self.meter.has_ended())?;
        branch.value = value;
        branch.near = value > floor;
        branch.depth = self.iteration;
        Some(value)
    }

    #[expect(clippy::too_many_arguments, reason = "a step of one search, split for reading")]
    fn branch_value(
        &mut self,
        soft: &SoftOptions,
        Place { node, reach }: &Place<'_, P>,
        child: &P,
        branch: &mut Branch<P::Move>,
        index: usize,
        floor: f32,
        beta: f32,
    ) -> Option<f32> {
        let (depth, ply) = (node.depth - 1, node.ply + 1);
        let scouts = index > 0 && self.options.scout;
        let mut value = f32::INFINITY;
        if scouts {
            let place = if branch.gain > 0 { 0 } else { index };
            let less = if ply > 1 || soft.late { self.reduced_by(node, child, place) } else { 0 };
            value = -self.node(child, -floor.next_up(), -floor, depth - less, ply, true);
            if less > 0 && value > floor {
                value = -self.node(child, -floor.next_up(), -floor, depth, ply, true);
            }
        }
        if value <= floor || scouts && value >= beta || self.meter.has_ended() {
            return Some(value);
        }
        let reach = reach * branch.probability;
        if reach > soft.reach && depth > soft.leaf as i32 {
            return self.soft_value(soft, child, branch, depth, ply, reach).map(|value| -value);
        }
        value = if ply == 1 {
            -self.node(child, -beta, -floor, depth, ply, true)
        } else {
            self.exact_value(child, branch, if scouts { Some(value) } else { None }, floor, depth, ply)
        };
        branch.pv.truncate(1);
        branch.pv.extend_from_slice(self.memory.levels.pv(ply));
        Some(value)
    }

    /// The value of a move below the root that is worth more than `floor`. Where it is looked for opens for this move alone, so that no
    /// sibling is searched again.
    fn exact_value(
        &mut self,
        child: &P,
        branch: &Branch<P::Move>,
        scouted: Option<f32>,
        floor: f32,
        depth: i32,
        ply: usize,
    ) -> f32 {
        let guess = if branch.depth > 0 { Some(branch.value) } else { scouted };
        let mut margin = self.margin();
        let (mut low, mut high) = match guess {
            Some(guess) if margin > 0.0 && depth + 1 >= ASPIRE_FROM as i32 && self.scale.proof(guess).is_none() => {
                (floor.max(guess - margin), floor.max(guess) + margin)
            }
            _ => (floor, f32::INFINITY),
        };
        loop {
            let value = -self.node(child, -high, -low, depth, ply, true);
            margin *= 4.0;
            let open = margin >= self.scale.won_in(0);
            if self.meter.has_ended() {
                return value;
            } else if value <= low && low > floor {
                low = if open { floor } else { floor.max(value - margin) };
            } else if value >= high && high < f32::INFINITY {
                high = if open { f32::INFINITY } else { value + margin };
            } else {
                return value;
            }
        }
    }

    /// Half the first window around a value, in the evaluator's unit.
    fn margin(&self) -> f32 {
        self.options.aspiration as f32 * self.options.pawn / 100.0
    }

    /// The value of the position after `branch`, for its side to move: the expectation over its replies (S0.3).
    fn soft_value(
        &mut self,
        soft: &SoftOptions,
        position: &P,
        branch: &mut Branch<P::Move>,
        depth: i32,
        ply: usize,
        reach: f32,
    ) -> Option<f32> {
        self.memory.levels.cut_pv(ply);
        if self.meter.tick(ply) {
            return None;
        }
        let (turn, scale) = (position.turn(), self.scale);
        match self.memory.path.repeated(position, self.options.repetition) {
            Some(Repeated::Over(outcome)) => return Some(scale.ended(outcome, turn, ply)),
            Some(Repeated::Likely(outcome)) => return Some(scale.opinion(scale.ended(outcome, turn, ply))),
            None => {}
        }
        if branch.below.is_empty() {
            let mut moves = Vec::new();
            if let Some(outcome) = position.generate(&mut moves) {
                return Some(scale.ended(outcome, turn, ply));
            }
            position.restrict(self.memory.path.plies(), &mut moves);
            branch.below = self.branches(position, &moves, ply);
        }
        let in_check = self.guide.in_check(position);
        let depth = depth + i32::from(in_check && self.options.extend && ply < 2 * self.iteration);
        let node =
            Node { position, key: position.key(), depth, ply, in_check, is_scout: false, stand_pat: f32::INFINITY };
        let place = Place { node, reach };
        let best =
            self.sweep(soft, &place, &mut branch.below, Window { alpha: f32::NEG_INFINITY, beta: f32::INFINITY })?;
        weigh(&mut branch.below, soft.t.value());
        branch.pv.truncate(1);
        let first = branch.below.first().map(|reply| (reply.mv.to_bits(), reply.pv.clone()));
        if let Some((mv, pv)) = first {
            branch.pv.extend(pv);
            if self.options.table {
                let value = scale.in_table(best, ply);
                let entry = Entry { mv: Some(mv), value, depth: depth.clamp(0, 255) as u8, bound: Bound::Exact };
                self.table.put(place.node.key, entry);
            }
        }
        Some(if scale.proof(best).is_some() { best } else { back_up(&branch.below, soft) })
    }
}

/// Puts the last of the branches into its place: those near the best lie in front, the best first.
fn settle<M>(branches: &mut [Branch<M>]) {
    let Some((last, before)) = branches.split_last() else { return };
    if last.near {
        let place = before.iter().take_while(|other| other.near && other.value >= last.value).count();
        branches[place..].rotate_right(1);
    }
}
