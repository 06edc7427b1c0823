//! The root of the softmax tree: the whole of it is searched deeper and deeper.

use yomi_core::{Evaluator, Position};

use crate::alpha_beta::node::{Node, Worker};
use crate::alpha_beta::soft::branch::{Branch, Shape, weigh};
use crate::alpha_beta::soft::options::SoftOptions;
use crate::alpha_beta::soft::visit::Place;
use crate::backup::operators::entropy;
use crate::ordering::Guide;
use crate::search::{Ended, Proof, RootMove};

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Searches the tree deeper and deeper until `to` is reached, the game is solved, or the meter says stop. The result stands in the
    /// meter's `so_far`.
    pub(crate) fn deepen_softly(&mut self, soft: &SoftOptions, position: &P, moves: &[P::Move], to: usize) {
        let soft = &soft.resolved(self.evaluator.win());
        let mut branches = self.branches(position, moves, 0);
        self.publish_softly(soft, &branches, 0);
        if to == 0 && !self.meter.look() {
            let value = self.leaf(position, f32::NEG_INFINITY, f32::INFINITY, 0);
            self.meter.so_far.value = value;
            self.meter.so_far.moves.iter_mut().take(1).for_each(|row| row.value = value);
        }
        let in_check = self.guide.in_check(position);
        let mut settled = false;
        for depth in 1..=to {
            self.iteration = depth;
            if self.meter.look() {
                return;
            }
            let share = if branches.len() == 1 { 0.0 } else { f64::from(soft.early) };
            if settled && self.meter.share_spent() >= share {
                self.meter.ended = Some(Ended::Settled);
                return;
            }
            let last = branches.first().map(|first| (first.mv, first.value));
            branches.iter_mut().for_each(|branch| branch.before = branch.value);
            let key = position.key();
            let (is_scout, stand_pat) = (false, f32::INFINITY);
            let node = Node { position, key, depth: depth as i32, ply: 0, in_check, is_scout, stand_pat };
            let place = Place { node, reach: 1.0 };
            let Some(best) = self.aspire_softly(soft, &place, &mut branches) else { return };
            weigh(&mut branches, soft.t.value());
            settled = soft.early < 1.0 && is_settled(soft, &branches, last);
            self.publish_softly(soft, &branches, depth);
            self.meter.report();
            if let Some(Proof::Win(plies) | Proof::Loss(plies)) = self.scale.proof(best)
                && plies as usize <= depth
            {
                self.meter.ended = Some(Ended::Solved);
                return;
            }
        }
        self.meter.ended.get_or_insert(Ended::Depth);
    }

    /// Puts a move first about which nothing is known: of a lost move and one without a value, the latter.
    pub(super) fn propose_instead(&mut self, branch: &Branch<P::Move>) {
        let so_far = &mut self.meter.so_far;
        if so_far.best != Some(branch.mv) {
            so_far.best = Some(branch.mv);
            so_far.proof = None;
            so_far.pv = vec![branch.mv];
            so_far.moves = vec![RootMove { visits: branch.nodes, value: so_far.value, ..RootMove::new(branch.mv) }];
        }
    }

    /// The move to play: the best by a mean of its values in this iteration and the one before.
    fn steadiest<'b>(&self, soft: &SoftOptions, branches: &'b [Branch<P::Move>]) -> Option<&'b Branch<P::Move>> {
        let first = branches.first()?;
        if soft.steady == 0.0 || self.iteration < 3 || self.scale.proof(first.value).is_some() {
            return Some(first);
        }
        let steady = |branch: &Branch<P::Move>| branch.value + soft.steady * (branch.before - branch.value);
        let known = branches.iter().filter(|branch| branch.near && branch.depth == self.iteration);
        known.max_by(|a, b| steady(a).total_cmp(&steady(b))).or(Some(first))
    }

    /// Writes down what is believed now. A move that this iteration has not searched yet is worth no more than the best of those it has.
    pub(super) fn publish_softly(&mut self, soft: &SoftOptions, branches: &[Branch<P::Move>], depth: usize) {
        let Some(first) = self.steadiest(soft, branches) else { return };
        let best = branches.first().map_or(0.0, |first| first.value);
        let known = |branch: &Branch<P::Move>| {
            if branch.depth == self.iteration { branch.value } else { branch.value.min(best) }
        };
        let near: Vec<f32> = branches.iter().filter(|branch| branch.near).map(known).collect();
        let share = |t: f32| {
            let mut weights = near.clone();
            crate::softmax::weigh(&mut weights, t);
            let total: f32 = weights.iter().sum();
            move |i: usize| weights.get(i).map_or(0.0, |weight| weight / total)
        };
        let (selection, part) = (share(soft.t.value()), share(soft.tb.value()));
        let mut rank = 0;
        let show = |branch: &Branch<P::Move>| {
            let place = if branch.near { rank } else { usize::MAX };
            rank += usize::from(branch.near);
            RootMove {
                visits: branch.nodes,
                value: branch.value,
                proof: self.scale.proof(branch.value).filter(|_| branch.near),
                selection: selection(place),
                realization: selection(place) * realization(branch),
                backup: part(place),
                depth: branch.depth as f32,
                pv: branch.pv.clone(),
                ..RootMove::new(branch.mv)
            }
        };
        let moves: Vec<RootMove<P::Move>> = branches.iter().map(show).collect();
        let probabilities: Vec<f64> = moves.iter().map(|row| f64::from(row.selection)).collect();
        let shape = Shape::of(branches);
        let so_far = &mut self.meter.so_far;
        so_far.best = Some(first.mv);
        so_far.proof = self.scale.proof(best).filter(|_| first.near);
        so_far.value = if so_far.proof.is_some() || near.is_empty() { best } else { soft.back_up(&near) };
        so_far.pv.clone_from(&first.pv);
        so_far.entropy = entropy(&probabilities) as f32;
        so_far.effective_depth = shape.depth;
        so_far.nodes_per_depth = shape.nodes;
        so_far.depth = depth as u32;
        so_far.moves = moves;
    }
}

/// Whether the best move has all the weight, was the best an iteration ago, and has not fallen out of the width of weights since.
fn is_settled<M: Copy + PartialEq>(soft: &SoftOptions, branches: &[Branch<M>], last: Option<(M, f32)>) -> bool {
    let alone = branches.iter().filter(|branch| branch.near).count() <= 1;
    let holds = |best: &Branch<M>| last.is_some_and(|(mv, value)| mv == best.mv && best.value >= value - soft.width());
    alone && branches.first().is_some_and(holds)
}

/// The probability that the game follows the best replies as far as the tree goes.
fn realization<M: Copy>(branch: &Branch<M>) -> f32 {
    let first = branch.below.first().filter(|_| branch.is_inner());
    first.map_or(1.0, |reply| reply.probability * realization(reply))
}
