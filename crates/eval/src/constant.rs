//! An evaluation that knows nothing: what is left is the search itself.

use yomi_core::{Answer, Evaluator, Position, Question, Want};

/// Every position has the same value for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    /// What a position is worth.
    pub value: f32,
    /// What a won game is worth.
    pub win: f32,
}

impl Default for Constant {
    fn default() -> Self {
        Constant { value: 0.0, win: 1.0 }
    }
}

impl<P: Position> Evaluator<P> for Constant {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        self.win
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.by_value(question, self.win, |_| self.value);
    }
}

/// Every position is worth nothing, and children are not looked at: for measuring a search alone. Finished games are found when the
/// search goes there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blind;

impl<P: Position> Evaluator<P> for Blind {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        1.0
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.value = 0.0;
        answer.uniform_priors(question);
        if question.want.has(Want::CHILDREN) {
            question.moves.iter().for_each(|_| answer.push_child(0.0, None));
        }
    }
}
