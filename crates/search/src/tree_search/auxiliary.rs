//! What a recipe computes from a node's children beside its value: soft depth, reach, entropy, implicit minimax.

use yomi_core::{Evaluator, Position};

use super::sample::{Sampler, Task};
use crate::backup::Backup;
use crate::score;
use crate::select::{Select, entropic_policy, mass, reach};
use crate::softmax;
use crate::tree::{Block, NodeId, Tree};

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Brings what the recipe computes beside the value up to date from the node's children.
    #[inline]
    pub(super) fn refresh_auxiliary(&mut self, node: NodeId, depth: u32) {
        if self.task.extras.auxiliary || self.task.extras.soft_depth {
            self.compute_auxiliary(node, depth);
        }
    }

    /// Kept apart: most recipes compute nothing here, and pay for one comparison per node only.
    #[inline(never)]
    fn compute_auxiliary(&mut self, node: NodeId, depth: u32) {
        let Task { tree, recipe, .. } = self.task;
        let Some(block) = tree.children(node) else { return };
        let choice = crate::select::Choice { depth, ..self.choice(node, block) };
        if let Select::Anchored { td, .. } = recipe.select {
            tree.set_soft_depth(node, mass(td, &choice, &mut self.state.buffers));
        }
        let value = match (recipe.select, recipe.backup) {
            (Select::BestFirst { t }, _) => reach(t, &choice, &mut self.state.buffers),
            (Select::Dents { t, beta, .. }, _) => {
                entropic_policy(t.value(), beta.value(), &choice, &mut self.state.buffers);
                let total = softmax::sum(&self.state.buffers.rates);
                tree.read_auxiliary(block, &mut self.state.buffers.spare);
                0.0 - subtree_entropy(&self.state.buffers.rates, total, &self.state.buffers.spare)
            }
            (_, Backup::ImplicitMinimax { .. }) => match best_seen(tree, block) {
                Some(best) => 0.0 - best,
                None => return,
            },
            _ => return,
        };
        tree.set_auxiliary(node, value);
    }
}

/// `H(π) + Σ π·h`: the entropy of a choice and of what follows, h being what the children keep (DENTS).
fn subtree_entropy(weights: &[f32], total: f32, below: &[f32]) -> f32 {
    let mut entropy = 0.0;
    for (&weight, &h) in weights.iter().zip(below) {
        if weight > 0.0 {
            let p = weight / total;
            entropy += p * (h - softmax::ln(p));
        }
    }
    entropy
}

/// The highest auxiliary value of the visited children (implicit minimax).
fn best_seen(tree: &Tree, block: Block) -> Option<f32> {
    let seen = block.children().filter(|&child| score::is_seen(tree.value(child)));
    seen.map(|child| tree.auxiliary(child)).max_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropies_add_up() {
        let ln2 = std::f32::consts::LN_2;
        assert!((subtree_entropy(&[1.0, 1.0, 0.0], 2.0, &[0.0, 0.0, 9.0]) - ln2).abs() < 1e-6);
        assert!((subtree_entropy(&[3.0, 3.0], 6.0, &[-ln2, -ln2])).abs() < 1e-6);
    }
}
