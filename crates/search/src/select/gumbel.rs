//! Gumbel root selection with sequential halving (Danihelka, Guez, Schrittwieser, Silver: "Policy improvement by planning with Gumbel",
//! ICLR 2022): a policy improvement however few simulations there are.
//!
//! At the root `m` moves are drawn without replacement, those of highest `g + ln P` with Gumbel noise g. Simulations are shared out by
//! sequential halving: each phase gives every move that is left the same number of visits and keeps the better half by
//! `g + ln P + σ(q)`. In the end that number decides among the moves that are left. Below the root the child is taken whose visits lag
//! most behind the improved policy `π' = softmax(ln P + σ(q))`, without noise.

use yomi_core::Seed;

use super::{Buffers, Choice, Rule};
use crate::score::{self, UNSEEN, WEIGHTLESS};

/// Its parameters, and what the search supplies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gumbel {
    /// Moves that are considered at the root.
    pub moves: u32,
    /// `c_visit` of σ.
    pub visit: f32,
    /// `c_scale` of σ.
    pub scale: f32,
    /// The simulations that the moves of the root share; the plan is made for as many.
    pub simulations: u32,
    /// Seeds the noise of this search.
    pub noise: u64,
}

/// Simulations that a search plans for if they are not limited.
pub(super) const DEFAULT_PLAN: u32 = 64;

/// The noise of the root's moves, once it is drawn.
#[derive(Default, Debug)]
pub(crate) struct Noise {
    /// The seed, and where the moves lie.
    key: Option<(u64, u32, u16)>,
    values: Vec<f32>,
}

/// The paper's eq. 8, `σ(q) = (c_visit + max_b N(b))·c_scale·q`, for a value from 0 (lost) to 1 (won).
fn sigma(visit: f32, scale: f32, most_visits: f32, q: f32) -> f32 {
    (visit + most_visits) * scale * q
}

/// A value in the evaluator's unit as the paper counts, from 0 to 1.
fn unit(value: f32, win: f32) -> f32 {
    0.5 + 0.5 * (value / win).clamp(-1.0, 1.0)
}

/// The paper's appendix D: what a move without visits is taken to be worth. `own` is the evaluation of the position itself, `visits` all
/// visits of its moves, `seen` the mean value of those visited, weighted by their priors.
fn mixed_value(own: f32, visits: f32, seen: f32) -> f32 {
    (own + visits * seen) / (1.0 + visits)
}

/// Sequential halving (Karnin, Koren, Somekh 2013; the paper's figure 1): how many visits a move must have to be considered by simulation
/// `done` of a plan for `all` simulations of `moves` moves.
fn considered_visits(moves: u32, all: u32, done: u32) -> u32 {
    let phases = moves.max(2).next_power_of_two().ilog2();
    let (mut left, mut visits, mut begun) = (moves.max(1), 0, 0);
    loop {
        let each = (all / (phases * left)).max(1);
        if done - begun < each * left {
            return visits + (done - begun) / left;
        }
        begun += each * left;
        visits += each;
        left = (left / 2).max(2.min(moves.max(1)));
    }
}

/// Gumbel noise of a move: `-ln(-ln u)`.
fn noise(seed: u64, mv: u16) -> f32 {
    let u = Seed::new(seed).branch("gumbel", u64::from(mv)).rng().unit().clamp(1e-7, 1.0 - 1e-7);
    -(-u.ln()).ln()
}

fn logit(prior: f32) -> f32 {
    prior.max(1e-30).ln()
}

impl Gumbel {
    /// `g + ln P + σ(q)` of a move of the root. Of two moves with as many visits as any, the one with more is played.
    pub(crate) fn merit(&self, mv: u16, prior: f32, value: f32, win: f32, visits: f32) -> f32 {
        noise(self.noise, mv) + logit(prior) + sigma(self.visit, self.scale, visits, unit(value, win))
    }
}

