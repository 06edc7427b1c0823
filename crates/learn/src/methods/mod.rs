//! The methods of learning, all behind one trait and under one harness.
//!
//! A game is played with a search before every move. Of each search a method keeps a [`Note`]: a direction in the space of the parameters.
//! When the game is over it says how much of each direction is taken ([`Method::credits`]). The step of a game is `Σ_t credit_t·direction_t`,
//! always uphill.

mod bootstrap;
mod comparison;
mod expectation;
mod policy_gradient;
mod search_control;
mod td_leaf;
mod tdmc;

pub use bootstrap::{RootStrap, TreeStrap};
pub use comparison::Comparison;
pub use expectation::PgExpectation;
pub use policy_gradient::{Baseline, Form, PolicyGradient};
pub use search_control::{Imitation, Line as Lines, SearchControl, credit};
pub use td_leaf::TdLeaf;
pub use tdmc::Tdmc;

use yomi_core::{Color, Line, Outcome, Position, Seed};
use yomi_search::Limits;

use crate::frozen::Frozen;
use crate::gradient_sum::{Accumulator, Sparse};
use crate::lessons::sigmoid;
use crate::model::{Model, Resolver};
use crate::thin::thin;

/// A search that has ended, and the move that was played then.
pub struct Searched<'a, 'e, P: Position, M: Model<P>> {
    /// The position.
    pub line: &'a Line<P>,
    /// The tree; the first of several.
    pub tree: &'a Frozen,
    /// All trees that were grown before the move.
    pub trees: &'a [Frozen],
    /// The place of the move that the search found best among the root's children.
    pub best: Option<usize>,
    /// The place of the move that was played.
    pub played: usize,
    /// T_a of the policy that chose it.
    pub t_a: f64,
    /// The evaluation.
    pub model: &'a M,
    /// ω.
    pub parameters: &'a [f64],
    /// Follows quiescence searches.
    pub resolver: &'a mut Resolver<'e, P, M::Evaluator>,
    /// How many leaves a gradient is made of, see [`crate::thin`]; 0 for all.
    pub leaves: usize,
    /// Where directions are added up.
    pub sum: &'a mut Accumulator,
    /// The random numbers of this ply.
    pub seed: Seed,
}

impl<P: Position, M: Model<P>> Searched<'_, '_, P, M> {
    /// Adds `Σ coefficient·∂(value)/∂ω` over nodes of the tree, whose values are for the player who moved into them.
    fn add(&mut self, nodes: &[(usize, f64)]) {
        self.add_in(0, nodes);
    }

    /// The same over nodes of one of the trees. Of many, a few that have the same expectation.
    fn add_in(&mut self, tree: usize, nodes: &[(usize, f64)]) {
        if !self.model.has_evaluation() {
            return;
        }
        let mut rng = self.seed.branch("leaves", tree as u64).rng();
        for (at, coefficient) in thin(nodes, self.few(), &mut rng) {
            let leaf = self.resolver.resolve(&self.trees[tree].position(self.line.position(), at));
            let sum = &mut *self.sum;
            leaf.gradient(self.model, self.parameters, 0.0 - coefficient, &mut |index, x| sum.add(index, x));
        }
    }

    /// How many leaves of one tree count: several trees share them.
    fn few(&self) -> usize {
        self.leaves.div_ceil(self.trees.len().max(1))
    }

    fn note(&mut self, value: f64, loss: f64) -> Note {
        Note { turn: self.line.position().turn(), value, loss, direction: self.sum.take() }
    }
}

/// What a method keeps of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// Who was to move.
    pub turn: Color,
    /// What the position was worth to that side.
    pub value: f64,
    /// The method's own measure, to be lowered.
    pub loss: f64,
    /// Uphill.
    pub direction: Sparse,
}

/// A method of learning.
pub trait Method<P: Position, M: Model<P>>: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The search that it wants before a move.
    fn limits(&self, limits: Limits) -> Limits {
        limits
    }

    /// Whether it looks below the moves of the root, which asks for a search through which gradients are known.
    fn needs_tree(&self) -> bool {
        true
    }

    /// How many trees it wants before a move.
    fn tries(&self) -> usize {
        1
    }

    /// What the root's moves are worth to the side that chooses: moves are drawn by these.
    fn choices(&self, trees: &[Frozen]) -> Vec<f64> {
        trees[0].choices(0).to_vec()
    }

    /// Whether it learns from given games and plays none.
    fn needs_records(&self) -> bool {
        false
    }

    /// Whether it learns from positions where the search has proven who wins; the tree's value is infinite or a win's then.
    fn learns_from_proofs(&self) -> bool {
        false
    }

    /// What is kept of a search.
    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note;

    /// How much of each direction is taken, given how the game ended and how many plies after each note.
    fn credits(&self, notes: &[Note], outcome: Outcome, plies_left: &[usize]) -> Vec<f64>;
}

/// `σ(value/K)`: how probably a side wins whose position is worth this.
pub fn win_probability(value: f64, k: f64) -> f64 {
    sigmoid(value / k)
}

/// 1, 0.5 or 0.
pub fn score(outcome: Outcome, side: Color) -> f64 {
    0.5 + 0.5 * f64::from(outcome.value_for(side, 1.0))
}
