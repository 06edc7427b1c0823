//! Who played in an experiment: what each player calls itself, and the files that it is made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::plan::ExperimentPlan;
use super::task::Task;
use super::workshop::Workshop;
use crate::manifest::files;

/// A player of games.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Seat {
    /// The game and its rules.
    pub game: String,
    /// The player as the file has it.
    pub player: String,
    /// What it calls itself: name and version of a program.
    pub id: String,
    /// The programs and files that it names, with their SHA-256.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// All players of the games of a plan, each once. Programs are started to be asked, where the workshop may.
pub fn seats(plan: &ExperimentPlan, workshop: &dyn Workshop) -> Vec<Seat> {
    let mut seats: BTreeMap<(String, String), Seat> = BTreeMap::new();
    for task in plan.tasks() {
        let Task::Game(task) = task else { continue };
        for player in task.players {
            let game = task.game.clone();
            seats.entry((game.clone(), player.clone())).or_insert_with(|| {
                // A program that cannot be asked shows when it is to play.
                let id = workshop.identify(&game, &player).unwrap_or_default();
                Seat { id, files: files(&player), game, player }
            });
        }
    }
    seats.into_values().collect()
}
