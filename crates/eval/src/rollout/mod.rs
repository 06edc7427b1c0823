//! An evaluation by playing the game out.

mod any_policy;
mod census;
pub mod last_good_reply;
pub mod mixture;
pub mod patterns;
pub mod tabu;

pub use any_policy::AnyPolicy;
pub use census::{Census, Counted};
pub use last_good_reply::LastGoodReply;
pub use mixture::Mixture;
pub use patterns::Patterns;
pub use tabu::Tabu;

use yomi_core::policy::{Step, play_out};
use yomi_core::{Evaluator, Leaf, Outcome, Policy, Position, Rng, Seed, Simulate};

/// Plays games out by a policy: a position is worth the mean result, from -1 for lost to 1 for won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rollout<Q> {
    policy: Q,
    playouts: u32,
}

impl<Q> Rollout<Q> {
    /// One playout an answer.
    pub fn new(policy: Q) -> Rollout<Q> {
        Rollout { policy, playouts: 1 }
    }

    /// The mean of `playouts` an answer, at least one: slower and steadier, which MCSS wants.
    pub fn averaging(policy: Q, playouts: u32) -> Rollout<Q> {
        Rollout { policy, playouts: playouts.max(1) }
    }

    /// The policy that plays.
    pub fn policy(&self) -> &Q {
        &self.policy
    }
}

/// Working memory of one thread: the generator, the policy's own memory, and the record of the last answer's playouts.
pub struct Scratch<P: Position, Q: Policy<P>> {
    rng: Rng,
    policy: (Q::Scratch, Vec<P::Move>),
    /// Where each playout's moves end, and what it came to.
    results: Vec<(usize, f32)>,
}

impl<P: Simulate, Q: Policy<P>> Evaluator<P> for Rollout<Q> {
    type Scratch = Scratch<P, Q>;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        let rng = Seed::new(seed).branch("rollout", 0).rng();
        Scratch { rng, policy: (self.policy.scratch(), Vec::new()), results: Vec::new() }
    }

    fn win(&self) -> f32 {
        1.0
    }

    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut Self::Scratch) -> f32 {
        let Scratch { rng, policy, results } = scratch;
        policy.1.clear();
        results.clear();
        let side = leaf.position.turn();
        self.policy.arrive(leaf, &mut policy.0);
        let mut total = 0.0;
        for i in 0..self.playouts {
            if i > 0 && leaf.patience.is_over() {
                break;
            }
            let mut position = leaf.position.clone();
            let (outcome, _) =
                play_out(&mut position, leaf.node, &Recorder { policy: &self.policy, on: leaf.recorded }, rng, policy);
            let value = outcome.value_for(side, 1.0);
            results.push((policy.1.len(), value));
            total += value;
        }
        total / results.len() as f32
    }

    fn playouts(&self, scratch: &Self::Scratch, show: &mut dyn FnMut(&[P::Move], f32)) {
        let mut start = 0;
        for &(end, value) in &scratch.results {
            show(&scratch.policy.1[start..end], value);
            start = end;
        }
    }

    fn counters(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        self.policy.counters(tell);
    }
}

/// The same policy, with its moves written down if somebody wants to know them.
struct Recorder<'a, Q> {
    policy: &'a Q,
    on: bool,
}

impl<P: Position, Q: Policy<P>> Policy<P> for Recorder<'_, Q> {
    type Scratch = (Q::Scratch, Vec<P::Move>);

    fn scratch(&self) -> Self::Scratch {
        (self.policy.scratch(), Vec::new())
    }

    fn arrive(&self, leaf: &Leaf<'_, P>, scratch: &mut Self::Scratch) {
        self.policy.arrive(leaf, &mut scratch.0);
    }

    #[inline]
    fn begin(&self, position: &P, node: u32, scratch: &mut Self::Scratch) {
        self.policy.begin(position, node, &mut scratch.0);
    }

    #[inline]
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move> {
        let step = self.policy.choose(position, rng, &mut scratch.0);
        if self.on
            && let Step::Continue(mv) = step
        {
            scratch.1.push(mv);
        }
        step
    }

    #[inline]
    fn finished(&self, outcome: Outcome, scratch: &mut Self::Scratch) {
        self.policy.finished(outcome, &mut scratch.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Uniform;
    use yomi_core::toy::{Nim, TicTacToe};

    fn ask<P: Simulate>(rollout: &Rollout<Uniform>, position: &P, scratch: &mut Scratch<P, Uniform>) -> f32 {
        let mut moves = Vec::new();
        position.generate(&mut moves);
        rollout.evaluate(&Leaf::of(position, &[], &moves), scratch)
    }

    /// Nim with two: take both and win, or take one and lose.
    #[test]
    fn the_mean_of_many_is_the_expectation() {
        let rollout = Rollout::averaging(Uniform, 40_000);
        let mut scratch = rollout.scratch(1);
        let value = ask(&rollout, &Nim::new(2), &mut scratch);
        // Six standard errors.
        assert!(value.abs() < 0.03, "{value}");
        let mut shown = 0;
        Evaluator::<Nim>::playouts(&rollout, &scratch, &mut |moves, value| {
            assert_eq!(value, if moves.len() == 1 { 1.0 } else { -1.0 });
            shown += 1;
        });
        assert_eq!(shown, 40_000);
    }

    #[test]
    fn recorded_moves_replay_to_the_result() {
        let rollout = Rollout::averaging(Uniform, 3);
        let mut scratch = rollout.scratch(2);
        for _ in 0..100 {
            let value = ask(&rollout, &TicTacToe::default(), &mut scratch);
            let mut total = 0.0;
            rollout.playouts(&scratch, &mut |moves, value| {
                let mut position = TicTacToe::default();
                for &mv in moves {
                    assert!(position.is_legal(mv));
                    position.play(mv);
                }
                let outcome = position.generate(&mut Vec::new()).expect("played to the end");
                assert_eq!(outcome.value_for(yomi_core::Color::Black, 1.0), value);
                total += value / 3.0;
            });
            assert!((total - value).abs() < 1e-6);
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_games() {
        let rollout = Rollout::new(Uniform);
        let play = |seed| {
            let mut scratch = rollout.scratch(seed);
            (0..50).map(|_| ask(&rollout, &TicTacToe::default(), &mut scratch)).collect::<Vec<f32>>()
        };
        assert_eq!(play(1), play(1));
        assert_ne!(play(1), play(2));
    }
}
