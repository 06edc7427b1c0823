//! PGLeaf (S0.9): a move is worth the static value at the end of its principal variation, and nothing else is learned from.

use crate::frozen::{Below, Frozen};

/// For the weights of the root's moves (see [`crate::pg_tree::spread`]) the one leaf of each, with its coefficient.
pub fn leaves(tree: &Frozen, weights: &[f64]) -> Vec<(usize, f64)> {
    let moves = tree.children(0).zip(weights).filter(|(_, weight)| **weight != 0.0);
    moves.filter_map(|(child, &weight)| principal(tree, child, weight)).collect()
}

/// The leaf of the principal variation after a move; the value changes sides once per ply.
fn principal(tree: &Frozen, child: usize, weight: f64) -> Option<(usize, f64)> {
    let leaf = tree.principal_leaf(child);
    let sign = if (tree.nodes[leaf].depth - tree.nodes[child].depth).is_multiple_of(2) { 1.0 } else { -1.0 };
    (tree.nodes[leaf].below == Below::Leaf).then_some((leaf, sign * weight))
}

/// `E*(a,u) ≈ E_s(leaf of the principal variation after a)` of every root move, for the side that chooses: the values that the policy of
/// PGLeaf is made of.
pub fn values(tree: &Frozen) -> Vec<f64> {
    let worth = |child: usize| {
        let leaf = tree.principal_leaf(child);
        let sign = if (tree.nodes[leaf].depth - tree.nodes[child].depth).is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * tree.values[leaf]
    };
    tree.children(0).map(worth).collect()
}
