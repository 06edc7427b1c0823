//! What a run is, and what a line of its log says.

use serde::{Deserialize, Serialize};
use yomi_net::open::Choice;

use crate::self_play;

/// What a run is; it cannot change between its parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The game with its rules, as players name it.
    pub game: String,
    /// Residual blocks.
    pub blocks: usize,
    /// Filters.
    pub channels: usize,
    /// Seeds everything.
    pub seed: u64,
    /// How games are played.
    pub play: self_play::Settings,
    /// Games of a generation; overlapped, the least before a generation is learned from.
    pub games: u64,
    /// How often a sample is trained on, on the average.
    pub reuse: f64,
    /// Generations of the replay window at most; it has half of all at least, so that the first, played by nearly random networks, go.
    pub window: usize,
    /// The learning rate.
    pub rate: f64,
    /// Positions of a training step.
    pub batch: usize,
    /// Whether games go on while the trainer learns.
    pub overlapped: bool,
    /// Whether, and how, a new network has to show that it is better before it plays.
    #[serde(default)]
    pub gate: Option<Gate>,
}

/// A match that a new network has to win against the one that plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Gate {
    /// Most pairs of games; if they decide nothing, the higher score does.
    pub pairs: usize,
    /// Simulations per move.
    pub simulations: u64,
}

/// Looks at pairs by the half points that the first player made in each (0 to 4): whether it is better, if that is decided.
pub type Decide = fn(&[u64; 5]) -> Option<bool>;

/// What may differ from part to part.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Where networks are evaluated.
    pub device: Choice,
    /// Threads of self-play.
    pub threads: usize,
    /// Generations after which the run is over.
    pub generations: u64,
    /// Positions evaluated in all after which the run is over.
    pub evaluations: Option<u64>,
    /// Seconds after which this part of the run ends.
    pub time: Option<f64>,
    /// Seconds that the run will take in all: the learning rate falls over its last four tenths. By generations if not known.
    pub planned: Option<f64>,
    /// The sequential test of the gate.
    pub decide: Decide,
}

/// What a generation was like: a line of `log.jsonl`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Generation {
    /// Its number.
    pub generation: u64,
    /// Games of the run so far.
    pub games: u64,
    /// Samples of the run so far.
    pub samples: u64,
    /// Positions evaluated by the run so far.
    pub evaluations: u64,
    /// Seconds of work so far, all parts together.
    pub seconds: f64,
    /// Games of this generation won by Black, drawn, won by White.
    pub results: [u64; 3],
    /// Mean plies of its games.
    pub plies: f64,
    /// Share of games in which a side resigned.
    pub resigned: f64,
    /// Games in which resigning was off, those in which a side would have resigned, and those in which that would have been wrong.
    pub resignations: [u64; 3],
    /// The value below which sides resign in the next generation.
    pub resign_below: f32,
    /// Positions evaluated per second in this generation.
    pub evaluations_per_second: f64,
    /// Learned from per second of this generation.
    pub samples_per_second: f64,
    /// Share of this generation's time in which the trainer was at work.
    pub training_share: f64,
    /// Share of this generation's time in which a kernel was at work on the device; none where no tool of the system looks at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_share: Option<f64>,
    /// Mean surprise of its samples.
    pub surprise: f64,
    /// The learning rate.
    pub rate: f64,
    /// What the trainer said.
    pub training: crate::trainer::Report,
    /// The network that plays the next generation.
    #[serde(default)]
    pub best: u64,
    /// Pairs of the gate by the half points of the new network; all 0 without a gate.
    #[serde(default)]
    pub gate: [u64; 5],
}
