//! Self-play and learning as pieces that can be done on different machines.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use yomi_core::{Spec, TextError};
use yomi_lab::statistics::{Decision, Model, Sprt, Tally};
use yomi_net::Network as Weights;
use yomi_net::open::Choice;
use yomi_train::dispatch::{self, Order};
use yomi_train::farm::{Assignment, deliver, next};
use yomi_train::open;
use yomi_train::run::{Conditions, Config, Folder};
use yomi_train::self_play::Settings;
use yomi_train::trainer::native::Native;
use yomi_train::trainer::{Settings as Lessons, Trainer};

use crate::error::{OrRaise, read, wrong};
use crate::interrupt::interruptible;

/// Plays the games with these numbers into a file of samples, except those that are in it, and gives the tally as JSON. `settings` are JSON
/// as in `run.json`; what is left out is as usual. The network comes as the bytes of a safetensors file.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
#[pyo3(signature = (out, game, network, first, last, *, settings = "{}", seed = 1, threads = 1, device = "auto"))]
pub(crate) fn self_play(
    py: Python<'_>,
    out: PathBuf,
    game: &str,
    network: &[u8],
    first: u64,
    last: u64,
    settings: &str,
    seed: u64,
    threads: usize,
    device: &str,
) -> PyResult<String> {
    let game: Spec = read(game)?;
    let settings = play_settings(settings)?;
    let choice = Choice::parse(device).or_raise()?;
    let weights = Weights::read(network).or_raise()?;
    let threads = threads.clamp(1, 1024);
    let stop = AtomicBool::new(false);
    let tally = interruptible(py, &stop, None, |_| -> Result<_, TextError> {
        let net = open::open(&weights, choice, threads)?;
        let order = Order { game: &game, settings: &settings, games: first..last.max(first), seed, threads, out: &out };
        let tally = dispatch::self_play(&order, net.clone(), &weights, &stop, &mut |_| {})?;
        net.failure().cloned().map_or(Ok(()), Err)?;
        tally.write_beside(&out)?;
        Ok(tally)
    })?;
    serde_json::to_string(&tally.or_raise()?).map_err(|error| wrong(error.to_string()))
}

/// Settings of self-play; those that are left out are those of `yomi train loop`.
fn play_settings(text: &str) -> PyResult<Settings> {
    let ill = |error: serde_json::Error| wrong(format!("settings of self-play: {error}"));
    let default = Settings { noise: 0.25, ..Settings::default() };
    let mut all = serde_json::to_value(default).map_err(ill)?;
    let given: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(ill)?;
    for (key, value) in given {
        if all.get(&key).is_none() {
            return Err(wrong(format!("{key} is no setting of self-play")));
        }
        all[key] = value;
    }
    let settings: Settings = serde_json::from_value(all).map_err(ill)?;
    read::<yomi_search::Method>(&settings.method)?;
    if settings.full == 0 || settings.fast == 0 || !(1..=4096).contains(&settings.seats) {
        return Err(wrong("full and fast are at least 1, seats are 1 to 4096"));
    }
    Ok(settings)
}

/// A training run whose games are played elsewhere: what is to be played, what came back, and learning from it. Its folder is that of
/// `yomi train loop`, which goes on with it, and the other way round.
#[pyclass(module = "yomi._native", frozen)]
pub(crate) struct TrainingRun {
    folder: PathBuf,
    config: Config,
}

#[pymethods]
impl TrainingRun {
    /// Begins a run, or goes on with the one in the folder.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
    #[pyo3(signature = (out, game, *, blocks = 3, channels = 32, games = 200, settings = "{}", seed = 1, reuse = 4.0, window = 20, rate = 2e-3, batch = 256))]
    fn new(
        out: PathBuf,
        game: &str,
        blocks: usize,
        channels: usize,
        games: u64,
        settings: &str,
        seed: u64,
        reuse: f64,
        window: usize,
        rate: f64,
        batch: usize,
    ) -> PyResult<TrainingRun> {
        let spec: Spec = read(game)?;
        dispatch::layout(&spec).or_raise()?;
        if batch < 2 || games == 0 || window == 0 || rate.is_nan() || rate <= 0.0 || reuse.is_nan() || reuse <= 0.0 {
            return Err(wrong("batch is at least 2, games and window at least 1, rate and reuse are numbers above 0"));
        }
        let play = play_settings(settings)?;
        let config = Config {
            game: spec.to_string(),
            blocks,
            channels,
            seed,
            play,
            games,
            reuse,
            window,
            rate,
            batch,
            overlapped: false,
            gate: None,
        };
        dispatch::prepare(&config, &conditions(1, 1), &out).or_raise()?;
        Ok(TrainingRun { folder: out, config })
    }

