//! The settings of a run.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_eval::blokus::Evaluation;
use yomi_eval::rollout::{Choice, Selective};

/// How simulated moves are chosen.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Moves drawn at random to choose from; none means all legal moves.
    pub candidates: Option<usize>,
    /// Choose by a softmax of this temperature instead of the best.
    pub softmax: Option<f32>,
    /// Choose the best after normal noise of this deviation.
    pub noise: Option<f32>,
}

impl Selection {
    /// Best-of-n.
    pub fn best_of(n: usize) -> Selection {
        Selection { candidates: Some(n), softmax: None, noise: None }
    }

    /// The playout policy.
    pub fn policy(&self, evaluation: Evaluation) -> Selective<Evaluation> {
        let choice = match (self.softmax, self.noise) {
            (Some(t), _) => Choice::Softmax(t),
            (None, Some(deviation)) => Choice::Noise(deviation),
            (None, None) => Choice::Best,
        };
        Selective::new(self.candidates.unwrap_or(usize::MAX), choice, evaluation)
    }
}

/// The settings of a run. The weights that come of it depend on all of these and on nothing else.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How simulated moves are chosen (S1: best-of-n).
    pub selection: Selection,
    /// Simulated games from each position (m).
    pub simulations: u32,
    /// Updates, one self-play game each (l).
    pub updates: u64,
    /// The learning rate α.
    pub rate: f64,
    /// The probability of a random move in self-play games, at the first update and after the last; linear in between.
    pub epsilon: [f64; 2],
    /// TDMC(λ): how much of a position's target lies in the win rates of later positions of the game. 0 is S1.
    pub lambda: f64,
    /// Fit the value of a search of this many plies instead of the static value (announced in S1). 0 is S1.
    pub searched: u32,
    /// Learn from the positions of games of stronger players instead of self-play (announced in S1): the checksum of their file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            selection: Selection::best_of(8),
            simulations: 100,
            updates: 10_000,
            rate: 0.5,
            epsilon: [0.5, 0.0],
            lambda: 0.0,
            searched: 0,
            games: None,
            seed: 1,
        }
    }
}

impl Settings {
    /// ε before the update of this number, counted from 0.
    pub fn epsilon_at(&self, update: u64) -> f64 {
        let [first, last] = self.epsilon;
        first + (last - first) * update as f64 / self.updates.max(1) as f64
    }

    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), TextError> {
        let error = |message: &str| Err(TextError::new(message));
        let positive = |x: f32| x.is_finite() && x > 0.0;
        if self.selection.candidates == Some(0) {
            return error("at least one candidate is needed");
        }
        if self.selection.softmax.is_some() && self.selection.noise.is_some() {
            return error("softmax and noise exclude each other");
        }
        if !self.selection.softmax.is_none_or(positive) || !self.selection.noise.is_none_or(positive) {
            return error("a temperature or a deviation is a number above 0");
        }
        if self.simulations == 0 || self.updates == 0 {
            return error("at least one simulation and one update are needed");
        }
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return error("the learning rate is a number above 0");
        }
        if self.epsilon.iter().chain([&self.lambda]).any(|p| !(0.0..=1.0).contains(p)) {
            return error("epsilon and lambda go from 0 to 1");
        }
        if self.searched > 3 {
            return error("targets can be searched up to 3 plies deep");
        }
        Ok(())
    }
}
