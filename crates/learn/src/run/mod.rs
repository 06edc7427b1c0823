//! Runs: self-play from a seed on all threads, steps, checkpoints, curves, gates. See [`trainer`] for what a folder holds.

pub mod checkpoint;
pub mod config;
mod cost;
mod defaults;
mod episode;
pub mod events;
pub mod gate;
mod parallel;
mod prepare;
mod sample_games;
mod table;
pub mod trainer;
pub mod work;
pub mod worker;
mod writer;

use std::path::Path;

use yomi_core::{Notation, TextError};

pub use config::{Config, METHODS};
pub use cost::StepCost;
pub use episode::Episode;
pub use gate::Decide;
pub use table::Hand;
pub use trainer::{GateRow, Row, Trainer};

pub use prepare::QUIET;

use crate::model::Model;
use crate::records::Library;
use prepare::prepare;
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

    /// Which records were left out, and why.
    fn skipped(&self) -> &[TextError];

    /// The name of the file of weights in the folder.
    fn weights_file(&self) -> String;

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

/// Begins a run in a folder, or goes on with the one that is there.
///
/// ```
/// use yomi_learn::run::{Config, Run, open};
///
/// let config = Config::read(
///     r#"
///     method = "td-leaf"
///     game = "minishogi"
///     games = 2
///     batch = 2
///     evaluations = 50
///     plies = 10
///     search = "mcss(t=80,hash=1)"
///     "#,
/// )?;
/// # let folder = std::env::temp_dir().join(format!("yomi-doc-learn-{}", std::process::id()));
/// let mut run = open(&folder, config)?;
/// run.batch(1, &|_| None, &|| ())?;
/// assert_eq!((run.games(), run.is_done()), (2, true));
/// # std::fs::remove_dir_all(&folder).ok();
/// # Ok::<(), yomi_core::TextError>(())
/// ```
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
        records: Library<P>,
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
        records: Library<P>,
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
        records: Library<P>,
    ) -> Result<Box<dyn Hand>, TextError> {
        Ok(Box::new(Visitors { table: Table::new(config, model, start, records)?, players: Vec::new() }))
    }
}

/// Goes on with the run in a folder.
pub fn resume(folder: &Path) -> Result<Box<dyn Run>, TextError> {
    let path = folder.join("config.toml");
    let text = yomi_core::file::read_text_file(&path.display().to_string(), 1 << 20)?;
    open(folder, Config::read(&text).map_err(|error| error.context(path.display()))?)
}
