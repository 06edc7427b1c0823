//! Evaluators whose parameters can be learned.

use std::sync::Arc;

use crate::evaluator::Evaluator;
use crate::position::Position;
use crate::question::Question;

/// An evaluator that knows how its values depend on its parameters: what learning through a search needs (S0.8).
pub trait Differentiable<P: Position>: Evaluator<P> {
    /// How many parameters there are.
    fn parameters(&self) -> usize;

    /// Hands `coefficient·∂value/∂θ` to `sink`, parameter by parameter, for the value that [`Evaluator::judge`] gives the position of the
    /// question. A parameter may come several times, or not at all: what counts is the sum.
    fn gradient(
        &self,
        question: &Question<'_, P>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        scratch: &mut Self::Scratch,
    );
}

/// Implements [`Differentiable`] for a pointer to an evaluator.
macro_rules! forward {
    ($pointer:ty) => {
        impl<P: Position, E: Differentiable<P>> Differentiable<P> for $pointer {
            fn parameters(&self) -> usize {
                E::parameters(self)
            }

            fn gradient(
                &self,
                question: &Question<'_, P>,
                coefficient: f32,
                sink: &mut dyn FnMut(usize, f32),
                scratch: &mut E::Scratch,
            ) {
                E::gradient(self, question, coefficient, sink, scratch);
            }
        }
    };
}

forward!(&E);
forward!(Arc<E>);
