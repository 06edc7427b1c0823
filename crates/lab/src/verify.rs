//! Proof that a ledger is true: its games looked through by the rules, and some of them played again.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use yomi_core::Seed;

use crate::arena::{Arena, Place};
use crate::error::Result;
use crate::plan::MatchPlan;
use crate::row::GameRow;
use crate::standing::Standing;

/// What was found.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Verification {
    /// Games whose moves and results were checked by the rules.
    pub checked: usize,
    /// Games and other jobs that were done again.
    pub replayed: usize,
    /// Of these, how many came out the same.
    pub same: usize,
    /// What is wrong by the rules and the schedule, a line each.
    pub differences: Vec<String>,
    /// What came out differently when it was done again, a line each: wrong, if the program is still the same.
    pub changed: Vec<String>,
}

/// Checks all games by the rules and the schedule, and plays `sample` of them again, chosen by `seed`. Games that are not reproducible are
/// not played again.
pub fn verify(plan: &MatchPlan, arena: &dyn Arena, rows: &[GameRow], sample: usize, seed: u64) -> Result<Verification> {
    let mut found = Verification::default();
    let mut standing = Standing::new(plan)?;
    let mut games: Vec<&GameRow> = Vec::new();
    for row in rows {
        if let Err(error) = standing.add(plan, row) {
            found.differences.push(error.message);
        }
        if row.counts() {
            found.checked += 1;
            found.differences.extend(arena.check(row).err().map(|error| error.message));
            games.push(row);
        }
    }
    if !plan.config.reproducible {
        return Ok(found);
    }
    let mut rng = Seed::new(seed).branch("verify", 0).rng();
    let mut table = arena.table(&plan.config, Place::default())?;
    for _ in 0..sample.min(games.len()) {
        let row = games.swap_remove(rng.below(games.len()));
        let job = plan.job(row.job, arena)?;
        found.replayed += 1;
        match table.play(&job, &Arc::new(AtomicBool::new(false))) {
            None => found.changed.push(format!("game {}: broken off", row.job)),
            Some(again) => {
                let difference = difference(row, &again);
                found.same += usize::from(difference.is_none());
                found.changed.extend(difference);
            }
        }
    }
    Ok(found)
}

/// Where two rows of the same game differ, apart from times.
fn difference(row: &GameRow, again: &GameRow) -> Option<String> {
    let mut again = again.reproducible();
    if row.evals == [0; 2] {
        // Older ledgers do not tell.
        again.evals = [0; 2];
    }
    if row.lines.is_empty() {
        again.lines.clear();
    }
    let [was, is] = [&row.reproducible(), &again].map(|row| serde_json::to_value(row).unwrap_or_default());
    let (Value::Object(was), Value::Object(is)) = (&was, &is) else { return None };
    let fields: Vec<String> = was
        .keys()
        .chain(is.keys().filter(|key| !was.contains_key(*key)))
        .filter(|key| was.get(*key) != is.get(*key))
        .map(|key| {
            let short = |value: Option<&Value>| {
                value.map_or("nothing".into(), Value::to_string).chars().take(60).collect::<String>()
            };
            format!("{key} is {} in the ledger and {} when played again", short(was.get(key)), short(is.get(key)))
        })
        .collect();
    (!fields.is_empty()).then(|| format!("game {}: {}", row.job, fields.join("; ")))
}
