//! Games that are not independent: those of one opening, and games that are the same.
//!
//! Two games from one opening are more alike than two games from different ones, and identical games are one game counted twice. Rao and
//! Scott (1992) divide the counts of such a row by its design effect, the ratio of the true variance of its rate to that of
//! independent games; everything that is known about proportions then holds for what is left.

use std::collections::BTreeMap;

use super::binomial::Proportion;
use super::interval::{Estimate, Interval, Level};

/// Results in clusters: the games of one opening are one cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Clusters {
    /// Half points and half games of each cluster: a draw is half of both sides, or nothing.
    cells: BTreeMap<String, [f64; 2]>,
}

impl Clusters {
    /// Counts a game of a cluster: its points out of what it counts (1 and 1 for a win, 0.5 and 1 for a draw that is half a win).
    pub fn add(&mut self, cluster: &str, points: f64, weight: f64) {
        let cell = self.cells.entry(cluster.to_string()).or_default();
        *cell = [cell[0] + points, cell[1] + weight];
    }

    /// How many clusters there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Points out of games.
    fn totals(&self) -> [f64; 2] {
        self.cells.values().fold([0.0; 2], |sum, cell| [sum[0] + cell[0], sum[1] + cell[1]])
    }

    /// The variance of the rate, the clusters being drawn at random: `C/(C-1)·Σ (points - rate·games)²/N²`. None of fewer than two.
    pub fn variance(&self) -> Option<f64> {
        let ([points, games], clusters) =
            (self.totals(), self.cells.values().filter(|cell| cell[1] > 0.0).count() as f64);
        if clusters < 2.0 || games == 0.0 {
            return None;
        }
        let rate = points / games;
        let squares: f64 = self.cells.values().map(|cell| (cell[0] - rate * cell[1]).powi(2)).sum();
        Some(clusters / (clusters - 1.0) * squares / (games * games))
    }

    /// The variance of the rate over that of as many independent games; at least 1, so that nothing looks surer than it would without
    /// clusters. 1 where the rate leaves nothing to vary; as many as there are games where all are of one cluster.
    pub fn design_effect(&self) -> f64 {
        let [points, games] = self.totals();
        if games == 0.0 {
            return 1.0;
        }
        let rate = points / games;
        match self.variance() {
            None => games.max(1.0),
            Some(variance) if rate > 0.0 && rate < 1.0 => (variance * games / (rate * (1.0 - rate))).max(1.0),
            // All won or all lost: as many independent games as there are clusters, at most.
            Some(_) => (games / self.len() as f64).max(1.0),
        }
    }

    /// The rate of all games with Clopper and Pearson's interval for as many independent games as they are worth. Their points need not be a
    /// whole number; the interval then lies between those of the two next to it. None if nothing is known. S2.7
    pub fn estimate(&self, level: Level) -> Option<Estimate> {
        let ([points, games], trials) = (self.totals(), self.effective().trials());
        if trials == 0 {
            return None;
        }
        let value = points / games;
        let sure = value * trials as f64;
        let exact =
            |successes: f64| Proportion::new(successes as u64, trials).unwrap_or_default().clopper_pearson(level);
        let (below, above) = (exact(sure.floor()), exact(sure.ceil()));
        let between = |below: f64, above: f64| below + sure.fract() * (above - below);
        let interval = Interval { low: between(below.low, above.low), high: between(below.high, above.high) };
        Some(Estimate { value, interval })
    }

    /// The row as a number of independent games: counts divided by the design effect.
    pub fn effective(&self) -> Proportion {
        let [points, games] = self.totals();
        let trials = (games / self.design_effect() + 1e-9).floor();
        let rate = if games > 0.0 { points / games } else { 0.0 };
        Proportion::new((rate * trials).round() as u64, trials as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(cells: &[(f64, f64)]) -> Clusters {
        let mut clusters = Clusters::default();
        cells.iter().enumerate().for_each(|(i, &(points, games))| clusters.add(&i.to_string(), points, games));
        clusters
    }

    /// Every game four times: a quarter of the games is left.
    #[test]
    fn copies_count_once() {
        let cells: Vec<(f64, f64)> = (0..100).map(|i| if i % 2 == 0 { (4.0, 4.0) } else { (0.0, 4.0) }).collect();
        let copied = clusters(&cells);
        assert!((copied.design_effect() - 4.0 * 100.0 / 99.0).abs() < 1e-9, "{}", copied.design_effect());
        assert_eq!(copied.effective().trials(), 99);
        let alone: Vec<(f64, f64)> = (0..400).map(|i| if i % 2 == 0 { (1.0, 1.0) } else { (0.0, 1.0) }).collect();
        assert_eq!(clusters(&alone).effective().trials(), 399);
        let one = clusters(&[(30.0, 40.0)]);
        assert_eq!((one.effective().trials(), one.variance()), (1, None));
        assert_eq!(Clusters::default().effective(), Proportion::default());
    }

    /// The rate is that of all games, and its interval contains it, however few games they are worth.
    #[test]
    fn points_between_whole_numbers() {
        // Four of five games of one opening: one game, of which nothing is sure.
        let few = clusters(&[(4.0, 5.0)]).estimate(Level::P95).unwrap();
        assert_eq!(few.value, 0.8);
        assert!(few.interval.low < 0.05 && few.interval.high > 0.95, "{few:?}");
        for halves in 0..=40_u32 {
            let points = f64::from(halves) / 2.0;
            let row = clusters(&(0..20).map(|i| ((points - f64::from(i)).clamp(0.0, 1.0), 1.0)).collect::<Vec<_>>());
            let Estimate { value, interval } = row.estimate(Level::P95).unwrap();
            assert!(
                (value - points / 20.0).abs() < 1e-12 && interval.low <= value && value <= interval.high,
                "{halves}"
            );
            let (trials, sure) = (row.effective().trials(), value * row.effective().trials() as f64);
            if sure == sure.round() {
                assert_eq!(interval, Proportion::new(sure as u64, trials).unwrap().clopper_pearson(Level::P95));
            }
        }
        assert!(Clusters::default().estimate(Level::P95).is_none());
    }

    /// Pairs in which both colours win once each vary less than independent games; that is not made use of.
    #[test]
    fn it_never_makes_a_row_surer() {
        let balanced = clusters(&[(1.0, 2.0), (1.0, 2.0), (2.0, 2.0), (1.0, 2.0)]);
        assert_eq!((balanced.design_effect(), balanced.effective().trials()), (1.0, 8));
        let won = clusters(&[(2.0, 2.0), (2.0, 2.0)]);
        assert_eq!(won.effective(), Proportion::new(2, 2).unwrap());
    }
}
