//! `Δω = ε·Σ_t (r - b_t)·γ^(plies left)·e_ω(t)` (S0.7): the policy gradient, in every form of `∂E*(a)/∂ω`.

use yomi_core::{Outcome, Position};
use yomi_search::Limits;

use super::{Method, Note, Searched, win_probability};
use crate::model::Model;
use crate::pg_tree::{Replies, spread};
use crate::policy::{boltzmann, eligibility};
use crate::{pg_leaf, pg_sampling};

/// Where `∂E*(a)/∂ω` comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Form {
    /// All paths of the tree at once (S0.8). Branches below this part of the largest weight at the root are left out.
    Tree(f64),
    /// This many sampled paths (S0.8).
    Sampling(usize),
    /// The principal variations (S0.9), whose leaves are also what the policy is differentiated at.
    Leaf,
    /// Principal variations under the policy of the tree's values: the moves are drawn by those, so they are what was chosen by.
    ImprovedLeaf,
    /// No search: every move is worth what its position is, REINFORCE on the raw policy (Williams 1992).
    Raw,
}

/// What is taken from the reward to lower the variance; it depends on nothing that was chosen, so the expectation stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Baseline {
    /// Nothing.
    None,
    /// What the search expected: `2σ(E*/K) - 1`.
    Value,
}

/// The policy gradient.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PolicyGradient {
    /// The form.
    pub form: Form,
    /// Whether the opponent's replies are differentiated through.
    pub replies: Replies,
    /// The baseline.
    pub baseline: Baseline,
    /// γ, per ply.
    pub discount: f64,
    /// K, where values become probabilities.
    pub k: f64,
}

impl<P: Position, M: Model<P>> Method<P, M> for PolicyGradient {
    fn name(&self) -> &'static str {
        match self.form {
            Form::Tree(_) => "pg-tree",
            Form::Sampling(_) => "pg-sampling",
            Form::Leaf => "pg-leaf",
            Form::ImprovedLeaf => "pg-leaf-improved",
            Form::Raw => "reinforce",
        }
    }

    fn limits(&self, limits: Limits) -> Limits {
        match self.form {
            Form::Raw => Limits { simulations: Some(1), ..limits },
            _ => limits,
        }
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let (tree, played, t_a) = (searched.tree, searched.played, searched.t_a);
        let values = match self.form {
            Form::Leaf => pg_leaf::values(tree),
            _ => tree.choices(0).to_vec(),
        };
        let weights = eligibility(&values, t_a, played);
        let largest = weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        let leaves = match self.form {
            Form::Tree(least) => spread(tree, &weights, self.replies, least * largest),
            Form::Raw => spread(tree, &weights, self.replies, 0.0),
            Form::Sampling(samples) => {
                pg_sampling::merged(pg_sampling::sample(tree, &weights, self.replies, samples, 1, searched.seed))
            }
            Form::Leaf | Form::ImprovedLeaf => pg_leaf::leaves(tree, &weights),
        };
        searched.add(&leaves);
        let surprise = -boltzmann(&values, t_a)[played].max(1e-12).ln();
        searched.note(tree.value(), surprise)
    }

    fn credits(&self, notes: &[Note], outcome: Outcome, plies_left: &[usize]) -> Vec<f64> {
        let credit = |(note, &left): (&Note, &usize)| {
            let baseline = match self.baseline {
                Baseline::None => 0.0,
                Baseline::Value => 2.0 * win_probability(note.value, self.k) - 1.0,
            };
            let reward = f64::from(outcome.value_for(note.turn, 1.0));
            reward * self.discount.powi(left as i32) - baseline
        };
        notes.iter().zip(plies_left).map(credit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient_sum::Sparse;
    use crate::model::Table;
    use yomi_core::Color;
    use yomi_core::toy::Nim;

    /// By hand: Black wins three plies after its first note, and White's search had expected σ(1).
    #[test]
    fn rewards_are_discounted_and_compared_with_the_baseline() {
        let note = |turn, value| Note { turn, value, loss: 0.0, direction: Sparse::default() };
        let notes = [note(Color::Black, 0.0), note(Color::White, 600.0)];
        let method = |baseline| PolicyGradient {
            form: Form::Leaf,
            replies: Replies::Learned,
            baseline,
            discount: 0.9,
            k: 600.0,
        };
        let credits =
            |baseline| Method::<Nim, Table>::credits(&method(baseline), &notes, Outcome::Win(Color::Black), &[3, 2]);
        let plain = credits(Baseline::None);
        assert!((plain[0] - 0.729).abs() < 1e-12 && (plain[1] + 0.81).abs() < 1e-12);
        let less = credits(Baseline::Value);
        let expected = 2.0 / (1.0 + (-1.0f64).exp()) - 1.0;
        assert!((less[0] - 0.729).abs() < 1e-12 && (less[1] + 0.81 + expected).abs() < 1e-12);
    }
}
