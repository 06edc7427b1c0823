//! Two win rates compared: by how much do they differ, and is it more than luck?

use super::binomial::Proportion;
use super::distributions::normal_two_sided;
use super::fisher::fisher;
use super::interval::{Estimate, Interval, Level};
use super::table::Table;

/// Below this expected count the chi-square is left to Fisher's exact test.
pub const SMALL_CELL: f64 = 5.0;

/// How two rates were compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The chi-square test of a table of two by two.
    ChiSquare,
    /// The same with Yates's correction.
    Yates,
    /// Fisher's exact test.
    Fisher,
}

impl Method {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::ChiSquare => "chi2",
            Method::Yates => "chi2 (Yates)",
            Method::Fisher => "Fisher",
        }
    }
}

/// A comparison of two rates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// How it was made.
    pub method: Method,
    /// How often chance alone gives so great a difference.
    pub p: f64,
}

/// Compares two rates by chi-square, or by Fisher's test when a count below [`SMALL_CELL`] is expected.
pub fn compare(a: Proportion, b: Proportion, yates: bool) -> Comparison {
    let row = |x: Proportion| vec![x.successes(), x.failures()];
    // Too many games for a table are too many for a small cell as well; the proportions themselves were checked.
    let test = Table::new(vec![row(a), row(b)]).map(|table| table.chi_square(yates));
    match test {
        Ok(test) if test.least_expected >= SMALL_CELL => {
            Comparison { method: if yates { Method::Yates } else { Method::ChiSquare }, p: test.p }
        }
        _ => Comparison { method: Method::Fisher, p: fisher(a, b) },
    }
}

/// The two-proportion z test with the pooled rate; its square is the chi-square of the table. (z, two-sided p).
pub fn two_proportions(a: Proportion, b: Proportion) -> (f64, f64) {
    let (Some(rate_a), Some(rate_b)) = (a.rate(), b.rate()) else { return (0.0, 1.0) };
    let pooled = (a.successes() + b.successes()) as f64 / (a.trials() + b.trials()) as f64;
    let variance = pooled * (1.0 - pooled) * (1.0 / a.trials() as f64 + 1.0 / b.trials() as f64);
    let z = if variance == 0.0 { 0.0 } else { (rate_a - rate_b) / variance.sqrt() };
    (z, normal_two_sided(z))
}

/// The difference of two rates with Newcombe's interval, which is put together from both Wilson intervals. `None` if one had no trial.
pub fn difference(a: Proportion, b: Proportion, level: Level) -> Option<Estimate> {
    let (rate_a, rate_b) = (a.rate()?, b.rate()?);
    let (wilson_a, wilson_b) = (a.wilson(level), b.wilson(level));
    let value = rate_a - rate_b;
    let low = value - (rate_a - wilson_a.low).hypot(wilson_b.high - rate_b);
    let high = value + (wilson_a.high - rate_a).hypot(rate_b - wilson_b.low);
    Some(Estimate { value, interval: Interval { low, high } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    #[test]
    fn the_method_follows_the_counts() {
        assert_eq!(compare(of(124, 295), of(100, 294), false).method, Method::ChiSquare);
        assert_eq!(compare(of(124, 295), of(100, 294), true).method, Method::Yates);
        assert_eq!(compare(of(3, 4), of(1, 4), false).method, Method::Fisher);
        assert_eq!(compare(of(0, 0), of(0, 0), false).p, 1.0);
        assert_eq!(
            (difference(of(0, 0), of(1, 2), Level::P95), two_proportions(of(0, 0), of(1, 2))),
            (None, (0.0, 1.0))
        );
    }

    /// The example of Newcombe's paper (1998, method 10): 56/70 and 48/80 give 0.0524 to 0.3339.
    #[test]
    fn newcombe() {
        let ours = difference(of(56, 70), of(48, 80), Level::P95).unwrap();
        assert_eq!(format!("{:.4} {}", ours.value, ours.interval), "0.2000 [0.0524, 0.3339]");
    }

    proptest! {
        /// z² is the chi-square, swapping turns the sign, and a difference of nothing is inside the interval of equal rates.
        #[test]
        fn agree(n in 1u64..400, m in 1u64..400, x in 0.0..1.0f64, y in 0.0..1.0f64) {
            let (a, b) = (of((x * (n + 1) as f64) as u64, n), of((y * (m + 1) as f64) as u64, m));
            let (z, p) = two_proportions(a, b);
            let table = Table::new(vec![vec![a.successes(), a.failures()], vec![b.successes(), b.failures()]]).unwrap();
            let chi = table.chi_square(false);
            prop_assert!((z * z - chi.statistic).abs() < 1e-7 * (1.0 + chi.statistic), "{z} {chi:?}");
            prop_assert!((p - chi.p).abs() < 1e-7 || chi.freedom == 0);
            prop_assert!((two_proportions(b, a).0 + z).abs() < 1e-9);
            let (here, there) = (difference(a, b, Level::P95).unwrap(), difference(b, a, Level::P95).unwrap());
            prop_assert!((here.interval.low + there.interval.high).abs() < 1e-9);
            prop_assert!(here.interval.low >= -1.0 - 1e-9 && here.interval.high <= 1.0 + 1e-9);
            prop_assert!(difference(a, a, Level::P95).unwrap().interval.contains(0.0));
        }
    }
}
