//! Runs: self-play from a seed on all threads, steps, checkpoints, curves, gates. See [`trainer`] for what a folder holds.

pub mod checkpoint;
pub mod config;
mod cost;
mod episode;
pub mod events;
pub mod gate;
mod parallel;
mod sample_games;
mod table;
pub mod trainer;
pub mod work;
pub mod worker;
mod writer;

use std::path::Path;

use yomi_core::{Notation, TextError};
use yomi_eval::simulation::LARGEST_POLICY;
use yomi_eval::{MoveFeatures, SimulationPolicy};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_search::QuietOptions;

pub use config::{Config, METHODS};
pub use cost::StepCost;
pub use episode::Episode;
pub use gate::Decide;
pub use table::Hand;
pub use trainer::{GateRow, Row, Trainer};

use crate::games;
use crate::model::{Controlled, LinearShogi, Model};
use table::{Table, Visitors};
use work::{Played, Players, Work};

/// A run of any game.
///
/// It asks for games ([`Run::wants`]) and takes them ([`Run::take`]); who plays them does not matter. [`Run::batch`] plays them here.
pub trait Run: Send {
    /// Its configuration.
    fn config(&self) -> &Config;

    /// Games played, those of earlier sessions included.
    fn games(&self) -> u64;

    /// ω.
    fn parameters(&self) -> &[f64];

    /// The Elo of the best weights over those of the start, gates added up.
    fn elo(&self) -> f64;

    /// CPU seconds of this session: searches of the games, and everything that is learned from them.
    fn seconds(&self) -> [f64; 2];

    /// The CPU time of the last step that was played here; gates are not in it.
    fn cost(&self) -> &StepCost;

    /// Writes a checkpoint and the weights now; on return they are on the disk.
    fn checkpoint(&mut self) -> Result<(), TextError>;

    /// Whether all games are played.
    fn is_done(&self) -> bool {
        self.games() >= self.config().games
    }

    /// The games that are to be played now; none if all are.
    fn wants(&self) -> Option<Work>;

    /// Who plays them.
    fn players(&self) -> Players;

    /// What all who play them have to agree about: the configuration and the records of games.
    fn agreement(&self) -> Result<u64, TextError>;

    /// Reads some of these games as they were played elsewhere. Whatever cannot have been played so is refused.
    fn read(&self, work: &Work, bytes: &[u8]) -> Result<Vec<Played>, TextError>;

    /// Takes all games that the run wants, in their order. A row if they end a step; a gate may have to be played before.
    fn take(&mut self, played: Vec<Played>, decide: Decide<'_>) -> Result<Option<Row>, TextError>;

    /// The next step; `done` hears of every game of it.
    fn batch(&mut self, threads: usize, decide: Decide<'_>, done: &(dyn Fn() + Sync)) -> Result<Row, TextError>;
}

/// Leaves are judged exactly, however bad: a learner differentiates them.
pub const QUIET: QuietOptions =
    QuietOptions { depth: 3, checks: 0, nodes: 16, exchange: true, futility: 100, window: 0, lazy: false, pawn: 87.0 };

/// Begins a run in a folder, or goes on with the one that is there.
pub fn open(folder: &Path, config: Config) -> Result<Box<dyn Run>, TextError> {
    prepare(config, Begin(folder))
}

/// Someone who plays for a run that is kept elsewhere.
pub fn hand(config: Config) -> Result<Box<dyn Hand>, TextError> {
    prepare(config, Help)
}

/// What is done with a game and a model once a configuration has named them.
trait Purpose {
    type Made;

    fn make<P: Notation, M: Model<P> + 'static>(
        self,
        config: Config,
        model: M,
        start: P,
        records: Vec<games::Game<P::Move>>,
    ) -> Result<Self::Made, TextError>;
}

/// A run in a folder.
struct Begin<'a>(&'a Path);

impl Purpose for Begin<'_> {
    type Made = Box<dyn Run>;

    fn make<P: Notation, M: Model<P> + 'static>(
        self,
        config: Config,
        model: M,
        start: P,
        records: Vec<games::Game<P::Move>>,
    ) -> Result<Box<dyn Run>, TextError> {
        Ok(Box::new(Trainer::open(self.0, config, model, start, records)?))
    }
}

/// A hand for a run elsewhere.
struct Help;

impl Purpose for Help {
    type Made = Box<dyn Hand>;

    fn make<P: Notation, M: Model<P> + 'static>(
        self,
        config: Config,
        model: M,
        start: P,
        records: Vec<games::Game<P::Move>>,
    ) -> Result<Box<dyn Hand>, TextError> {
        Ok(Box::new(Visitors { table: Table::new(config, model, start, records)?, players: Vec::new() }))
    }
}

fn prepare<T: Purpose>(config: Config, purpose: T) -> Result<T::Made, TextError> {
    match config.game.as_str() {
        "minishogi" => prepare_shogi::<Five, T>(config, purpose),
        "shogi" => prepare_shogi::<Nine, T>(config, purpose),
        other => Err(TextError::new(format!("{other} has no linear evaluation; shogi and minishogi have"))),
    }
}

fn prepare_shogi<V: Variant, T: Purpose>(config: Config, purpose: T) -> Result<T::Made, TextError> {
    let mut records = Vec::new();
    for file in &config.records {
        let bytes = yomi_core::file::read_file(file, 1 << 32)?;
        records.extend(games::read::<Shogi<V>>(&bytes).map_err(|error| error.context(file))?);
    }
    let model = LinearShogi::<V>::new(QUIET, config.start()?, config.k as f32);
    let start = Shogi::<V>::default();
    if !config.learns_control() {
        return purpose.make(config, model, start, records);
    }
    let theta = match config.policy.as_str() {
        "even" => vec![0.0; Shogi::<V>::feature_names().len()],
        "embedded" => Shogi::<V>::embedded_policy(),
        file => {
            let text = yomi_core::file::read_text_file(file, LARGEST_POLICY)?;
            SimulationPolicy::<Shogi<V>>::read(&text).map_err(|error| error.context(file))?.theta().to_vec()
        }
    };
    purpose.make(config, Controlled::new(model, &theta)?, start, records)
}

/// Goes on with the run in a folder.
pub fn resume(folder: &Path) -> Result<Box<dyn Run>, TextError> {
    let path = folder.join("config.toml");
    let text = yomi_core::file::read_text_file(&path.display().to_string(), 1 << 20)?;
    open(folder, Config::read(&text).map_err(|error| error.context(path.display()))?)
}
