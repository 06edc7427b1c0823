//! Search control (S3.3, S3.4): the evaluation, the simulation policy and the temperature learned at the same time.
//!
//! `Δω, Δθ, ΔT = ε·Σ_t (r - b_t)·γ^(plies left)·e(t)`, e(t) the derivatives of `ln π_a(a_t)` by each of them.

use yomi_core::{Outcome, Position};
use yomi_search::Limits;

use super::{Baseline, Method, Note, PolicyGradient, Searched};
use crate::frozen::Frozen;
use crate::model::Model;
use crate::policy::{boltzmann, eligibility};
use crate::search_control::{self, Choices, Expected, Slope, Survival};
use crate::thin::thin_families;

/// Where `∂E*(a)/∂θ` comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// Principal variations (S3.4); with several trees, the mean over them.
    Principal,
    /// The whole tree (S3.3).
    Whole,
}

/// Search control.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchControl {
    /// Which lines count.
    pub line: Line,
    /// N_try: how many trees are grown before a move; the budget is shared among them.
    pub tries: usize,
    /// μ and τ.
    pub survival: Survival,
    /// Baseline, discount and K, as in the policy gradient.
    pub credit: PolicyGradient,
}

impl SearchControl {
    /// What the moves are worth in one tree.
    fn worths(&self, tree: &Frozen) -> Vec<f64> {
        match self.line {
            Line::Principal => search_control::principal_values(tree, self.survival),
            Line::Whole => Expected::of(tree, self.survival).choices(tree),
        }
    }

    fn slope(&self, tree: &Frozen, weights: &[f64]) -> Slope {
        match self.line {
            Line::Principal => search_control::principal(tree, self.survival, weights),
            Line::Whole => Expected::of(tree, self.survival).slope(tree, self.survival, weights, Choices::Learned),
        }
    }
}

impl<P: Position, M: Model<P>> Method<P, M> for SearchControl {
    fn name(&self) -> &'static str {
        match (self.line, self.tries) {
            (Line::Whole, _) => "s3-tree",
            (Line::Principal, 1) => "s3-deterministic",
            (Line::Principal, _) => "s3-stochastic",
        }
    }

    fn tries(&self) -> usize {
        self.tries
    }

    fn limits(&self, limits: Limits) -> Limits {
        let share = |n: u64| (n / self.tries as u64).max(1);
        Limits { evaluations: limits.evaluations.map(share), ..limits }
    }

    /// `E* ≈ (1/N_try)·Σ_i P(u*(i))·V(u*(i))`.
    fn choices(&self, trees: &[Frozen]) -> Vec<f64> {
        let mut sums = self.worths(&trees[0]);
        for tree in &trees[1..] {
            let moved = self.worths(tree);
            sums.iter_mut().zip(moved).for_each(|(sum, x)| *sum += x);
        }
        sums.iter_mut().for_each(|sum| *sum /= trees.len() as f64);
        sums
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let (trees, played, t_a) = (searched.trees, searched.played, searched.t_a);
        let values = Method::<P, M>::choices(self, trees);
        let weights: Vec<f64> =
            eligibility(&values, t_a, played).into_iter().map(|weight| weight / trees.len() as f64).collect();
        for (place, tree) in trees.iter().enumerate() {
            let slope = self.slope(tree, &weights);
            searched.add_in(place, &slope.leaves);
            if let Some(control) = searched.model.control() {
                let mut rng = searched.seed.branch("moves", place as u64).rng();
                // Children of one node stand side by side. A family costs twice what a leaf does.
                let parent = |at: usize| tree.nodes[at].parent as usize;
                let moves = thin_families(&slope.moves, parent, searched.few().div_ceil(2), &mut rng);
                let sum = &mut *searched.sum;
                search_control::theta(tree, searched.line.position(), &control, &moves, &mut |i, x| {
                    sum.add(i, x);
                });
            }
        }
        if let Some(control) = searched.model.control() {
            searched.sum.add(control.temperature, search_control::temperature_slope(&values, t_a, played));
        }
        let surprise = -boltzmann(&values, t_a)[played].max(1e-12).ln();
        searched.note(searched.tree.value(), surprise)
    }

    fn credits(&self, notes: &[Note], outcome: Outcome, plies_left: &[usize]) -> Vec<f64> {
        Method::<P, M>::credits(&self.credit, notes, outcome, plies_left)
    }
}

/// The simulation policy learns to predict the moves that the search finds best, by maximum likelihood: `Δθ = ε·Σ_t ∂ln π'(best)/∂θ`. What
/// realization probabilities were first made of (Tsuruoka, Yokoyama and Chikayama 2002), from self-play in place of records. ω stays. It
/// looks at the root alone, so any search will do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Imitation;

impl<P: Position, M: Model<P>> Method<P, M> for Imitation {
    fn name(&self) -> &'static str {
        "imitation"
    }

    fn needs_tree(&self) -> bool {
        false
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let mut surprise = 0.0;
        if let (Some(control), Some(best)) = (searched.model.control(), searched.best) {
            // Searches that ask for no priors have none in their trees.
            let (mut tree, root) = (searched.tree.clone(), searched.line.position());
            search_control::judge_moves(&mut tree, root, &control, searched.parameters);
            let best = tree.children(0).start + best;
            surprise = -tree.priors[best].max(1e-12).ln();
            let sum = &mut *searched.sum;
            search_control::theta(&tree, root, &control, &[(best, 1.0)], &mut |i, x| sum.add(i, x));
        }
        searched.note(searched.tree.value(), surprise)
    }

    fn credits(&self, notes: &[Note], _: Outcome, _: &[usize]) -> Vec<f64> {
        vec![1.0; notes.len()]
    }
}

/// The credit of a policy gradient, for methods that differ in e(t) alone.
pub fn credit(baseline: Baseline, discount: f64, k: f64) -> PolicyGradient {
    let (form, replies) = (super::Form::Leaf, crate::pg_tree::Replies::Learned);
    PolicyGradient { form, replies, baseline, discount, k }
}
