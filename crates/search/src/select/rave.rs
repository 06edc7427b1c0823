//! Rapid action value estimation: all moves as first (Gelly and Silver 2007, 2011; S2.1).

use std::fmt;

use super::{Buffers, Choice, Rule, ucb1};
use crate::score::{UNSEEN, WEIGHTLESS};

/// How much the all-moves-as-first value counts after `n` samples of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Schedule {
    /// `β = √(k/(3n + k))`: with `k` samples both count alike.
    Hand {
        /// The equivalence parameter.
        k: f32,
    },
    /// `β = ñ/(n + ñ + 4 n ñ b²)`: least mean squared error when all-moves-as-first is off by `b` (win rates from 0 to 1).
    LeastSquares {
        /// The bias.
        b: f32,
    },
}

impl Schedule {
    /// The weight β after `n` samples and `amaf` samples of the move as first.
    #[inline]
    pub fn beta(self, n: f32, amaf: f32) -> f32 {
        match self {
            _ if amaf == 0.0 => 0.0,
            Schedule::Hand { k } => (k / (3.0 * n + k)).sqrt(),
            Schedule::LeastSquares { b } => amaf / (n + amaf + 4.0 * n * amaf * b * b),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Hand { k } => write!(f, "hand({k})"),
            Schedule::LeastSquares { b } => write!(f, "least-squares({b})"),
        }
    }
}

/// S2.1: urgencies `(1 - β)·UCB + β·RAVE`. A move never tried has its value as first and explores like one tried once, or it might
/// starve; one never played at all comes before all others.
pub(super) fn rate(c: f32, schedule: Schedule, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    let two_ln_n = ucb1::two_ln(choice.samples());
    for ((x, &n), child) in rates.iter_mut().zip(&*visits).zip(choice.block.children()) {
        if *x < WEIGHTLESS && *x != UNSEEN {
            *x = f32::NEG_INFINITY;
            continue;
        }
        let (amaf_visits, amaf) = choice.tree.amaf(child);
        let amaf_visits = amaf_visits as f32;
        let beta = schedule.beta(n, amaf_visits);
        *x = match (n > 0.0, amaf_visits > 0.0) {
            (true, _) => (1.0 - beta) * ucb1::bound(*x, c, two_ln_n, n) + beta * amaf,
            (false, true) => ucb1::bound(amaf, c, two_ln_n, 1.0),
            (false, false) => f32::INFINITY,
        };
    }
    Rule::Greedy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_schedules_fade() {
        let hand = Schedule::Hand { k: 300.0 };
        assert_eq!(hand.beta(0.0, 1.0), 1.0);
        assert_eq!(hand.beta(300.0, 1.0), 0.5);
        assert_eq!(hand.beta(10.0, 0.0), 0.0);
        let squares = Schedule::LeastSquares { b: 0.1 };
        assert_eq!(squares.beta(0.0, 50.0), 1.0);
        // 50/(100 + 50 + 4·100·50·0.01) = 50/350.
        assert!((squares.beta(100.0, 50.0) - 50.0 / 350.0).abs() < 1e-7);
        for schedule in [hand, squares] {
            let betas: Vec<f32> = (0..6).map(|i| schedule.beta(10f32.powi(i), 1000.0)).collect();
            assert!(betas.is_sorted_by(|a, b| a > b), "{betas:?}");
        }
    }
}
