//! An evaluation of which somebody else knows which moves to try first.

use yomi_core::{Evaluator, Family, Leaf, Position, Siblings};
use yomi_games::go::Go;

use crate::go::Model;

/// Knows how probable moves are, before any search.
pub trait Priors<P: Position>: Send + Sync {
    /// The probability of each move of the leaf.
    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>);
}

/// A learned model of the moves of Go.
impl<const LEN: usize> Priors<Go<LEN>> for &'static Model {
    fn priors(&self, leaf: &Leaf<'_, Go<LEN>>, out: &mut Vec<f32>) {
        self.probabilities(leaf.position, leaf.moves, out);
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
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.evaluator.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.evaluator.win()
    }

    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut E::Scratch) -> f32 {
        self.evaluator.evaluate(leaf, scratch)
    }

    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, scratch: &mut E::Scratch) {
        self.evaluator.evaluate_siblings(family, out, scratch);
        let Family { parent, past, moves, node, depth, .. } = *family;
        let past = &past[..past.len().saturating_sub(1)];
        self.priors.priors(&Leaf { node, depth, ..Leaf::of(parent, past, moves) }, &mut out.priors);
    }

    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>, _scratch: &mut E::Scratch) {
        self.priors.priors(leaf, out);
    }

    fn playouts(&self, scratch: &E::Scratch, show: &mut dyn FnMut(&[P::Move], f32)) {
        self.evaluator.playouts(scratch, show);
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
        let guided = Guided::new(Constant { value: 0.25, win: 1.0 }, Model::usual());
        let leaf = Leaf::of(&go, &[], &moves);
        assert_eq!(guided.evaluate(&leaf, &mut ()), 0.25);
        let (mut priors, mut known) = (Vec::new(), Vec::new());
        guided.priors(&leaf, &mut priors, &mut ());
        Model::usual().probabilities(&go, &moves, &mut known);
        assert_eq!(priors, known);
        let past = [go.ply()];
        let family = Family::of(&go, &past, &moves);
        let mut out = Siblings::default();
        guided.evaluate_siblings(&family, &mut out, &mut ());
        assert_eq!((out.priors, out.values[0]), (priors, -0.25));
    }
}
