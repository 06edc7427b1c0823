//! A local quadratic model of the log-odds of winning, and where its top lies (after CLOP, Coulom 2012).
//!
//! The log-odds are a quadratic in the coordinates, fitted by penalised maximum likelihood. Where the whole range is no parabola only the
//! part around the top is fitted: a game counts `min(1, exp((q(x) - m)/H))`, m being the weighted mean of q, so that the model becomes local
//! by itself as games come in.

use yomi_core::{Rng, Seed};

use crate::statistics::Interval;
use crate::statistics::cholesky::Cholesky;

/// A game: where it was played, and its points (1, 0.5 or 0).
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Coordinates from -1 to 1.
    pub point: Vec<f64>,
    /// Points.
    pub score: f64,
}

/// How many log-odds below the mean a game counts e times less: CLOP's H.
const LOCALITY: f64 = 3.0;
/// Weak knowledge before the first game: log-odds and their slopes are of the order of two.
const PRECISION: f64 = 0.25;
/// How often the weights are renewed.
const ROUNDS: usize = 20;

/// The model.
#[derive(Clone, PartialEq, Debug)]
pub struct Quadratic {
    dimensions: usize,
    coefficients: Vec<f64>,
    /// The covariance of the coefficients, row by row.
    covariance: Vec<f64>,
    /// The weighted mean of q over the games: where weights begin to fall.
    mean: f64,
}