/// Urgencies. At the root moves that the plan does not consider now are out of the question.
pub(super) fn rate(rule: Gumbel, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: priors, open, noise: known, .. } = buffers;
    choice.scores(rates, spare);
    let visits = spare;
    choice.tree.read_visits(choice.block, visits);
    choice.tree.read_priors(choice.block, priors);
    open.clear();
    open.extend(rates.iter().map(|&x| if x == UNSEEN || x > WEIGHTLESS { 1.0 } else { 0.0 }));
    let total: f32 = visits.iter().sum();
    let most = visits.iter().copied().fold(0.0, f32::max);
    let own = 0.0 - choice.tree.auxiliary(choice.parent);
    let (mut mass, mut seen) = (0.0, 0.0);
    for ((&x, &n), &prior) in rates.iter().zip(&*visits).zip(&*priors) {
        if n > 0.0 && x != UNSEEN {
            mass += prior;
            seen += prior * score::plain(x, choice.win);
        }
    }
    let completed = mixed_value(own, total, if mass > 0.0 { seen / mass } else { own });
    for (x, &prior) in rates.iter_mut().zip(&*priors) {
        let value = if *x == UNSEEN { completed } else { score::plain(*x, choice.win) };
        *x = logit(prior) + sigma(rule.visit, rule.scale, most, unit(value, choice.win));
    }
    if choice.depth == 0 {
        // Drawn once per search, for drawing costs more than the rest of a simulation.
        let key = (rule.noise, choice.block.first.0, choice.block.len);
        if known.key != Some(key) {
            known.key = Some(key);
            known.values.clear();
            known.values.extend(choice.block.children().map(|child| noise(rule.noise, choice.tree.mv(child))));
        }
        rates.iter_mut().zip(&known.values).for_each(|(x, noise)| *x += noise);
        keep_considered(rule, rates, visits, open);
    } else {
        lag(rates, visits, total, open);
    }
    Rule::Greedy
}

/// Leaves the moves of the root that the plan considers now.
fn keep_considered(rule: Gumbel, rates: &mut [f32], visits: &[f32], open: &[f32]) {
    let total = visits.iter().sum::<f32>() as u32;
    let choices = open.iter().filter(|&&x| x > 0.0).count() as u32;
    let moves = rule.moves.min(choices).max(1);
    let planned = considered_visits(moves, rule.simulations.max(1), total) as f32;
    let fits = |n: f32, is_open: f32| is_open > 0.0 && n == planned;
    // Beyond the plan, and where samples in flight have upset it, the two moves most visited go on.
    let second = second_most(visits.iter().zip(open).filter(|(_, open)| **open > 0.0).map(|(&n, _)| n));
    let in_plan = total < rule.simulations && visits.iter().zip(open).any(|(&n, &open)| fits(n, open));
    let level = if in_plan { planned } else { second };
    for ((x, &n), &is_open) in rates.iter_mut().zip(visits).zip(open) {
        if is_open == 0.0 || n != level {
            *x = f32::NEG_INFINITY;
        }
    }
}

/// The second largest of some numbers of visits; the only one, or 0, if there are not two.
fn second_most(visits: impl Iterator<Item = f32>) -> f32 {
    let (mut first, mut second) = (None, None);
    for n in visits {
        if first.is_none_or(|most| n > most) {
            second = first.replace(n);
        } else if second.is_none_or(|less| n > less) {
            second = Some(n);
        }
    }
    second.or(first).unwrap_or(0.0)
}

/// How far the visits of each move lag behind the improved policy: `π'(a) - N(a)/(1 + ΣN)`.
fn lag(rates: &mut [f32], visits: &[f32], total: f32, open: &[f32]) {
    let most = rates.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    rates.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = rates.iter().sum();
    for ((x, &n), &is_open) in rates.iter_mut().zip(visits).zip(open) {
        *x = if is_open > 0.0 { *x / sum - n / (1.0 + total) } else { f32::NEG_INFINITY };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The visits that the plan asks for, simulation by simulation.
    fn plan(moves: u32, all: u32) -> Vec<u32> {
        (0..all).map(|done| considered_visits(moves, all, done)).collect()
    }

    #[test]
    fn simulations_are_halved() {
        assert_eq!(plan(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        // The paper's example: 200 simulations of 16 moves are 3·16, 6·8, 12·4 and 28 for the last two.
        let long = plan(16, 200);
        assert_eq!((long[47], long[48], long[95], long[96], long[143], long[144]), (2, 3, 8, 9, 20, 21));
        assert_eq!((plan(1, 3), plan(2, 5)), (vec![0, 1, 2], vec![0, 0, 1, 1, 2]));
    }

    #[test]
    fn the_second_most_visited() {
        let second = |visits: &[f32]| second_most(visits.iter().copied());
        assert_eq!((second(&[]), second(&[3.0]), second(&[3.0, 1.0]), second(&[1.0, 3.0])), (0.0, 3.0, 1.0, 1.0));
        assert_eq!((second(&[2.0, 5.0, 5.0]), second(&[5.0, 1.0, 4.0]), second(&[0.0, 0.0])), (5.0, 4.0, 0.0));
    }

    #[test]
    fn formulas_are_the_papers() {
        assert_eq!(sigma(50.0, 0.1, 10.0, 0.5), 3.0);
        assert_eq!((unit(-2.0, 2.0), unit(0.0, 2.0), unit(1.0, 2.0)), (0.0, 0.5, 0.75));
        assert_eq!(mixed_value(0.5, 3.0, 0.1), 0.2);
        let mean = (0..4000u16).map(|mv| noise(7, mv)).sum::<f32>() / 4000.0;
        assert!((mean - 0.5772).abs() < 0.05, "the mean is Euler's constant, {mean}");
    }
}
