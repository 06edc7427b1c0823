//! The win rate, counted both ways: draws as half a point (S1), and draws dropped (S0.6).

use super::binomial::Proportion;
use super::interval::{Estimate, Interval, Level};
use super::tally::Tally;

/// The mean score μ, a draw being half a win, with μ ± t·√(v/N). `None` without games.
pub fn score(tally: &Tally, level: Level) -> Option<Estimate> {
    if tally.is_empty() {
        return None;
    }
    let shares = tally.shares();
    let (mean, variance) = (shares.mean(), shares.variance());
    let interval = if variance == 0.0 {
        alike_interval(mean, tally.samples(), level)
    } else {
        let error = (variance / tally.samples() as f64).sqrt();
        Interval::around(mean, level.reach(tally.samples()) * error).within_unit()
    };
    Some(Estimate { value: mean, interval })
}

/// When all `samples` results were alike there is no variance to estimate an error from. But any other result must then be
/// rare: its probability r, by the exact bound, is at most 1 - (α/2)^(1/N), and at worst it scores 0 or 1.
fn alike_interval(mean: f64, samples: u64, level: Level) -> Interval {
    let rare = 1.0 - (level.alpha() / 2.0).powf(1.0 / samples as f64);
    Interval { low: mean * (1.0 - rare), high: mean + (1.0 - mean) * rare }
}

/// Wins out of the games that were not drawn. `None` for pairs, whose counts do not tell balanced pairs from drawn ones.
pub fn decisive(tally: &Tally) -> Option<Proportion> {
    match *tally {
        Tally::Games([losses, _, wins]) => Proportion::new(wins, wins.saturating_add(losses)).ok(),
        Tally::Pairs(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    /// The win rates printed in S0.6: wins, losses and draws of tables 1 and 2, and where the print is wrong.
    #[test]
    fn audit_of_the_tables_of_s0() {
        let percent = |wins, losses| {
            let rate = decisive(&Tally::games(wins, 0, losses).unwrap()).unwrap().rate().unwrap();
            (rate * 1000.0).round() / 10.0
        };
        let consistent = [
            (69, 231, 23.0),
            (124, 171, 42.0),
            (100, 194, 34.0),
            (162, 129, 55.7),
            (564, 380, 59.7),
            (651, 316, 67.3),
            (647, 296, 68.6),
            (527, 388, 57.6),
            (773, 193, 80.0),
            (838, 132, 86.4),
        ];
        for (wins, losses, printed) in consistent {
            assert_eq!(percent(wins, losses), printed, "{wins}-{losses}");
        }
        // Printed: 64.9 (losses of 343 would fit), 77.3 and 73.1.
        assert_eq!((percent(635, 132), percent(635, 343)), (82.8, 64.9));
        assert_eq!((percent(740, 220), percent(737, 234)), (77.1, 75.9));
        // Six threads, T=80: 162-129-9 is not significant.
        let six = decisive(&Tally::games(162, 9, 129).unwrap()).unwrap();
        assert_eq!(format!("{:.4}", six.exact_test(0.5)), "0.0605");
        assert_eq!(format!("{:.3}", six.clopper_pearson(Level::P95)), "[0.498, 0.615]");
    }

    #[test]
    fn degenerate_tallies_have_sane_intervals() {
        assert_eq!(score(&Tally::Games([0; 3]), Level::P95), None);
        assert_eq!(score(&Tally::Games([1, 1, 0]), Level::P95).unwrap().interval, Interval::UNIT);
        let wins = score(&Tally::Games([0, 0, 20]), Level::P95).unwrap();
        assert!((wins.interval.low - Proportion::new(20, 20).unwrap().clopper_pearson(Level::P95).low).abs() < 1e-12);
        assert_eq!((wins.value, wins.interval.high), (1.0, 1.0));
        let draws = score(&Tally::Games([0, 20, 0]), Level::P95).unwrap();
        assert!((draws.interval.low + draws.interval.high - 1.0).abs() < 1e-15 && draws.interval.radius() < 0.1);
        assert!(score(&Tally::Games([0, 1, 0]), Level::P95).unwrap().interval.radius() > 0.45);
        assert_eq!(decisive(&Tally::Games([0, 20, 0])).unwrap().rate(), None);
    }

    /// 4000 matches of 80 games, win .3, draw .4: the interval should hold the true score .5 in 95 % of them. The standard error
    /// of that share is .34 %; the bounds are 4 of them, and the seed is fixed.
    #[test]
    fn intervals_cover() {
        let mut rng = Seed::new(11).rng();
        let mut held = 0;
        for _ in 0..4000 {
            let mut counts = [0; 3];
            (0..80).for_each(|_| counts[[0, 0, 0, 1, 1, 1, 1, 2, 2, 2][rng.below(10)]] += 1);
            held += u32::from(score(&Tally::Games(counts), Level::P95).unwrap().interval.contains(0.5));
        }
        let share = f64::from(held) / 4000.0;
        assert!((share - 0.95).abs() < 4.0 * 0.0034, "{share}");
    }
}