/// `1, x_i, x_i·x_j`.
fn features(point: &[f64]) -> Vec<f64> {
    let mut features = vec![1.0];
    features.extend(point);
    for (i, x) in point.iter().enumerate() {
        features.extend(point[i..].iter().map(|y| x * y));
    }
    features
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Quadratic {
    /// The model of these games; flat without any.
    pub fn fit(samples: &[Sample], dimensions: usize) -> Quadratic {
        let rows: Vec<(Vec<f64>, f64)> = samples.iter().map(|sample| (features(&sample.point), sample.score)).collect();
        let mut weights = vec![1.0; rows.len()];
        let mut model = Quadratic::weighted(&rows, &weights, dimensions);
        for _ in 0..ROUNDS {
            let values: Vec<f64> = rows.iter().map(|(row, _)| dot(row, &model.coefficients)).collect();
            let total: f64 = weights.iter().sum();
            let mean = if total > 0.0 { dot(&values, &weights) / total } else { 0.0 };
            let renewed: Vec<f64> = values.iter().map(|q| ((q - mean) / LOCALITY).exp().min(1.0)).collect();
            let moved = renewed.iter().zip(&weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            weights = renewed;
            model = Quadratic { mean, ..Quadratic::weighted(&rows, &weights, dimensions) };
            if moved < 1e-4 {
                break;
            }
        }
        model
    }

    /// Penalised maximum likelihood by Newton's method.
    fn weighted(rows: &[(Vec<f64>, f64)], weights: &[f64], dimensions: usize) -> Quadratic {
        let n = features(&vec![0.0; dimensions]).len();
        let mut coefficients = vec![0.0; n];
        let mut covariance = vec![0.0; n * n];
        for _ in 0..50 {
            let mut gradient: Vec<f64> = coefficients.iter().map(|c| -PRECISION * c).collect();
            let mut hessian = vec![0.0; n * n];
            (0..n).for_each(|i| hessian[i * n + i] = PRECISION);
            for ((row, score), weight) in rows.iter().zip(weights) {
                let p = logistic(dot(row, &coefficients));
                for i in 0..n {
                    gradient[i] += weight * (score - p) * row[i];
                    for j in 0..n {
                        hessian[i * n + j] += weight * p * (1.0 - p) * row[i] * row[j];
                    }
                }
            }
            let Some(factor) = Cholesky::factor(hessian, n) else { break };
            let mut step = gradient;
            factor.solve(&mut step);
            // The likelihood is concave; a step is only too long where hardly anything is known.
            let longest = step.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let scale = if longest > 2.0 { 2.0 / longest } else { 1.0 };
            coefficients.iter_mut().zip(&step).for_each(|(c, s)| *c += scale * s);
            covariance = factor.inverse();
            if longest < 1e-9 {
                break;
            }
        }
        Quadratic { dimensions, coefficients, covariance, mean: 0.0 }
    }

    /// The log-odds at a point.
    pub fn at(&self, point: &[f64]) -> f64 {
        dot(&features(point), &self.coefficients)
    }

    /// The win rate at a point and its 95 % interval.
    pub fn rate(&self, point: &[f64]) -> (f64, Interval) {
        let row = features(point);
        let n = row.len();
        let variance: f64 = (0..n).map(|i| row[i] * dot(&self.covariance[i * n..(i + 1) * n], &row)).sum();
        let (q, reach) = (dot(&row, &self.coefficients), 1.96 * variance.max(0.0).sqrt());
        (logistic(q), Interval { low: logistic(q - reach), high: logistic(q + reach) })
    }

    /// How much a game at this point would count: where the next ones are to be drawn.
    pub fn weight(&self, point: &[f64]) -> f64 {
        ((self.at(point) - self.mean) / LOCALITY).exp().min(1.0)
    }

    /// The highest point of the range.
    pub fn top(&self) -> Vec<f64> {
        highest(&self.coefficients, self.dimensions)
    }

    /// Where the top probably lies: for each coordinate the middle 95 % of the tops of models drawn by the likelihood, by a fixed seed.
    pub fn region(&self, draws: usize) -> Vec<Interval> {
        let n = self.coefficients.len();
        let mut rng = Seed::new(1).branch("tune region", 0).rng();
        let Some(root) = Cholesky::factor(self.covariance.clone(), n) else {
            return vec![Interval { low: -1.0, high: 1.0 }; self.dimensions];
        };
        let mut tops: Vec<Vec<f64>> = vec![Vec::new(); self.dimensions];
        for _ in 0..draws {
            let noise: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
            let drawn: Vec<f64> = self.coefficients.iter().zip(root.spread(&noise)).map(|(c, d)| c + d).collect();
            for (all, x) in tops.iter_mut().zip(highest(&drawn, self.dimensions)) {
                all.push(x);
            }
        }
        let middle = |mut all: Vec<f64>| {
            all.sort_by(f64::total_cmp);
            let at = |share: f64| all.get(((all.len() - 1) as f64 * share).round() as usize).copied().unwrap_or(0.0);
            Interval { low: at(0.025), high: at(0.975) }
        };
        tops.into_iter().map(middle).collect()
    }
}

/// The highest point of a quadratic in the cube: coordinate by coordinate from several starts, each step exact.
fn highest(coefficients: &[f64], dimensions: usize) -> Vec<f64> {
    let value = |point: &[f64]| dot(&features(point), coefficients);
    let starts = [0.0, -0.9, 0.9].map(|x| vec![x; dimensions]);
    let climbed = starts.into_iter().map(|mut point| {
        for _ in 0..100 {
            let before = point.clone();
            for i in 0..dimensions {
                point[i] = best_along(&point, i, &value);
            }
            if point.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-9) {
                break;
            }
        }
        point
    });
    climbed.max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or_default()
}

/// The best value of one coordinate from -1 to 1: a parabola through three points.
fn best_along(point: &[f64], i: usize, value: &dyn Fn(&[f64]) -> f64) -> f64 {
    let at = |x: f64| {
        let mut moved = point.to_vec();
        moved[i] = x;
        value(&moved)
    };
    let (left, middle, right) = (at(-1.0), at(0.0), at(1.0));
    let (linear, square) = ((right - left) / 2.0, (right + left) / 2.0 - middle);
    if square < -1e-12 {
        (-linear / (2.0 * square)).clamp(-1.0, 1.0)
    } else if right > left {
        1.0
    } else {
        -1.0
    }
}

/// A standard normal number (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let (u, v) = (1.0 - f64::from(rng.unit()), f64::from(rng.unit()));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games whose log-odds are `1 - 4·Σ (x - x*)²`, at uniform points.
    fn games(top: &[f64], count: usize, seed: u64) -> Vec<Sample> {
        let mut rng = Seed::new(seed).rng();
        let game = |_| {
            let point: Vec<f64> = top.iter().map(|_| 2.0 * f64::from(rng.unit()) - 1.0).collect();
            let far: f64 = point.iter().zip(top).map(|(x, t)| (x - t) * (x - t)).sum();
            let won = f64::from(rng.unit()) < logistic(1.0 - 4.0 * far);
            Sample { point, score: f64::from(u8::from(won)) }
        };
        (0..count).map(game).collect()
    }

    #[test]
    fn the_top_of_a_parabola_is_found() {
        let model = Quadratic::fit(&games(&[0.3, -0.4], 4000, 7), 2);
        let top = model.top();
        assert!((top[0] - 0.3).abs() < 0.1 && (top[1] + 0.4).abs() < 0.1, "{top:?}");
        let (rate, interval) = model.rate(&[0.3, -0.4]);
        assert!((rate - logistic(1.0)).abs() < 0.05 && interval.contains(logistic(1.0)), "{rate} {interval:?}");
    }

    /// Intervals of 95 % hold the truth in about 95 % of 60 runs: at least 50 with probability above 0.999.
    #[test]
    fn the_region_covers_the_truth() {
        let covered =
            (0..60).filter(|&seed| Quadratic::fit(&games(&[0.25], 600, seed), 1).region(200)[0].contains(0.25));
        let covered = covered.count();
        assert!(covered >= 50, "{covered}");
    }

    #[test]
    fn without_games_or_without_a_top_it_says_so_by_its_region() {
        let flat = Quadratic::fit(&[], 1);
        assert_eq!(flat.rate(&[0.5]).0, 0.5);
        let region = flat.region(200);
        assert!(region[0].low < -0.9 && region[0].high > 0.9, "{region:?}");
        // More is better: the top is the end of the range.
        let rising: Vec<Sample> = (0..400)
            .map(|i| {
                let x = f64::from(i % 20) / 10.0 - 0.95;
                Sample { point: vec![x], score: f64::from(u8::from(f64::from(i / 20) / 20.0 < 0.5 + 0.4 * x)) }
            })
            .collect();
        assert!(Quadratic::fit(&rising, 1).top()[0] > 0.95);
    }
}
