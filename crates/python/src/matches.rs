//! Matches: games between players, with the ledger and the statistics of the laboratory.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde_json::{Value, json};
use yomi_core::{Spec, TextError};
use yomi_lab::arena::{self, Arena};
use yomi_lab::budget::Budget;
use yomi_lab::conditions::Conditions;
use yomi_lab::config::{MatchConfig, PlayerConfig};
use yomi_lab::directory::RunDirectory;
use yomi_lab::error::LabError;
use yomi_lab::opening::OpeningSource;
use yomi_lab::plan::MatchPlan;
use yomi_lab::players::build::{Programs, check_budget, configure, inspect};
use yomi_lab::row::GameRow;
use yomi_lab::runner::{Controls, Observer, RunEnd, run};
use yomi_lab::schedule::{Schedule, expand};
use yomi_lab::standing::Standing;
use yomi_lab::summary::Summary;

use crate::error::{OrRaise, read, wrong};
use crate::interrupt::{Tell, interruptible};

/// Plays what is missing of a match in a run directory and gives its summary and its games as JSON. `hear` gets every game as it ends.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
#[pyo3(signature = (out, game, players, *, games = 100, jobs = 1, seed = 1, openings = "start", pairs = true, schedule = None,
    move_limit = None, name = "match", sims = None, evals = None, nodes = None, depth = None, time = None, allow_programs = false, hear = None))]
pub(crate) fn play_match(
    py: Python<'_>,
    out: PathBuf,
    game: &str,
    players: Vec<String>,
    games: u64,
    jobs: usize,
    seed: u64,
    openings: &str,
    pairs: bool,
    schedule: Option<&str>,
    move_limit: Option<u32>,
    name: &str,
    sims: Option<u64>,
    evals: Option<u64>,
    nodes: Option<u64>,
    depth: Option<u32>,
    time: Option<f64>,
    allow_programs: bool,
    hear: Option<Py<PyAny>>,
) -> PyResult<String> {
    if !(1..=1024).contains(&jobs) {
        return Err(wrong("jobs goes from 1 to 1024"));
    }
    let programs = if allow_programs { Programs::Allowed } else { Programs::Refused };
    let game: Spec = read(game)?;
    let arena = arena::open(&game, programs).or_raise()?;
    let budget = Budget { sims, evals, nodes, depth, time };
    let (players, template) = seated(&game.name, &players, budget, &*arena).or_raise()?;
    let config = MatchConfig {
        name: name.to_string(),
        game: arena.rules(),
        seed,
        games,
        pairs,
        schedule: chosen(schedule, players.len(), template).or_raise()?,
        reproducible: false,
        openings: OpeningSource::parse(openings).or_raise()?,
        conditions: Conditions {
            move_limit: move_limit.unwrap_or_else(|| arena.move_limit()),
            time: None,
            resign: None,
            draw: None,
        },
        sprt: None,
        players,
    };
    let plan = MatchPlan::new(config, Vec::new()).or_raise()?;
    let directory = RunDirectory::create(&out, &plan).or_raise()?;
    let controls = Controls::default();
    let stop = controls.stop.clone();
    let (summary, rows, end) = interruptible(py, &stop, hear.as_ref(), |tell| -> Result<_, LabError> {
        let (_, end) = run(&plan, &*arena, &directory, jobs, &controls, &mut Reporter(tell))?;
        let rows = directory.rows()?;
        Ok((Summary::of(&plan, &rows)?.json(&plan), rows, end))
    })?
    .or_raise()?;
    if end == RunEnd::GivenUp {
        return Err(wrong("a pairing was given up after void games; its players cannot play"));
    }
    Ok(json!({ "summary": summary, "rows": rows }).to_string())
}

/// Sends every game to Python.
struct Reporter<'a>(&'a Tell);

impl Observer for Reporter<'_> {
    fn game(&mut self, row: &GameRow, standing: &Standing) {
        let mut report = serde_json::to_value(row).unwrap_or(Value::Null);
        report["played"] = json!(standing.games);
        report["scheduled"] = json!(standing.scheduled);
        // The listener may be gone.
        let _ = self.0.send(report.to_string());
    }
}

/// The players, templates expanded, and whether there was one.
fn seated(
    game: &str,
    texts: &[String],
    budget: Budget,
    arena: &dyn Arena,
) -> Result<(Vec<PlayerConfig>, bool), TextError> {
    let mut players: Vec<PlayerConfig> = Vec::new();
    let mut template = false;
    for text in texts {
        let expanded = expand(text)?;
        template |= expanded.len() > 1;
        for text in expanded {
            let mut player = configure(game, &text, budget)?;
            let same = players.iter().filter(|p| p.spec == player.spec && p.budget == player.budget).count();
            if same > 0 && players.iter().any(|p| p.name == player.name) {
                player.name = format!("{} #{}", player.name, same + 1);
            }
            inspect(arena, &player).map_err(|error| error.context(format!("player {}", player.name)))?;
            check_budget(&player, false)?;
            players.push(player);
        }
    }
    Ok((players, template))
}

fn chosen(asked: Option<&str>, players: usize, template: bool) -> Result<Schedule, TextError> {
    Ok(match asked {
        Some("pair") if players != 2 => return Err(TextError::new(format!("a pair is two players, not {players}"))),
        Some("pair") => Schedule::Pair,
        Some("round-robin") => Schedule::RoundRobin,
        Some("gauntlet") => Schedule::Gauntlet,
        Some("sweep") => Schedule::Sweep,
        Some(other) => {
            return Err(TextError::new(format!("{other} is no schedule: pair, round-robin, gauntlet or sweep")));
        }
        None if players == 2 => Schedule::Pair,
        None if template => Schedule::Sweep,
        None => Schedule::RoundRobin,
    })
}
