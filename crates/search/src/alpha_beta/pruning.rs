//! What need not be searched: null move, ProbCut, futility, move counts, late-move reductions.

use yomi_core::{Evaluator, Position};

use crate::alpha_beta::node::{Node, Tally, Worker};
use crate::ordering::{Guide, Scored};

/// Nodes are given up by their static value, and late quiet moves left out, this close to the leaves.
const SAFE_DEPTH: i32 = 2;
const COUNTED_DEPTH: i32 = 4;
/// Null moves are tried from this depth on.
const NULL_DEPTH: i32 = 2;

/// Moves from this one on are late, and reduced from this depth on.
const LATE_INDEX: usize = 3;
const LATE_DEPTH: i32 = 3;

/// By how much the static value must lie above beta for the node not to be searched, in hundredths of a pawn.
fn safe_margin(depth: i32) -> f32 {
    150.0 * depth as f32
}

/// How many moves are tried before late quiet ones are left out.
fn move_limit(depth: i32) -> usize {
    (8 + 4 * depth * depth) as usize
}

/// How much less deeply the `index`-th move is searched at first.
fn reduction(depth: i32, index: usize) -> i32 {
    (0.5 + (depth as f32).ln() * (index as f32).ln() / 2.2) as i32
}

/// How much less deeply the search after a null move goes.
fn null_reduction(depth: i32) -> i32 {
    2 + depth / 4
}

/// Whether the static value may decide anything: in a game that distinguishes noisy moves, out of check, off the principal
/// variation.
fn may_judge<P: Position, G: Guide<P>>(node: &Node<'_, P>) -> bool {
    G::TACTICAL && node.is_scout && !node.in_check
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// What the static value alone says of a node near the leaves that need not be exact: its value, or none if it must be searched.
    /// This comes before everything else because it is so much cheaper than a look at the table.
    pub(super) fn hopeless_or_safe(&mut self, node: &mut Node<'_, P>, alpha: f32, beta: f32) -> Option<f32> {
        let close = node.depth <= SAFE_DEPTH.max(self.options.futile as i32);
        if !self.options.futility || !close || !may_judge::<P, G>(node) {
            return None;
        }
        node.stand_pat = self.judge(node.position, &[], node.ply);
        if self.is_safe(node, beta) {
            return Some(node.stand_pat);
        }
        // Next to the leaves only noisy moves could lift the value to alpha, and those are what quiescence looks at.
        let hopeless = node.depth == 1 && self.options.quiet.is_some() && self.is_futile(node, alpha);
        hopeless.then(|| self.leaf(node.position, alpha, beta, node.ply))
    }

    /// Whether quiet moves could not lift the value to alpha.
    fn is_futile(&self, node: &Node<'_, P>, alpha: f32) -> bool {
        let margin = self.options.margin as f32 * node.depth as f32 * self.options.pawn / 100.0;
        self.options.futility && node.depth <= self.options.futile as i32 && node.stand_pat + margin <= alpha
    }

    /// Whether quiet moves of the other side could not lower the value to beta: futility as the other side sees it. Whether a
    /// position is lost by force is no question of material.
    fn is_safe(&self, node: &Node<'_, P>, beta: f32) -> bool {
        let margin = safe_margin(node.depth) * self.options.pawn / 100.0;
        self.options.futility
            && node.depth <= SAFE_DEPTH
            && node.stand_pat - margin >= beta
            && !self.scale.is_lost(beta)
    }

    /// A position so good that the other side could move twice is good enough: its value, or none if it must be searched.
    pub(super) fn null_move(&mut self, node: &mut Node<'_, P>, beta: f32, may_pass: bool) -> Option<f32> {
        if !self.options.null || !may_pass || node.depth < NULL_DEPTH || !may_judge::<P, G>(node) {
            return None;
        }
        if node.stand_pat == f32::INFINITY {
            node.stand_pat = self.judge(node.position, &[], node.ply);
        }
        if node.stand_pat < beta {
            return None;
        }
        let passed = self.guide.pass(node.position)?;
        let path_before = self.memory.path.tear();
        self.memory.path.push(passed.ply());
        let depth = node.depth - 1 - null_reduction(node.depth);
        if self.is_by_probability() {
            let spent = self.memory.levels.at(node.ply).spent;
            let next = self.memory.levels.at(node.ply + 1);
            (next.spent, next.last) = (spent, None);
        }
        let value = -self.node(&passed, -beta, -beta.next_down(), depth, node.ply + 1, false);
        self.memory.path.pop();
        self.memory.path.mend(path_before);
        // A win that began with a pass is no proof.
        (value >= beta && !self.meter.has_ended()).then(|| self.scale.opinion(value).max(beta))
    }

    /// ProbCut: a shallower search whose value lies far enough beyond the window settles the question of it.
    pub(super) fn prob_cut(&mut self, node: &Node<'_, P>, alpha: f32, beta: f32) -> Option<f32> {
        let t = self.options.probcut;
        // Whether somebody wins by force is no matter of deviations.
        if t == 0.0 || !node.is_scout || node.ply == 0 || self.scale.is_lost(alpha) || self.scale.is_won(beta) {
            return None;
        }
        let forecast = self.guide.forecast(node.position, node.depth).filter(|found| node.depth > found.less)?;
        let depth = node.depth - forecast.less;
        let high = forecast.threshold(beta, t);
        let value = self.node(node.position, high.next_down(), high, depth, node.ply, false);
        if value >= high && !self.meter.has_ended() {
            return Some(self.scale.opinion(value).max(beta));
        }
        let low = forecast.threshold(alpha, -t);
        let value = self.node(node.position, low, low.next_up(), depth, node.ply, false);
        (value <= low && !self.meter.has_ended()).then(|| self.scale.opinion(value).min(alpha))
    }

    /// Whether a quiet move may be left out, now that one is known which does not lose by force: it comes late, or nothing near
    /// the leaves could lift the value to alpha.
    pub(super) fn is_pruned(
        &self,
        node: &Node<'_, P>,
        next: &Scored<P::Move>,
        index: usize,
        tally: &Tally<P::Move>,
    ) -> bool {
        if tally.tried == 0 || next.gain > 0 || !node.is_scout || node.in_check || self.scale.is_lost(tally.best) {
            return false;
        }
        let late = self.options.move_count && node.depth <= COUNTED_DEPTH && index >= move_limit(node.depth);
        (late || self.is_futile(node, tally.floor)) && !self.guide.gives_check(node.position, next.mv)
    }

    /// How much less deeply a late quiet move is searched at first; 0 for moves in and out of check.
    pub(super) fn reduced_by(&self, node: &Node<'_, P>, child: &P, index: usize) -> i32 {
        let calm = !node.in_check && !self.guide.in_check(child);
        if !self.options.lmr || index < LATE_INDEX || node.depth < LATE_DEPTH || !calm {
            return 0;
        }
        reduction(node.depth, index).min(node.depth - 2)
    }
}
