//! Runs: self-play from a seed on all threads, steps, checkpoints, curves, gates. See [`trainer`] for what a folder holds.

pub mod checkpoint;
pub mod config;
mod episode;
pub mod events;
pub mod gate;
mod parallel;
mod sample_games;
pub mod trainer;
mod work;
mod writer;

use std::path::Path;

use yomi_core::TextError;
use yomi_eval::simulation::LARGEST_POLICY;
use yomi_eval::{MoveFeatures, SimulationPolicy};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_search::QuietOptions;

pub use config::{Config, METHODS};
pub use gate::Decide;
pub use trainer::{GateRow, Row, Trainer};
pub use work::Work;

use crate::games;
use crate::model::{Controlled, LinearShogi};

/// A run of any game.
pub trait Run {
    /// What it was told.
    fn config(&self) -> &Config;

    /// Games played, those of earlier sessions included.
    fn games(&self) -> u64;

    /// ω.
    fn parameters(&self) -> &[f64];

    /// The Elo of the best weights over those of the start, gates added up.
    fn elo(&self) -> f64;

    /// CPU seconds of this session: searches of the games, and everything that is learnt from them.
    fn seconds(&self) -> [f64; 2];

    /// The CPU time of the last step; gates are not in it.
    fn work(&self) -> &Work;

    /// Writes a checkpoint and the weights now; on return they are on the disk.
    fn checkpoint(&mut self) -> Result<(), TextError>;

    /// Whether all games are played.
    fn is_done(&self) -> bool {
        self.games() >= self.config().games
    }

    /// The next step; `done` hears of every game of it.
    fn batch(&mut self, threads: usize, decide: Decide<'_>, done: &(dyn Fn() + Sync)) -> Result<Row, TextError>;
}

/// Leaves are judged exactly, however bad: a learner differentiates them.
pub const QUIET: QuietOptions =
    QuietOptions { depth: 3, checks: 0, nodes: 16, exchange: true, futility: 100, window: 0, lazy: false, pawn: 87.0 };

/// Begins a run in a folder, or goes on with the one that is there.
pub fn open(folder: &Path, config: Config) -> Result<Box<dyn Run>, TextError> {
    match config.game.as_str() {
        "minishogi" => open_shogi::<Five>(folder, config),
        "shogi" => open_shogi::<Nine>(folder, config),
        other => Err(TextError::new(format!("{other} has no linear evaluation; shogi and minishogi have"))),
    }
}

fn open_shogi<V: Variant>(folder: &Path, config: Config) -> Result<Box<dyn Run>, TextError> {
    let mut records = Vec::new();
    for file in &config.records {
        let bytes = yomi_core::file::read_file(file, 1 << 32)?;
        records.extend(games::read::<Shogi<V>>(&bytes).map_err(|error| error.context(file))?);
    }
    let model = LinearShogi::<V>::new(QUIET, config.start()?, config.k as f32);
    let start = Shogi::<V>::default();
    if !config.learns_control() {
        return Ok(Box::new(Trainer::open(folder, config, model, start, records)?));
    }
    let theta = match config.policy.as_str() {
        "even" => vec![0.0; Shogi::<V>::feature_names().len()],
        "embedded" => Shogi::<V>::embedded_policy(),
        file => {
            let text = yomi_core::file::read_text_file(file, LARGEST_POLICY)?;
            SimulationPolicy::<Shogi<V>>::read(&text).map_err(|error| error.context(file))?.theta().to_vec()
        }
    };
    let model = Controlled::new(model, &theta)?;
    Ok(Box::new(Trainer::open(folder, config, model, start, records)?))
}

/// Goes on with the run in a folder.
pub fn resume(folder: &Path) -> Result<Box<dyn Run>, TextError> {
    let path = folder.join("config.toml");
    let text = yomi_core::file::read_text_file(&path.display().to_string(), 1 << 20)?;
    open(folder, Config::read(&text).map_err(|error| error.context(path.display()))?)
}