    /// The configuration as JSON.
    #[getter]
    fn config(&self) -> String {
        json!(self.config).to_string()
    }

    /// The newest network: how many generations were learned from.
    #[getter]
    fn generation(&self) -> PyResult<u64> {
        Ok(self.folder()?.newest().unwrap_or(0))
    }

    /// The bytes of the network that plays next.
    fn network<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let folder = self.folder()?;
        let path =
            next(&folder, &self.config).map_or_else(|| folder.net(folder.newest().unwrap_or(0)), |next| next.net);
        Ok(PyBytes::new(py, &std::fs::read(path)?))
    }

    /// What is to be played, as JSON: generation, first and last game, and the settings; none if a generation waits to be learned from.
    fn next(&self) -> PyResult<Option<String>> {
        let folder = self.folder()?;
        Ok(next(&folder, &self.config).map(|Assignment { generation, games, resign_below, .. }| {
            let settings = Settings { resign_below, ..self.config.play.clone() };
            json!({ "generation": generation, "first": games.start, "last": games.end, "settings": settings })
                .to_string()
        }))
    }

    /// Makes the generation of the files of its parts; how many samples it has.
    fn deliver(&self, parts: Vec<PathBuf>) -> PyResult<u64> {
        let folder = self.folder()?;
        let assignment = next(&folder, &self.config).ok_or_else(|| wrong("this generation is there already"))?;
        deliver(&folder, &self.config, &assignment, &parts).or_raise()
    }

    /// Learns from the generation that was delivered and gives its line of the log as JSON. `generations` are those of the whole run: the
    /// learning rate falls towards its end.
    #[pyo3(signature = (generations, threads = 1))]
    fn learn(&self, py: Python<'_>, generations: u64, threads: usize) -> PyResult<String> {
        let folder = self.folder()?;
        if next(&folder, &self.config).is_some() {
            return Err(wrong("the games of this generation are not there yet"));
        }
        let conditions = conditions(generations, threads);
        let stop = AtomicBool::new(false);
        let line = interruptible(py, &stop, None, |_| -> Result<_, TextError> {
            let lessons = Lessons { batch: self.config.batch, search_share: 0.3, surprise_share: 0.5 };
            let mut trainer: Box<dyn Trainer> = Box::new(Native::new(lessons, conditions.threads));
            let mut line = None;
            // One generation: its games are there, and the next one is not begun.
            dispatch::run(&self.config, &conditions, &self.folder, &mut *trainer, &stop, &mut |generation| {
                line = Some(json!(generation).to_string());
                stop.store(true, Ordering::Relaxed);
            })?;
            line.ok_or_else(|| TextError::new(format!("all {generations} generations are there")))
        })?;
        line.or_raise()
    }
}

impl TrainingRun {
    fn folder(&self) -> PyResult<Folder> {
        Ok(Folder::existing(&self.folder).or_raise()?.0)
    }
}

/// Learning on the CPU, where it is the same to the last bit.
fn conditions(generations: u64, threads: usize) -> Conditions {
    let threads = threads.clamp(1, 1024);
    Conditions { device: Choice::Cpu, threads, generations, time: None, planned: None, decide }
}

/// The sequential test of gates, as in `yomi train`: 0 against 35 Elo, risks 5 %.
fn decide(pairs: &[u64; 5]) -> Option<bool> {
    let test = Sprt::new(Model::Logistic, 0.0, 35.0, 0.05, 0.05).ok()?;
    match test.decide(test.log_likelihood_ratio(&Tally::pairs(*pairs).ok()?)) {
        Decision::AcceptH1 => Some(true),
        Decision::AcceptH0 => Some(false),
        Decision::Continue => None,
    }
}
