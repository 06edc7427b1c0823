//! The edge to everything that depends on the type of a game. The program implements it once for all games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{AnyEvaluator, Notation, TextError};
use yomi_games::draw::Draw;
use yomi_search::{Limits, Search};

use super::task::{Job, Measurement, Task};
use crate::arena::Arena;

/// Does the work of experiments. Object-safe, one call per job: nothing behind it is compiled more than once per game.
pub trait Workshop: Sync {
    /// Whether the work could be done here: the game, the players and their programs exist, the files can be read. Cheap; asked of
    /// every kind of job before the first one runs. Starts no program: experiments are inspected before they are trusted.
    fn check(&self, task: &Task) -> Result<(), TextError>;

    /// Does the work. Gives up with [`Failure::Stopped`] soon after `stop` is raised.
    fn work(&self, job: &Job, stop: &Arc<AtomicBool>) -> Result<Measurement, Failure>;

    /// Where a game is played, drawn and looked through.
    fn arena(&self, game: &str) -> Result<Box<dyn Arena>, TextError>;

    /// What a player of a game calls itself: a program is started and asked, where that is allowed.
    fn identify(&self, game: &str, player: &str) -> Result<String, TextError> {
        let _ = game;
        Ok(player.to_string())
    }

    /// Which program this is: its version and the signature of its rules.
    fn version(&self) -> Version;
}

/// Why a job gave no row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The run is being broken off.
    Stopped,
    /// A fault that is charged to no player, for example an engine that did not start: worth another try.
    Void(String),
    /// It cannot be done.
    Wrong(TextError),
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Failure {
        Failure::Wrong(error)
    }
}

/// Which program did the work.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Version {
    /// `yomi 0.1.0`.
    pub program: String,
    /// The signature that `yomi bench` prints.
    pub bench: u64,
    /// Where it comes from: commit and compiler.
    pub build: String,
}

/// Builds what measurements of one game need from its text.
pub trait Factory<P: Notation + Draw> {
    /// The search and the budget of a player; an error if that budget does not end the search. `observer` may replace the evaluator on its
    /// way into the search.
    fn search(
        &self,
        player: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<(Box<dyn Search<P>>, Limits), TextError>;

    /// An evaluator.
    fn evaluator(&self, spec: &str) -> Result<AnyEvaluator<P>, TextError>;
}
