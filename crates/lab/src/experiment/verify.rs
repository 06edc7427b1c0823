//! Proof that the ledger of an experiment is true: its games looked through by the rules, and some of its jobs done again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::Seed;

use super::kinds::match_table::{GameMeasurement, GameTask};
use super::plan::ExperimentPlan;
use super::task::{Job, Measurement, Row, Task};
use super::workshop::{Failure, Workshop};
use crate::arena::Arena;
use crate::error::Result;
use crate::verify::Verification;

/// Checks all games by the rules, and does `sample` of the jobs again, chosen by `seed`. Jobs of a run that is not reproducible, because
/// time, threads or other people's programs are involved, are not done again.
pub fn verify(
    plan: &ExperimentPlan,
    workshop: &dyn Workshop,
    rows: &[Row],
    sample: usize,
    seed: u64,
) -> Result<Verification> {
    let mut found = Verification::default();
    let jobs: BTreeMap<(usize, u64), Job> = plan.jobs()?.into_iter().map(|job| ((job.part, job.index), job)).collect();
    let mut arenas: BTreeMap<String, Box<dyn Arena>> = BTreeMap::new();
    let mut done: Vec<(&Row, &Job)> = Vec::new();
    let place = |row: &Row| (row.part, row.index);
    let measured: BTreeSet<(usize, u64)> =
        rows.iter().filter(|row| jobs.get(&place(row)).is_some_and(|job| row.is_of(job))).map(place).collect();
    for row in rows {
        let name = format!("part {}, job {}", row.part + 1, row.index);
        // A run may have been larger before: what is beyond the plan is no mistake.
        let Some(job) = jobs.get(&(row.part, row.index)) else { continue };
        if !row.is_of(job) && measured.contains(&place(row)) {
            // Or smaller: the job was done again at its size, and that row counts.
            continue;
        }
        if !row.is_of(job) {
            found.differences.push(format!("{name}: this row belongs to other work"));
            continue;
        }
        if let (Task::Game(task), Measurement::Game(game)) = (&job.work, &row.measurement) {
            if !arenas.contains_key(&task.game) {
                arenas.insert(task.game.clone(), workshop.arena(&task.game)?);
            }
            found.checked += 1;
            let checked = arenas[&task.game].look_through(&game.scene(&task.game), game.result(), &game.reason);
            found.differences.extend(checked.err().map(|error| format!("{name}: {}", error.message)));
            found.differences.extend(wrong_side(task, game).map(|what| format!("{name}: {what}")));
        }
        done.push((row, job));
    }
    if !plan.is_reproducible() {
        return Ok(found);
    }
    let mut rng = Seed::new(seed).branch("verify", 0).rng();
    for _ in 0..sample.min(done.len()) {
        let (row, job) = done.swap_remove(rng.below(done.len()));
        found.replayed += 1;
        let name = format!("part {}, job {}", row.part + 1, row.index);
        match workshop.work(job, &Arc::new(AtomicBool::new(false))) {
            Ok(measurement) if same(row, &Row::of(job, measurement.clone())) => found.same += 1,
            Ok(_) => found.changed.push(format!("{name}: done again it came out differently")),
            Err(Failure::Stopped) => found.changed.push(format!("{name}: broken off")),
            Err(Failure::Void(why)) => found.changed.push(format!("{name}: {why}")),
            Err(Failure::Wrong(error)) => found.changed.push(format!("{name}: {}", error.message)),
        }
    }
    Ok(found)
}

/// Whether a job that was done again came out the same, as far as the row tells: older rows of games tell less. A number of many digits may be read
/// from a ledger as its neighbour, so what was done again may be read, too.
fn same(row: &Row, again: &Row) -> bool {
    let mut again = again.reproducible();
    if let (Measurement::Game(was), Measurement::Game(is)) = (&row.measurement, &mut again.measurement)
        && was.made == [0; 2]
    {
        (is.made, is.sims, is.evals) = ([0; 2], [0; 2], [0; 2]);
        is.identity.clear();
    }
    let row = row.reproducible();
    let read = || serde_json::to_string(&again).and_then(|text| serde_json::from_str::<Row>(&text));
    again == row || read().is_ok_and(|read| read == row)
}

/// The colours are the schedule's.
fn wrong_side(task: &GameTask, game: &GameMeasurement) -> Option<&'static str> {
    (task.first != game.first).then_some("the colours are not those of the schedule")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::kinds::prediction_error::PredictionMeasurement;

    /// Measured numbers have all the digits they need, and are not always read as what was written.
    #[test]
    fn numbers_that_were_written_and_read_are_the_same() {
        let row = |error: f64| {
            let measured = PredictionMeasurement { errors: vec![vec![error]], moves: Vec::new() };
            let (hash, work) = (String::new(), String::new());
            Row { part: 0, hash, index: 0, seed: 1, work, measurement: Measurement::Prediction(measured) }
        };
        let mut shifted = 0;
        let mut numbers = Seed::new(4).rng();
        for _ in 0..1000 {
            let again = row(f64::from(numbers.unit()) / 3.0);
            let read: Row = serde_json::from_str(&serde_json::to_string(&again).unwrap()).unwrap();
            shifted += usize::from(read != again);
            assert!(same(&read, &again) && same(&again, &again));
        }
        assert!(shifted > 0, "then they can be compared as they are");
        assert!(!same(&row(0.25), &row(0.5)));
    }
}
