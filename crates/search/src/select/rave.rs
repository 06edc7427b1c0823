//! Rapid action value estimation: all moves as first (Gelly and Silver 2007, 2011; S2.1).

use std::fmt;

use super::{Buffers, Choice, Rule, ucb1};
use crate::score::{UNSEEN, WEIGHTLESS};
use crate::tree::NodeId;

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

/// What a prior probability is worth before anything was tried: samples that never took place. `even` of them were even, and `wins`·√p of
/// them were won (Pachi's measure; the root keeps a favourite from crowding out all others).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Belief {
    /// Virtual samples that were even.
    pub even: f32,
    /// Virtual wins of a move that is certain to be played.
    pub wins: f32,
}

impl Belief {
    /// No belief: only what was sampled counts.
    pub const NONE: Belief = Belief { even: 0.0, wins: 0.0 };

    /// Whether there is any.
    pub fn counts(self) -> bool {
        self.even + self.wins > 0.0
    }

    /// The number of samples and their mean, virtual ones included, after `n` samples of mean `mean` of a move of prior `p`.
    #[inline]
    pub fn blend(self, n: f32, mean: f32, p: f32, win: f32) -> (f32, f32) {
        let wins = self.wins * p.sqrt();
        let total = n + wins + self.even;
        (total, (n * mean + wins * win) / total)
    }
}

/// Criticality (Coulom 2009; Baudiš 2011): how much winning goes together with holding a point, which is twice the covariance of the
/// two. Who plays on a point first holds it, near enough; so with P the share of samples in which the side to move did, it is
/// `2·P·(win rate of those - win rate of all)`, and the statistics of all moves as first know it without any of their own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Criticality {
    /// Samples that are added to those of a move as first, as a share of them, all won if it is critical and all lost if it is the
    /// reverse. 0 switches it off.
    pub weight: f32,
}

/// Samples of a node before its criticality counts.
const KNOWN: f32 = 2000.0;

impl Criticality {
    /// Twice the covariance: `share` of the samples played the move first; `amaf` is their mean and `mean` that of all, from `-win` to
    /// `win`.
    #[inline]
    fn of(share: f32, amaf: f32, mean: f32, win: f32) -> f32 {
        share * (amaf - mean) / win
    }

    /// The mean of a move as first with the samples added.
    #[inline]
    fn blend(self, amaf: f32, criticality: f32, win: f32) -> f32 {
        let added = self.weight * criticality;
        (amaf + added * win) / (1.0 + added.abs())
    }
}

/// How all moves as first are counted in.
#[derive(Clone, Copy)]
struct AsFirst<'a> {
    choice: &'a Choice<'a>,
    critical: Criticality,
    /// Samples of the node and their mean for the side to move there; no samples, if criticality does not count.
    samples: f32,
    mean: f32,
}

impl<'a> AsFirst<'a> {
    fn new(choice: &'a Choice<'a>, critical: Criticality) -> AsFirst<'a> {
        let samples = choice.samples();
        let counts = critical.weight > 0.0 && samples > KNOWN;
        let mean = if counts { -choice.tree.value(choice.parent) } else { 0.0 };
        AsFirst { choice, critical, samples: if counts { samples } else { 0.0 }, mean }
    }

    /// Samples of a child as first and their mean.
    #[inline]
    fn of(&self, child: NodeId) -> (f32, f32) {
        let (samples, amaf) = self.choice.tree.amaf(child);
        let samples = samples as f32;
        if self.samples == 0.0 || samples == 0.0 || self.mean.abs() > self.choice.win {
            return (samples, amaf);
        }
        let win = self.choice.win;
        let criticality = Criticality::of((samples / self.samples).min(1.0), amaf, self.mean, win);
        (samples, self.critical.blend(amaf, criticality, win))
    }
}

/// S2.1: urgencies `(1 - β)·UCB + β·RAVE`, the samples of a move being those of [`Belief::blend`].
fn rate_believing(c: f32, rave: Rave, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    let priors = spare;
    choice.tree.read_priors(choice.block, priors);
    let two_ln_n = ucb1::two_ln(choice.samples());
    let as_first = AsFirst::new(choice, rave.critical);
    let siblings = rates.iter_mut().zip(&*visits).zip(&*priors);
    for (((x, &n), &prior), child) in siblings.zip(choice.block.children()) {
        if *x < WEIGHTLESS && *x != UNSEEN {
            *x = f32::NEG_INFINITY;
            continue;
        }
        let mean = if *x == UNSEEN { 0.0 } else { *x };
        let (n, mean) = rave.belief.blend(n, mean, prior, choice.win);
        let (amaf_visits, amaf) = as_first.of(child);
        let beta = rave.schedule.beta(n, amaf_visits);
        let bound = if c > 0.0 { ucb1::bound(mean, c, two_ln_n, n) } else { mean };
        *x = (1.0 - beta) * bound + beta * amaf;
    }
    Rule::Greedy
}

/// How all moves as first are used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rave {
    /// How they fade.
    pub schedule: Schedule,
    /// What priors are worth.
    pub belief: Belief,
    /// What criticality is worth.
    pub critical: Criticality,
}

/// S2.1: urgencies `(1 - β)·UCB + β·RAVE`. A move never tried has its value as first and explores like one tried once, or it might
/// starve; one never played at all comes before all others.
pub(super) fn rate(c: f32, rave: Rave, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    if rave.belief.counts() {
        return rate_believing(c, rave, choice, buffers);
    }
    let as_first = AsFirst::new(choice, rave.critical);
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    let two_ln_n = ucb1::two_ln(choice.samples());
    for ((x, &n), child) in rates.iter_mut().zip(&*visits).zip(choice.block.children()) {
        if *x < WEIGHTLESS && *x != UNSEEN {
            *x = f32::NEG_INFINITY;
            continue;
        }
        let (amaf_visits, amaf) = as_first.of(child);
        let beta = rave.schedule.beta(n, amaf_visits);
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
    fn beliefs_fade_too() {
        let belief = Belief { even: 10.0, wins: 30.0 };
        // 30·√0.25 = 15 wins and 10 even ones are believed; nothing was tried.
        assert_eq!(belief.blend(0.0, 0.0, 0.25, 1.0), (25.0, 0.6));
        let (n, mean) = belief.blend(75.0, -1.0, 0.25, 1.0);
        assert_eq!((n, mean), (100.0, -0.6));
        assert_eq!(Belief::NONE.blend(4.0, 0.5, 0.3, 1.0), (4.0, 0.5));
        assert!(!Belief::NONE.counts() && belief.counts());
    }

    /// By hand: played first in half of all samples, winning 0.2 more often than all: 2·0.5·0.2 as win rates. A weight of 1.1 adds 0.22
    /// wins to every sample of value 0.5.
    #[test]
    fn criticality_is_a_covariance() {
        let criticality = Criticality::of(0.5, 0.5, 0.1, 1.0);
        assert!((criticality - 0.2).abs() < 1e-6);
        let critical = Criticality { weight: 1.1 };
        assert!((critical.blend(0.5, criticality, 1.0) - 0.72 / 1.22).abs() < 1e-6);
        assert!((critical.blend(-0.5, -criticality, 1.0) + 0.72 / 1.22).abs() < 1e-6);
        assert_eq!(Criticality { weight: 0.0 }.blend(0.3, 0.7, 1.0), 0.3);
    }

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
