//! The policy's upper confidence bound (S4.1, the AlphaZero-type baseline).

use std::fmt;

use super::{Buffers, Choice, Rule};
use crate::constant::unit;
use crate::score::{UNSEEN, WEIGHTLESS};
use crate::softmax;

/// The value of an unvisited move ("first-play urgency").
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FirstPlay {
    /// As much as the position itself, less so much.
    Parent(f32),
    /// This much, in the evaluator's unit.
    Value(f32),
    /// A lost game: AlphaZero's choice.
    Loss,
}

impl fmt::Display for FirstPlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FirstPlay::Parent(less) => write!(f, "parent({less})"),
            FirstPlay::Value(value) => write!(f, "value({value})"),
            FirstPlay::Loss => write!(f, "loss"),
        }
    }
}

/// S4.1: `Q + c·P·√(Σ n)/(1 + n)`.
#[inline]
fn bound(q: f32, c: f32, prior: f32, root_of_sum: f32, n: f32) -> f32 {
    q + c * prior * root_of_sum / (1.0 + n)
}

/// AlphaZero's growing constant `c + ln((N + base + 1)/base)`, which counts in results; constant if the base is 0. `unit` is what one of a
/// result is worth.
fn grown(c: f32, base: f32, n: f32, unit: f32) -> f32 {
    if base > 0.0 { c + unit * softmax::ln((n + base + 1.0) / base) } else { c }
}

/// Urgencies by [`bound`].
pub(super) fn rate(c: f32, base: f32, first_play: FirstPlay, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: priors, .. } = buffers;
    choice.scores(rates, spare);
    let visits = spare;
    choice.tree.read_visits(choice.block, visits);
    choice.tree.read_priors(choice.block, priors);
    let total = softmax::sum(visits);
    // Before the first visit of a child the priors alone decide.
    let root_of_sum = total.max(1.0).sqrt();
    let c = grown(c, base, total, unit(choice.win));
    let untried = match first_play {
        FirstPlay::Parent(less) => choice.own_value() - less,
        FirstPlay::Value(value) => value,
        FirstPlay::Loss => -choice.win,
    };
    for ((x, &n), &prior) in rates.iter_mut().zip(&*visits).zip(&*priors) {
        let q = if *x == UNSEEN { untried } else { *x };
        *x = if q > WEIGHTLESS { bound(q, c, prior, root_of_sum, n) } else { f32::NEG_INFINITY };
    }
    Rule::Greedy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_papers() {
        assert!((bound(0.5, 1.0, 0.2, 10.0, 4.0) - 0.9).abs() < 1e-6);
        assert_eq!(grown(1.25, 0.0, 1e6, 1.0), 1.25);
        // AlphaZero: 1.25 + ln((19652 + 19652 + 1)/19652) = 1.25 + 0.693173…
        assert!((grown(1.25, 19652.0, 19652.0, 1.0) - 1.943_173).abs() < 1e-5);
    }
}
