//! From numbers to places on the paper, and which numbers to write beside them.

use super::Axis;

/// An axis laid out: numbers `low..high` on the paper from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale that holds all `values`, with a little air within the bounds of the axis, on the paper from `from` to `to`. What a
    /// logarithm cannot show is left out.
    pub(super) fn around(values: impl Iterator<Item = f64>, axis: &Axis, from: f64, to: f64) -> Scale {
        let logarithmic = axis.logarithmic;
        let usable = values.filter(|v| v.is_finite() && v.abs() < 1e15 && (!logarithmic || *v > 1e-15));
        let ends = usable.fold(None, |ends: Option<(f64, f64)>, v| {
            Some(ends.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
        });
        let (low, high) = ends.unwrap_or((1.0, 1.0));
        let (low, high) = if logarithmic { (low.log10(), high.log10()) } else { (low, high) };
        // A single value gets a neighbourhood of its own size.
        let air = if high > low { (high - low) * 0.06 } else { (low.abs() * 0.1).max(0.5) };
        let (mut low, mut high) = (low - air, high + air);
        if let Some(bounds) = axis.bounds.filter(|bounds| !logarithmic && bounds.low < bounds.high) {
            (low, high) = (low.max(bounds.low), high.min(bounds.high));
            if low >= high {
                (low, high) = (bounds.low, bounds.high);
            }
        }
        Scale { low, high, logarithmic, from, to }
    }

    /// Where a number lies, at or between the ends; infinite ones lie at the ends.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let value = if self.logarithmic { value.max(0.0).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        (!value.is_nan()).then_some(self.from + share * (self.to - self.from))
    }

    /// The numbers to write beside the axis, about `count` of them, with their text.
    pub(super) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        if !self.logarithmic {
            return steps(self.low, self.high, count);
        }
        // Enough decades: their powers. Few: 1, 2 and 5 of each as well.
        let decades = self.high - self.low;
        let factors: &[f64] = if decades > 3.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let all = (first..=last).flat_map(|decade| factors.iter().map(move |f| f * 10f64.powi(decade)));
        all.filter(|v| (self.low..=self.high).contains(&v.log10())).map(|v| (v, plain(v, v))).collect()
    }
}

/// Round numbers between `low` and `high`: multiples of 1, 2 or 5 times a power of ten.
fn steps(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|&s| s >= 0.7 * rough).unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).take(100).map(|i| i as f64 * step).map(|v| (v, plain(v, step))).collect()
}

/// A number with as many digits as its neighbours at a distance of `step` need.
fn plain(value: f64, step: f64) -> String {
    let digits = (-step.abs().log10().floor()).clamp(0.0, 12.0) as usize;
    // No "-0".
    format!("{:.digits$}", value + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Interval;
    use proptest::prelude::*;

    fn axis(logarithmic: bool) -> Axis {
        Axis { logarithmic, ..Axis::default() }
    }

    fn texts(scale: &Scale) -> Vec<String> {
        scale.ticks(5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn round_numbers() {
        assert_eq!(texts(&Scale::around([0.23, 0.56].into_iter(), &axis(false), 0.0, 1.0)), ["0.3", "0.4", "0.5"]);
        assert_eq!(
            texts(&Scale::around([-60.0, 170.0].into_iter(), &axis(false), 0.0, 1.0)),
            ["-50", "0", "50", "100", "150"]
        );
        assert_eq!(texts(&Scale::around([20.0, 120.0].into_iter(), &axis(true), 0.0, 1.0)), ["20", "50", "100"]);
        assert_eq!(texts(&Scale::around([1.0, 1e5].into_iter(), &axis(true), 0.0, 1.0)).len(), 6);
    }

    proptest! {
        /// Whatever is to be drawn, places are on the paper, and there are ticks but not many.
        #[test]
        fn always_on_the_paper(values in proptest::collection::vec(proptest::num::f64::ANY, 0..5), log: bool, bound: bool, at in proptest::num::f64::ANY) {
            let bounds = bound.then_some(Interval { low: 0.0, high: 100.0 });
            let scale = Scale::around(values.into_iter(), &Axis { bounds, ..axis(log) }, 60.0, 700.0);
            if let Some(place) = scale.place(at) {
                prop_assert!((60.0..=700.0).contains(&place), "{place}");
            }
            prop_assert!(scale.ticks(6).len() <= 100);
            if bound && !log {
                prop_assert!(scale.ticks(6).iter().all(|(tick, _)| (0.0..=100.0).contains(tick)));
            }
        }
    }
}
