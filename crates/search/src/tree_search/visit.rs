//! What a sample leaves at the nodes it passes.

use yomi_core::{Evaluator, Position};

use super::deferred::CROWDED;
use super::flight::PathNode;
use super::sample::{Sampler, Task};
use crate::score;
use crate::select::Choice;
use crate::tree::NodeId;

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Counts the visit at once, so that other threads know of it, and lets something stand for its result meanwhile: the value as it
    /// is, less the virtual loss. In a tree of its own a thread needs none.
    #[inline]
    pub(super) fn enter(&mut self, node: NodeId) {
        let Task { tree, alone, virtual_loss, .. } = self.task;
        let (mut pending, mut deferred) = (None, false);
        if alone {
            tree.visit_alone(node);
        } else {
            let before = tree.visits(node);
            deferred = before > CROWDED;
            let n = if deferred { before } else { tree.visit(node) };
            if self.has_static_leaves() {
                if virtual_loss > 0.0 {
                    tree.add_to_estimate(node, |_| -virtual_loss);
                }
            } else if n <= CROWDED {
                let stand_in = score::plain(tree.value(node), self.win) - virtual_loss;
                tree.add_to_estimate(node, |mean| (stand_in - mean) / n as f32);
                pending = Some(stand_in);
            }
        }
        self.state.flight.path.push(PathNode { node, pending, deferred });
    }

    /// Takes the sample back: no visit and no value of it remains.
    pub(super) fn take_back(&mut self) {
        let Task { tree, virtual_loss, .. } = self.task;
        for i in (0..self.state.flight.path.len()).rev() {
            let PathNode { node, pending, deferred } = self.state.flight.path[i];
            let n = tree.visits(node);
            if !deferred {
                tree.unvisit(node);
            }
            match pending {
                Some(stand_in) if n > 1 => tree.add_to_estimate(node, |mean| (mean - stand_in) / (n - 1) as f32),
                Some(_) => tree.add_to_estimate(node, |_| virtual_loss),
                None if self.has_static_leaves() => tree.add_to_estimate(node, |_| virtual_loss),
                None => {}
            }
            self.recompute(node, i as u32);
        }
    }

    /// Takes the result into a mean, in the place of what stood for it.
    #[inline]
    pub(super) fn average(&self, step: PathNode, value: f32) {
        let Task { tree, alone, virtual_loss, .. } = self.task;
        let n = tree.visits(step.node).max(1) as f32;
        if self.has_static_leaves() {
            // Nothing was judged here: the value lent away comes back.
            tree.add_to_estimate(step.node, |_| virtual_loss);
        } else if alone {
            let mean = tree.value(step.node);
            let mean = if score::is_seen(mean) { mean } else { 0.0 };
            tree.set_estimate_alone(step.node, mean + (value - mean) / n);
        } else if !step.deferred {
            tree.add_to_estimate(step.node, |mean| (value - step.pending.unwrap_or(mean)) / n);
        }
    }

    /// Computes a node from its children, if the recipe does so and they have anything to say.
    #[inline]
    pub(super) fn recompute(&mut self, node: NodeId, depth: u32) -> bool {
        self.task.recomputes && self.compute(node, depth)
    }

    fn compute(&mut self, node: NodeId, depth: u32) -> bool {
        let Task { tree, recipe, alone, .. } = self.task;
        let Some(block) = tree.children(node) else { return false };
        let choice = Choice { depth, ..self.choice(node, block) };
        let Some(value) = recipe.backup.value(&choice, &mut self.state.buffers) else { return false };
        match alone {
            true => tree.set_estimate_alone(node, 0.0 - value),
            false => tree.set_estimate(node, 0.0 - value),
        }
        self.refresh_auxiliary(node, depth);
        true
    }

    /// Whether leaves are never judged themselves, but with their siblings when they are born, and only then.
    fn has_static_leaves(&self) -> bool {
        self.task.recomputes && self.task.recipe.expand.judges_siblings()
    }
}
