//! Comparison training from records (Tesauro 1989; Hoki 2006; MMTO, Hoki and Kaneko 2014): the move that was played should be worth more
//! than the others.
//!
//! `J = Σ_{a≠a*} σ((E*(a) - E*(a*))/K)`, lowered; values are those of a shallow search, differentiated at principal leaves.

use yomi_core::{Outcome, Position};

use super::{Method, Note, Searched, win_probability};
use crate::model::Model;
use crate::pg_leaf;

/// Comparison training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// K, the difference at which a move counts 0.73 of an error.
    pub k: f64,
}

/// J, and the weights of the moves' values in -J.
fn compare(values: &[f64], played: usize, k: f64) -> (f64, Vec<f64>) {
    let (mut loss, mut weights) = (0.0, vec![0.0; values.len()]);
    if !values[played].is_finite() {
        return (loss, weights);
    }
    for (a, &value) in values.iter().enumerate().filter(|(a, value)| *a != played && value.is_finite()) {
        let error = win_probability(value - values[played], k);
        let slope = error * (1.0 - error) / k;
        loss += error;
        weights[a] -= slope;
        weights[played] += slope;
    }
    (loss, weights)
}

impl<P: Position, M: Model<P>> Method<P, M> for Comparison {
    fn name(&self) -> &'static str {
        "comparison"
    }

    fn needs_records(&self) -> bool {
        true
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let tree = searched.tree;
        let (loss, weights) = compare(&pg_leaf::values(tree), searched.played, self.k);
        searched.add(&pg_leaf::leaves(tree, &weights));
        searched.note(tree.value(), loss)
    }

    fn credits(&self, notes: &[Note], _: Outcome, _: &[usize]) -> Vec<f64> {
        vec![1.0; notes.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_slopes_of_the_loss() {
        let values = [30.0, -20.0, f64::NEG_INFINITY, 55.0];
        let (_, weights) = compare(&values, 1, 40.0);
        for a in [0, 1, 3] {
            let at = |h: f64| {
                let mut moved = values;
                moved[a] += h;
                compare(&moved, 1, 40.0).0
            };
            let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!((slope + weights[a]).abs() < 1e-9, "{a}: {slope} {}", weights[a]);
        }
        assert_eq!(weights[2], 0.0);
    }
}
