//! The games of an experiment as records: SGF, KIF and CSA, Blokus SGF.

use std::collections::BTreeMap;

use super::directory::{Directory, Manifest};
use super::kinds::match_table::{GameMeasurement, GameTask};
use super::plan::ExperimentPlan;
use super::task::{Measurement, Task};
use super::workshop::Workshop;
use crate::arena::Arena;
use crate::ending::Reason;
use crate::error::Result;
use crate::record::Title;
use crate::row::GameRow;

/// Writes the records that are missing under `records/`, one folder per part, and says how many games there are.
pub fn write(
    plan: &ExperimentPlan,
    manifest: &Manifest,
    directory: &Directory,
    workshop: &dyn Workshop,
) -> Result<usize> {
    let mut arenas: BTreeMap<String, Box<dyn Arena>> = BTreeMap::new();
    let measurements = plan.measurements(&directory.rows()?)?;
    let mut games = 0;
    for job in plan.jobs()? {
        let (Task::Game(task), Some(Some(Measurement::Game(game)))) =
            (&job.work, measurements[job.part].get(job.index as usize))
        else {
            continue;
        };
        if !arenas.contains_key(&task.game) {
            arenas.insert(task.game.clone(), workshop.arena(&task.game)?);
        }
        games += 1;
        let players = names(task, manifest);
        let event = format!("{}, part {}", plan.experiment.name, job.part + 1);
        let title = Title { event: &event, players: [&players[0], &players[1]] };
        for (ending, bytes) in arenas[&task.game].record(&row(job.index, task, game), &title)? {
            let name = format!("records/part-{}/{:05}.{ending}", job.part + 1, job.index);
            if !directory.run().file(&name).exists() {
                directory.write(&name, &bytes)?;
            }
        }
    }
    Ok(games)
}

/// What the players are called, the one who moves first standing first: a program by its own name as well.
fn names(task: &GameTask, manifest: &Manifest) -> [String; 2] {
    let name = |player: &String| {
        let seat = manifest.players.iter().find(|seat| seat.game == task.game && seat.player == *player);
        match seat.map(|seat| seat.id.as_str()) {
            Some(id) if !id.is_empty() && id != player => format!("{id} ({player})"),
            _ => player.clone(),
        }
    };
    let [player, opponent] = [name(&task.players[0]), name(&task.players[1])];
    if task.first { [player, opponent] } else { [opponent, player] }
}

/// A game as a match would have written it down.
fn row(index: u64, task: &GameTask, game: &GameMeasurement) -> GameRow {
    let in_order = |two: [u64; 2]| if task.first { two } else { [two[1], two[0]] };
    let [mine, other] = game.ms;
    GameRow {
        job: index,
        pairing: 0,
        round: task.pair,
        first: String::new(),
        second: String::new(),
        result: game.result(),
        reason: Reason::ALL.into_iter().find(|reason| reason.word() == game.reason).unwrap_or(Reason::Adjudicated),
        detail: game.detail.clone(),
        seed: 0,
        plies: game.moves.len() as u32,
        opening: 0,
        position: game.start.clone(),
        moves: game.moves.join(" "),
        values: Vec::new(),
        lines: Vec::new(),
        made: in_order(game.made).map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        sims: in_order(game.sims),
        nodes: in_order(game.nodes),
        evals: in_order(game.evals),
        depth: [0.0; 2],
        identity: game.identity.clone(),
        remarks: [None, None],
        attempt: 0,
        ended: None,
        ms: if task.first { [mine, other] } else { [other, mine] },
        cpu_ms: [0.0; 2],
        slowest_ms: [0.0; 2],
        worker: 0,
    }
}
