//! An evaluator behind a type-erased pointer.

use std::any::Any;

use crate::evaluator::Evaluator;
use crate::position::Position;
use crate::question::{Answer, Flight, Question};

/// Any evaluator of a game behind one virtual call per answer, so that a program which offers many of them compiles each search once per
/// game and not once per pair. A call costs a few nanoseconds, an answer at least twenty times as much.
pub struct AnyEvaluator<P: Position>(Box<dyn Erased<P>>);

impl<P: Position> AnyEvaluator<P> {
    /// Erases the type of `evaluator`.
    pub fn new<E>(evaluator: E) -> AnyEvaluator<P>
    where
        E: Evaluator<P> + 'static,
        E::Scratch: 'static,
    {
        AnyEvaluator(Box::new(evaluator))
    }
}

/// Working memory of one thread, its type erased as well.
pub struct AnyScratch(Box<dyn Any + Send>);

/// An evaluator with scratch of unknown type. The scratch is always the evaluator's own: only [`AnyEvaluator`] makes it, and only a search
/// with that evaluator holds it.
trait Erased<P: Position>: Send + Sync {
    fn scratch(&self, seed: u64) -> AnyScratch;
    fn win(&self) -> f32;
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut AnyScratch);
    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch);
    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch);
    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch);
    fn batch(&self) -> usize;
}

/// Mixing up the scratch of two evaluators is a bug of the caller.
const FOREIGN: &str = "the scratch belongs to another evaluator";

impl<P: Position, E: Evaluator<P>> Erased<P> for E
where
    E::Scratch: 'static,
{
    fn scratch(&self, seed: u64) -> AnyScratch {
        AnyScratch(Box::new(Evaluator::scratch(self, seed)))
    }

    fn win(&self) -> f32 {
        Evaluator::win(self)
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut AnyScratch) {
        Evaluator::judge(self, question, answer, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        Evaluator::judge_all(self, flights, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        Evaluator::submit_all(self, flights, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        Evaluator::collect_all(self, flights, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn batch(&self) -> usize {
        Evaluator::batch(self)
    }
}

impl<P: Position> Evaluator<P> for AnyEvaluator<P> {
    type Scratch = AnyScratch;

    fn scratch(&self, seed: u64) -> AnyScratch {
        self.0.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.0.win()
    }

    #[inline]
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut AnyScratch) {
        self.0.judge(question, answer, scratch);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        self.0.judge_all(flights, scratch);
    }

    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        self.0.submit_all(flights, scratch);
    }

    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut AnyScratch) {
        self.0.collect_all(flights, scratch);
    }

    fn batch(&self) -> usize {
        self.0.batch()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Want;
    use crate::toy::TicTacToe;

    /// Counts its answers in its scratch: everything goes through, and the scratch is kept.
    struct Counting;

    impl Evaluator<TicTacToe> for Counting {
        type Scratch = u32;

        fn scratch(&self, seed: u64) -> u32 {
            seed as u32
        }

        fn win(&self) -> f32 {
            9.0
        }

        fn judge(
            &self,
            question: &Question<'_, TicTacToe>,
            answer: &mut Answer<<TicTacToe as Position>::Move>,
            count: &mut u32,
        ) {
            answer.by_value(question, 9.0, |question| {
                *count += 1;
                (*count + question.depth) as f32
            });
            answer.playouts.finish(*count as f32);
        }

        fn collect_all(&self, _: &mut [Flight<'_, TicTacToe>], count: &mut u32) {
            *count += 100;
        }

        fn batch(&self) -> usize {
            7
        }
    }

    #[test]
    fn it_answers_as_the_evaluator_inside() {
        let position = TicTacToe::default();
        let mut moves = Vec::new();
        assert!(position.generate(&mut moves).is_none());
        let want = Want::VALUE | Want::PRIORS | Want::CHILDREN | Want::PLAYOUTS;
        let question = Question { depth: 3, want, ..Question::of(&position, &moves) };
        let any = AnyEvaluator::new(Counting);
        assert_eq!((Evaluator::win(&any), Evaluator::batch(&any)), (9.0, 7));
        let (mut plain, mut erased) = (Evaluator::scratch(&Counting, 5), Evaluator::scratch(&any, 5));
        for _ in 0..2 {
            let (mut one, mut other) = (Answer::default(), Answer::default());
            Evaluator::judge(&Counting, &question, &mut one, &mut plain);
            let mut flights = [Flight { question, answer: &mut other }];
            Evaluator::judge_all(&any, &mut flights, &mut erased);
            assert_eq!((one.value, &one.values, &one.priors), (other.value, &other.values, &other.priors));
            assert_eq!(one.playouts.iter().collect::<Vec<_>>(), other.playouts.iter().collect::<Vec<_>>());
        }
        assert_eq!(plain, 25);
        // What is on its way is collected by the evaluator inside, too.
        let mut answer = Answer::default();
        let mut flights = [Flight { question, answer: &mut answer }];
        Evaluator::submit_all(&any, &mut flights, &mut erased);
        Evaluator::collect_all(&any, &mut flights, &mut erased);
        Evaluator::judge(&Counting, &question, &mut Answer::default(), &mut plain);
        assert_eq!(erased.0.downcast_ref(), Some(&(plain + 100)));
    }
}
