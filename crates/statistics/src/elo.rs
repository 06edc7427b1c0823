//! Differences of strength in Elo, in normalized Elo, and the likelihood of superiority.

use super::distributions::normal_cdf;
use super::interval::{Estimate, Interval, Level};
use super::score::score;
use super::tally::{Distribution, Tally};

/// C = 800 / ln 10: a normalized Elo is worth as much as an Elo between equal players who never draw.
pub const NORMALIZED: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference that gives the expected score `s`: -400·log₁₀(1/s - 1).
pub fn elo_of_score(s: f64) -> f64 {
    // Adding zero makes -0, which even chances would give, a plain 0.
    -400.0 * (1.0 / s - 1.0).log10() + 0.0
}

/// The expected score at an Elo difference: 1 / (1 + 10^(-elo/400)).
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference of a match. Infinite when everything was won or lost; `None` without games.
pub fn elo(tally: &Tally, level: Level) -> Option<Estimate> {
    Some(score(tally, level)?.map(elo_of_score))
}

/// Normalized Elo: C·(μ - 1/2) / σ, σ being the standard deviation of a game; that of a pair is √2 times smaller. The signal to
/// noise ratio of a match: it alone decides how many games are needed. Infinite when everything was won or lost.
pub fn normalized_elo(tally: &Tally, level: Level) -> Option<Estimate> {
    if tally.is_empty() {
        return None;
    }
    let shares = tally.shares();
    let scale = NORMALIZED / (tally.games_a_sample() as f64).sqrt();
    let effect = shares.mean() - 0.5;
    let value = if effect == 0.0 { 0.0 } else { effect / shares.variance().sqrt() * scale };
    let error = level.reach(tally.samples()) / (tally.samples() as f64).sqrt() * scale;
    let interval = match value.is_infinite() {
        true => Interval { low: value.min(0.0), high: value.max(0.0) },
        false => Interval::around(value, error),
    };
    Some(Estimate { value, interval })
}

/// The likelihood of superiority: Φ((μ - 1/2) / √(v/N)). 1/2 without games.
///
/// When all results were alike there is no variance; then it is taken as if half a result had gone entirely the other way.
pub fn likelihood_of_superiority(tally: &Tally) -> f64 {
    let shares = tally.shares();
    let effect = shares.mean() - 0.5;
    if tally.is_empty() || effect == 0.0 {
        return 0.5;
    }
    if shares.variance() > 0.0 {
        return normal_cdf(superiority_in_errors(&shares));
    }
    let mut counts: Vec<f64> = tally.counts().iter().map(|&n| n as f64).collect();
    let other_way = if effect > 0.0 { 0 } else { counts.len() - 1 };
    counts[other_way] += 0.5;
    normal_cdf(superiority_in_errors(&Distribution::new(counts)))
}

