//! Normal, Student and chi-square distributions: thin doors to `statrs`, with every argument allowed.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

/// Φ(x): how often a standard normal variable stays below `x`.
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// How often a standard normal variable is at least as far from 0 as `z`, on either side.
pub fn normal_two_sided(z: f64) -> f64 {
    (2.0 * Normal::standard().sf(z.abs())).min(1.0)
}

/// The number below which a standard normal variable stays with probability `p`.
pub fn normal_quantile(p: f64) -> f64 {
    match p {
        p if p <= 0.0 => f64::NEG_INFINITY,
        p if p >= 1.0 => f64::INFINITY,
        p => Normal::standard().inverse_cdf(p),
    }
}

/// The number below which a Student variable with `freedom` degrees of freedom stays with probability `p` ≥ 1/2.
///
/// By bisection of the distribution function: the quantile of `statrs` 0.19 goes through an inverse beta function that is
/// not bounded in time.
pub fn student_quantile(p: f64, freedom: f64) -> f64 {
    let Ok(student) = StudentsT::new(0.0, 1.0, freedom) else { return f64::NAN };
    if p >= 1.0 {
        return f64::INFINITY;
    }
    bisect(0.0, 1e9, |t| student.cdf(t) < p)
}

/// How often a chi-square variable with `freedom` degrees of freedom is at least `x`. Without freedom nothing varies: 1.
pub fn chi_square_tail(x: f64, freedom: u64) -> f64 {
    if x <= 0.0 || freedom == 0 {
        return 1.0;
    }
    ChiSquared::new(freedom as f64).map_or(f64::NAN, |chi| if x.is_finite() { chi.sf(x) } else { 0.0 })
}

/// The border in `low..high` between where `is_below` holds and where it no longer does, as closely as numbers can tell.
pub(crate) fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    // A double has 2^62 positive values: no interval of them can be halved more often than this, save by ties.
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_undo_their_distributions() {
        for p in [0.5, 0.6, 0.9, 0.975, 0.9995, 0.999_999_5] {
            let back = normal_cdf(normal_quantile(p));
            assert!((back - p).abs() < 1e-11, "{p} {back}");
            for freedom in 1..100 {
                let t = student_quantile(p, f64::from(freedom));
                let back = StudentsT::new(0.0, 1.0, f64::from(freedom)).unwrap().cdf(t);
                assert!((back - p).abs() < 1e-12, "{p} {freedom} {t} {back}");
            }
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }

    #[test]
    fn tails_at_the_ends() {
        assert_eq!(chi_square_tail(0.0, 3), 1.0);
        assert_eq!(chi_square_tail(5.0, 0), 1.0);
        assert_eq!(chi_square_tail(1e12, 1), 0.0);
        assert_eq!(chi_square_tail(f64::INFINITY, 4), 0.0);
        assert!((chi_square_tail(1e6, 1_000_000) - 0.5).abs() < 1e-3);
        assert_eq!(normal_two_sided(0.0), 1.0);
        assert_eq!(normal_two_sided(-100.0), 0.0);
    }
}
