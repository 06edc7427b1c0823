//! The workshop of this process: every game and every player that can be typed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{Spec, TextError};
use yomi_session::Budget;

use super::desk;
use super::kinds::{learning_curve, match_table};
use super::task::{Job, Measurement, Task};
use super::workshop::{Failure, Version, Workshop};
use crate::arena::{self, Arena};
use crate::players::build::{Programs, check_budget, configure, inspect};
use crate::players::spec::launches;

/// Does the work of experiments in this process.
pub struct LocalWorkshop {
    /// Which program this is.
    pub version: Version,
    /// Whether games may be played by programs.
    pub programs: Programs,
}

impl LocalWorkshop {
    /// A workshop that only looks: nothing is played, so no program is started and the signature of the version may be anything.
    pub fn onlooker(version: Version) -> LocalWorkshop {
        LocalWorkshop { version, programs: Programs::Refused }
    }
}

impl Workshop for LocalWorkshop {
    fn check(&self, task: &Task) -> Result<(), TextError> {
        match task {
            Task::Game(task) => {
                let game: Spec = task.game.parse()?;
                let arena = arena::open(&game, Programs::Refused)?;
                task.players.iter().try_for_each(|text| {
                    let player = configure(&game.name, text, Budget::default())?;
                    check_budget(&player, false)?;
                    inspect(&*arena, &player).map_err(|error| TextError::new(format!("{text}: {error}")))
                })
            }
            Task::Series(task) => {
                let found = std::fs::metadata(&task.source.file);
                found.map(drop).map_err(|error| TextError::new(format!("cannot read {}: {error}", task.source.file)))
            }
            _ => desk::open(&task.game().unwrap_or_default().parse()?)?.check(task),
        }
    }

    fn work(&self, job: &Job, stop: &Arc<AtomicBool>) -> Result<Measurement, Failure> {
        match &job.work {
            Task::Series(task) => learning_curve::measure(task).map(Measurement::Series),
            Task::Game(task) => {
                let game: Spec = task.game.parse()?;
                let arena = arena::open(&game, self.programs)?;
                let player = |text: &str| configure(&game.name, text, Budget::default());
                let players = [player(&task.players[0])?, player(&task.players[1])?];
                match_table::measure(task, &*arena, players, job, stop).map(Measurement::Game)
            }
            task => desk::open(&task.game().unwrap_or_default().parse()?)?.measure(job),
        }
    }

    fn arena(&self, game: &str) -> Result<Box<dyn Arena>, TextError> {
        arena::open(&game.parse()?, self.programs)
    }

    fn identify(&self, game: &str, player: &str) -> Result<String, TextError> {
        if launches(player)?.is_empty() {
            return Ok(player.to_string());
        }
        let game: Spec = game.parse()?;
        let config = configure(&game.name, player, Budget::default())?;
        let id = arena::open(&game, self.programs)?.identify(&config);
        id.map_err(|fault| TextError::new(format!("{player}: {fault}")))
    }

    fn version(&self) -> Version {
        self.version.clone()
    }
}
