//! Successes out of trials: the exact test against a given rate, and intervals for the rate. S2.7

use yomi_core::TextError;

use super::distributions::bisect;
use super::exact::Peaked;
use super::interval::{Interval, Level};
use super::tally::MAX_GAMES;

/// A number of successes out of a number of trials.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proportion {
    successes: u64,
    trials: u64,
}

impl Proportion {
    /// `successes` out of `trials`, which must not be fewer.
    pub fn new(successes: u64, trials: u64) -> Result<Proportion, TextError> {
        if successes > trials {
            return Err(TextError::new(format!("{successes} successes out of {trials} trials are not possible")));
        }
        if trials > MAX_GAMES {
            return Err(TextError::new(format!("more than {MAX_GAMES} trials are taken for a mistake")));
        }
        Ok(Proportion { successes, trials })
    }

    /// How many succeeded.
    pub fn successes(self) -> u64 {
        self.successes
    }

    /// Out of how many.
    pub fn trials(self) -> u64 {
        self.trials
    }

    /// How many failed.
    pub fn failures(self) -> u64 {
        self.trials - self.successes
    }

    /// The share of successes, if there were trials.
    pub fn rate(self) -> Option<f64> {
        (self.trials > 0).then(|| self.successes as f64 / self.trials as f64)
    }

    /// The exact two-sided binomial test: how often a true rate `p` gives a result at most as likely as this one. S2.7
    pub fn exact_test(self, p: f64) -> f64 {
        binomial(self.trials, p).as_unlikely_as(self.successes)
    }

    /// Clopper and Pearson's interval: all rates that neither one-sided exact test rejects. Never too short. S2.7
    pub fn clopper_pearson(self, level: Level) -> Interval {
        let Proportion { successes: k, trials: n } = self;
        let tail = level.alpha() / 2.0;
        let low = if k == 0 { 0.0 } else { bisect(0.0, 1.0, |p| binomial(n, p).at_least(k) < tail) };
        let high = if k == n { 1.0 } else { bisect(0.0, 1.0, |p| binomial(n, p).at_most(k) > tail) };
        Interval { low, high }
    }

    /// Wilson's interval: all rates from which the observed one is at most z standard errors away. Right on average.
    pub fn wilson(self, level: Level) -> Interval {
        let Some(rate) = self.rate() else { return Interval::UNIT };
        let (n, z2) = (self.trials as f64, level.z().powi(2));
        let center = rate + z2 / (2.0 * n);
        let radius = (z2 * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n))).sqrt();
        let mut interval = Interval::around(center, radius).map(|end| end / (1.0 + z2 / n)).within_unit();
        // The formula is exact here; its arithmetic is not.
        if self.successes == 0 {
            interval.low = 0.0;
        }
        if self.failures() == 0 {
            interval.high = 1.0;
        }
        interval
    }
}

