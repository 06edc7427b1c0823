//! A game at which things are measured, its type forgotten: what a [`super::Workshop`] is made of.

use yomi_core::TextError;

use super::kinds::{duplicates, prediction_error, step_timing, tree_profile};
use super::task::{Job, Task, Told};
use super::workshop::{Factory, Failure};
use crate::contest::Contest;

/// Where the tasks of one game are done, but for matches, which have their [`crate::arena::Arena`].
pub trait Desk {
    /// Whether everything that the task names exists.
    fn check(&self, task: &Task) -> Result<(), TextError>;

    /// Does the work.
    fn measure(&self, job: &Job) -> Result<Told, Failure>;
}

/// The desk of a game of one type.
struct GameDesk<P> {
    start: P,
    factory: Box<dyn Factory<P>>,
}

/// A game with a desk. The desks of all games are built here, once: the program that uses them is compiled without them.
pub trait Measured: Contest {
    /// A desk for games that begin here, with players made by `factory`.
    fn desk(self, factory: Box<dyn Factory<Self>>) -> Box<dyn Desk>;
}

/// The types must be concrete: code of generic ones would be built again by every user.
macro_rules! measured {
    ($($game:ty),+ $(,)?) => { $(
        impl Measured for $game {
            fn desk(self, factory: Box<dyn Factory<Self>>) -> Box<dyn Desk> {
                Box::new(GameDesk { start: self, factory })
            }
        }
    )+ };
}
measured!(yomi_games::shogi::Shogi9, yomi_games::shogi::Minishogi, yomi_games::blokus::BlokusDuo);
measured!(yomi_games::othello::Othello);
measured!(yomi_games::go::Go9, yomi_games::go::Go13, yomi_games::go::Go19);
measured!(yomi_core::toy::ConnectFour, yomi_core::toy::TicTacToe, yomi_core::toy::Nim);

impl<P: Contest> Desk for GameDesk<P> {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        let (players, evaluators) = needs(task);
        for player in players {
            self.factory.search(player, &mut |evaluator| evaluator)?;
        }
        evaluators.into_iter().try_for_each(|spec| self.factory.evaluator(spec).map(drop))
    }

    fn measure(&self, job: &Job) -> Result<Told, Failure> {
        let (start, factory) = (self.start.clone(), &*self.factory);
        match &job.work {
            Task::Profile(task) => tree_profile::measure(task, start, factory, job).map(Told::Profile),
            Task::Prediction(task) => prediction_error::measure(task, start, factory, job).map(Told::Prediction),
            Task::Playouts(task) => duplicates::measure(task, start, factory, job).map(Told::Playouts),
            Task::Timing(task) => step_timing::measure(task, start, factory, job).map(Told::Timing),
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
        Task::Game(_) | Task::Series(_) => (Vec::new(), Vec::new()),
    }
}
