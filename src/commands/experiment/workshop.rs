//! Where the work of experiments is done: the one place in which a task meets the type of a game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_lab::arena::Arena;
use yomi_lab::experiment::desk::{Desk, Measured};
use yomi_lab::experiment::kinds::{learning_curve, match_table};
use yomi_lab::experiment::workshop::{Factory, Failure, Version, Workshop};
use yomi_lab::experiment::{Job, Task, Told};
use yomi_search::{Limits, Search};

use crate::arena;
use crate::build;
use crate::games::with_game;
use crate::players::{Budget, Playable, Player};
use crate::programs::Programs;

/// The workshop of this program.
pub(crate) struct Here {
    /// What `yomi bench` prints.
    pub(crate) signature: u64,
    /// Whether games may be played by programs.
    pub(crate) programs: Programs,
}

impl Here {
    /// A workshop that only looks: nothing is played, so nobody asks for the signature.
    pub(crate) const ONLOOKER: Here = Here { signature: 0, programs: Programs::Refused };
}

impl Workshop for Here {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        match task {
            Task::Game(task) => {
                let game: Spec = task.game.parse()?;
                let arena = arena::arena(&game, Programs::Refused).map_err(told)?;
                task.players.iter().try_for_each(|text| {
                    let player = arena::player(&game.name, text, &Budget::default()).map_err(told)?;
                    arena::check_budget(&player, false)?;
                    arena::inspect(&*arena, &player).map_err(|error| TextError::new(format!("{text}: {error:#}")))
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
                let game: Spec = task.game.parse()?;
                let arena = arena::arena(&game, self.programs).map_err(told)?;
                let player = |text: &str| arena::player(&game.name, text, &Budget::default()).map_err(told);
                let players = [player(&task.players[0])?, player(&task.players[1])?];
                match_table::measure(task, &*arena, players, job, stop).map(Told::Game)
            }
            task => desk(task.game().unwrap_or_default())?.measure(job),
        }
    }

    fn arena(&self, game: &str) -> Result<Box<dyn Arena>, TextError> {
        arena::arena(&game.parse()?, self.programs).map_err(told)
    }

    fn version(&self) -> Version {
        Version { program: format!("yomi {}", env!("CARGO_PKG_VERSION")), bench: self.signature, build: build::text() }
    }
}

/// An error of the program as one about text.
fn told(error: anyhow::Error) -> TextError {
    TextError::new(format!("{error:#}"))
}

/// The desk of a game, its type forgotten.
fn desk(game: &str) -> Result<Box<dyn Desk>, TextError> {
    fn find(game: &Spec) -> anyhow::Result<Box<dyn Desk>> {
        with_game!(game, |start| Ok(start.desk(Box::new(Typed))))
    }
    find(&game.parse()?).map_err(told)
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
        let limits = parsed.ending_limits(&Budget::default(), 0).map_err(told)?;
        Ok((parsed.build_observed(observer)?, limits))
    }

    fn evaluator(&self, spec: &str) -> Result<AnyEvaluator<P>, TextError> {
        P::evaluator(&Spec::named("greedy"), Some(&spec.parse()?))
    }
}
