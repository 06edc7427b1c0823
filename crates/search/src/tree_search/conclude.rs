//! What follows from a node's children: proofs, exhaustion, and the recipe's extra number.

use yomi_core::{Evaluator, Position};

use super::sample::{Sampler, Task};
use crate::backup::Backup;
use crate::score;
use crate::search::Proof;
use crate::select::{Select, entropic_policy, mass, reach};
use crate::softmax;
use crate::tree::{Block, NodeId, Tree};

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Draws the conclusions from a node's children. True if nothing more can be learnt there, so that the parent may follow.
    pub(super) fn settle(&self, node: NodeId) -> bool {
        let Task { tree, recipe, recomputes, .. } = self.task;
        if let Some(block) = tree.children(node) {
            // In this order: where all are marked, the proofs behind the marks are seen; and a mark stands behind its proof.
            let spent = recomputes && block.children().all(|child| tree.is_spent(child));
            if recipe.solver
                && let Some(proof) = proof_from(tree, block)
            {
                tree.set_proof(node, proof.before());
            }
            if spent {
                tree.exhaust(node);
            }
        }
        tree.is_spent(node)
    }

    /// Brings what the recipe computes beside the value up to date from the node's children.
    #[inline]
    pub(super) fn refresh_auxiliary(&mut self, node: NodeId, depth: u32) {
        if self.task.extras.auxiliary || self.task.extras.soft_depth {
            self.compute_auxiliary(node, depth);
        }
    }

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
                entropic_policy(t, beta, &choice, &mut self.state.buffers);
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

/// What the children prove about their parent, for the side that chooses: a win if one is won; if all are proven, the best.
fn proof_from(tree: &Tree, block: Block) -> Option<Proof> {
    let (mut best, mut all, mut draw) = (f32::NEG_INFINITY, true, false);
    for child in block.children() {
        let value = tree.value(child);
        all &= score::is_proven(value);
        draw |= value.to_bits() == score::DRAWN.to_bits();
        best = best.max(value);
    }
    match score::proof(best) {
        Some(win @ Proof::Win(_)) => Some(win),
        _ if !all => None,
        _ if draw => Some(Proof::Draw),
        loss => loss,
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
    use crate::tree::{Extras, Link, Newborn, ROOT};

    fn proof_of(values: &[f32]) -> Option<Proof> {
        let tree = Tree::with_capacity(10, Extras::default());
        assert!(tree.claim(ROOT));
        let newborn = |&value| Newborn { mv: 0, value, prior: 0.0, static_value: 0.0, link: Link::LEAF };
        let block = tree.adopt(ROOT, &values.iter().map(newborn).collect::<Vec<_>>()).unwrap();
        proof_from(&tree, block)
    }

    #[test]
    fn proofs_follow_from_children() {
        let [win, long_win, draw, loss, long_loss] =
            [Proof::Win(1), Proof::Win(5), Proof::Draw, Proof::Loss(2), Proof::Loss(4)].map(score::from_proof);
        assert_eq!(proof_of(&[0.5, long_win, win, score::UNSEEN]), Some(Proof::Win(1)));
        assert_eq!(proof_of(&[loss, long_loss, loss]), Some(Proof::Loss(4)));
        assert_eq!(proof_of(&[loss, draw]), Some(Proof::Draw));
        assert_eq!(proof_of(&[loss, 0.0]), None);
        assert_eq!(proof_of(&[draw, -1.0]), None);
        assert_eq!(proof_of(&[loss, score::UNSEEN]), None);
        assert_eq!(proof_of(&[0.0, 0.0]), None);
    }

    #[test]
    fn entropies_add_up() {
        let ln2 = std::f32::consts::LN_2;
        assert!((subtree_entropy(&[1.0, 1.0, 0.0], 2.0, &[0.0, 0.0, 9.0]) - ln2).abs() < 1e-6);
        assert!((subtree_entropy(&[3.0, 3.0], 6.0, &[-ln2, -ln2])).abs() < 1e-6);
    }
}
