//! The softmax backup of MCSS. Its definition in double precision is [`super::operators::boltzmann`], its gradient
//! [`super::sensitivities`], the sums over columns of values are those of [`crate::softmax`].

use crate::softmax::{self, Moments};

/// S0.3: the expectation of the children under their Boltzmann distribution, `Σ exp(x/T)·x / Σ exp(x/T)`. `max` is the largest value.
#[inline]
pub(super) fn value(max: f32, values: &[f32], t: f32) -> f32 {
    Moments::below(max, values, t).expectation()
}

/// S4.1: the backup probabilities `exp(x/T)`, not yet divided by their sum, in the place of the values.
pub(super) fn weigh(values: &mut [f32], t: f32) {
    softmax::weigh(values, t);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::operators;

    #[test]
    fn the_column_agrees_with_the_definition() {
        let values: Vec<f32> = (0..83u16).map(|i| f32::from(i * 37 % 83) * 3.0 - 100.0).collect();
        let exact: Vec<f64> = values.iter().copied().map(f64::from).collect();
        for t in [0.5, 10.0, 80.0, 1000.0] {
            let expected = operators::boltzmann(&exact, f64::from(t));
            let found = f64::from(value(146.0, &values, t));
            assert!((found - expected).abs() < 1e-3, "T = {t}: {found}, not {expected}");
        }
    }
}
