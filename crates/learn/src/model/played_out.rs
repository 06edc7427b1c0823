//! Positions judged by playing the game out: an evaluation without parameters.

use yomi_core::{Evaluator, Policy, Simulate, TextError};
use yomi_eval::rollout::Rollout;

use super::Model;

/// The mean result of a few games by a policy. Chance has a say in it, and no weight has: there is nothing to differentiate, so only a
/// simulation policy around it and the temperature are learned.
#[derive(Clone, Copy, Debug)]
pub struct PlayedOut<Q> {
    /// What plays.
    pub policy: Q,
    /// Games per answer.
    pub games: u32,
}

impl<P: Simulate, Q: Policy<P> + Clone + 'static> Model<P> for PlayedOut<Q>
where
    Rollout<Q>: Evaluator<P>,
{
    type Evaluator = Rollout<Q>;

    fn parameters(&self) -> usize {
        0
    }

    fn evaluator(&self, _: &[f64]) -> Result<Rollout<Q>, TextError> {
        Ok(Rollout::averaging(self.policy.clone(), self.games))
    }

    /// Nothing is known of a position but by playing.
    fn value(&self, _: &[f64], _: &P) -> f64 {
        0.0
    }

    fn gradient(&self, _: &[f64], _: &P, _: f64, _: &mut dyn FnMut(usize, f64)) {}

    fn has_evaluation(&self) -> bool {
        false
    }

    fn files(&self, _: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(Vec::new())
    }
}
