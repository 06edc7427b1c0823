//! Where the work of experiments is done: the one place in which a task meets the type of a game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_games::draw::{Marks, SvgOptions, svg};
use yomi_lab::contest::Contest;
use yomi_lab::experiment::kinds::{
    duplicates, learning_curve, match_table, prediction_error, step_timing, tree_profile,
};
use yomi_lab::experiment::workshop::{Drawing, Factory, Failure, Scene, Version, Workshop};
use yomi_lab::experiment::{Job, Task, Told};
use yomi_lab::opening::{Opening, replay};
use yomi_search::{Limits, Search};

use crate::arena;
use crate::games::with_game;
use crate::players::{Budget, Playable, Player};

/// The workshop of this program.
pub(crate) struct Here {
    /// What `yomi bench` prints.
    pub(crate) signature: u64,
}

impl Workshop for Here {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        match task {
            Task::Game(task) => {
                let arena = arena::arena(&task.game.parse()?).map_err(told)?;
                task.players.iter().try_for_each(|text| {
                    let player = arena::player(text, &Budget::default()).map_err(told)?;
                    if arena::is_endless(&player) {
                        return Err(endless(text));
                    }
                    arena.identify(&player).map_err(|fault| TextError::new(format!("{text}: {fault}")))?;
                    Ok(())
                })
            }
            Task::Series(task) => {
                let found = std::fs::metadata(&task.source.file);
                found.map(drop).map_err(|error| TextError::new(format!("cannot read {}: {error}", task.source.file)))
            }
            _ => desk(task.game().unwrap_or_default())?.check(task),
        }
    }

    fn work(&self, job: &Job, stop: &Arc<AtomicBool>) -> Result<Told, Failure> {
        match &job.work {
            Task::Series(task) => learning_curve::measure(task).map(Told::Series),
            Task::Game(task) => {
                let arena = arena::arena(&task.game.parse()?).map_err(told)?;
                let player = |text: &str| arena::player(text, &Budget::default()).map_err(told);
                let players = [player(&task.players[0])?, player(&task.players[1])?];
                match_table::measure(task, &*arena, players, job, stop).map(Told::Game)
            }
            task => desk(task.game().unwrap_or_default())?.measure(job),
        }
    }

    fn board(&self, scene: &Scene) -> Result<Drawing, TextError> {
        desk(&scene.game)?.draw(scene)
    }

    fn version(&self) -> Version {
        Version { program: format!("yomi {}", env!("CARGO_PKG_VERSION")), bench: self.signature }
    }
}

/// An error of the program as one about text.
fn told(error: anyhow::Error) -> TextError {
    TextError::new(format!("{error:#}"))
}

fn endless(player: &str) -> TextError {
    TextError::new(format!("{player} would think for ever: give it a budget, evals=1000 for example"))
}

/// A game at which things are measured, its type forgotten.
trait Desk {
    /// Whether everything that the task names exists.
    fn check(&self, task: &Task) -> Result<(), TextError>;
    /// Does the work.
    fn measure(&self, job: &Job) -> Result<Told, Failure>;
    /// Draws a position.
    fn draw(&self, scene: &Scene) -> Result<Drawing, TextError>;
}

fn desk(game: &str) -> Result<Box<dyn Desk>, TextError> {
    fn find(game: &Spec) -> anyhow::Result<Box<dyn Desk>> {
        with_game!(game, |start| Ok(Box::new(At(start))))
    }
    find(&game.parse()?).map_err(told)
}

/// A game of one type.
struct At<P>(P);

impl<P: Playable + Contest> Desk for At<P> {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        let (players, evaluators) = needs(task);
        for player in players {
            let (_, limits) = Typed.search(player, &mut |evaluator: AnyEvaluator<P>| evaluator)?;
            if limits == Limits::infinite() && !is_self_limited(player) {
                return Err(endless(player));
            }
        }
        evaluators.into_iter().try_for_each(|spec| Factory::<P>::evaluator(&Typed, spec).map(drop))
    }

    fn measure(&self, job: &Job) -> Result<Told, Failure> {
        let (start, factory) = (self.0.clone(), &Typed);
        match &job.work {
            Task::Profile(task) => tree_profile::measure(task, start, factory, job).map(Told::Profile),
            Task::Prediction(task) => prediction_error::measure(task, start, factory, job).map(Told::Prediction),
            Task::Playouts(task) => duplicates::measure(task, start, factory, job).map(Told::Playouts),
            Task::Timing(task) => step_timing::measure(task, start, factory, job).map(Told::Timing),
            Task::Game(_) | Task::Series(_) => Err(TextError::new("this needs no desk").into()),
        }
    }

    fn draw(&self, scene: &Scene) -> Result<Drawing, TextError> {
        let whole = Opening { position: scene.position.clone(), moves: scene.moves.join(" ") };
        let (_, moves, line) = replay(&self.0, &whole)?;
        let mut marks = Marks::new();
        marks.last = moves.last().copied();
        let picture = line.position().picture(&marks);
        Ok(Drawing { svg: svg(&picture, &SvgOptions::default()), text: line.position().position_text() })
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

/// Whether a search ends by itself.
fn is_self_limited(player: &str) -> bool {
    ["random", "greedy", "flat"].iter().any(|name| player.starts_with(name))
}

/// Players and evaluators from what was typed.
struct Typed;

impl<P: Playable> Factory<P> for Typed {
    fn search(
        &self,
        player: &str,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<(Box<dyn Search<P>>, Limits), TextError> {
        let parsed: Player = player.parse().map_err(|error: TextError| error.context(format!("player {player:?}")))?;
        let limits = parsed.budget.limits(&Budget::default(), 0).map_err(told)?;
        Ok((parsed.build_observed(observer)?, limits))
    }

    fn evaluator(&self, spec: &str) -> Result<AnyEvaluator<P>, TextError> {
        P::evaluator(&Spec::named("greedy"), Some(&spec.parse()?))
    }
}
