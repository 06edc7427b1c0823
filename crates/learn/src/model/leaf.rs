//! Where the static value of a leaf comes from.

use yomi_core::{Answer, Evaluator, Position, Question};

use super::Model;

/// What is differentiated at a leaf of a tree: the static value at the quiet position behind it, or nothing.
#[derive(Clone, Debug)]
pub enum Leaf<P> {
    /// The value of the leaf for its side to move is `sign` times the static value of this position for its own side to move.
    Static {
        /// Where the quiescence search ended.
        position: P,
        /// 1 if the same side moves there, else -1.
        sign: f64,
    },
    /// A value that no parameter changes: the end of the game, or a mate in the quiescence search.
    Constant(f64),
}

impl<P: Position> Leaf<P> {
    /// The value for the side to move at the leaf.
    pub fn value<M: Model<P>>(&self, model: &M, parameters: &[f64]) -> f64 {
        match self {
            Leaf::Static { position, sign } => sign * model.value(parameters, position),
            Leaf::Constant(value) => *value,
        }
    }

    /// Hands `coefficient` times the gradient of that value to `sink`.
    pub fn gradient<M: Model<P>>(
        &self,
        model: &M,
        parameters: &[f64],
        coefficient: f64,
        sink: &mut dyn FnMut(usize, f64),
    ) {
        if let Leaf::Static { position, sign } = self {
            model.gradient(parameters, position, coefficient * sign, sink);
        }
    }
}

/// Values beyond this part of a win are mates that a quiescence search found.
const MATE: f32 = 0.9;

/// Follows quiescence searches to their ends; one per thread.
pub struct Resolver<'a, P: Position, E: Evaluator<P>> {
    evaluator: &'a E,
    scratch: E::Scratch,
    answer: Answer<P::Move>,
}

impl<'a, P: Position, E: Evaluator<P>> Resolver<'a, P, E> {
    /// Follows the searches of this evaluator.
    pub fn new(evaluator: &'a E) -> Self {
        Resolver { evaluator, scratch: evaluator.scratch(0), answer: Answer::default() }
    }

    /// Whose searches are followed.
    pub fn evaluator(&self) -> &'a E {
        self.evaluator
    }

    /// The quiet position behind a position whose game is not over. The gradient of the leaf's value belongs to it.
    pub fn resolve(&mut self, position: &P) -> Leaf<P> {
        self.answer.clear();
        self.evaluator.judge(&Question::of(position, &[]), &mut self.answer, &mut self.scratch);
        if self.answer.value.abs() >= MATE * self.evaluator.win() {
            return Leaf::Constant(f64::from(self.answer.value));
        }
        let mut quiet = position.clone();
        self.answer.line.iter().for_each(|&mv| quiet.play(mv));
        let sign = if quiet.turn() == position.turn() { 1.0 } else { -1.0 };
        Leaf::Static { position: quiet, sign }
    }
}
