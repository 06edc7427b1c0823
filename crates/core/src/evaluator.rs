//! What a position is worth.

use std::sync::Arc;

use crate::position::Position;
use crate::question::{Answer, Flight, Question};

/// Judges positions. Shared by all threads; whatever changes lives in the per-thread scratch.
///
/// There is one method for every kind of question, [`Evaluator::judge`], so a decorator that hands question and answer on cannot drop
/// priors, playouts or counters. [`Answer`] has helpers for what many evaluators have in common: [`Answer::by_value`] is the whole
/// answer of one that knows values only, [`Answer::judge_children`] and [`Answer::uniform_priors`] are its parts.
///
/// ```
/// use yomi_core::{Answer, Evaluator, Position, Question, toy::Nim};
///
/// /// Counts the pieces that are left.
/// struct Count;
///
/// impl Evaluator<Nim> for Count {
///     type Scratch = ();
///     fn scratch(&self, _seed: u64) {}
///     fn win(&self) -> f32 {
///         100.0
///     }
///     fn judge(&self, question: &Question<'_, Nim>, answer: &mut Answer<<Nim as Position>::Move>, _: &mut ()) {
///         answer.by_value(question, 100.0, |question| question.moves.len() as f32);
///     }
/// }
///
/// let (position, mut moves) = (Nim::new(2), Vec::new());
/// position.generate(&mut moves);
/// assert_eq!(Count.value(&Question::of(&position, &moves), &mut ()), 2.0);
/// ```
pub trait Evaluator<P: Position>: Send + Sync {
    /// Working memory of one thread.
    type Scratch: Send;

    /// Working memory for one more thread; `seed` seeds its random numbers.
    fn scratch(&self, seed: u64) -> Self::Scratch;

    /// The value of a won game, in this evaluator's unit.
    fn win(&self) -> f32;

    /// Answers one question. The answer comes empty; every value is **for the side to move** at the position asked about.
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch);

    /// Answers many questions, of one search or of many. The default answers them one by one. An evaluator that overrides it gives the
    /// answers that [`Evaluator::judge`] would give, whatever the scratch was used for before.
    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        for flight in flights {
            self.judge(&flight.question, flight.answer, scratch);
        }
    }

    /// Sends many questions on their way: [`Evaluator::collect_all`] with the same questions and the same scratch brings their answers, and
    /// the caller may work meanwhile. Together they are [`Evaluator::judge_all`]; the default answers at once.
    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.judge_all(flights, scratch);
    }

    /// Waits for the answers to the questions that were submitted last. The default has answered them already.
    fn collect_all(&self, _flights: &mut [Flight<'_, P>], _scratch: &mut Self::Scratch) {}

    /// How many questions it likes to be asked at once; 1 if [`Evaluator::judge_all`] gains nothing.
    fn batch(&self) -> usize {
        1
    }

    /// The value alone, for callers that ask rarely: the answer's buffers are not kept.
    fn value(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) -> f32 {
        let mut answer = Answer::default();
        self.judge(question, &mut answer, scratch);
        answer.value
    }
}

/// Implements [`Evaluator`] for a pointer to one.
macro_rules! forward {
    ($pointer:ty) => {
        impl<P: Position, E: Evaluator<P>> Evaluator<P> for $pointer {
            type Scratch = E::Scratch;

            fn scratch(&self, seed: u64) -> E::Scratch {
                E::scratch(self, seed)
            }

            fn win(&self) -> f32 {
                E::win(self)
            }

            fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut E::Scratch) {
                E::judge(self, question, answer, scratch);
            }

            fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut E::Scratch) {
                E::judge_all(self, flights, scratch);
            }

            fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut E::Scratch) {
                E::submit_all(self, flights, scratch);
            }

            fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut E::Scratch) {
                E::collect_all(self, flights, scratch);
            }

            fn batch(&self) -> usize {
                E::batch(self)
            }
        }
    };
}

forward!(&E);
forward!(Arc<E>);
