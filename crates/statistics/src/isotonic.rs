//! Rates that only rise, or rise and then fall: the likeliest such rates, and whether the games contradict them.

use yomi_core::{Rng, Seed};

use super::binomial::Proportion;

/// The rising sequence nearest to `values` (weighted least squares), which is also the likeliest rising sequence of rates: pool adjacent
/// violators.
pub fn rising(values: &[f64], weights: &[f64]) -> Vec<f64> {
    // Blocks of equal values: their mean, their weight, their length.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&value, &weight) in values.iter().zip(weights) {
        blocks.push((value, weight, 1));
        while let [.., (a, u, m), (b, v, n)] = blocks[..]
            && a > b
        {
            blocks.truncate(blocks.len() - 2);
            let total = u + v;
            let mean = if total > 0.0 { (a * u + b * v) / total } else { a.midpoint(b) };
            blocks.push((mean, total, m + n));
        }
    }
    blocks.into_iter().flat_map(|(value, _, length)| std::iter::repeat_n(value, length)).collect()
}

/// The same for a falling sequence.
pub fn falling(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let turned: Vec<f64> = values.iter().map(|x| -x).collect();
    rising(&turned, weights).into_iter().map(|x| -x).collect()
}

/// A shape that rates can have along their rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// They never fall.
    Rising,
    /// They never fall before some row, and never rise after it.
    OnePeak,
}

impl Shape {
    /// The likeliest rates of this shape.
    pub fn fit(self, rows: &[Proportion]) -> Vec<f64> {
        let weights: Vec<f64> = rows.iter().map(|row| row.trials() as f64).collect();
        let rates: Vec<f64> = rows.iter().map(|row| row.rate().unwrap_or(0.5)).collect();
        match self {
            Shape::Rising => rising(&rates, &weights),
            Shape::OnePeak => {
                let fits = (0..rows.len()).map(|peak| {
                    let (up, down) =
                        (rising(&rates[..peak], &weights[..peak]), falling(&rates[peak..], &weights[peak..]));
                    [up, down].concat()
                });
                let likeliest = fits.max_by(|a, b| log_likelihood(rows, a).total_cmp(&log_likelihood(rows, b)));
                likeliest.unwrap_or_default()
            }
        }
    }

    /// How much more likely the games are under the rates they had than under the likeliest rates of this shape: twice the difference of
    /// the log-likelihoods. Zero if they have the shape.
    pub fn departure(self, rows: &[Proportion]) -> f64 {
        let free: Vec<f64> = rows.iter().map(|row| row.rate().unwrap_or(0.5)).collect();
        (2.0 * (log_likelihood(rows, &free) - log_likelihood(rows, &self.fit(rows)))).max(0.0)
    }

    /// How often games depart from this shape at least as far when the likeliest rates of the shape are the true ones: a parametric
    /// bootstrap of `draws` tables, by a fixed seed.
    pub fn p_value(self, rows: &[Proportion], draws: u32) -> f64 {
        let departure = self.departure(rows);
        if departure <= 1e-12 {
            return 1.0;
        }
        let fitted = self.fit(rows);
        let mut rng = Seed::new(1).branch("isotonic", 0).rng();
        let as_far = (0..draws).filter(|_| {
            let again: Vec<Proportion> =
                rows.iter().zip(&fitted).map(|(row, &p)| draw(row.trials(), p, &mut rng)).collect();
            self.departure(&again) >= departure
        });
        (as_far.count() as f64 + 1.0) / (f64::from(draws) + 1.0)
    }
}

/// `Σ w·ln p + (n - w)·ln(1 - p)`; what cannot happen and did not counts nothing.
fn log_likelihood(rows: &[Proportion], rates: &[f64]) -> f64 {
    let term = |count: u64, p: f64| if count == 0 { 0.0 } else { count as f64 * p.max(1e-300).ln() };
    rows.iter().zip(rates).map(|(row, &p)| term(row.successes(), p) + term(row.failures(), 1.0 - p)).sum()
}

