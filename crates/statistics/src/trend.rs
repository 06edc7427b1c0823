//! Do rates rise along their rows? Cochran and Armitage's test.

use super::binomial::Proportion;
use super::distributions::normal_two_sided;

/// The test of a linear trend of the rates over `scores`: its statistic, positive if the rates rise, and the two-sided p-value. Zero and
/// one where nothing can be said: all games won, or all scores alike.
///
/// `z = Σ x(w - n·p) / √(p(1-p)·(Σ n·x² - (Σ n·x)²/N))`, p being the rate of all games together.
pub fn cochran_armitage(rows: &[Proportion], scores: &[f64]) -> (f64, f64) {
    let sum = |f: &dyn Fn(&Proportion, f64) -> f64| rows.iter().zip(scores).map(|(row, &x)| f(row, x)).sum::<f64>();
    let games = sum(&|row, _| row.trials() as f64);
    if games == 0.0 {
        return (0.0, 1.0);
    }
    let rate = sum(&|row, _| row.successes() as f64) / games;
    let lean = sum(&|row, x| x * (row.successes() as f64 - row.trials() as f64 * rate));
    let (first, second) = (sum(&|row, x| x * row.trials() as f64), sum(&|row, x| x * x * row.trials() as f64));
    let variance = rate * (1.0 - rate) * (second - first * first / games);
    let z = if variance > 0.0 { lean / variance.sqrt() } else { 0.0 };
    (z, normal_two_sided(z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proportions::two_proportions;

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    /// Of two rows a trend is a difference.
    #[test]
    fn two_rows_are_two_proportions() {
        let (a, b) = (of(100, 294), of(124, 295));
        let (z, p) = cochran_armitage(&[a, b], &[3.0, 7.0]);
        let (difference, expected) = two_proportions(b, a);
        assert!((z - difference).abs() < 1e-12 && (p - expected).abs() < 1e-12);
        assert!(cochran_armitage(&[b, a], &[3.0, 7.0]).0 < 0.0);
    }

    #[test]
    fn nothing_can_be_said_without_games_or_without_a_choice() {
        assert_eq!(cochran_armitage(&[], &[]), (0.0, 1.0));
        assert_eq!(cochran_armitage(&[of(3, 3), of(5, 5)], &[1.0, 2.0]), (0.0, 1.0));
        assert_eq!(cochran_armitage(&[of(1, 3), of(5, 5)], &[2.0, 2.0]), (0.0, 1.0));
    }
}
