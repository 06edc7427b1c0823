//! The formulas that the learners through the tree share: Boltzmann policies, eligibilities, sensitivities.
//!
//! Values are for the side that chooses; a child that is lost or unknown has minus infinity and no weight.

/// S0.2, `exp(x/T)/Z`. Without temperature the best share everything equally; what has no weight gets none.
pub fn boltzmann(values: &[f64], t: f64) -> Vec<f64> {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |&x: &f64| match x {
        _ if best == f64::NEG_INFINITY => 1.0,
        f64::NEG_INFINITY => 0.0,
        x if t > 0.0 => ((x - best) / t).exp(),
        x => f64::from(u8::from(x == best)),
    };
    let weights: Vec<f64> = values.iter().map(weight).collect();
    let z: f64 = weights.iter().sum();
    weights.iter().map(|w| w / z).collect()
}

/// S0.3, `Σ π(x)·x`.
pub fn expectation(probabilities: &[f64], values: &[f64]) -> f64 {
    let terms = probabilities.iter().zip(values).filter(|(p, _)| **p > 0.0);
    terms.map(|(p, x)| p * x).sum()
}

/// S0.8, the bracket `(1/T)·(E*(a) - E*) + 1`: by what a change of one value changes the expectation, per probability.
pub fn bracket(value: f64, expectation: f64, t: f64) -> f64 {
    if t > 0.0 { (value - expectation) / t + 1.0 } else { 1.0 }
}

/// S0.8, `∂E*/∂E*(a) = π(a)·bracket`, for every move.
pub fn sensitivities(values: &[f64], t: f64) -> Vec<f64> {
    let probabilities = boltzmann(values, t);
    let mean = expectation(&probabilities, values);
    let sensitivity = |(&p, &x): (&f64, &f64)| if p > 0.0 { p * bracket(x, mean, t) } else { 0.0 };
    probabilities.iter().zip(values).map(sensitivity).collect()
}

/// The same where the temperature is chosen so that the expectation is `mean + fraction·(max - mean)` (S0.4): then that is what is
/// differentiated, whatever the temperature.
pub fn target_sensitivities(values: &[f64], fraction: f64) -> Vec<f64> {
    let seen = values.iter().filter(|x| **x > f64::NEG_INFINITY).count().max(1) as f64;
    let best = boltzmann(values, 0.0);
    let sensitivity = |(&x, &b): (&f64, &f64)| match x {
        f64::NEG_INFINITY => 0.0,
        _ => (1.0 - fraction) / seen + fraction * b,
    };
    values.iter().zip(&best).map(sensitivity).collect()
}

/// S0.7, the coefficients of `e_ω = ∂ ln π_a(a_t)/∂ω = (1/T_a)·[∂E*(a_t) - Σ π_a(a')·∂E*(a')]`: what each move's gradient is
/// multiplied by.
pub fn eligibility(values: &[f64], t_a: f64, played: usize) -> Vec<f64> {
    let probabilities = boltzmann(values, t_a);
    let coefficient = |(a, &p): (usize, &f64)| (f64::from(u8::from(a == played)) - p) / t_a;
    probabilities.iter().enumerate().map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOST: f64 = f64::NEG_INFINITY;

    #[test]
    fn what_is_lost_has_no_weight() {
        assert_eq!(boltzmann(&[LOST, 3.0, LOST], 2.0), [0.0, 1.0, 0.0]);
        assert_eq!(sensitivities(&[LOST, 3.0, LOST], 2.0), [0.0, 1.0, 0.0]);
        assert_eq!(boltzmann(&[1.0, 5.0, 5.0], 0.0), [0.0, 0.5, 0.5]);
        assert_eq!(target_sensitivities(&[LOST, 0.0, 4.0], 0.5), [0.0, 0.25, 0.75]);
        assert_eq!(boltzmann(&[LOST, LOST], 1.0), [0.5, 0.5]);
        assert!(eligibility(&[LOST, 3.0], 10.0, 1).iter().all(|x| *x == 0.0), "nothing to choose, nothing to learn");
    }

    proptest! {
        /// Central finite differences, 1e-6 relative.
        #[test]
        fn sensitivities_are_slopes(values in prop::collection::vec(-50.0..50.0f64, 2..12), t in 5.0..200.0f64, pick in 0..12usize) {
            let (i, h) = (pick % values.len(), 1e-4);
            let at = |shift: f64, f: &dyn Fn(&[f64]) -> f64| {
                let mut moved = values.clone();
                moved[i] += shift;
                f(&moved)
            };
            let slope = |f: &dyn Fn(&[f64]) -> f64| (at(h, f) - at(-h, f)) / (2.0 * h);
            let backed_up = |x: &[f64]| expectation(&boltzmann(x, t), x);
            prop_assert!((slope(&backed_up) - sensitivities(&values, t)[i]).abs() < 1e-6);
            let log_policy = |x: &[f64]| boltzmann(x, t)[0].ln();
            prop_assert!((slope(&log_policy) - eligibility(&values, t, 0)[i]).abs() < 1e-6);
        }

        /// Both sum to what they must: 1, for a shift of all values shifts the expectation; 0, for it leaves the policy.
        #[test]
        fn shifts_are_shifts(values in prop::collection::vec(-50.0..50.0f64, 1..12), t in 0.1..200.0f64) {
            prop_assert!((sensitivities(&values, t).iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(eligibility(&values, t, 0).iter().sum::<f64>().abs() < 1e-9);
        }
    }
}