/// The distribution of successes in `n` trials of rate `p`.
pub(crate) fn binomial(n: u64, p: f64) -> Peaked<impl Fn(u64) -> f64> {
    let p = p.clamp(0.0, 1.0);
    let odds = p / (1.0 - p);
    let peak = (((n + 1) as f64 * p) as u64).min(n);
    // At the ends of p all probability sits on one outcome.
    let (low, high) = if p == 0.0 { (0, 0) } else { (if p == 1.0 { n } else { 0 }, n) };
    Peaked { low, high, peak, ratio: move |i| odds * ((n - i) as f64 / (i + 1) as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Beta, Binomial, ContinuousCDF, Discrete};

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    /// The table of S2.7: wins out of 1000, the p-value and the interval as printed.
    #[test]
    fn reproduces_the_table_of_the_paper() {
        let rows = [
            (513, 0.429, 0.482, 0.544),
            (266 + 253, 0.242, 0.488, 0.550),
            (239 + 252, 0.591, 0.460, 0.522),
            (264 + 259, 0.155, 0.492, 0.554),
            (277 + 263, 0.012, 0.509, 0.571),
        ];
        let rounded = |x: f64| (x * 1000.0).round() / 1000.0;
        for (wins, p, low, high) in rows {
            let row = of(wins, 1000);
            assert_eq!(rounded(row.exact_test(0.5)), p, "{wins}");
            for interval in [row.clopper_pearson(Level::P95), row.wilson(Level::P95)] {
                assert_eq!((rounded(interval.low), rounded(interval.high)), (low, high), "{wins} {interval}");
            }
        }
        let best = of(540, 1000);
        assert!((best.exact_test(0.5) - 0.01244).abs() < 5e-6);
        assert_eq!(format!("{:.5}", best.clopper_pearson(Level::P95)), "[0.50853, 0.57123]");
        assert_eq!(format!("{:.5}", best.wilson(Level::P95)), "[0.50902, 0.57068]");
    }

    #[test]
    fn degenerate_counts_have_sane_answers() {
        let none = of(0, 0);
        assert_eq!((none.rate(), none.exact_test(0.5)), (None, 1.0));
        assert_eq!((none.clopper_pearson(Level::P95), none.wilson(Level::P95)), (Interval::UNIT, Interval::UNIT));
        assert_eq!((of(0, 9).exact_test(0.0), of(1, 9).exact_test(0.0), of(9, 9).exact_test(1.0)), (1.0, 0.0, 1.0));
        assert_eq!(of(8, 9).exact_test(1.0), 0.0);
        // All wins: the bound solves low^n = α/2.
        let all = of(20, 20).clopper_pearson(Level::P95);
        assert!((all.low - 0.025f64.powf(1.0 / 20.0)).abs() < 1e-14 && all.high == 1.0);
        assert!(Proportion::new(2, 1).is_err());
        assert!(Proportion::new(1, u64::MAX).is_err());
        // A thousand million games still take no time, and a hopeless result is a clean zero.
        let many = of(MAX_GAMES / 2 + 40_000, MAX_GAMES);
        assert!((many.exact_test(0.5) - 0.011_413_064_87).abs() < 1e-11, "{}", many.exact_test(0.5));
        assert!(many.clopper_pearson(Level::P95).contains(0.50004));
        assert_eq!(of(MAX_GAMES, MAX_GAMES).exact_test(0.5), 0.0);
        let rare = of(1, MAX_GAMES).clopper_pearson(Level::P95);
        assert!(
            (rare.low * 1e9 - 0.025_317_8).abs() < 1e-6 && (rare.high * 1e9 - 5.571_643_4).abs() < 1e-6,
            "{rare:?}"
        );
    }

    /// The slow twin: every probability from the factorials of `statrs`.
    fn slow_test(k: u64, n: u64, p: f64) -> f64 {
        let pmf = |i| Binomial::new(p, n).unwrap().pmf(i);
        (0..=n).map(pmf).filter(|&q| q <= pmf(k) * (1.0 + 1e-7)).sum()
    }

    /// Clopper-Pearson covers at least as often as it says for every rate; Wilson does so on average. Coverage is summed exactly,
    /// so there is no chance in this test.
    #[test]
    fn intervals_cover() {
        let n = 60;
        let intervals: Vec<_> =
            (0..=n).map(|k| (of(k, n).clopper_pearson(Level::P95), of(k, n).wilson(Level::P95))).collect();
        let (mut sum, mut rates) = (0.0, 0.0);
        for p in (1..400).map(|i| f64::from(i) / 400.0) {
            let (mut exact, mut wilson) = (0.0, 0.0);
            binomial(n, p).for_each(|k, share| {
                exact += if intervals[k as usize].0.contains(p) { share } else { 0.0 };
                wilson += if intervals[k as usize].1.contains(p) { share } else { 0.0 };
            });
            assert!(exact >= 0.95 - 1e-9, "{p}: {exact}");
            assert!(wilson > 0.83, "{p}: {wilson}");
            sum += wilson;
            rates += 1.0;
        }
        assert!((sum / rates - 0.95_f64).abs() < 0.006, "{}", sum / rates);
    }

    proptest! {
        #[test]
        fn agrees_with_the_slow_twin(n in 0u64..300, share in 0.0..1.0f64, p in 0.01..0.99f64) {
            let k = (share * (n + 1) as f64) as u64;
            let (fast, slow) = (of(k, n).exact_test(p), slow_test(k, n, p));
            prop_assert!((fast - slow).abs() <= 1e-8 * slow + 1e-290, "{fast} {slow}");
        }

        /// The ends of Clopper and Pearson's interval are quantiles of beta distributions.
        #[test]
        fn clopper_pearson_is_beta(n in 1u64..2000, share in 0.0..1.0f64, level in 0.5..0.999f64) {
            let k = (share * (n + 1) as f64) as u64;
            let interval = of(k, n).clopper_pearson(Level::new(level).unwrap());
            let tail = (1.0 - level) / 2.0;
            if k > 0 {
                let below = Beta::new(k as f64, (n - k + 1) as f64).unwrap().cdf(interval.low);
                prop_assert!((below - tail).abs() < 1e-9, "{below} {tail}");
            }
            if k < n {
                let below = Beta::new((k + 1) as f64, (n - k) as f64).unwrap().cdf(interval.high);
                prop_assert!((below - (1.0 - tail)).abs() < 1e-9, "{below} {tail}");
            }
        }

        #[test]
        fn mirrored(n in 0u64..500, share in 0.0..1.0f64, p in 0.05..0.95f64) {
            let k = (share * (n + 1) as f64) as u64;
            let (a, b) = (of(k, n), of(n - k, n));
            prop_assert!((a.exact_test(p) - b.exact_test(1.0 - p)).abs() < 1e-9);
            for (x, y) in [(a.wilson(Level::P95), b.wilson(Level::P95)), (a.clopper_pearson(Level::P95), b.clopper_pearson(Level::P95))] {
                prop_assert!((x.low - (1.0 - y.high)).abs() < 1e-12 && (x.high - (1.0 - y.low)).abs() < 1e-12);
            }
        }

        /// More wins move both ends up; the wider level holds the narrower interval.
        #[test]
        fn monotone(n in 1u64..500, share in 0.0..1.0f64) {
            let k = (share * n as f64) as u64;
            let wide = Level::new(0.99).unwrap();
            for pick in [Proportion::wilson, Proportion::clopper_pearson] {
                let (a, b, c) = (pick(of(k, n), Level::P95), pick(of(k + 1, n), Level::P95), pick(of(k, n), wide));
                prop_assert!(a.low <= b.low && a.high <= b.high && c.low <= a.low && c.high >= a.high);
            }
        }
    }
}
