//! Maximum-entropy search policies: E2W (MENTS), E3W (RENTS, TENTS), BTS and DENTS.
//!
//! All of them draw from `(1 - λ)·π + λ/|A|`. E2W and E3W have `λ = ε·|A|/ln(N + 1)`, at most 1: the formula of Xiao et al. 2019, with its
//! factor |A| (some programs leave it out). BTS and DENTS have their authors' `λ = ε/ln(e + N)`. Lost children have no part in either.

use super::{Buffers, Choice, Rule};
use crate::backup::operators;
use crate::score::WEIGHTLESS;
use crate::softmax;

/// The entropy that makes the policy smooth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regularizer {
    /// Shannon's: a Boltzmann policy (MENTS).
    Shannon,
    /// Relative to the policy at the last visit, which the prior column keeps (RENTS).
    Relative,
    /// Tsallis's with index 2: a sparse policy (TENTS).
    Tsallis,
}

/// E2W and E3W.
pub(super) fn rate(t: f32, epsilon: f32, by: Regularizer, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    read(choice, buffers);
    policy(t, by, choice, buffers);
    explore(|moves, n| uniform_part(epsilon, moves, n), choice, buffers);
    Rule::Draw
}

/// BTS: `exp(Q/α(N))` with `α(N) = t·N^-decay`.
pub(super) fn rate_cooling(t: f32, epsilon: f32, decay: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    read(choice, buffers);
    let cooled = f64::from(t) * f64::from(choice.samples()).powf(-f64::from(decay));
    softmax::weigh(&mut buffers.rates, cooled as f32);
    explore(|_, n| fading(epsilon, n).min(1.0), choice, buffers);
    Rule::Draw
}

/// DENTS: `exp((Q + β(N)·H)/α)` with `β(N) = β/ln(e + N)` and H the entropy below the child, for the side that chooses.
pub(super) fn rate_with_bonus(t: f32, epsilon: f32, beta: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    entropic_policy(t, beta, choice, buffers);
    explore(|_, n| fading(epsilon, n).min(1.0), choice, buffers);
    Rule::Draw
}

/// The policy of DENTS without its uniform part, as weights.
pub(crate) fn entropic_policy(t: f32, beta: f32, choice: &Choice<'_>, buffers: &mut Buffers) {
    read(choice, buffers);
    let Buffers { rates, spare, .. } = buffers;
    choice.tree.read_auxiliary(choice.block, spare);
    let weight = fading(beta, choice.samples());
    for (x, &entropy) in rates.iter_mut().zip(&*spare) {
        *x += weight * entropy;
    }
    softmax::weigh(rates, t);
}

/// Replaces scores by the weights of a regularised policy.
pub(crate) fn policy(t: f32, by: Regularizer, choice: &Choice<'_>, buffers: &mut Buffers) {
    let Buffers { rates, more, wide, weights, .. } = buffers;
    match by {
        Regularizer::Shannon => softmax::weigh(rates, t),
        Regularizer::Relative => {
            softmax::weigh(rates, t);
            choice.tree.read_priors(choice.block, more);
            rates.iter_mut().zip(&*more).for_each(|(x, &prior)| *x *= prior);
        }
        Regularizer::Tsallis => {
            wide.clear();
            wide.extend(rates.iter().map(|&x| f64::from(x)));
            operators::to_sparse_probabilities(wide, f64::from(t.max(softmax::COLDEST)), weights);
            for (x, &p) in rates.iter_mut().zip(&*wide) {
                *x = if *x > WEIGHTLESS { p as f32 } else { 0.0 };
            }
        }
    }
}

/// The scores, into `rates`, and which of them are not lost, into `open`.
fn read(choice: &Choice<'_>, buffers: &mut Buffers) {
    let Buffers { rates, spare, open, .. } = buffers;
    choice.scores_or_own(rates, spare);
    open.clear();
    open.extend(rates.iter().map(|&x| if x > WEIGHTLESS { 1.0 } else { 0.0 }));
}

/// Mixes uniform exploration over the children that are not lost into the weights.
/// `lambda` says how much, given the number of moves and of samples.
fn explore(lambda: impl Fn(f32, f32) -> f32, choice: &Choice<'_>, buffers: &mut Buffers) {
    let Buffers { rates: weights, open, .. } = buffers;
    let (total, moves) = (softmax::sum(weights), softmax::sum(open));
    if moves > 0.0 && total > 0.0 {
        let lambda = lambda(moves, choice.samples());
        for (x, &open) in weights.iter_mut().zip(&*open) {
            *x = (1.0 - lambda) * *x / total + lambda * open / moves;
        }
    }
}

/// `x/ln(e + N)`: how exploration and the weight of entropy fade in Painter et al. 2023.
fn fading(x: f32, n: f32) -> f32 {
    x / softmax::ln(std::f32::consts::E + n)
}

/// `λ = ε·|A|/ln(N + 1)`, at most 1.
fn uniform_part(epsilon: f32, moves: f32, n: f32) -> f32 {
    (epsilon * moves / softmax::ln(n + 1.0)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_fades_as_the_paper_says() {
        assert_eq!(uniform_part(0.1, 30.0, 1.0), 1.0);
        // 0.01·80/ln(1001) = 0.8/6.908755.
        assert!((uniform_part(0.01, 80.0, 1000.0) - 0.115_795).abs() < 1e-5);
        assert_eq!(uniform_part(0.0, 80.0, 10.0), 0.0);
        // The other schedule has no factor for the moves: 0.1/ln(e + 1000) = 0.1/6.910470, and all of it before the first sample.
        assert!((fading(0.1, 1000.0) - 0.014_470_8).abs() < 1e-6 && (fading(0.1, 0.0) - 0.1).abs() < 1e-6);
    }
}
