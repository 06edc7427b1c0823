//! The moves of a softmax node, what they are worth, and what follows them.

use crate::alpha_beta::soft::options::SoftOptions;
use crate::softmax;

/// A move in the softmax tree.
pub(super) struct Branch<M> {
    pub(super) mv: M,
    /// What the move takes and promotes; 0 for quiet moves.
    pub(super) gain: i32,
    /// Its worth for the side that plays it; an upper bound where it is not `near`.
    pub(super) value: f32,
    /// Its value in the iteration before, whether exact or a bound.
    pub(super) before: f32,
    /// Whether it was within reach of the best when last searched: its value is exact, and it has weight.
    pub(super) near: bool,
    /// Plies of the iteration that last found the value.
    pub(super) depth: usize,
    /// Its probability among its siblings after the last iteration (S0.2).
    pub(super) probability: f32,
    /// Nodes searched for it.
    pub(super) nodes: u64,
    /// Its principal variation, the move itself first.
    pub(super) pv: Vec<M>,
    /// Its replies, once they belong to the tree.
    pub(super) below: Vec<Branch<M>>,
}

impl<M: Copy> Branch<M> {
    pub(super) fn new(mv: M, gain: i32) -> Branch<M> {
        Branch {
            mv,
            gain,
            value: 0.0,
            before: 0.0,
            near: false,
            depth: 0,
            probability: 0.0,
            nodes: 0,
            pv: vec![mv],
            below: Vec::new(),
        }
    }

    /// Whether its replies are part of the tree that the value rests on.
    pub(super) fn is_inner(&self) -> bool {
        self.near && self.below.first().is_some_and(|reply| reply.depth == self.depth)
    }
}

/// S0.2 over the moves that are near the best; the others have none.
pub(super) fn weigh<M>(branches: &mut [Branch<M>], t: f32) {
    let max = best(branches);
    let weight = |branch: &Branch<M>| if branch.near { boltzmann(branch.value - max, t) } else { 0.0 };
    let total: f32 = branches.iter().map(weight).sum();
    for branch in branches {
        branch.probability = if total > 0.0 { weight(branch) / total } else { 0.0 };
    }
}

/// What the moves together are worth.
pub(super) fn back_up<M>(branches: &[Branch<M>], soft: &SoftOptions) -> f32 {
    let values: Vec<f32> = branches.iter().filter(|branch| branch.near).map(|branch| branch.value).collect();
    soft.back_up(&values)
}

/// The highest value of the moves near the best.
fn best<M>(branches: &[Branch<M>]) -> f32 {
    branches.iter().filter(|branch| branch.near).fold(f32::NEG_INFINITY, |best, branch| best.max(branch.value))
}

/// `exp(x/t)` for `x <= 0`; at temperature 0 the best alone has weight.
fn boltzmann(x: f32, t: f32) -> f32 {
    softmax::exp(x / t.max(softmax::COLDEST))
}

/// The shape of a softmax tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shape {
    /// Moves of the tree at each depth that have weight, the root first.
    pub(super) nodes: Vec<u64>,
    /// Mean depth of the leaves, each weighted by its probability.
    pub(super) depth: f32,
}

impl Shape {
    pub(super) fn of<M: Copy>(branches: &[Branch<M>]) -> Shape {
        let mut shape = Shape { nodes: vec![1], ..Shape::default() };
        shape.add(branches, 1, 1.0);
        shape
    }

    fn add<M: Copy>(&mut self, branches: &[Branch<M>], depth: usize, reach: f32) {
        for branch in branches.iter().filter(|branch| branch.near && branch.probability > 0.0) {
            self.nodes.resize(self.nodes.len().max(depth + 1), 0);
            self.nodes[depth] += 1;
            let reach = reach * branch.probability;
            if branch.is_inner() {
                self.add(&branch.below, depth + 1, reach);
            } else {
                self.depth += reach * depth as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::toy::Branch as Move;

    fn branches(values: &[f32]) -> Vec<Branch<Move>> {
        let near = |(i, &value): (usize, &f32)| Branch { value, near: value > -1e6, ..Branch::new(Move(i as u16), 0) };
        values.iter().enumerate().map(near).collect()
    }

    #[test]
    fn probabilities_are_boltzmann_among_those_near() {
        let mut three = branches(&[10.0, 0.0, -1e9]);
        weigh(&mut three, 10.0);
        let e = 1.0f32.exp();
        assert!((three[0].probability - e / (e + 1.0)).abs() < 1e-6 && three[2].probability == 0.0);
        weigh(&mut three, 0.0);
        assert_eq!(three.iter().map(|b| b.probability).collect::<Vec<_>>(), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn the_shape_of_a_tree_of_two_plies() {
        let mut root = branches(&[1.0, 1.0]);
        root[0].below = branches(&[3.0, 3.0]);
        weigh(&mut root, 1.0);
        weigh(&mut root[0].below, 1.0);
        let shape = Shape::of(&root);
        assert_eq!(shape.nodes, [1, 2, 2]);
        assert!((shape.depth - 1.5).abs() < 1e-6);
    }
}
