//! Before the match: how many games does it take to see a difference, and what can a given number of games show?

use yomi_core::TextError;

use super::binomial::binomial;
use super::distributions::{bisect, normal_cdf, normal_quantile};
use super::tally::MAX_GAMES;

/// A planned match: a two-sided test of the score against 1/2.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PowerPlan {
    score: f64,
    draws: f64,
    alpha: f64,
}

impl PowerPlan {
    /// A match whose true score is `score`, a share `draws` of all games being drawn, tested at the significance `alpha`.
    pub fn new(score: f64, draws: f64, alpha: f64) -> Result<PowerPlan, TextError> {
        if !(score > 0.0 && score < 1.0) {
            return Err(TextError::new(format!("a score lies between 0 and 1, not at {score}")));
        }
        if (score - 0.5).abs() < 1e-5 {
            return Err(TextError::new(
                "a score of one half cannot be distinguished from one half: name the difference you hope for",
            ));
        }
        if !(0.0..1.0).contains(&draws) || draws / 2.0 >= score.min(1.0 - score) {
            return Err(TextError::new(format!("a share {draws} of draws is not possible with a score of {score}")));
        }
        if !(1e-9..0.5).contains(&alpha) {
            return Err(TextError::new(format!("a significance lies between 0.000000001 and 0.5, not at {alpha}")));
        }
        Ok(PowerPlan { score, draws, alpha })
    }

    /// The standard deviation of a game with expected score `s`: √(s(1-s) - d/4), d being the share of draws.
    fn deviation(&self, s: f64) -> f64 {
        (s * (1.0 - s) - self.draws / 4.0).max(0.0).sqrt()
    }

    /// The number of games that shows the difference with probability `power`:
    /// ((z_(1-α/2)·σ(1/2) + z_power·σ(s)) / (s - 1/2))², by the normal approximation.
    pub fn games_needed(&self, power: f64) -> Result<u64, TextError> {
        if !(0.5..=0.999_999).contains(&power) {
            return Err(TextError::new(format!("a power lies between 0.5 and 0.999999, not at {power}")));
        }
        let reach = normal_quantile(1.0 - self.alpha / 2.0) * self.deviation(0.5);
        let margin = normal_quantile(power) * self.deviation(self.score);
        Ok(((reach + margin) / (self.score - 0.5)).powi(2).ceil() as u64)
    }

    /// The probability that `games` games show the difference, by the normal approximation.
    pub fn power(&self, games: u64) -> f64 {
        let shift = (self.score - 0.5).abs() * (games as f64).sqrt();
        let reach = normal_quantile(1.0 - self.alpha / 2.0) * self.deviation(0.5);
        normal_cdf((shift - reach) / self.deviation(self.score))
    }

    /// The same for the exact binomial test, without approximation. `None` with draws, which are not binomial, or too many games.
    pub fn exact_power(&self, games: u64) -> Option<f64> {
        if self.draws > 0.0 || games > MAX_GAMES {
            return None;
        }
        let (low, high) = accepted(games, self.alpha);
        let truth = binomial(games, self.score);
        let below = if low == 0 { 0.0 } else { truth.at_most(low - 1) };
        Some(below + truth.at_least(high + 1))
    }
}

/// The smallest score above 1/2 that `games` games show with probability `power`. `None` if only certainty would do.
pub fn detectable_score(games: u64, draws: f64, alpha: f64, power: f64) -> Option<f64> {
    let most = 1.0 - draws / 2.0;
    let is_hidden = |score: f64| PowerPlan::new(score, draws, alpha).is_ok_and(|plan| plan.power(games) < power);
    let score = bisect(0.5 + 2e-5, most, is_hidden);
    (score < most - 1e-9).then_some(score)
}