/// How many standard errors the mean score lies above 1/2.
fn superiority_in_errors(shares: &Distribution) -> f64 {
    (shares.mean() - 0.5) / (shares.variance() / shares.total).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(x: f64, printed: f64) -> bool {
        (x - printed).abs() <= 0.005 + 1e-9
    }

    /// The values that the tests of fastchess expect, to their last printed digit.
    #[test]
    fn agrees_with_fastchess() {
        let rows = [
            (Tally::games(136, 111, 96), Some((40.70, 30.43)), (49.77, 36.77), Some(99.60)),
            (Tally::games(76, 123, 89), None, (-20.76, 40.13), Some(15.53)),
            (Tally::games(34, 0, 356), None, (-508.44, 34.48), None),
            (Tally::pairs([34, 54, 63, 64, 75]), Some((55.58, 27.65)), (57.94, 28.28), Some(100.0)),
            (Tally::pairs([332, 433, 498, 333, 334]), Some((-8.64, 10.33)), (-9.17, 10.96), Some(5.05)),
            (Tally::pairs([7895, 8757, 5685, 568, 9999]), Some((-21.04, 2.95)), (-19.01, 2.65), None),
        ];
        for (tally, expected_elo, (normalized, normalized_error), superiority) in rows {
            let tally = tally.unwrap();
            if let Some((value, error)) = expected_elo {
                let ours = elo(&tally, Level::P95).unwrap();
                assert!(close(ours.value, value) && close(ours.interval.radius(), error), "{tally}: {ours:?}");
            }
            let ours = normalized_elo(&tally, Level::P95).unwrap();
            assert!(
                close(ours.value, normalized) && close(ours.interval.radius(), normalized_error),
                "{tally}: {ours:?}"
            );
            if let Some(percent) = superiority {
                assert!(close(likelihood_of_superiority(&tally) * 100.0, percent), "{tally}");
            }
        }
    }

    #[test]
    fn degenerate_tallies_have_sane_answers() {
        let none = Tally::Games([0; 3]);
        assert_eq!((elo(&none, Level::P95), normalized_elo(&none, Level::P95)), (None, None));
        assert_eq!(likelihood_of_superiority(&none), 0.5);
        let wins = Tally::Games([0, 0, 10]);
        let ours = elo(&wins, Level::P95).unwrap();
        assert!(ours.value.is_infinite() && ours.interval.low > 100.0 && ours.interval.high.is_infinite(), "{ours:?}");
        let ours = normalized_elo(&wins, Level::P95).unwrap();
        assert_eq!((ours.value, ours.interval.low), (f64::INFINITY, 0.0));
        for (samples, expected) in [(1, 0.667), (2, 0.882), (10, 1.0)] {
            assert!((likelihood_of_superiority(&Tally::Games([0, 0, samples])) - expected).abs() < 1e-3);
            assert!((likelihood_of_superiority(&Tally::Pairs([samples, 0, 0, 0, 0])) - (1.0 - expected)).abs() < 1e-3);
        }
        let draws = Tally::Pairs([0, 0, 50, 0, 0]);
        let (plain, normalized) = (elo(&draws, Level::P95).unwrap(), normalized_elo(&draws, Level::P95).unwrap());
        assert_eq!((plain.value, normalized.value, likelihood_of_superiority(&draws)), (0.0, 0.0, 0.5));
        assert!(plain.interval.radius() > 10.0 && plain.interval.radius() < 60.0, "{plain:?}");
        assert!(normalized.interval.radius().is_finite());
        let one = elo(&Tally::Games([0, 0, 1]), Level::P95).unwrap();
        assert!(one.interval.low < -600.0, "{one:?}");
    }

    fn tallies() -> impl Strategy<Value = Tally> {
        prop_oneof![
            [0u64..2000, 0u64..2000, 0u64..2000].prop_map(Tally::Games),
            [0u64..99, 0u64..99, 0u64..99, 0u64..99, 0u64..99].prop_map(Tally::Pairs),
        ]
    }

    /// Minus what the other side sees; infinities included.
    fn opposite(a: f64, b: f64) -> bool {
        a == -b || (a + b).abs() < 1e-6 * (1.0 + a.abs())
    }

    proptest! {
        #[test]
        fn the_opponent_sees_the_opposite(tally in tallies()) {
            let other = tally.swapped();
            let total = likelihood_of_superiority(&tally) + likelihood_of_superiority(&other);
            prop_assert!((total - 1.0).abs() < 1e-9, "{total}");
            for f in [elo, normalized_elo] {
                if let (Some(a), Some(b)) = (f(&tally, Level::P95), f(&other, Level::P95)) {
                    prop_assert!(opposite(a.value, b.value), "{a:?} {b:?}");
                    prop_assert!(opposite(a.interval.low, b.interval.high), "{a:?} {b:?}");
                    prop_assert!(opposite(a.interval.high, b.interval.low), "{a:?} {b:?}");
                }
            }
        }

        /// One more win instead of a loss never makes a player look weaker, and nothing is ever not a number.
        #[test]
        fn a_better_result_is_never_worse(counts in [1u64..300, 0u64..300, 0u64..300]) {
            let [losses, draws, wins] = counts;
            let (worse, better) = (Tally::Games(counts), Tally::Games([losses - 1, draws, wins + 1]));
            let both = [worse, better].map(|t| elo(&t, Level::P95).unwrap());
            prop_assert!(both[0].value < both[1].value);
            for estimate in both {
                prop_assert!(!estimate.value.is_nan() && !estimate.interval.low.is_nan() && !estimate.interval.high.is_nan());
                prop_assert!(estimate.interval.contains(estimate.value));
            }
            prop_assert!(likelihood_of_superiority(&worse) <= likelihood_of_superiority(&better) + 1e-12);
        }

        #[test]
        fn elo_and_score_undo_each_other(elo in -2000.0..2000.0f64) {
            prop_assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-6);
        }
    }
}
