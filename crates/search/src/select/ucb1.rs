//! Upper confidence bounds (Kocsis and Szepesvári 2006; S2.1).

use super::{Buffers, Choice, Rule};
use crate::score::{UNSEEN, WEIGHTLESS};

/// What the exploration constant counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Win rates from 0 to 1, as in S2.1: `C = 1.5` there. Values run from `-win` to `win`, twice as far as rates.
    WinRate,
    /// The evaluator's own unit.
    Value,
}

impl Unit {
    /// The constant in the evaluator's unit.
    pub(super) fn weight(self, c: f32, win: f32) -> f32 {
        match self {
            Unit::WinRate => 2.0 * win * c,
            Unit::Value => c,
        }
    }
}

/// S2.1: `X_u + C·√(2 ln n / n_u)`.
#[inline]
pub(super) fn bound(value: f32, c: f32, two_ln_n: f32, n_u: f32) -> f32 {
    value + c * (two_ln_n / n_u).sqrt()
}

/// `2 ln n`, in double precision so that every machine rounds it alike.
pub(super) fn two_ln(n: f32) -> f32 {
    (2.0 * f64::from(n).ln()) as f32
}

/// Urgencies by [`bound`]. A child never tried comes before all others, a lost one never.
#[inline]
pub(super) fn rate(c: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    let two_ln_n = two_ln(choice.samples());
    for (x, &n) in rates.iter_mut().zip(&*visits) {
        let urgency = if n > 0.0 { bound(*x, c, two_ln_n, n) } else { f32::INFINITY };
        *x = if *x > WEIGHTLESS || *x == UNSEEN { urgency } else { f32::NEG_INFINITY };
    }
    Rule::Greedy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bandit by hand: X = 0.4 after 9 of 100 samples, C = 1.5: 0.4 + 1.5·√(2·ln 100/9) = 1.917426…
    #[test]
    fn the_bound_is_the_papers() {
        assert!((bound(0.4, 1.5, two_ln(100.0), 9.0) - 1.917_426).abs() < 1e-5);
        assert_eq!(Unit::WinRate.weight(1.5, 1.0), 3.0);
        assert_eq!(Unit::Value.weight(1.5, 1.0), 1.5);
    }
}
