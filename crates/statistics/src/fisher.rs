//! Fisher's exact test: two proportions compared when the counts are too small for a chi-square.

use super::binomial::Proportion;
use super::exact::Peaked;

/// How often chance alone, the row and column sums being what they are, gives a table at most as likely as this one.
pub fn fisher(a: Proportion, b: Proportion) -> f64 {
    hypergeometric(a.trials(), b.trials(), a.successes() + b.successes()).as_unlikely_as(a.successes())
}

/// How many of `drawn` balls come from the first of two urns, when they hold `first` and `second`.
fn hypergeometric(first: u64, second: u64, drawn: u64) -> Peaked<impl Fn(u64) -> f64> {
    let low = drawn.saturating_sub(second);
    let high = drawn.min(first);
    let peak = u128::from(first + 1) * u128::from(drawn + 1) / u128::from(first + second + 2);
    let ratio = move |i: u64| {
        let up = (first - i) as f64 * (drawn - i) as f64;
        // i >= low, so this is at least 1.
        let down = (i + 1) as f64 * (second + i + 1 - drawn) as f64;
        up / down
    };
    Peaked { low, high, peak: (peak as u64).clamp(low, high), ratio }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Discrete, Hypergeometric};

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    #[test]
    fn known_values() {
        // Fisher's tea: 3 of 4 and 1 of 4.
        assert!((fisher(of(3, 4), of(1, 4)) - 34.0 / 70.0).abs() < 1e-12);
        // S0.6, T=80 against T=40.
        assert_eq!(format!("{:.3}", fisher(of(124, 295), of(100, 294))), "0.051");
        assert_eq!(fisher(of(0, 0), of(5, 9)), 1.0);
        assert_eq!(fisher(of(0, 0), of(0, 0)), 1.0);
        assert_eq!(fisher(of(7, 7), of(9, 9)), 1.0);
        let half = 500_000_000;
        assert_eq!(fisher(of(half, half), of(0, half)), 0.0);
        assert!(fisher(of(half / 2, half), of(half / 2 + 1, half)) > 0.99);
    }

    proptest! {
        /// The slow twin takes every probability from the factorials of `statrs`.
        #[test]
        fn agrees_with_the_slow_twin(a in 0u64..80, b in 0u64..80, x in 0.0..1.0f64, y in 0.0..1.0f64) {
            let (j, k) = ((x * (a + 1) as f64) as u64, (y * (b + 1) as f64) as u64);
            let law = Hypergeometric::new(a + b, a, j + k).unwrap();
            let observed = law.pmf(j);
            let slow: f64 = (0..=a).map(|i| law.pmf(i)).filter(|&p| p <= observed * (1.0 + 1e-7)).sum();
            let fast = fisher(of(j, a), of(k, b));
            prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
            prop_assert!((fast - fisher(of(k, b), of(j, a))).abs() < 1e-9);
            prop_assert!((fast - fisher(of(a - j, a), of(b - k, b))).abs() < 1e-9);
        }
    }
}
