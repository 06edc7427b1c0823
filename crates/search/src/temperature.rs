//! How hot the choice is.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::constant::{CENTIPAWNS_PER_RESULT, unit};
use crate::parameters::{Args, Parameter, Range, number, parameter};
use crate::score::WEIGHTLESS;
use crate::softmax::Moments;

/// Where the temperature at a node comes from. Temperatures are in the evaluator's own unit; 0 means the limit: the best only.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Temperature {
    /// So much of a result, whatever the evaluator's unit: see [`Temperature::resolved`].
    Auto(f32),
    /// The same everywhere.
    Fixed(f32),
    /// `t·decay^depth`, at least `floor`: the schedule S0.4 announces.
    ByDepth {
        /// At the root.
        t: f32,
        /// Factor a ply.
        decay: f32,
        /// It never falls below.
        floor: f32,
    },
    /// `t·(1 + n/from)^-power` where the node has n visits, at least `floor`: it changes during the search, the schedule that S4.5 announces.
    ByVisits {
        /// At a node that is new.
        t: f32,
        /// Visits after which it begins to fall.
        from: f32,
        /// How fast it falls: 0.5 is with the standard deviation of a mean.
        power: f32,
        /// It never falls below.
        floor: f32,
    },
    /// The temperature whose expectation is `mean + fraction·(max - mean)` of the children's values (S0.4).
    Target(f32),
}

/// What `auto` is of a result; 80 in hundredths of a pawn, which is 0.92 of a pawn (S0.6).
pub(crate) const AUTO: f32 = 0.1;

const BY_DEPTH: &[Parameter] = &[
    parameter("decay", "factor", "0.9", "what a ply multiplies the temperature by"),
    parameter("floor", "value", "0", "the temperature never falls below it"),
];

const BY_VISITS: &[Parameter] = &[
    parameter("from", "visits", "100", "visits of the node after which the temperature begins to fall"),
    parameter("power", "exponent", "0.5", "how fast it falls"),
    parameter("floor", "value", "0", "the temperature never falls below it"),
];

impl Temperature {
    /// The temperature for children of these values, chosen among at this depth in a node with this many visits.
    #[inline]
    pub fn at(self, depth: u32, visits: impl FnOnce() -> u32, values: &[f32]) -> f32 {
        match self {
            Temperature::Auto(of_result) => of_result * CENTIPAWNS_PER_RESULT,
            Temperature::Fixed(t) => t,
            Temperature::ByDepth { t, decay, floor } => (t * decay.powi(depth.min(1 << 20) as i32)).max(floor),
            Temperature::ByVisits { t, from, power, floor } => {
                (t * (1.0 + visits() as f32 / from.max(1e-6)).powf(-power)).max(floor)
            }
            Temperature::Target(fraction) => for_expectation(values, fraction),
        }
    }

    /// The same temperature, multiplied by `factor`. A target expectation has no temperature to change.
    pub(crate) fn times(self, factor: f32) -> Temperature {
        match self {
            Temperature::Fixed(t) => Temperature::Fixed(t * factor),
            Temperature::ByDepth { t, decay, floor } => {
                Temperature::ByDepth { t: t * factor, decay, floor: floor * factor }
            }
            Temperature::ByVisits { t, from, power, floor } => {
                Temperature::ByVisits { t: t * factor, from, power, floor: floor * factor }
            }
            Temperature::Auto(of_result) => Temperature::Auto(of_result * factor),
            target @ Temperature::Target(_) => target,
        }
    }

    /// The temperature for an evaluator to which a won game is worth `win`: `auto` is 80 where values are hundredths of a pawn, and 0.1
    /// where they are results of games from -1 to 1, as those of playouts and networks. At 80 such values would make no difference.
    #[must_use]
    pub fn resolved(self, win: f32) -> Temperature {
        match self {
            Temperature::Auto(of_result) => Temperature::Fixed(of_result * unit(win)),
            given => given,
        }
    }

    /// The temperature given for `key`, or its default.
    pub(crate) fn read(args: &Args<'_>, key: &str) -> Result<Temperature, TextError> {
        Temperature::parse(&args.word(key)?)
    }

    /// The temperature given for `key`, or this one.
    pub(crate) fn read_or(args: &Args<'_>, key: &str, otherwise: Temperature) -> Result<Temperature, TextError> {
        args.optional(key)?.map_or(Ok(otherwise), |word| Temperature::parse(&word))
    }

    /// Reads `80`, `auto`, `auto(0.05)`, `by-depth(80,decay=0.9,floor=10)`, `by-visits(80,from=100,power=0.5,floor=0)` or `target(0.8)`.
    pub fn parse(spec: &Spec) -> Result<Temperature, TextError> {
        match spec.name.as_str() {
            "auto" => {
                let given = spec.positional(0).map(|part| number(part, "a part of a result", Range::NotNegative));
                let of_result = given.transpose()?.unwrap_or(AUTO);
                spec.reject_unused()?;
                Ok(Temperature::Auto(of_result))
            }
            "by-depth" => {
                let args = Args { spec, table: BY_DEPTH };
                let t = args.positional(0, "the temperature at the root", Range::NotNegative)?;
                let decay = args.number("decay", Range::NotNegative)?;
                let floor = args.number("floor", Range::NotNegative)?;
                args.reject_unused()?;
                Ok(Temperature::ByDepth { t, decay, floor })
            }
            "by-visits" => {
                let args = Args { spec, table: BY_VISITS };
                let t = args.positional(0, "the temperature of a new node", Range::NotNegative)?;
                let from = args.number("from", Range::NotNegative)?;
                let power = args.number("power", Range::NotNegative)?;
                let floor = args.number("floor", Range::NotNegative)?;
                args.reject_unused()?;
                Ok(Temperature::ByVisits { t, from, power, floor })
            }
            "target" => {
                let args = Args { spec, table: &[] };
                let fraction = args.positional(0, "a part of the way from mean to maximum", Range::Fraction)?;
                spec.reject_unused()?;
                Ok(Temperature::Target(fraction))
            }
            _ => number(spec, "a temperature", Range::NotNegative).map(Temperature::Fixed),
        }
    }
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Temperature::Auto(AUTO) => write!(f, "auto"),
            Temperature::Auto(of_result) => write!(f, "auto({of_result})"),
            Temperature::Fixed(t) => write!(f, "{t}"),
            Temperature::ByDepth { t, decay, floor } => write!(f, "by-depth({t},decay={decay},floor={floor})"),
            Temperature::ByVisits { t, from, power, floor } => {
                write!(f, "by-visits({t},from={from},power={power},floor={floor})")
            }
            Temperature::Target(fraction) => write!(f, "target({fraction})"),
        }
    }
}

