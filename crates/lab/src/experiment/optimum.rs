//! The top of a curve of win rates.

use yomi_core::Seed;

use crate::statistics::{Interval, Proportion};

/// Where a smooth curve through the points is highest.
#[derive(Clone, PartialEq, Debug)]
pub struct Optimum {
    /// The place.
    pub x: f64,
    /// Where it probably lies: the middle 95 % of what the fit gives for games drawn again.
    pub interval: Interval,
    /// Whether it lies between the least and the greatest value.
    pub inside: bool,
}

/// How often the games are drawn again for the interval.
const REDRAWN: u64 = 400;

/// Fits a parabola to the log-odds of the rates, by weighted least squares over x (over ln x if `log`), and finds its top. The interval
/// comes from drawing every match again at its own rate. `None` with fewer than four points or without a curve that bends downwards.
pub fn optimum(points: &[(f64, Proportion)], log: bool) -> Option<Optimum> {
    let place = |x: f64| if log { x.ln() } else { x };
    let usable: Vec<(f64, f64, f64)> = points
        .iter()
        .filter(|(_, rate)| rate.trials() > 0)
        .map(|&(x, rate)| (place(x), rate.successes() as f64, rate.trials() as f64))
        .collect();
    if usable.len() < 4 {
        return None;
    }
    let (low, high) = usable.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.0), b.max(p.0)));
    let top = top_of(&usable)?;
    let mut rng = Seed::new(1).branch("optimum", 0).rng();
    let mut tops = Vec::new();
    for _ in 0..REDRAWN {
        let again: Vec<(f64, f64, f64)> = usable
            .iter()
            .map(|&(x, wins, games)| {
                let rate = ((wins + 0.5) / (games + 1.0)) as f32;
                // No match of an experiment is so long that drawing game by game would matter.
                let wins = (0..(games as u64).min(100_000)).filter(|_| rng.chance(rate)).count();
                (x, wins as f64, games.min(100_000.0))
            })
            .collect();
        // A curve that bends upwards has its top at one of the ends.
        tops.push(top_of(&again).map_or(high, |top| top.clamp(low, high)));
    }
    tops.sort_by(f64::total_cmp);
    let back = |x: f64| if log { x.exp() } else { x };
    let quantile = |q: f64| back(tops[((tops.len() - 1) as f64 * q).round() as usize]);
    let interval = Interval { low: quantile(0.025), high: quantile(0.975) };
    Some(Optimum { x: back(top.clamp(low, high)), interval, inside: low < top && top < high })
}

/// The top of the parabola through (x, wins, games); none if it bends upwards.
fn top_of(points: &[(f64, f64, f64)]) -> Option<f64> {
    let (middle, width) = {
        let (low, high) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.0), b.max(p.0)));
        ((low + high) / 2.0, ((high - low) / 2.0).max(1e-12))
    };
    // Moments of the normal equations, x scaled to -1..1.
    let (mut m, mut r) = ([0.0; 5], [0.0; 3]);
    for &(x, wins, games) in points {
        let x = (x - middle) / width;
        let p = (wins + 0.5) / (games + 1.0);
        let (logit, weight) = ((p / (1.0 - p)).ln(), games * p * (1.0 - p));
        for (k, m) in m.iter_mut().enumerate() {
            *m += weight * x.powi(k as i32);
        }
        for (k, r) in r.iter_mut().enumerate() {
            *r += weight * logit * x.powi(k as i32);
        }
    }
    let det = |a: [[f64; 3]; 3]| {
        a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
            + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])
    };
    let normal = [[m[0], m[1], m[2]], [m[1], m[2], m[3]], [m[2], m[3], m[4]]];
    let whole = det(normal);
    let solved = |column: usize| {
        let mut changed = normal;
        for (row, value) in r.iter().enumerate() {
            changed[row][column] = *value;
        }
        det(changed) / whole
    };
    let (linear, square) = (solved(1), solved(2));
    (whole.abs() > 1e-12 && square < -1e-9).then(|| middle - width * linear / (2.0 * square))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_at(x: f64, rate: f64) -> (f64, Proportion) {
        (x, Proportion::new((rate * 10_000.0) as u64, 10_000).unwrap())
    }

    /// log-odds 1 - (ln x - ln 50)² has its top at 50.
    #[test]
    fn finds_the_top_of_a_parabola() {
        let rate = |x: f64| 1.0 / (1.0 + (-(1.0 - (x.ln() - 50f64.ln()).powi(2))).exp());
        let points: Vec<_> = [20.0, 40.0, 60.0, 80.0, 120.0].map(|x| match_at(x, rate(x))).into();
        let top = optimum(&points, true).unwrap();
        assert!(top.inside && (top.x - 50.0).abs() < 0.5, "{top:?}");
        assert!(top.interval.contains(50.0) && top.interval.radius() < 5.0, "{top:?}");
    }

    #[test]
    fn no_top_where_there_is_none() {
        let rising: Vec<_> = [1.0, 2.0, 3.0, 4.0].map(|x| match_at(x, x / 5.0)).into();
        assert!(optimum(&rising, false).is_none_or(|top| !top.inside));
        let valley: Vec<_> = [(1.0, 0.8), (2.0, 0.5), (3.0, 0.5), (4.0, 0.8)].map(|(x, r)| match_at(x, r)).into();
        assert!(optimum(&valley, false).is_none());
        assert!(optimum(&rising[..3], false).is_none());
    }
}
