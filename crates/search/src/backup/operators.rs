//! The backup operators in double precision, as the papers write them.
//!
//! These are the definitions. The tree computes in single precision ([`crate::softmax`]) where speed matters and is tested against
//! these; learners and tests use them as they are. Every one maps the values of the moves, for the side that chooses, to the value
//! of the position for that side. None of them accepts an empty slice: the answer is NaN then.

/// The value of the best move; the limit of [`boltzmann`] as T → 0 (S0.3).
pub fn minimax(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::max)
}

/// All moves alike; the limit of [`boltzmann`] as T → ∞.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Boltzmann probabilities `exp(x/T)/Z` (S0.2).
pub fn probabilities(values: &[f64], t: f64) -> Vec<f64> {
    let max = minimax(values);
    let weights: Vec<f64> = values.iter().map(|&x| ((x - max) / t).exp()).collect();
    let z: f64 = weights.iter().sum();
    weights.iter().map(|w| w / z).collect()
}

/// Expectation under the Boltzmann distribution, `Σ π(x)·x` (S0.3): MCSS.
pub fn boltzmann(values: &[f64], t: f64) -> f64 {
    probabilities(values, t).iter().zip(values).map(|(p, x)| p * x).sum()
}

/// `T·ln Σ exp(x/T)`: MENTS (Xiao et al. 2019). It exceeds [`boltzmann`] by T times the entropy of π.
pub fn log_sum_exp(values: &[f64], t: f64) -> f64 {
    let max = minimax(values);
    max + t * values.iter().map(|&x| ((x - max) / t).exp()).sum::<f64>().ln()
}

/// `T·ln (1/n)Σ exp(x/T)`: mellowmax (Asadi and Littman 2017).
pub fn mellowmax(values: &[f64], t: f64) -> f64 {
    log_sum_exp(values, t) - t * (values.len() as f64).ln()
}

/// `T·ln Σ p(x)·exp(x/T)` with p the policy so far: RENTS (Dam et al. 2021).
pub fn relative_log_sum_exp(values: &[f64], policy: &[f64], t: f64) -> f64 {
    let max = minimax(values);
    max + t * values.iter().zip(policy).map(|(&x, p)| p * ((x - max) / t).exp()).sum::<f64>().ln()
}

/// The sparse policy `max(q - ζ, 0)`, q = x/T, of TENTS (Dam et al. 2021), which sums to one.
pub fn sparse_probabilities(values: &[f64], t: f64) -> Vec<f64> {
    let mut probabilities = values.to_vec();
    to_sparse_probabilities(&mut probabilities, t, &mut Vec::new());
    probabilities
}

/// The same in place, with memory that is used again.
pub(crate) fn to_sparse_probabilities(values: &mut [f64], t: f64, support: &mut Vec<f64>) {
    let max = minimax(values);
    let zeta = sparse_threshold(values, t, support);
    values.iter_mut().for_each(|x| *x = ((*x - max) / t - zeta).max(0.0));
}

/// `T·(½ + ½ Σ_K (q² - ζ²))`, q = x/T, over the support K: the spmax operator of TENTS (Dam et al. 2021).
pub fn sparsemax(values: &[f64], t: f64) -> f64 {
    sparsemax_with(values, t, &mut Vec::new())
}

/// The same, with memory that is used again.
pub(crate) fn sparsemax_with(values: &[f64], t: f64, support: &mut Vec<f64>) -> f64 {
    let zeta = sparse_threshold(values, t, support);
    minimax(values) + t * (0.5 + 0.5 * support.iter().map(|q| q * q - zeta * zeta).sum::<f64>())
}

/// The threshold ζ and, into `q`, the q of the support: those with `1 + i·q_(i) > Σ_{j<=i} q_(j)`, the largest first.
///
/// Here q = (x - max)/T: a shift of all values shifts the operator and leaves the policy, and small T loses no digits.
fn sparse_threshold(values: &[f64], t: f64, q: &mut Vec<f64>) -> f64 {
    let max = minimax(values);
    q.clear();
    q.extend(values.iter().map(|&x| (x - max) / t));
    // Unstable, as a stable sort allocates; equal numbers are the same in any order.
    q.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut size) = (0.0, 0);
    for (i, &x) in q.iter().enumerate() {
        if 1.0 + (i + 1) as f64 * x <= sum + x {
            break;
        }
        sum += x;
        size = i + 1;
    }
    q.truncate(size);
    (sum - 1.0) / size as f64
}

/// `(Σ (n/N)·x^p)^(1/p)` with the visits n as weights: Power-UCT (Dam et al. 2019). Values must not be negative.
pub fn power_mean(values: &[f64], visits: &[f64], p: f64) -> f64 {
    let total: f64 = visits.iter().sum();
    let max = minimax(values);
    if max <= 0.0 {
        return max;
    }
    // Divided by the maximum, so that no power overflows.
    let sum: f64 = values.iter().zip(visits).map(|(&x, n)| n / total * (x.max(0.0) / max).powf(p)).sum();
    max * sum.powf(1.0 / p)
}

