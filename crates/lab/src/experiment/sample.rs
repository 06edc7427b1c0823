//! Repeated measurements of one number.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::statistics::{Interval, Level};

/// Measurements in the order they were made: of two samples the n-th of each belong together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// The sample of these measurements. Those that are no numbers are kept out of all means.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Sample {
        Sample(values.into_iter().collect())
    }

    fn finite(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied().filter(|x| x.is_finite())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.finite().count()
    }

    /// Their mean; none without any.
    pub fn mean(&self) -> Option<f64> {
        let n = self.count();
        (n > 0).then(|| self.finite().sum::<f64>() / n as f64)
    }

    /// Their standard deviation, with n - 1; none of fewer than two.
    pub fn deviation(&self) -> Option<f64> {
        let (n, mean) = (self.count(), self.mean()?);
        (n > 1).then(|| (self.finite().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt())
    }

    /// Student's interval of the mean; everything, of fewer than two.
    pub fn interval(&self, level: Level) -> Interval {
        match (self.mean(), self.deviation()) {
            (Some(mean), Some(deviation)) => {
                let n = self.count() as f64;
                let t = crate::statistics::distributions::student_quantile(0.5 + level.confidence() / 2.0, n - 1.0);
                Interval::around(mean, t * deviation / n.sqrt())
            }
            _ => Interval { low: f64::NEG_INFINITY, high: f64::INFINITY },
        }
    }

    /// The n-th minus the n-th, as far as both go.
    pub fn minus(&self, other: &Sample) -> Sample {
        Sample(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    /// The p-value of Student's two-sided test that the true mean is `x`. 1 if nothing can be said.
    pub fn same_as(&self, x: f64) -> f64 {
        self.student(x, 0.0)
    }

    /// The p-value of "x is the mean of this many more such measurements". 1 if nothing can be said.
    pub fn another(&self, x: f64, of: u64) -> f64 {
        self.student(x, 1.0 / of.max(1) as f64)
    }

    fn student(&self, x: f64, own: f64) -> f64 {
        let (Some(mean), Some(deviation)) = (self.mean(), self.deviation()) else { return 1.0 };
        let n = self.count() as f64;
        let error = deviation * (own + 1.0 / n).sqrt();
        if error == 0.0 {
            return if mean == x { 1.0 } else { 0.0 };
        }
        let t = ((mean - x) / error).abs();
        StudentsT::new(0.0, 1.0, n - 1.0).map_or(1.0, |student| (2.0 * student.sf(t)).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 1, 2, 3, 4 have mean 2.5 and deviation √(5/3); t(0.975, 3) = 3.18245. R: t.test(1:4, mu=1) gives p = 0.1028.
    #[test]
    fn known_values() {
        let sample = Sample::new([1.0, 2.0, f64::NAN, 3.0, 4.0]);
        assert_eq!((sample.count(), sample.mean()), (4, Some(2.5)));
        let radius = 3.18245 * (5.0f64 / 3.0).sqrt() / 2.0;
        assert!((sample.interval(Level::P95).radius() - radius).abs() < 1e-4);
        assert!((sample.same_as(1.0) - 0.1028).abs() < 1e-3, "{}", sample.same_as(1.0));
        assert!(sample.another(1.0, 1) > sample.another(1.0, 4) && sample.another(1.0, 4) > sample.same_as(1.0));
        // R: t.test(c(1, 2, 3, 4) - 1)'s t times √(1/4) / √(1/4 + 1/4) = 2.3238 / √2, three degrees of freedom.
        assert!((sample.another(1.0, 4) - 0.1989).abs() < 1e-3, "{}", sample.another(1.0, 4));
        assert_eq!(Sample::default().same_as(0.0), 1.0);
        assert_eq!(Sample::new([2.0, 2.0]).same_as(2.0), 1.0);
        assert_eq!(Sample::new([2.0, 2.0]).same_as(1.0), 0.0);
    }
}
