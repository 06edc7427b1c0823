//! The evaluation of games written down as trees: whatever stands at the node.

use yomi_core::toy::ToyTree;
use yomi_core::{Color, Evaluator, Family, Leaf, Position, Siblings};

/// Answers what a [`ToyTree`] has written at its nodes. Leaves count as what is written there too, and not as wins and losses, so
/// that a search can be compared with a computation by hand; limit its depth to keep it from asking how the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written;

fn for_mover(position: &ToyTree) -> f32 {
    let value = position.written_value() as f32;
    if position.turn() == Color::Black { value } else { -value }
}

impl Evaluator<ToyTree> for Written {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        1000.0
    }

    fn evaluate(&self, leaf: &Leaf<'_, ToyTree>, _scratch: &mut ()) -> f32 {
        for_mover(leaf.position)
    }

    fn evaluate_siblings(
        &self,
        family: &Family<'_, ToyTree>,
        out: &mut Siblings<<ToyTree as Position>::Move>,
        _scratch: &mut (),
    ) {
        let prior = 1.0 / family.moves.len() as f32;
        out.clear();
        for &mv in family.moves {
            let mut child = family.parent.clone();
            child.play(mv);
            out.push(-for_mover(&child), prior, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_for_the_side_that_asks() {
        let tree: ToyTree = "(3 (1 -2) 5)".parse().unwrap();
        let mut moves = Vec::new();
        tree.generate(&mut moves);
        let family = Family::of(&tree, &[], &moves);
        let mut out = Siblings::default();
        Written.evaluate_siblings(&family, &mut out, &mut ());
        assert_eq!(out.values, [3.0, 0.0, 5.0]);
        let mut second = tree.clone();
        second.play(moves[1]);
        second.generate(&mut moves);
        let family = Family { node: 1, depth: 1, ..Family::of(&second, &[], &moves) };
        Written.evaluate_siblings(&family, &mut out, &mut ());
        assert_eq!(out.values, [-1.0, 2.0]);
    }
}
