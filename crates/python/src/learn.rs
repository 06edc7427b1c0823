//! Learners through the search tree and their rivals: `yomi learn` as a function.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::rng::fnv1a;
use yomi_lab::statistics::{Decision, Model, Sprt, Tally};
use yomi_learn::run::work::{Played, Work};
use yomi_learn::run::worker::{MOST_GAMES, Order, fingerprint};
use yomi_learn::run::{self, Config, Run};

use crate::error::{OrRaise, wrong};
use crate::interrupt::interruptible;

/// Learns in a folder, or goes on with what was begun there, until all games are played or Ctrl-C is pressed. `settings` are those of
/// `config.toml`; `hear` gets a row for every step. What is learned does not depend on the number of threads.
#[pyfunction]
#[pyo3(signature = (out, settings, threads = 1, hear = None))]
pub(crate) fn learn(
    py: Python<'_>,
    out: PathBuf,
    settings: Vec<(String, String)>,
    threads: usize,
    hear: Option<Py<PyAny>>,
) -> PyResult<String> {
    if !(1..=1024).contains(&threads) {
        return Err(wrong("threads go from 1 to 1024"));
    }
    let config = Config::with("", &settings).or_raise()?;
    let stop = AtomicBool::new(false);
    let learned = interruptible(py, &stop, hear.as_ref(), |tell| -> Result<_, TextError> {
        let mut run = run::open(&out, config)?;
        let test = gate(run.config())?;
        while !run.is_done() && !stop.load(Ordering::Relaxed) {
            let row = run.batch(threads, &|pairs| decide(&test, pairs), &|| {})?;
            let _ = tell.send(json!(row).to_string());
        }
        run.checkpoint()?;
        Ok(ended(&*run, &out))
    })?;
    Ok(learned.or_raise()?.to_string())
}

/// The sequential test of gates, as `yomi learn` has it.
fn gate(config: &Config) -> Result<Sprt, TextError> {
    let gate = config.gate;
    Sprt::new(Model::Logistic, gate.elo0, gate.elo1, gate.alpha, gate.beta)
}

fn decide(test: &Sprt, pairs: &[u64; 5]) -> Option<bool> {
    match test.decide(test.log_likelihood_ratio(&Tally::pairs(*pairs).ok()?)) {
        Decision::Continue => None,
        Decision::AcceptH0 => Some(false),
        Decision::AcceptH1 => Some(true),
    }
}

/// How far a run has come.
fn ended(run: &dyn Run, folder: &Path) -> Value {
    let config = run.config();
    let weights = folder.join(run.weights_file());
    json!({ "method": config.method, "game": config.game, "games": run.games(), "of": config.games,
        "elo": run.elo(), "weights": weights.display().to_string() })
}

/// A run of `yomi learn` whose games are played elsewhere: what is to be played, what came back, and the step from it. Its folder is that
/// of `yomi learn`, which goes on with it, and the other way round.
#[pyclass(module = "yomi._native", frozen)]
pub(crate) struct LearningRun {
    folder: PathBuf,
    signature: u64,
    desk: Mutex<Desk>,
}

/// A run and the games that came back, by the number of the first one.
struct Desk {
    run: Box<dyn Run>,
    agreement: u64,
    parts: BTreeMap<u64, Vec<Played>>,
}

#[pymethods]
impl LearningRun {
    /// Begins a run, or goes on with the one in the folder; without settings there has to be one.
    #[new]
    #[pyo3(signature = (out, settings = None))]
    fn new(py: Python<'_>, out: PathBuf, settings: Option<Vec<(String, String)>>) -> PyResult<LearningRun> {
        let run = match settings {
            Some(settings) => run::open(&out, Config::with("", &settings).or_raise()?),
            None => run::resume(&out),
        };
        let run = run.or_raise()?;
        gate(run.config()).or_raise()?;
        let signature = crate::lists::signature(py)?;
        let agreement = run.agreement().or_raise()?;
        Ok(LearningRun { folder: out, signature, desk: Mutex::new(Desk { run, agreement, parts: BTreeMap::new() }) })
    }

