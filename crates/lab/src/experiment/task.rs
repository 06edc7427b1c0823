//! What is done for an experiment: one piece of work that needs nothing but itself, as a line of JSON.

use serde::{Deserialize, Serialize};
use yomi_core::Seed;
use yomi_core::rng::fnv1a;

use super::kinds::duplicates::{PlayoutsMeasurement, PlayoutsTask};
use super::kinds::learning_curve::{SeriesMeasurement, SeriesTask};
use super::kinds::match_table::{GameMeasurement, GameTask};
use super::kinds::prediction_error::{PredictionMeasurement, PredictionTask};
use super::kinds::step_timing::{TimingMeasurement, TimingTask};
use super::kinds::suite::{ProblemMeasurement, ProblemTask};
use super::kinds::tree_profile::{ProfileMeasurement, ProfileTask};

/// A piece of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Task {
    /// One game.
    Game(GameTask),
    /// The trees of one player along one game record.
    Profile(ProfileTask),
    /// Evaluators against playouts, at some positions.
    Prediction(PredictionTask),
    /// The playouts of one search, looked at closely.
    Playouts(PlayoutsTask),
    /// Several players' time for one position.
    Timing(TimingTask),
    /// One position with a known answer.
    Problem(ProblemTask),
    /// The lines that a learner wrote.
    Series(SeriesTask),
}

/// What came of a task, in its own words. In ledgers its kind and, in a [`Row`], the whole of it are called "told", as they always were, so that old
/// ledgers can be read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "told", rename_all = "kebab-case")]
pub enum Measurement {
    /// Of a [`Task::Game`].
    Game(GameMeasurement),
    /// Of a [`Task::Profile`].
    Profile(ProfileMeasurement),
    /// Of a [`Task::Prediction`].
    Prediction(PredictionMeasurement),
    /// Of a [`Task::Playouts`].
    Playouts(PlayoutsMeasurement),
    /// Of a [`Task::Timing`].
    Timing(TimingMeasurement),
    /// Of a [`Task::Problem`].
    Problem(ProblemMeasurement),
    /// Of a [`Task::Series`].
    Series(SeriesMeasurement),
}

impl Task {
    /// The game it is about, if it is about one.
    pub fn game(&self) -> Option<&str> {
        match self {
            Task::Game(task) => Some(&task.game),
            Task::Profile(task) => Some(&task.game),
            Task::Prediction(task) => Some(&task.game),
            Task::Playouts(task) => Some(&task.game),
            Task::Timing(task) => Some(&task.game),
            Task::Problem(task) => Some(&task.game),
            Task::Series(_) => None,
        }
    }

    /// A name for exactly this work.
    pub fn hash(&self) -> String {
        format!("{:016x}", fnv1a(serde_json::to_string(self).unwrap_or_default().as_bytes()))
    }

    /// Whether nothing else may run at the same time: what is measured is time.
    pub fn wants_quiet(&self) -> bool {
        matches!(self, Task::Timing(_))
    }
}

/// A task with its place in an experiment. What comes of it depends on (`hash`, `index`, `seed`) alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The experiment's name, for people.
    pub experiment: String,
    /// Which part of the experiment, from 0.
    pub part: usize,
    /// The conditions of that part, hashed.
    pub hash: String,
    /// Which of the part's jobs, from 0.
    pub index: u64,
    /// The seed of the run.
    pub seed: u64,
    /// What to do.
    pub work: Task,
}

impl Job {
    /// The seed of the part.
    pub fn root(&self) -> Seed {
        Seed::new(self.seed).branch(&self.hash, 0)
    }

    /// The seed of this job.
    pub fn chance(&self) -> Seed {
        self.root().branch("job", self.index)
    }

    /// A chance that jobs of the same part share: the opening of a pair of games, a game record, a position.
    pub fn shared(&self, what: &str, number: u64) -> Seed {
        self.root().branch("shared", 0).branch(what, number)
    }
}

/// A line of the ledger: a job that is done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// As in the [`Job`].
    pub part: usize,
    /// As in the [`Job`].
    pub hash: String,
    /// As in the [`Job`].
    pub index: u64,
    /// As in the [`Job`].
    pub seed: u64,
    /// What was to be done, hashed: the row belongs to exactly this work.
    pub work: String,
    /// What came of it.
    #[serde(rename = "told")]
    pub measurement: Measurement,
}

impl Row {
    /// The line for a job.
    pub fn of(job: &Job, measurement: Measurement) -> Row {
        let Job { part, index, seed, .. } = *job;
        Row { part, hash: job.hash.clone(), index, seed, work: job.work.hash(), measurement }
    }

    /// Whether this is the line of that job.
    pub fn is_of(&self, job: &Job) -> bool {
        (self.part, self.index, self.seed) == (job.part, job.index, job.seed)
            && self.hash == job.hash
            && self.work == job.work.hash()
    }

    /// The line without what may differ when the same work is done again: times.
    pub fn reproducible(&self) -> Row {
        let mut row = self.clone();
        match &mut row.measurement {
            Measurement::Game(game) => (game.ms, game.cpu_ms) = ([0.0; 2], [0.0; 2]),
            Measurement::Timing(timing) => timing.seconds.fill(0.0),
            Measurement::Problem(problem) => problem.ms = 0.0,
            _ => {}
        }
        row
    }
}
