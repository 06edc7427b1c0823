//! The solver: proofs from the ends of games up to the root, and nodes below which nothing is left to learn.

use yomi_core::{Evaluator, Position};

use super::sample::{Sampler, Task};
use crate::score;
use crate::search::Proof;
use crate::tree::{Block, NodeId, Tree};

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Draws the conclusions from a node's children. True if nothing more can be learned there, so that the parent may follow.
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
}
