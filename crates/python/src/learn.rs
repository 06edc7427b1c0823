//! Learners through the search tree and their rivals: `yomi learn` as a function.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use serde_json::json;
use yomi_core::TextError;
use yomi_lab::statistics::{Decision, Model, Sprt, Tally};
use yomi_learn::run::{self, Config};

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
        let config = run.config().clone();
        let gate = config.gate;
        let sprt = Sprt::new(Model::Logistic, gate.elo0, gate.elo1, gate.alpha, gate.beta)?;
        let decide = |pairs: &[u64; 5]| match sprt.decide(sprt.log_likelihood_ratio(&Tally::pairs(*pairs).ok()?)) {
            Decision::Continue => None,
            Decision::AcceptH0 => Some(false),
            Decision::AcceptH1 => Some(true),
        };
        while !run.is_done() && !stop.load(Ordering::Relaxed) {
            let row = run.batch(threads, &decide, &|| {})?;
            let _ = tell.send(json!(row).to_string());
        }
        run.checkpoint()?;
        let weights = out.join(format!("{}.linear", config.game));
        Ok(json!({ "method": config.method, "game": config.game, "games": run.games(), "of": config.games,
            "elo": run.elo(), "weights": weights.display().to_string() }))
    })?;
    Ok(learned.or_raise()?.to_string())
}
