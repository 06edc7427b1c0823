//! The gradient through a whole finished tree (S0.8, summed over all paths).
//!
//! S0.8 draws paths and multiplies brackets along them. The sum over all paths needs no drawing: one pass from the root downwards
//! multiplies sensitivities `∂E*(u)/∂E*(a,u)`, and what arrives at a leaf is by how much its static value changes what is asked for: the
//! root's value, or ln π_a of the move played. The variance is zero and the cost is a walk.

use yomi_core::Position;

use crate::frozen::{Below, Frozen};
use crate::model::{Leaf, Model};

/// What the replies of the opponent depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replies {
    /// On the parameters, as the learner's own moves do: the gradient of the value that the search found. Brackets at every ply.
    Learned,
    /// On nothing: the opponent's policy is known and fixed (S0.7). Brackets at every second ply, where the learner moves.
    Fixed,
}

/// Multiplies `weights` of the root's moves down the tree: for every leaf the coefficient of its value for the player who moved into it.
/// Branches below `least` in absolute value are left out; 0 leaves out nothing.
///
/// The order is that of the tree, whatever the threads did that grew it.
pub fn spread(tree: &Frozen, weights: &[f64], replies: Replies, least: f64) -> Vec<(usize, f64)> {
    let mut coefficients = vec![0.0; tree.nodes.len()];
    coefficients[tree.children(0)].copy_from_slice(weights);
    let mut leaves = Vec::new();
    for at in 1..tree.nodes.len() {
        let (node, coefficient) = (tree.nodes[at], coefficients[at]);
        if coefficient.abs() <= least || coefficient == 0.0 {
            continue;
        }
        match node.below {
            Below::Constant => {}
            Below::Leaf => leaves.push((at, coefficient)),
            Below::Children { .. } => {
                let shares = shares(tree, at, replies);
                for (child, share) in tree.children(at).zip(shares) {
                    // The node's value is that of the choice below it, seen from the other side.
                    coefficients[child] = 0.0 - coefficient * share;
                }
            }
        }
    }
    leaves
}

/// By how much the value of a choice changes with each child: at the learner's turns, an even number of plies below the root, always by
/// S0.8; at the opponent's by its probabilities alone where those are fixed.
pub(crate) fn shares(tree: &Frozen, at: usize, replies: Replies) -> Vec<f64> {
    let (depth, values) = (tree.nodes[at].depth, tree.choices(at));
    match replies {
        Replies::Fixed if depth % 2 == 1 => tree.rules.backup_probabilities(depth, values),
        _ => tree.rules.sensitivities(depth, values),
    }
}

/// The weights of the root's moves in the root's value: what [`spread`] takes for `∂E*(u)/∂ω`.
pub fn root_weights(tree: &Frozen) -> Vec<f64> {
    tree.rules.sensitivities(0, tree.choices(0))
}

/// Hands `Σ coefficient·∂(leaf's value)/∂ω` to `sink`. `rest` says where a leaf's static value is taken; it is called once per leaf.
pub fn gradient<P: Position, M: Model<P>>(
    tree: &Frozen,
    root: &P,
    leaves: &[(usize, f64)],
    (model, parameters): (&M, &[f64]),
    mut rest: impl FnMut(&P) -> Leaf<P>,
    sink: &mut dyn FnMut(usize, f64),
) {
    for &(at, coefficient) in leaves {
        let leaf = rest(&tree.position(root, at));
        // The tree's value is for the player who moved into the leaf, the leaf's own for its side to move.
        leaf.gradient(model, parameters, 0.0 - coefficient, sink);
    }
}
