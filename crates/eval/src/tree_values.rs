//! The evaluation of games written down as trees: whatever stands at the node.

use yomi_core::toy::{Branch, ToyTree};
use yomi_core::{Answer, Color, Evaluator, Position, Question, Want};

/// Answers what a [`ToyTree`] has written at its nodes. Leaves count as what is written there too, and not as wins and losses, so
/// that a search can be compared with a computation by hand; limit its depth to keep it from asking how the game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeValues;

fn for_mover(position: &ToyTree) -> f32 {
    let value = position.written_value() as f32;
    if position.turn() == Color::Black { value } else { -value }
}

impl Evaluator<ToyTree> for TreeValues {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        1000.0
    }

    fn judge(&self, question: &Question<'_, ToyTree>, answer: &mut Answer<Branch>, (): &mut ()) {
        answer.value = for_mover(question.position);
        answer.uniform_priors(question);
        if question.want.has(Want::CHILDREN) {
            for &mv in question.moves {
                let mut child = question.position.clone();
                child.play(mv);
                answer.push_child(-for_mover(&child), None);
            }
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
        let mut out = Answer::default();
        TreeValues.judge(&Question::of(&tree, &moves).wanting(Want::CHILDREN), &mut out, &mut ());
        assert_eq!(out.values, [3.0, 0.0, 5.0]);
        let mut second = tree.clone();
        second.play(moves[1]);
        second.generate(&mut moves);
        out.clear();
        TreeValues.judge(&Question::of(&second, &moves).wanting(Want::CHILDREN), &mut out, &mut ());
        assert_eq!(out.values, [-1.0, 2.0]);
    }
}
