//! RootStrap and TreeStrap (Veness, Silver, Uther and Blair 2009): static values move towards what the search made of them.
//!
//! Both are compared as probabilities of winning by cross-entropy, so that a mate which was found is a target like any other:
//! `Δω = Σ (σ(E*/K) - σ(E_s/K))/K·∂E_s/∂ω`.

use yomi_core::{Outcome, Position};

use super::{Method, Note, Searched, win_probability};
use crate::frozen::Below;
use crate::gradient::cross_entropy;
use crate::model::{Leaf, Model};
use crate::thin::thin;

/// The root's static value moves towards its search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RootStrap {
    /// K, where values become probabilities.
    pub k: f64,
}

/// Every inner node's static value moves towards the value below it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TreeStrap {
    /// K, where values become probabilities.
    pub k: f64,
}

/// Adds the step of one node, `share` of it, and returns its loss. `target` is for the side to move there.
fn strap<P: Position, M: Model<P>>(
    searched: &mut Searched<'_, '_, P, M>,
    position: &P,
    target: f64,
    share: f64,
    k: f64,
) -> f64 {
    let leaf = searched.resolver.resolve(position);
    if let Leaf::Constant(_) = leaf {
        return 0.0;
    }
    let now = win_probability(leaf.value(searched.model, searched.parameters), k);
    let wanted = win_probability(target, k);
    let sum = &mut *searched.sum;
    let slope = share * (wanted - now) / k;
    leaf.gradient(searched.model, searched.parameters, slope, &mut |index, x| sum.add(index, x));
    share * cross_entropy(now, wanted)
}

impl<P: Position, M: Model<P>> Method<P, M> for RootStrap {
    fn name(&self) -> &'static str {
        "root-strap"
    }

    /// From nothing, proofs are all there is to learn from.
    fn learns_from_proofs(&self) -> bool {
        true
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let value = searched.tree.value();
        let loss = strap(searched, &searched.line.position().clone(), value, 1.0, self.k);
        searched.note(value, loss)
    }

    fn credits(&self, notes: &[Note], _: Outcome, _: &[usize]) -> Vec<f64> {
        vec![1.0; notes.len()]
    }
}

impl<P: Position, M: Model<P>> Method<P, M> for TreeStrap {
    fn name(&self) -> &'static str {
        "tree-strap"
    }

    /// From nothing, proofs are all there is to learn from.
    fn learns_from_proofs(&self) -> bool {
        true
    }

    /// Nodes that are proven have no children here, and no say: the search would prove them again.
    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let tree = searched.tree;
        let inner = |at: &usize| matches!(tree.nodes[*at].below, Below::Children { .. });
        let nodes: Vec<usize> = (0..tree.nodes.len()).filter(inner).collect();
        let share = 1.0 / nodes.len().max(1) as f64;
        let nodes: Vec<(usize, f64)> = nodes.into_iter().map(|at| (at, share)).collect();
        let mut rng = searched.seed.branch("nodes", 0).rng();
        let mut loss = 0.0;
        for (at, share) in thin(&nodes, searched.leaves, &mut rng) {
            let position = tree.position(searched.line.position(), at);
            loss += strap(searched, &position, 0.0 - tree.values[at], share, self.k);
        }
        searched.note(tree.value(), loss)
    }

    fn credits(&self, notes: &[Note], _: Outcome, _: &[usize]) -> Vec<f64> {
        vec![1.0; notes.len()]
    }
}
