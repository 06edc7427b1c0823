//! An evaluation by playing the game out.

mod any_policy;
mod census;
pub mod last_good_reply;
pub mod mixture;
pub mod patterns;
pub mod selective;
pub mod tabu;

pub use any_policy::AnyPolicy;
pub use census::{Census, Counted};
pub use last_good_reply::LastGoodReply;
pub use mixture::Mixture;
pub use patterns::Patterns;
pub use selective::{Choice, Judged, Scorer, Selective};
pub use tabu::Tabu;

use yomi_core::policy::{Step, play_out};
use yomi_core::{Answer, Evaluator, Outcome, Playouts, Policy, Position, Question, Rng, Seed, Simulate, Want};

/// Plays games out by a policy: a position is worth the mean result, from -1 for lost to 1 for won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rollout<Q> {
    policy: Q,
    playouts: u32,
}

impl<Q> Rollout<Q> {
    /// One playout per answer.
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

/// Working memory of one thread: the generator, the policy's own memory, and the place where playouts are recorded.
pub struct Scratch<P: Position, Q: Policy<P>> {
    rng: Rng,
    policy: (Q::Scratch, Playouts<P::Move>),
}

impl<Q> Rollout<Q> {
    /// The mean result for the side to move; the playouts are recorded in the scratch if `record`.
    fn play<P: Simulate>(&self, question: &Question<'_, P>, record: bool, scratch: &mut Scratch<P, Q>) -> f32
    where
        Q: Policy<P>,
    {
        let Scratch { rng, policy } = scratch;
        let side = question.position.turn();
        self.policy.arrive(question, &mut policy.0);
        let (mut total, mut played) = (0.0, 0u32);
        while played < self.playouts {
            if played > 0 && question.cancel.is_cancelled() {
                break;
            }
            let mut position = question.position.clone();
            let recorder = Recorder { policy: &self.policy, on: record };
            let (outcome, _) = play_out(&mut position, question.node, &recorder, rng, policy);
            let value = outcome.value_for(side, 1.0);
            if record {
                policy.1.finish(value);
            }
            total += value;
            played += 1;
        }
        total / played as f32
    }
}

impl<P: Simulate, Q: Policy<P>> Evaluator<P> for Rollout<Q> {
    type Scratch = Scratch<P, Q>;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        let rng = Seed::new(seed).branch("rollout", 0).rng();
        Scratch { rng, policy: (self.policy.scratch(), Playouts::default()) }
    }

    fn win(&self) -> f32 {
        1.0
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch) {
        let want = question.want;
        if want.has(Want::VALUE) {
            let record = want.has(Want::PLAYOUTS);
            // The playouts are recorded in the answer's own memory.
            if record {
                std::mem::swap(&mut scratch.policy.1, &mut answer.playouts);
            }
            answer.value = self.play(question, record, scratch);
            if record {
                std::mem::swap(&mut scratch.policy.1, &mut answer.playouts);
            }
        }
        answer.uniform_priors(question);
        answer.judge_children(question, 1.0, |child, answer| answer.value = self.play(child, false, scratch));
        if want.has(Want::COUNTERS) {
            self.policy.counters(&mut |name, n| answer.count(name, n));
        }
    }
}

/// The same policy, with its moves recorded if that is wanted.
struct Recorder<'a, Q> {
    policy: &'a Q,
    on: bool,
}

impl<P: Position, Q: Policy<P>> Policy<P> for Recorder<'_, Q> {
    type Scratch = (Q::Scratch, Playouts<P::Move>);

    fn scratch(&self) -> Self::Scratch {
        (self.policy.scratch(), Playouts::default())
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) {
        self.policy.arrive(question, &mut scratch.0);
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
            scratch.1.play(mv);
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

    fn ask<P: Simulate>(
        rollout: &Rollout<Uniform>,
        position: &P,
        scratch: &mut Scratch<P, Uniform>,
    ) -> Answer<P::Move> {
        let mut moves = Vec::new();
        position.generate(&mut moves);
        let mut answer = Answer::default();
        rollout.judge(&Question::of(position, &moves).wanting(Want::VALUE | Want::PLAYOUTS), &mut answer, scratch);
        answer
    }

    /// Nim with two: take both and win, or take one and lose.
    #[test]
    fn the_mean_of_many_is_the_expectation() {
        let rollout = Rollout::averaging(Uniform, 40_000);
        let mut scratch = rollout.scratch(1);
        let answer = ask(&rollout, &Nim::new(2), &mut scratch);
        // Six standard errors.
        assert!(answer.value.abs() < 0.03, "{}", answer.value);
        for (moves, value) in answer.playouts.iter() {
            assert_eq!(value, if moves.len() == 1 { 1.0 } else { -1.0 });
        }
        assert_eq!(answer.playouts.len(), 40_000);
    }

    #[test]
    fn recorded_moves_replay_to_the_result() {
        let rollout = Rollout::averaging(Uniform, 3);
        let mut scratch = rollout.scratch(2);
        for _ in 0..100 {
            let answer = ask(&rollout, &TicTacToe::default(), &mut scratch);
            let mut total = 0.0;
            for (moves, value) in answer.playouts.iter() {
                let mut position = TicTacToe::default();
                for &mv in moves {
                    assert!(position.is_legal(mv));
                    position.play(mv);
                }
                let outcome = position.generate(&mut Vec::new()).expect("played to the end");
                assert_eq!(outcome.value_for(yomi_core::Color::Black, 1.0), value);
                total += value / 3.0;
            }
            assert!((total - answer.value).abs() < 1e-6);
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_games() {
        let rollout = Rollout::new(Uniform);
        let play = |seed| {
            let mut scratch = rollout.scratch(seed);
            (0..50).map(|_| ask(&rollout, &TicTacToe::default(), &mut scratch).value).collect::<Vec<f32>>()
        };
        assert_eq!(play(1), play(1));
        assert_ne!(play(1), play(2));
    }
}
