//! Deterministic softmax best-first search: always the leaf of highest realization probability (S0.5).
//!
//! The realization probability of a leaf is the product of the selection probabilities along its path. Every node keeps, in the
//! auxiliary column, the highest product from itself down to a leaf that can still grow: its *reach*. Following the child of
//! highest `π·reach` then leads to the best leaf of the whole tree.

use super::{Buffers, Choice, Rule};
use crate::score;
use crate::softmax;
use crate::temperature::Temperature;
use crate::tree::{Below, NodeId, Tree};

/// Urgencies `π(child)·reach(child)`.
pub(super) fn rate(t: Temperature, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    products(t, choice, buffers);
    for x in &mut buffers.rates {
        if *x <= 0.0 {
            *x = f32::NEG_INFINITY;
        }
    }
    Rule::Greedy
}

/// The reach of a node with children.
pub(crate) fn reach(t: Temperature, choice: &Choice<'_>, buffers: &mut Buffers) -> f32 {
    products(t, choice, buffers);
    softmax::maximum(&buffers.rates).max(0.0)
}

fn products(t: Temperature, choice: &Choice<'_>, buffers: &mut Buffers) {
    let Buffers { rates, spare, .. } = buffers;
    choice.scores_or_own(rates, spare);
    let t = choice.temperature(t, rates);
    softmax::weigh(rates, t);
    let z = softmax::sum(rates);
    for (x, child) in rates.iter_mut().zip(choice.block.children()) {
        *x = if *x > 0.0 { *x / z * reach_of(choice.tree, child) } else { 0.0 };
    }
}

/// The reach of any node: 1 for a leaf, 0 where nothing can grow.
fn reach_of(tree: &Tree, node: NodeId) -> f32 {
    let link = tree.link(node);
    match link.below() {
        _ if link.is_exhausted() || score::is_proven(tree.value(node)) => 0.0,
        Below::Children(_) => tree.auxiliary(node),
        _ => 1.0,
    }
}
