//! Who turns samples into better networks.

pub mod native;
pub mod python;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_net::input::Layout;
use yomi_net::symmetry::{Symmetry, Which};

/// What a trainer is asked to do.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// The files of the replay window, with how many of their records are in it.
    pub files: Vec<(PathBuf, u64)>,
    /// Steps to take.
    pub steps: u64,
    /// The learning rate.
    pub rate: f64,
    /// Seeds the choice of samples.
    pub seed: u64,
    /// The network to write.
    pub out: PathBuf,
    /// Where to write what is needed to go on later.
    pub checkpoint: PathBuf,
}

/// What came of a lesson.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Mean losses of the second half, by name.
    pub losses: std::collections::BTreeMap<String, f64>,
    /// Steps taken in all.
    pub step: u64,
    /// Samples in the window.
    pub window: u64,
    /// Seconds of reading samples.
    pub loading_seconds: f64,
    /// Seconds of training.
    pub seconds: f64,
    /// Positions trained on per second.
    pub positions_per_second: f64,
}

/// Under which symmetries samples are learned from: a random one of them each time a sample is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Symmetries {
    /// As they are.
    None,
    /// Those that leave the starting position as it is: eight in Go, two in Blokus Duo.
    Start,
    /// All that the rules have: the mirror from left to right in shogi and minishogi as well.
    Rules,
}

impl Symmetries {
    /// The symmetries of a layout's game, the identity first.
    pub fn of(self, layout: Layout) -> Vec<Symmetry> {
        match self {
            Symmetries::None => Symmetry::list(layout, Which::OfTheStart).into_iter().take(1).collect(),
            Symmetries::Start => Symmetry::list(layout, Which::OfTheStart),
            Symmetries::Rules => Symmetry::list(layout, Which::OfTheRules),
        }
    }
}

/// How a trainer learns; what is left out is the trainer's default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Positions of a step.
    pub batch: usize,
    /// How much of the value target is what the search thought, not the result.
    pub search_share: f32,
    /// How much of a sample's weight is its policy surprise.
    pub surprise_share: f32,
    /// How much the cross entropy of win, draw and loss counts beside that of the policy.
    pub value_weight: f32,
    /// How much the policy gradient through leaves counts (S0.8).
    pub gradient_weight: f32,
    /// Symmetries of the samples; if left out, none with the native trainer and those of the starting position with PyTorch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<Symmetries>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            batch: 256,
            search_share: 0.3,
            surprise_share: 0.5,
            value_weight: 1.0,
            gradient_weight: 0.1,
            symmetries: None,
        }
    }
}

/// Learns from samples.
pub trait Trainer: Send {
    /// Begins with a network, or goes on from a checkpoint.
    fn begin(&mut self, network: &Path, checkpoint: Option<&Path>) -> Result<(), TextError>;

    /// Takes the steps of a lesson and writes the network and the checkpoint.
    fn train(&mut self, lesson: &Lesson) -> Result<Report, TextError>;

    /// What it is, in a few words.
    fn name(&self) -> String;
}
