//! The mean over repeated runs, each with games of its own: a learner is run with several seeds, and what it has learned plays a match.
//!
//! The question is about the learner, not about one of its runs, so the unit is the run: games of one run share its luck.

use super::interval::{Estimate, Interval, Level};
use super::score::score;
use super::tally::Tally;

/// The mean of the runs' scores μ_i, with μ ± t_{n-1}·√(v/n), v the variance of the μ_i. That holds the luck of runs and of games; few runs
/// may agree by chance, so v/n is at least what the games alone leave open. None of fewer than two runs, or where one has no games.
pub fn mean_of_runs(runs: &[Tally], level: Level) -> Option<Estimate> {
    if runs.len() < 2 {
        return None;
    }
    let n = runs.len() as f64;
    let scores: Vec<Estimate> = runs.iter().map(|run| score(run, level)).collect::<Option<_>>()?;
    let mean = scores.iter().map(|run| run.value).sum::<f64>() / n;
    let between = scores.iter().map(|run| (run.value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = |run: &Tally, score: &Estimate| match run.shares().variance() {
        // All won or all lost: the interval begins at the end of the scale and reaches as far as it is wide.
        0.0 => 2.0 * score.interval.radius() / level.z(),
        _ => score.interval.radius() / level.reach(run.samples()),
    };
    let of_games = runs.iter().zip(&scores).map(|(run, score)| error(run, score).powi(2)).sum::<f64>() / n;
    let radius = level.reach(runs.len() as u64) * (between.max(of_games) / n).sqrt();
    Some(Estimate { value: mean, interval: Interval::around(mean, radius).within_unit() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    fn games(wins: u64, losses: u64) -> Tally {
        Tally::games(wins, 0, losses).unwrap()
    }

    #[test]
    fn runs_are_the_unit() {
        // Scores 0.6, 0.5, 0.7: mean 0.6, standard deviation 0.1, t_2 = 4.3027 at 95 %.
        let runs = [games(600, 400), games(500, 500), games(700, 300)];
        let found = mean_of_runs(&runs, Level::P95).unwrap();
        assert!((found.value - 0.6).abs() < 1e-12);
        assert!((found.interval.radius() - 4.3027 * 0.1 / 3.0_f64.sqrt()).abs() < 1e-4, "{}", found.interval.radius());
        // Pooled, three thousand games would claim eight times as much.
        let pooled = score(&games(1800, 1200), Level::P95).unwrap();
        assert!(found.interval.radius() > 8.0 * pooled.interval.radius());
        // Runs that agree by chance are no surer than their games.
        let alike = mean_of_runs(&[games(60, 40), games(60, 40)], Level::P95).unwrap();
        assert!(alike.interval.radius() > 12.0 * (0.24_f64 / 200.0).sqrt(), "{}", alike.interval.radius());
        assert!(mean_of_runs(&runs[..1], Level::P95).is_none());
        assert!(mean_of_runs(&[games(1, 0), games(0, 0)], Level::P95).is_none());
        let swept = mean_of_runs(&[games(10, 0); 3], Level::P95).unwrap();
        assert!(
            swept.value == 1.0 && swept.interval.low > 0.5 && swept.interval.low < 0.95 && swept.interval.high == 1.0
        );
    }

    /// The interval holds the learner's mean 95 times in a hundred where runs differ. 1,000 draws: six standard errors of a binomial count
    /// are 41.
    #[test]
    fn intervals_hold_what_they_promise() {
        let mut rng = Seed::new(17).rng();
        let held = (0..1000).filter(|_| {
            let runs: Vec<Tally> = (0..5)
                .map(|_| {
                    // The strength of a run lies 0.45 to 0.75 around 0.6.
                    let strength = 0.45 + 0.3 * rng.unit();
                    let wins = (0..200).filter(|_| rng.unit() < strength).count() as u64;
                    games(wins, 200 - wins)
                })
                .collect();
            mean_of_runs(&runs, Level::P95).unwrap().interval.contains(0.6)
        });
        let held = held.count();
        assert!((909..=991).contains(&held), "{held}");
    }
}
