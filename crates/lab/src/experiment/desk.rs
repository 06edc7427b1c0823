//! A game at which things are measured, its type forgotten: what a [`super::Workshop`] is made of.

use std::path::Path;

use yomi_core::{AnyEvaluator, Spec, TextError};

use super::kinds::{duplicates, prediction_error, step_timing, suite, tree_profile};
use super::problems::{self, Problem};
use super::task::{Job, Measurement, Task};
use super::workshop::{Factory, Failure};
use yomi_games::{Game, with_game};
use yomi_search::{Limits, Search};
use yomi_session::{Budget, Playable, Player};

/// Where the tasks of one game are done, but for matches, which have their [`crate::arena::Arena`].
pub trait Desk {
    /// Whether everything that the task names exists.
    fn check(&self, task: &Task) -> Result<(), TextError>;

    /// The problems of a file with this ending; records that it names lie in `folder`.
    fn problems(&self, bytes: &[u8], ending: &str, folder: &Path) -> Result<Vec<Problem>, TextError>;

    /// Does the work.
    fn measure(&self, job: &Job) -> Result<Measurement, Failure>;
}

/// The desk of a game of one type.
struct GameDesk<P> {
    start: P,
    factory: Box<dyn Factory<P>>,
}

/// A game with a desk.
pub trait Measured: Game {
    /// A desk for games that begin here, with players made by `factory`.
    fn desk(self, factory: Box<dyn Factory<Self>>) -> Box<dyn Desk> {
        Box::new(GameDesk { start: self, factory })
    }
}

impl<P: Game> Measured for P {}

/// The desk of the game that `game` names, with every player that can be typed.
pub fn open(game: &Spec) -> Result<Box<dyn Desk>, TextError> {
    with_game!(game, |start| Ok(start.desk(Box::new(TypedPlayers))))
}

/// Players and evaluators from what was typed.
struct TypedPlayers;

impl<P: Playable> Factory<P> for TypedPlayers {
    fn search(
        &self,
        player: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<(Box<dyn Search<P>>, Limits), TextError> {
        let parsed: Player = player.parse().map_err(|error: TextError| error.context(format!("player {player:?}")))?;
        let limits = parsed.ending_limits(&Budget::default(), 0)?;
        Ok((parsed.build_observed(observer)?, limits))
    }

    fn evaluator(&self, spec: &str) -> Result<AnyEvaluator<P>, TextError> {
        P::evaluator(&Spec::named("greedy"), Some(&spec.parse()?))
    }
}

impl<P: Game> Desk for GameDesk<P> {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        let (players, evaluators) = needs(task);
        for player in players {
            self.factory.search(player, &mut |evaluator| evaluator)?;
        }
        if let Task::Problem(task) = task {
            task.problem.clone().checked(&self.start).map_err(|error| error.context(&task.problem.name))?;
        }
        evaluators.into_iter().try_for_each(|spec| self.factory.evaluator(spec).map(drop))
    }

    fn problems(&self, bytes: &[u8], ending: &str, folder: &Path) -> Result<Vec<Problem>, TextError> {
        problems::read(&self.start, bytes, ending, folder)
    }

    fn measure(&self, job: &Job) -> Result<Measurement, Failure> {
        let (start, factory) = (self.start.clone(), &*self.factory);
        match &job.work {
            Task::Profile(task) => tree_profile::measure(task, start, factory, job).map(Measurement::Profile),
            Task::Prediction(task) => prediction_error::measure(task, start, factory, job).map(Measurement::Prediction),
            Task::Playouts(task) => duplicates::measure(task, start, factory, job).map(Measurement::Playouts),
            Task::Timing(task) => step_timing::measure(task, start, factory, job).map(Measurement::Timing),
            Task::Problem(task) => suite::measure(task, start, factory, job).map(Measurement::Problem),
            Task::Game(_) | Task::Series(_) => Err(TextError::new("this is not done at a desk").into()),
        }
    }
}

/// The players and the evaluators that a task names.
fn needs(task: &Task) -> (Vec<&str>, Vec<&str>) {
    match task {
        Task::Profile(task) => (vec![&task.recorded_by, &task.player], Vec::new()),
        Task::Prediction(task) => {
            let predictors = task.predictors.iter().map(|predictor| predictor.evaluator.as_str());
            (Vec::new(), predictors.chain([task.reference.as_str()]).collect())
        }
        Task::Playouts(task) => {
            (task.place.played_by.as_deref().into_iter().chain([task.player.as_str()]).collect(), Vec::new())
        }
        Task::Timing(task) => {
            let players = task.players.iter().map(String::as_str);
            (task.place.played_by.as_deref().into_iter().chain(players).collect(), Vec::new())
        }
        Task::Problem(task) => (vec![task.player.as_str()], Vec::new()),
        Task::Game(_) | Task::Series(_) => (Vec::new(), Vec::new()),
    }
}
