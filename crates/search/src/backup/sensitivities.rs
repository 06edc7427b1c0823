//! How the value of a node changes with the values of its children: `∂V/∂v` for each backup operator. Learning through a tree multiplies
//! them along a path (S0.8).
//!
//! Each function takes the values of the moves for the side that chooses, as [`super::operators`] does, and writes one number for each.

use super::operators::{minimax, probabilities};

/// `π·(1 + (v - V)/T)` of the Boltzmann expectation, π being the Boltzmann distribution and V its expectation (S0.8). They sum to 1; one can
/// be negative: a bad child that becomes better gains weight.
pub fn boltzmann(values: &[f64], t: f64) -> Vec<f64> {
    let policy = probabilities(values, t);
    let expectation: f64 = policy.iter().zip(values).map(|(p, v)| p * v).sum();
    policy.iter().zip(values).map(|(p, v)| p * (1.0 + (v - expectation) / t)).collect()
}

/// `π` of log-sum-exp and mellowmax: the Boltzmann distribution (MENTS, Xiao et al. 2019).
pub fn log_sum_exp(values: &[f64], t: f64) -> Vec<f64> {
    probabilities(values, t)
}

/// `n/N` of the mean of samples: the share of each child in the visits (S2.1).
pub fn mean(visits: &[f64]) -> Vec<f64> {
    let total: f64 = visits.iter().sum();
    visits.iter().map(|n| if total > 0.0 { n / total } else { 0.0 }).collect()
}

/// 1 for the best child and 0 for the others: minimax (S0.5). Of equals the first counts.
pub fn maximum(values: &[f64]) -> Vec<f64> {
    let best = values.iter().position(|&v| v == minimax(values));
    (0..values.len()).map(|i| if Some(i) == best { 1.0 } else { 0.0 }).collect()
}

/// `(n/N)·(v/V)^(p-1)` of the power mean V (Power-UCT, Dam et al. 2019).
pub fn power_mean(values: &[f64], visits: &[f64], p: f64) -> Vec<f64> {
    let mean = super::operators::power_mean(values, visits, p);
    let total: f64 = visits.iter().sum();
    values.iter().zip(visits).map(|(v, n)| n / total * (v / mean).powf(p - 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::operators;
    use super::*;
    use proptest::prelude::*;

    /// Central differences of `f`, one for each value.
    fn differences(values: &[f64], f: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        const H: f64 = 1e-5;
        let at = |i: usize, h: f64| {
            let mut moved = values.to_vec();
            moved[i] += h;
            f(&moved)
        };
        (0..values.len()).map(|i| (at(i, H) - at(i, -H)) / (2.0 * H)).collect()
    }

    fn agree(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    proptest! {
        #[test]
        fn sensitivities_are_finite_differences(
            values in prop::collection::vec(0.1..2.0f64, 1..12),
            visits in prop::collection::vec(1.0..50.0f64, 12),
            t in 0.1..3.0f64,
            p in 1.0..6.0f64,
        ) {
            let visits = &visits[..values.len()];
            prop_assert!(agree(&boltzmann(&values, t), &differences(&values, |v| operators::boltzmann(v, t))));
            prop_assert!(agree(&log_sum_exp(&values, t), &differences(&values, |v| operators::log_sum_exp(v, t))));
            prop_assert!(agree(&log_sum_exp(&values, t), &differences(&values, |v| operators::mellowmax(v, t))));
            let weighted = |v: &[f64]| {
                v.iter().zip(visits).map(|(v, n)| v * n).sum::<f64>() / visits.iter().sum::<f64>()
            };
            prop_assert!(agree(&mean(visits), &differences(&values, weighted)));
            let power = |v: &[f64]| operators::power_mean(v, visits, p);
            prop_assert!(agree(&power_mean(&values, visits, p), &differences(&values, power)));
            prop_assert!((boltzmann(&values, t).iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_best_child_alone_counts_in_minimax() {
        assert_eq!(maximum(&[1.0, 3.0, 2.0, 3.0]), [0.0, 1.0, 0.0, 0.0]);
        assert!(agree(&maximum(&[1.0, 3.0, 2.0]), &differences(&[1.0, 3.0, 2.0], operators::minimax)));
        // Towards zero the softmax is minimax.
        assert!(agree(&boltzmann(&[1.0, 3.0, 2.0], 0.01), &[0.0, 1.0, 0.0]));
    }
}