/// Shannon entropy in nats.
pub fn entropy(probabilities: &[f64]) -> f64 {
    probabilities.iter().filter(|&&p| p > 0.0).fold(0.0, |sum, p| sum - p * p.ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
    }

    fn family() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-100.0..100.0f64, 1..40)
    }

    proptest! {
        #[test]
        fn cold_is_minimax(values in family()) {
            let best = minimax(&values);
            prop_assert!((boltzmann(&values, 1e-9) - best).abs() < 1e-6);
            prop_assert!((log_sum_exp(&values, 1e-9) - best).abs() < 1e-6);
            prop_assert!((sparsemax(&values, 1e-9) - best).abs() < 1e-6);
        }

        #[test]
        fn hot_is_the_mean(values in family()) {
            prop_assert!((boltzmann(&values, 1e10) - mean(&values)).abs() < 1e-5);
            prop_assert!((mellowmax(&values, 1e10) - mean(&values)).abs() < 1e-3);
        }

        #[test]
        fn a_shift_of_all_values_shifts_the_result(values in family(), shift in -1e3..1e3f64, t in 0.1..100.0f64) {
            let shifted: Vec<f64> = values.iter().map(|x| x + shift).collect();
            for operator in [boltzmann, log_sum_exp, mellowmax, sparsemax] {
                prop_assert!((operator(&shifted, t) - operator(&values, t) - shift).abs() < 1e-7);
            }
        }

        /// LSE - E_π = T·H(π), exactly.
        #[test]
        fn log_sum_exp_is_the_expectation_plus_entropy(values in family(), t in 0.1..100.0f64) {
            let h = entropy(&probabilities(&values, t));
            prop_assert!((log_sum_exp(&values, t) - boltzmann(&values, t) - t * h).abs() < 1e-9);
        }

        #[test]
        fn order_does_not_matter(values in family(), turn in 0usize..40, t in 0.1..100.0f64) {
            let mut turned = values.clone();
            turned.rotate_left(turn % values.len());
            for operator in [boltzmann, log_sum_exp, mellowmax, sparsemax] {
                prop_assert!(close(operator(&turned, t), operator(&values, t)));
            }
            prop_assert_eq!(minimax(&turned), minimax(&values));
        }

        #[test]
        fn better_children_never_hurt_log_sum_exp(values in family(), which in 0usize..40, gain in 0.0..10.0f64, t in 0.1..100.0f64) {
            let mut better = values.clone();
            better[which % values.len()] += gain;
            for operator in [log_sum_exp, mellowmax, sparsemax] {
                prop_assert!(operator(&better, t) >= operator(&values, t) - 1e-9);
            }
        }

        #[test]
        fn sparse_policies_are_policies(values in family(), t in 0.01..100.0f64) {
            let policy = sparse_probabilities(&values, t);
            prop_assert!(close(policy.iter().sum(), 1.0) && policy.iter().all(|&p| p >= 0.0));
        }

        #[test]
        fn a_uniform_policy_makes_relative_entropy_mellow(values in family(), t in 0.1..100.0f64) {
            let uniform = vec![1.0 / values.len() as f64; values.len()];
            prop_assert!(close(relative_log_sum_exp(&values, &uniform, t), mellowmax(&values, t)));
        }

        #[test]
        fn power_means_lie_between_mean_and_maximum(values in prop::collection::vec(0.0..1.0f64, 1..20), p in 1.0..50.0f64) {
            let visits = vec![1.0; values.len()];
            let power = power_mean(&values, &visits, p);
            prop_assert!(power >= mean(&values) - 1e-9 && power <= minimax(&values) + 1e-9);
            prop_assert!(close(power_mean(&values, &visits, 1.0), mean(&values)));
        }
    }

    /// The Boltzmann expectation is not monotone: a bad child that becomes a little better gains weight and drags the mean down.
    #[test]
    fn a_better_child_may_lower_the_boltzmann_expectation() {
        assert!(boltzmann(&[10.0, 2.0], 2.0) < boltzmann(&[10.0, 0.0], 2.0));
    }

    /// The synthetic trees of the MENTS and TENTS papers: edges worth U[0,1], a leaf the sum of its path, normalised to [0,1].
    /// The numbers were computed by an independent program in exact recursion.
    #[test]
    fn golden_values_of_synthetic_trees() {
        type Operator = fn(&[f64], f64) -> f64;
        let operators: [Operator; 6] =
            [|x, _| minimax(x), |x, _| mean(x), boltzmann, log_sum_exp, mellowmax, sparsemax];
        let golden = [
            (
                2,
                2,
                true,
                0.1,
                [0.415586471433, 0.531554871056, 0.424507266774, 0.412122875755, 0.412122875755, 0.415586471433],
            ),
            (4, 3, false, 0.1, [1.0, 0.493036448168, 0.859109384272, 1.128517968888, 0.712629660552, 1.005810198577]),
            (
                4,
                3,
                true,
                0.1,
                [0.613186821952, 0.493036448168, 0.568739028532, 0.667153564570, 0.528524128458, 0.620385671434],
            ),
            (
                8,
                4,
                true,
                0.1,
                [0.516958333191, 0.483911507954, 0.498120069962, 0.496905182865, 0.496905182865, 0.500169185608],
            ),
            (
                8,
                4,
                true,
                0.01,
                [0.516958333191, 0.483911507954, 0.520864243243, 0.513529383266, 0.513529383266, 0.516958333191],
            ),
        ];
        for (k, d, two_players, t, expected) in golden {
            for (operator, expected) in operators.iter().zip(expected) {
                let mut values = crate::synthetic::leaves(k, d, 1);
                for level in (0..d).rev() {
                    let sign = if two_players && level % 2 == 1 { -1.0 } else { 1.0 };
                    let value =
                        |family: &[f64]| sign * operator(&family.iter().map(|x| sign * x).collect::<Vec<_>>(), t);
                    values = values.chunks(k).map(value).collect();
                }
                assert!((values[0] - expected).abs() < 1e-9, "{k} {d} {two_players} {t}: {} {expected}", values[0]);
            }
        }
    }
}