    /// How far it has come, as JSON.
    fn state(&self) -> String {
        ended(&*self.lock().run, &self.folder).to_string()
    }

    /// The games that are to be played before the run can go on, as JSON; none if all are played.
    fn wants(&self) -> PyResult<Option<String>> {
        let to_json = |work: Work| serde_json::to_string(&work).map_err(|error| wrong(error.to_string()));
        self.lock().run.wants().map(to_json).transpose()
    }

    /// The weights of those who play.
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let players = self.lock().run.players();
        PyBytes::new(py, &players.write())
    }

    /// The lines for workers who play the games that are wanted, in parts of `part` games: first and last game, and the line, whose member
    /// `weights` is the file where its reader has put [`Self::players`]. Parts that came back are left out.
    #[pyo3(signature = (part, threads = 1))]
    fn orders(&self, part: u64, threads: usize) -> PyResult<Vec<(u64, u64, String)>> {
        if !(1..=MOST_GAMES).contains(&part) {
            return Err(wrong(format!("a part has 1 to {MOST_GAMES} games")));
        }
        if !(1..=1024).contains(&threads) {
            return Err(wrong("threads go from 1 to 1024"));
        }
        let desk = self.lock();
        let Some(work) = desk.run.wants() else { return Ok(Vec::new()) };
        let weights = fnv1a(&desk.run.players().write());
        let learn = desk.run.config().write().or_raise()?;
        let one = |first: u64| {
            let play = Work { kind: work.kind, games: first..(first + part).min(work.games.end) };
            let hash = fingerprint(desk.agreement, weights, &play);
            let (last, signature) = (play.games.end, self.signature);
            let order = Order { signature, learn: learn.clone(), weights: String::new(), play, hash, threads };
            let line = serde_json::to_string(&order).map_err(|error| wrong(error.to_string()))?;
            Ok((first, last, line))
        };
        let missing = |first: &u64| !desk.parts.contains_key(first);
        work.games.clone().step_by(part as usize).filter(missing).map(one).collect()
    }

    /// Takes the games of a part, as a worker's bytes have them. False if they were taken before; an error if they cannot have been played.
    fn take(&self, first: u64, last: u64, played: &[u8]) -> PyResult<bool> {
        let mut desk = self.lock();
        let wanted = desk.run.wants().ok_or_else(|| wrong("all games of this run are played"))?;
        if first < wanted.games.start || last > wanted.games.end || first >= last {
            return Err(wrong(format!("games {first} to {last} are not wanted")));
        }
        let work = Work { kind: wanted.kind, games: first..last };
        let played = desk.run.read(&work, played).or_raise()?;
        let ends = |(&start, games): (&u64, &Vec<Played>)| start < last && start + games.len() as u64 > first;
        if desk.parts.iter().any(ends) {
            return Ok(false);
        }
        desk.parts.insert(first, played);
        Ok(true)
    }

    /// Goes on when all games that were wanted are there: the row of a step as JSON, or nothing if the games of a gate are wanted next.
    fn step(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let row = py.detach(|| -> Result<_, TextError> {
            let mut guard = self.lock();
            let desk = &mut *guard;
            let wanted = desk.run.wants().ok_or_else(|| TextError::new("all games of this run are played"))?;
            let there: u64 = desk.parts.values().map(|games| games.len() as u64).sum();
            let all = wanted.games.end - wanted.games.start;
            if there != all {
                return Err(TextError::new(format!("{there} of {all} games are there")));
            }
            let test = gate(desk.run.config())?;
            let played = std::mem::take(&mut desk.parts).into_values().flatten().collect();
            desk.run.take(played, &|pairs| decide(&test, pairs))
        });
        Ok(row.or_raise()?.map(|row| json!(row).to_string()))
    }

    /// Writes a checkpoint and the weights now.
    fn checkpoint(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.lock().run.checkpoint()).or_raise()
    }
}

impl LearningRun {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