/// The temperature at which the Boltzmann expectation of the values is `mean + fraction·(max - mean)` (S0.4).
///
/// The expectation falls from the maximum to the mean as T rises, so bisection by geometric means finds it. Values that do not differ, or
/// fractions at the ends, have no finite answer: the coldest or the hottest stands for it.
pub fn for_expectation(values: &[f32], fraction: f32) -> f32 {
    let (mut n, mut total, mut max, mut min) = (0.0f32, 0.0f64, f32::NEG_INFINITY, f32::INFINITY);
    for &x in values.iter().filter(|&&x| x > WEIGHTLESS) {
        n += 1.0;
        total += f64::from(x);
        (max, min) = (max.max(x), min.min(x));
    }
    let spread = max - min;
    if !(spread > 0.0 && spread.is_finite()) {
        return 1.0;
    }
    let mean = (total / f64::from(n)) as f32;
    let target = mean + fraction * (max - mean);
    // At spread/100 a child one spread below the best weighs e^-100; at 10,000 spreads all weigh the same to four digits.
    let (mut cold, mut hot) = (spread / 100.0, spread * 1e4);
    for _ in 0..40 {
        let middle = cold.sqrt() * hot.sqrt();
        let expectation = Moments::of(values, middle).map_or(mean, Moments::expectation);
        if expectation > target {
            cold = middle;
        } else {
            hot = middle;
        }
    }
    cold.sqrt() * hot.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_as_typed() {
        assert_eq!(Temperature::Auto(AUTO).resolved(1.0), Temperature::Fixed(0.1));
        assert_eq!(Temperature::Auto(AUTO).resolved(32_768.0), Temperature::Fixed(80.0));
        assert_eq!(Temperature::Fixed(80.0).resolved(1.0), Temperature::Fixed(80.0), "what is given stays");
        let visits = "by-visits(0.1,from=20,power=0.5,floor=0.01)";
        for text in ["auto", "auto(0.05)", "80", "0.05", "0", "by-depth(80,decay=0.9,floor=10)", visits, "target(0.75)"]
        {
            let t = Temperature::parse(&Spec::parse(text).unwrap()).unwrap();
            assert_eq!(t.to_string(), text);
        }
        for wrong in [
            "-1",
            "nan",
            "1e300",
            "hot",
            "target",
            "target(2)",
            "by-depth(1,x=2)",
            "by-depth",
            "by-visits",
            "by-visits(1,decay=2)",
            "target(1,2)",
        ] {
            assert!(Temperature::parse(&Spec::parse(wrong).unwrap()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cools_with_depth() {
        let t = Temperature::ByDepth { t: 80.0, decay: 0.5, floor: 15.0 };
        assert_eq!([0, 1, 2, 3, 1_000_000].map(|d| t.at(d, || 7, &[])), [80.0, 40.0, 20.0, 15.0, 15.0]);
    }

    #[test]
    fn cools_with_visits() {
        let t = Temperature::ByVisits { t: 0.2, from: 10.0, power: 0.5, floor: 0.02 };
        assert_eq!([0, 30, 150, u32::MAX].map(|n| t.at(3, || n, &[])), [0.2, 0.1, 0.05, 0.02]);
        assert_eq!(t.times(2.0).at(0, || 30, &[]), 0.2);
    }

    /// The solver against a brute force: a fine scan of temperatures in double precision.
    #[test]
    fn the_solver_agrees_with_a_scan() {
        let values: Vec<f32> = (0..30).map(|i| ((i * 37 % 101) as f32).sqrt() * 7.0 - 20.0).collect();
        let expectation = |t: f64| {
            let w = |x: f32| (f64::from(x) / t).exp();
            values.iter().map(|&x| w(x) * f64::from(x)).sum::<f64>() / values.iter().map(|&x| w(x)).sum::<f64>()
        };
        let mean = values.iter().sum::<f32>() / 30.0;
        let max = values.iter().copied().fold(f32::MIN, f32::max);
        for fraction in [0.1f32, 0.3, 0.5, 0.8, 0.95] {
            let target = f64::from(mean + fraction * (max - mean));
            let scan = (0..200_000).map(|i| 0.5 * 1.00005f64.powi(i));
            let best =
                scan.min_by(|&a, &b| (expectation(a) - target).abs().total_cmp(&(expectation(b) - target).abs()));
            let found = for_expectation(&values, fraction);
            assert!((f64::from(found) / best.unwrap() - 1.0).abs() < 1e-3, "{fraction}: {found} against {best:?}");
        }
    }

    proptest! {
        #[test]
        fn any_values_give_a_usable_temperature(values in prop::collection::vec(-1e6f32..1e6, 0..50), fraction in 0.0f32..=1.0) {
            let t = for_expectation(&values, fraction);
            prop_assert!(t > 0.0 && t.is_finite());
        }
    }
}
