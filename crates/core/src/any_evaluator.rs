//! An evaluator whose type is forgotten.

use std::any::Any;

use crate::evaluator::{Evaluator, Family, Leaf, Siblings};
use crate::position::Position;

/// Any evaluator of a game behind one virtual call an answer, so that a program which offers many of them builds each search once a
/// game and not once a pair. A call costs a few nanoseconds, an answer at least twenty times as much.
pub struct AnyEvaluator<P: Position>(Box<dyn Erased<P>>);

impl<P: Position> AnyEvaluator<P> {
    /// Forgets the type of `evaluator`.
    pub fn new<E>(evaluator: E) -> AnyEvaluator<P>
    where
        E: Evaluator<P> + 'static,
        E::Scratch: 'static,
    {
        AnyEvaluator(Box::new(evaluator))
    }
}

/// Working memory of one thread, its type forgotten as well.
pub struct AnyScratch(Box<dyn Any + Send>);

/// What an evaluator says, with memory of unknown type. The memory is always the evaluator's own: only [`AnyEvaluator`] makes it, and
/// only a search of that evaluator holds it.
trait Erased<P: Position>: Send + Sync {
    fn scratch(&self, seed: u64) -> AnyScratch;
    fn win(&self) -> f32;
    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut AnyScratch) -> f32;
    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, scratch: &mut AnyScratch);
    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>, scratch: &mut AnyScratch);
    fn playouts(&self, scratch: &AnyScratch, show: &mut dyn FnMut(&[P::Move], f32));
    fn counters(&self, tell: &mut dyn FnMut(&'static str, u64));
}

/// Somebody's memory given to somebody else is a mistake of the caller that no answer could mend.
const FOREIGN: &str = "the working memory belongs to another evaluator";

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

    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut AnyScratch) -> f32 {
        Evaluator::evaluate(self, leaf, scratch.0.downcast_mut().expect(FOREIGN))
    }

    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, scratch: &mut AnyScratch) {
        Evaluator::evaluate_siblings(self, family, out, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>, scratch: &mut AnyScratch) {
        Evaluator::priors(self, leaf, out, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn playouts(&self, scratch: &AnyScratch, show: &mut dyn FnMut(&[P::Move], f32)) {
        Evaluator::playouts(self, scratch.0.downcast_ref().expect(FOREIGN), show);
    }

    fn counters(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        Evaluator::counters(self, tell);
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

    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut AnyScratch) -> f32 {
        self.0.evaluate(leaf, scratch)
    }

    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, scratch: &mut AnyScratch) {
        self.0.evaluate_siblings(family, out, scratch);
    }

    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>, scratch: &mut AnyScratch) {
        self.0.priors(leaf, out, scratch);
    }

    fn playouts(&self, scratch: &AnyScratch, show: &mut dyn FnMut(&[P::Move], f32)) {
        self.0.playouts(scratch, show);
    }

    fn counters(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.0.counters(tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::TicTacToe;

    /// Counts its answers in its memory: everything goes through, and the memory is kept.
    struct Counting;

    impl Evaluator<TicTacToe> for Counting {
        type Scratch = u32;

        fn scratch(&self, seed: u64) -> u32 {
            seed as u32
        }

        fn win(&self) -> f32 {
            9.0
        }

        fn evaluate(&self, leaf: &Leaf<'_, TicTacToe>, count: &mut u32) -> f32 {
            *count += 1;
            (*count + leaf.depth) as f32
        }

        fn playouts(&self, count: &u32, show: &mut dyn FnMut(&[<TicTacToe as Position>::Move], f32)) {
            show(&[], *count as f32);
        }
    }

    #[test]
    fn it_answers_as_the_evaluator_inside() {
        let position = TicTacToe::default();
        let mut moves = Vec::new();
        assert!(position.generate(&mut moves).is_none());
        let leaf = Leaf { depth: 3, ..Leaf::of(&position, &[], &moves) };
        let family = Family { depth: 3, ..Family::of(&position, &[], &moves) };
        let any = AnyEvaluator::new(Counting);
        let (mut plain, mut erased) = (Evaluator::scratch(&Counting, 5), Evaluator::scratch(&any, 5));
        assert_eq!(Evaluator::win(&any), 9.0);
        assert_eq!(Evaluator::evaluate(&any, &leaf, &mut erased), Evaluator::evaluate(&Counting, &leaf, &mut plain));
        let (mut of_plain, mut of_erased) = (Siblings::default(), Siblings::default());
        Evaluator::evaluate_siblings(&Counting, &family, &mut of_plain, &mut plain);
        Evaluator::evaluate_siblings(&any, &family, &mut of_erased, &mut erased);
        assert_eq!(of_plain.values, of_erased.values);
        let mut priors = Vec::new();
        Evaluator::priors(&any, &leaf, &mut priors, &mut erased);
        assert_eq!(priors.len(), moves.len());
        let mut shown = 0.0;
        Evaluator::playouts(&any, &erased, &mut |_, value| shown = value);
        assert_eq!(shown, plain as f32);
    }
}
