//! PG expectation learning (S0.7) as a learner: before every move the exact expectation over all lines of a fixed depth.

use std::marker::PhantomData;

use yomi_core::{Evaluator, Outcome, Position};
use yomi_search::Limits;

use super::{Method, Note, PolicyGradient, Searched};
use crate::model::Model;
use crate::pg_expectation::{Expectation, Softmax, Valued, eligibility_of};
use crate::policy::boltzmann;

/// The exact policy gradient. The search before a move grows the same tree, complete to twice the depth: its values are those of the
/// recursion, so that the moves are drawn by the policy that is differentiated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PgExpectation {
    /// D, from a turn of the learner to its next one.
    pub depth: u32,
    /// The temperature of both sides inside the tree.
    pub t: f64,
    /// Baseline, discount and K, as in the policy gradient.
    pub credit: PolicyGradient,
}

impl<P: Position, M: Model<P>> Method<P, M> for PgExpectation {
    fn name(&self) -> &'static str {
        "pg-expectation"
    }

    fn limits(&self, limits: Limits) -> Limits {
        Limits { evaluations: None, depth: Some(2 * self.depth), ..limits }
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let win = f64::from(searched.resolver.evaluator().win());
        let (model, parameters) = (searched.model, searched.parameters);
        let resolver = &mut *searched.resolver;
        let rest = |position: &P| resolver.resolve(position);
        let mut exact =
            Expectation { model, parameters, t_a: self.t, opponent: Softmax(self.t), rest, win, game: PhantomData };
        let moves = exact.moves(searched.line, self.depth);
        let worths: Vec<Valued> = moves.into_iter().map(|(_, worth)| worth).collect();
        let direction = eligibility_of(&worths, searched.t_a, searched.played);
        direction.iter().for_each(|(index, x)| searched.sum.add(index, x));
        let values: Vec<f64> = worths.iter().map(|worth| worth.value).collect();
        let surprise = -boltzmann(&values, searched.t_a)[searched.played].max(1e-12).ln();
        searched.note(searched.tree.value(), surprise)
    }

    fn credits(&self, notes: &[Note], outcome: Outcome, plies_left: &[usize]) -> Vec<f64> {
        Method::<P, M>::credits(&self.credit, notes, outcome, plies_left)
    }
}
