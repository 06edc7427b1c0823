//! Points of a game, in halves.

use std::fmt;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

/// An exact number of points: komi and scores come in halves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Points {
    halves: i32,
}

impl Points {
    /// That many half points.
    pub const fn halves(halves: i32) -> Points {
        Points { halves }
    }

    /// That many points.
    pub const fn whole(points: i32) -> Points {
        Points { halves: 2 * points }
    }

    /// Twice the number of points.
    pub const fn in_halves(self) -> i32 {
        self.halves
    }
}

impl Add for Points {
    type Output = Points;
    fn add(self, other: Points) -> Points {
        Points { halves: self.halves + other.halves }
    }
}

impl Sub for Points {
    type Output = Points;
    fn sub(self, other: Points) -> Points {
        Points { halves: self.halves - other.halves }
    }
}

impl Neg for Points {
    type Output = Points;
    fn neg(self) -> Points {
        Points { halves: -self.halves }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.halves < 0 { "-" } else { "" };
        let half = if self.halves % 2 != 0 { ".5" } else { "" };
        write!(f, "{sign}{}{half}", self.halves.abs() / 2)
    }
}

/// The greatest number of points that is accepted.
const LIMIT: f64 = 1000.0;

impl FromStr for Points {
    type Err = ();

    /// A decimal number whose double is whole.
    fn from_str(text: &str) -> Result<Points, ()> {
        let halves = 2.0 * text.parse::<f64>().map_err(|_| ())?;
        // NaN fails the first comparison.
        if halves.abs() <= 2.0 * LIMIT && halves.fract() == 0.0 {
            Ok(Points { halves: halves as i32 })
        } else {
            Err(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_read() {
        for text in ["0", "7.5", "-0.5", "-7", "361", "0.5"] {
            assert_eq!(text.parse::<Points>().unwrap().to_string(), text);
        }
        assert_eq!("6.50".parse(), Ok(Points::halves(13)));
        for wrong in ["", "x", "6.4", "nan", "inf", "1e9", "-1001"] {
            assert_eq!(wrong.parse::<Points>(), Err(()), "{wrong}");
        }
    }
}
