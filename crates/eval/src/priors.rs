//! An evaluation whose priors come from a second model.

use yomi_core::{Answer, Evaluator, Flight, Position, Question, Want};
use yomi_games::go::Go;

use crate::go::{Ladders, Model};

/// Knows how probable moves are, before any search.
pub trait Priors<P: Position>: Send + Sync {
    /// Working memory of one thread, kept from question to question.
    type Scratch: Default + Send;

    /// The probability of each move of the question.
    fn priors(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch, out: &mut Vec<f32>);
}

/// A learned model of the moves of Go.
impl<const LEN: usize> Priors<Go<LEN>> for &'static Model {
    type Scratch = Ladders<LEN>;

    fn priors(&self, question: &Question<'_, Go<LEN>>, ladders: &mut Ladders<LEN>, out: &mut Vec<f32>) {
        self.probabilities(question.position, question.moves, ladders, out);
    }
}

/// The judgement of `evaluator` with the priors of `priors`.
pub struct Guided<E, M> {
    evaluator: E,
    priors: M,
}

impl<E, M> Guided<E, M> {
    /// Joins the two.
    pub fn new(evaluator: E, priors: M) -> Guided<E, M> {
        Guided { evaluator, priors }
    }
}

impl<P: Position, E: Evaluator<P>, M: Priors<P>> Evaluator<P> for Guided<E, M> {
    type Scratch = (E::Scratch, M::Scratch);

    fn scratch(&self, seed: u64) -> Self::Scratch {
        (self.evaluator.scratch(seed), M::Scratch::default())
    }

    fn win(&self) -> f32 {
        self.evaluator.win()
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (scratch, memory): &mut Self::Scratch) {
        self.evaluator.judge(&question.wanting(question.want - Want::PRIORS), answer, scratch);
        if question.want.has(Want::PRIORS) {
            self.priors.priors(question, memory, &mut answer.priors);
        }
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], (scratch, memory): &mut Self::Scratch) {
        self.evaluator.judge_all(flights, scratch);
        for Flight { question, answer } in flights {
            if question.want.has(Want::PRIORS) {
                self.priors.priors(question, memory, &mut answer.priors);
            }
        }
    }

    fn batch(&self) -> usize {
        self.evaluator.batch()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constant;
    use yomi_core::Position;
    use yomi_games::go::{Go9, Rules};

    #[test]
    fn values_of_one_and_priors_of_the_other() {
        let go = Go9::new(5, Rules::default()).unwrap();
        let mut moves = Vec::new();
        go.generate(&mut moves);
        let guided = Guided::new(Constant { value: 0.25, win: 1.0 }, Model::embedded());
        let question = Question::of(&go, &moves).wanting(Want::VALUE | Want::PRIORS | Want::CHILDREN);
        let (mut answer, mut known) = (Answer::default(), Vec::new());
        guided.judge(&question, &mut answer, &mut guided.scratch(1));
        Model::embedded().probabilities(&go, &moves, &mut Ladders::default(), &mut known);
        assert_eq!((answer.value, answer.values[0], answer.priors), (0.25, -0.25, known));
    }
}