/// Games drawn at a rate: a normal approximation where there are hundreds, game by game below.
pub fn draw(trials: u64, p: f64, rng: &mut Rng) -> Proportion {
    let p = p.clamp(0.0, 1.0);
    let successes = if trials as f64 * p * (1.0 - p) > 100.0 {
        let deviation = (trials as f64 * p * (1.0 - p)).sqrt();
        (trials as f64 * p + deviation * normal(rng)).round().clamp(0.0, trials as f64) as u64
    } else {
        (0..trials.min(1_000_000)).filter(|_| f64::from(rng.unit()) < p).count() as u64
    };
    Proportion::new(successes.min(trials), trials).unwrap_or_default()
}

/// A standard normal number (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let (u, v) = (1.0 - f64::from(rng.unit()), f64::from(rng.unit()));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(k: u64, n: u64) -> Proportion {
        Proportion::new(k, n).unwrap()
    }

    #[test]
    fn neighbours_in_the_wrong_order_are_pooled() {
        assert_eq!(rising(&[1.0, 3.0, 2.0, 4.0], &[1.0; 4]), [1.0, 2.5, 2.5, 4.0]);
        assert_eq!(rising(&[3.0, 1.0], &[1.0, 3.0]), [1.5, 1.5]);
        assert_eq!(falling(&[1.0, 3.0, 2.0], &[1.0; 3]), [2.0; 3]);
        assert_eq!(Shape::OnePeak.fit(&[of(1, 10), of(5, 10), of(3, 10)]), [0.1, 0.5, 0.3]);
        assert_eq!(Shape::OnePeak.fit(&[]), [0.0; 0]);
    }

    /// Tables of the shape depart from it by nothing; a deep valley departs from one peak, and a clear fall from rising.
    #[test]
    fn departures() {
        let peak = [of(57, 100), of(68, 100), of(60, 100)];
        assert_eq!((Shape::OnePeak.departure(&peak), Shape::OnePeak.p_value(&peak, 99)), (0.0, 1.0));
        let valley = [of(80, 100), of(40, 100), of(80, 100)];
        assert!(Shape::OnePeak.p_value(&valley, 199) <= 0.005);
        assert!(Shape::Rising.p_value(&[of(80, 100), of(40, 100)], 199) <= 0.005);
        assert!(Shape::Rising.p_value(&[of(52, 100), of(50, 100)], 199) > 0.2);
    }

    /// Under rates that are all alike the p-value is below 5 % in at most about 5 % of tables: of 200 tables by fixed seeds the count is
    /// below 20 with probability 0.999 if the level holds.
    #[test]
    fn the_level_holds() {
        let mut rng = Seed::new(5).rng();
        let rejected = (0..200).filter(|_| {
            let rows: Vec<Proportion> = (0..4).map(|_| draw(60, 0.5, &mut rng)).collect();
            Shape::Rising.p_value(&rows, 99) < 0.05
        });
        assert!(rejected.count() < 20);
    }

    proptest! {
        /// The fit rises, keeps the weighted mean, and no rising sequence is nearer (the inequality of projections on a cone).
        #[test]
        fn pooled_values_are_the_nearest_rising_ones(
            values in prop::collection::vec(-1.0..1.0f64, 1..10), weights in prop::collection::vec(0.1..9.0f64, 10), other in prop::collection::vec(-1.0..1.0f64, 10),
        ) {
            let weights = &weights[..values.len()];
            let fit = rising(&values, weights);
            prop_assert!(fit.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
            let mean = |x: &[f64]| x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
            prop_assert!((mean(&fit) - mean(&values)).abs() < 1e-9);
            let mut other = other[..values.len()].to_vec();
            other.sort_by(f64::total_cmp);
            let distance = |x: &[f64]| x.iter().zip(&values).zip(weights).map(|((x, v), w)| w * (x - v) * (x - v)).sum::<f64>();
            prop_assert!(distance(&fit) <= distance(&other) + 1e-9);
        }
    }
}
