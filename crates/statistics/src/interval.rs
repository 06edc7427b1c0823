//! Intervals, how sure they are, and estimates that carry one.

use std::fmt;

use yomi_core::TextError;

use super::distributions::{normal_quantile, student_quantile};

/// All numbers from `low` to `high`. An end may be infinite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// What is known of a probability before anything was seen.
    pub const UNIT: Interval = Interval { low: 0.0, high: 1.0 };

    /// `center` and `radius` to either side.
    pub fn around(center: f64, radius: f64) -> Interval {
        Interval { low: center - radius, high: center + radius }
    }

    /// Whether `x` lies inside, ends included.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The part of it that a probability can take.
    pub fn within_unit(self) -> Interval {
        self.map(|end| end.clamp(0.0, 1.0))
    }

    /// The same interval on another scale; `f` must not decrease.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval { low: f(self.low), high: f(self.high) }
    }

    /// Half of its length: the number behind "±".
    pub fn radius(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(4);
        write!(f, "[{:.digits$}, {:.digits$}]", self.low, self.high)
    }
}

/// A number that was estimated, and the interval in which it probably lies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The best guess; infinite when everything was won or lost.
    pub value: f64,
    /// Where the truth probably lies.
    pub interval: Interval,
}

impl Estimate {
    /// The estimate on another scale; `f` must not decrease.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: f(self.value), interval: self.interval.map(f) }
    }
}

/// How often an interval is meant to contain the truth: 0.95 by custom.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level(f64);

/// From this many samples on, Student's distribution is taken to be the normal one.
pub const MANY_SAMPLES: u64 = 100;

impl Level {
    /// The level of custom.
    pub const P95: Level = Level(0.95);

    /// A level between 0.5 and 0.999999.
    pub fn new(confidence: f64) -> Result<Level, TextError> {
        if (0.5..=0.999_999).contains(&confidence) {
            Ok(Level(confidence))
        } else {
            Err(TextError::new(format!("a confidence level lies between 0.5 and 0.999999, not at {confidence}")))
        }
    }

    /// The level itself.
    pub fn confidence(self) -> f64 {
        self.0
    }

    /// The probability left outside, both sides together.
    pub fn alpha(self) -> f64 {
        1.0 - self.0
    }

    /// How many standard errors the interval reaches to either side, for a normal estimate of known variance.
    pub fn z(self) -> f64 {
        normal_quantile(1.0 - self.alpha() / 2.0)
    }

    /// The same when the variance was estimated from `samples` samples: Student's quantile below [`MANY_SAMPLES`].
    /// With a single sample nothing is known and the answer is infinite.
    pub fn reach(self, samples: u64) -> f64 {
        match samples {
            0 | 1 => f64::INFINITY,
            n if n < MANY_SAMPLES => student_quantile(1.0 - self.alpha() / 2.0, (n - 1) as f64),
            _ => self.z(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 0.95 * 100 is not 95 in binary: round to what people type.
        write!(f, "{} %", (self.0 * 1e8).round() / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        assert!((Level::P95.z() - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!(Level::P95.to_string(), "95 %");
        assert_eq!(Level::new(0.999).unwrap().to_string(), "99.9 %");
        for bad in [0.0, 0.4, 1.0, 95.0, f64::NAN, f64::INFINITY] {
            assert!(Level::new(bad).is_err(), "{bad}");
        }
    }

    /// The fewer samples the wider, down to nothing known; at a hundred the step to the normal is below 1.3 %.
    #[test]
    fn reach_falls_with_samples() {
        let reach: Vec<f64> = (1..200).map(|n| Level::P95.reach(n)).collect();
        assert!(reach[0].is_infinite());
        assert!(reach.windows(2).all(|w| w[0] >= w[1]), "{reach:?}");
        assert!((reach[98] / reach[99] - 1.0) < 0.013);
    }
}
