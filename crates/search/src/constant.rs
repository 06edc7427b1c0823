//! Constants that count in the evaluator's unit: a number, or one that follows the unit.
//!
//! Evaluations speak in one of two units: results of games (a won game is worth 1: playouts, networks) or hundredths of a pawn (shogi).
//! Near an even position one of a result is about 800 hundredths of a pawn (the slope of `2σ(x/400) - 1`), so `auto(0.05)` is 0.05 of a
//! result or 40 hundredths of a pawn.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::parameters::{Args, Range, number};

/// A constant in the evaluator's unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Constant {
    /// So much of a result, whatever the unit: see [`Constant::resolved`].
    Auto(f32),
    /// This number, whatever the unit.
    Fixed(f32),
}

/// Hundredths of a pawn in one of a result, near an even position.
pub const CENTIPAWNS_PER_RESULT: f32 = 800.0;
/// A won game that is worth no more than this is a result; what counts pieces has room for many of them.
const LARGEST_RESULT: f32 = 10.0;

/// What one of a result is in the unit of an evaluator to which a won game is worth `win`.
#[inline]
pub fn unit(win: f32) -> f32 {
    if win <= LARGEST_RESULT { 1.0 } else { CENTIPAWNS_PER_RESULT }
}

/// The same number twice: of a result, and in hundredths of a pawn. None for text that does not follow the unit.
pub fn by_unit(text: &str) -> Option<[f32; 2]> {
    let spec = Spec::parse(text).ok().filter(|spec| spec.name == "auto")?;
    let of_result = match spec.positional(0) {
        Some(given) => given.value().ok()?,
        None => crate::temperature::AUTO,
    };
    Some([of_result, of_result * CENTIPAWNS_PER_RESULT])
}

impl Constant {
    /// The constant for an evaluator to which a won game is worth `win`.
    #[must_use]
    pub fn resolved(self, win: f32) -> Constant {
        match self {
            Constant::Auto(of_result) => Constant::Fixed(of_result * unit(win)),
            given @ Constant::Fixed(_) => given,
        }
    }

    /// The number. One that was never resolved counts in hundredths of a pawn.
    #[inline]
    pub fn value(self) -> f32 {
        match self {
            Constant::Auto(of_result) => of_result * CENTIPAWNS_PER_RESULT,
            Constant::Fixed(x) => x,
        }
    }

    /// The constant given for `key`: a number, `auto(part of a result)`, or `auto` for the default.
    pub(crate) fn read(args: &Args<'_>, key: &str, range: Range) -> Result<Constant, TextError> {
        let word = args.word(key)?;
        if word.name != "auto" {
            return number(&word, key, range).map(Constant::Fixed);
        }
        match word.positional(0) {
            Some(given) => {
                let of_result = number(given, key, range)?;
                word.reject_unused()?;
                Ok(Constant::Auto(of_result))
            }
            None => args.default_of(key).map_or_else(
                || Err(word.error(format!("{key} has no default for auto: give a number"))),
                |default| Constant::read(&Args { spec: &Spec::named("default"), table: &[default] }, key, range),
            ),
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Auto(of_result) => write!(f, "auto({of_result})"),
            Constant::Fixed(x) => write!(f, "{x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{Parameter, parameter};

    const TABLE: &[Parameter] = &[parameter("c", "value", "auto(0.05)", ""), parameter("d", "value", "3", "")];

    fn read(text: &str, key: &str) -> Result<Constant, TextError> {
        Constant::read(&Args { spec: &Spec::parse(text).unwrap(), table: TABLE }, key, Range::NotNegative)
    }

    #[test]
    fn it_follows_the_unit_or_stays_as_given() {
        for text in ["m", "m(c=auto)", "m(c=auto(0.05))"] {
            assert_eq!(read(text, "c").unwrap(), Constant::Auto(0.05), "{text}");
        }
        assert_eq!(read("m(c=7)", "c").unwrap().resolved(1.0), Constant::Fixed(7.0));
        assert_eq!(Constant::Auto(0.05).resolved(1.0).value(), 0.05);
        assert_eq!(Constant::Auto(0.05).resolved(32_768.0).value(), 40.0);
        assert_eq!(Constant::Auto(0.05).to_string(), "auto(0.05)");
        assert_eq!(by_unit("auto(0.05)"), Some([0.05, 40.0]));
        assert_eq!(by_unit("auto"), Some([0.1, 80.0]));
        assert_eq!(by_unit("0.05"), None);
        for wrong in ["m(c=auto(-1))", "m(c=auto(1,2))", "m(c=hot)", "m(c=auto(x))"] {
            assert!(read(wrong, "c").is_err(), "{wrong}");
        }
        // A default that does not follow the unit stays what it is.
        assert_eq!(read("m(d=auto)", "d").unwrap(), Constant::Fixed(3.0));
    }

    /// The ratio of the units is the slope of the usual logistic curve at an even position.
    #[test]
    fn the_ratio_is_a_slope() {
        let result = |x: f64| 2.0 / (1.0 + (-x / 400.0).exp()) - 1.0;
        let slope = (result(1.0) - result(-1.0)) / 2.0;
        assert!((1.0 / slope - f64::from(CENTIPAWNS_PER_RESULT)).abs() < 0.01, "{slope}");
    }
}
