//! Exact sums over a distribution that has one peak, known by the ratios of neighbouring probabilities.
//!
//! Binomial and hypergeometric distributions are of this kind. Probabilities are taken relative to the peak and multiplied up and
//! down from there until they vanish, so there are no factorials to lose digits in, and the work grows with the standard
//! deviation, not with the number of games.

/// Relative probabilities below this are taken for nothing.
const NOTHING: f64 = 1e-300;

/// Two probabilities this close, relatively, are taken for equal: as R and scipy do.
const TIE: f64 = 1e-7;

/// A distribution on `low..=high` with its peak at `peak`; `ratio(i)` is the probability of i+1 divided by that of i.
pub(crate) struct Peaked<F: Fn(u64) -> f64> {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) peak: u64,
    pub(crate) ratio: F,
}

impl<F: Fn(u64) -> f64> Peaked<F> {
    /// Calls `visit` with every outcome that is not nothing and its probability relative to the peak.
    fn walk(&self, mut visit: impl FnMut(u64, f64)) {
        let mut weight = 1.0;
        let mut i = self.peak;
        while weight > NOTHING {
            visit(i, weight);
            if i == self.high {
                break;
            }
            weight *= (self.ratio)(i);
            i += 1;
        }
        let mut weight = 1.0;
        let mut i = self.peak;
        while i > self.low {
            i -= 1;
            weight /= (self.ratio)(i);
            if weight <= NOTHING {
                break;
            }
            visit(i, weight);
        }
    }

    /// The probability of all outcomes that `choose` picks by their index and relative probability.
    fn probability(&self, choose: impl Fn(u64, f64) -> bool) -> f64 {
        let (mut chosen, mut all) = (0.0, 0.0);
        self.walk(|i, weight| {
            all += weight;
            if choose(i, weight) {
                chosen += weight;
            }
        });
        (chosen / all).min(1.0)
    }

    /// The probability of `k` or more.
    pub(crate) fn at_least(&self, k: u64) -> f64 {
        self.probability(|i, _| i >= k)
    }

    /// The probability of `k` or less.
    pub(crate) fn at_most(&self, k: u64) -> f64 {
        self.probability(|i, _| i <= k)
    }

    /// The probability of everything that is not likelier than `k`: the exact two-sided test.
    pub(crate) fn as_unlikely_as(&self, k: u64) -> f64 {
        let mut observed = 0.0;
        self.walk(|i, weight| {
            if i == k {
                observed = weight;
            }
        });
        self.probability(|_, weight| weight <= observed * (1.0 + TIE))
    }

    /// The probability of every outcome that is not nothing.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u64, f64)) {
        let mut all = 0.0;
        self.walk(|_, weight| all += weight);
        self.walk(|i, weight| visit(i, weight / all));
    }
}