/// The successes out of `games` that the exact test against 1/2 does not reject at `alpha`: from the first to the second, included.
/// Where everything is rejected the first is the greater.
fn accepted(games: u64, alpha: f64) -> (u64, u64) {
    // Against 1/2 the test is symmetric, so the p-value of k < n/2 is twice the tail up to k.
    let mut tail = Vec::new();
    binomial(games, 0.5).for_each(|k, share| {
        if 2 * k < games {
            tail.push((k, share));
        }
    });
    tail.sort_unstable_by_key(|&(k, _)| k);
    let mut sum = 0.0;
    // Outcomes too unlikely to be visited are rejected all the same.
    let mut low = tail.first().map_or(0, |&(k, _)| k);
    for (k, share) in tail {
        sum += share;
        if 2.0 * sum > alpha {
            break;
        }
        low = k + 1;
    }
    (low, games - low.min(games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proportion;

    fn plan(score: f64) -> PowerPlan {
        PowerPlan::new(score, 0.0, 0.05).unwrap()
    }

    #[test]
    fn known_values() {
        assert_eq!(format!("{:.3}", plan(0.54).exact_power(1000).unwrap()), "0.705");
        assert_eq!(format!("{:.3}", plan(0.60).exact_power(100).unwrap()), "0.462");
        for (score, games) in [(0.52, 4904), (0.54, 1225), (0.55, 783), (0.60, 194), (0.65, 85)] {
            assert_eq!(plan(score).games_needed(0.8), Ok(games));
            assert_eq!(plan(1.0 - score).games_needed(0.8), Ok(games));
            assert!(plan(score).power(games) >= 0.8 && plan(score).power(games - 1) < 0.8);
        }
    }

    /// The slow twin asks the exact test about every outcome.
    #[test]
    fn exact_power_is_what_the_test_rejects() {
        for games in [0, 1, 2, 5, 6, 7, 20, 61, 200] {
            for alpha in [0.3, 0.05, 0.001] {
                let plan = PowerPlan::new(0.6, 0.0, alpha).unwrap();
                let mut slow = 0.0;
                binomial(games, 0.6).for_each(|k, share| {
                    slow += if Proportion::new(k, games).unwrap().exact_test(0.5) <= alpha { share } else { 0.0 };
                });
                assert!((plan.exact_power(games).unwrap() - slow).abs() < 1e-9, "{games} {alpha}");
            }
        }
        assert!(plan(0.500_05).exact_power(1_000_000_000).unwrap() > 0.88);
    }

    #[test]
    fn draws_save_games_and_more_games_show_more() {
        let drawn = PowerPlan::new(0.54, 0.5, 0.05).unwrap();
        assert!(drawn.games_needed(0.8).unwrap() < plan(0.54).games_needed(0.8).unwrap());
        let scores: Vec<f64> = [100, 1000, 10_000].map(|n| detectable_score(n, 0.0, 0.05, 0.8).unwrap()).to_vec();
        assert!(scores.windows(2).all(|w| w[0] > w[1]), "{scores:?}");
        assert_eq!(plan(scores[1]).games_needed(0.8).unwrap().abs_diff(1000), 0);
        assert_eq!(detectable_score(0, 0.0, 0.05, 0.8), None);
        assert_eq!(detectable_score(1, 0.2, 0.05, 0.8), None);
    }

    #[test]
    fn impossible_plans_are_refused() {
        for (score, draws, alpha) in [
            (0.5, 0.0, 0.05),
            (0.0, 0.0, 0.05),
            (1.0, 0.0, 0.05),
            (f64::NAN, 0.0, 0.05),
            (0.9, 0.5, 0.05),
            (0.6, -0.1, 0.05),
            (0.6, f64::NAN, 0.05),
            (0.6, 0.0, 0.0),
            (0.6, 0.0, 2.0),
        ] {
            assert!(PowerPlan::new(score, draws, alpha).is_err(), "{score} {draws} {alpha}");
        }
        assert!(plan(0.6).games_needed(0.2).is_err() && plan(0.6).games_needed(1.0).is_err());
    }
}
