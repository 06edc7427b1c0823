//! Experiments: a run whose missing jobs are done here, or handed out as lines and written down as they come back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pyo3::prelude::*;
use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::hint::did_you_mean;
use yomi_lab::error::Result as LabResult;
use yomi_lab::experiment::directory::{Circumstances, Directory, Manifest};
use yomi_lab::experiment::report::Report;
use yomi_lab::experiment::run::{self, Watcher};
use yomi_lab::experiment::seats::seats;
use yomi_lab::experiment::verify::verify;
use yomi_lab::experiment::worker::Order;
use yomi_lab::experiment::{Experiment, ExperimentPlan, Job, LocalWorkshop, Row, Workshop, library};
use yomi_lab::ledger::{self, Ledger};
use yomi_lab::players::build::Programs;
use yomi_lab::runner::{Controls, RunEnd};

use crate::error::{OrRaise, wrong};
use crate::interrupt::{Tell, interruptible};
use crate::lists::version;

/// The experiments that come with the program: name, title, paper and question.
#[pyfunction]
pub(crate) fn experiments() -> PyResult<String> {
    let row = |name: &str| -> Result<Value, TextError> {
        let found = find(name)?;
        Ok(json!({ "name": name, "title": found.title, "paper": found.paper, "question": found.question }))
    };
    Ok(Value::Array(library::names().map(row).collect::<Result<_, _>>().or_raise()?).to_string())
}

/// An experiment by its name, or the one in a file.
fn find(name: &str) -> Result<Experiment, TextError> {
    if let Some(found) = library::find(name) {
        return found.map_err(|error| error.context(name));
    }
    if !Path::new(name).exists() {
        let names: Vec<&str> = library::names().collect();
        let meant = did_you_mean(name, names.iter().copied());
        let error = TextError::new(format!("{name} is neither a file nor an experiment of the list{meant}"));
        return Err(error.hinting(format!("there are {}", names.join(", "))));
    }
    library::parse(&yomi_core::file::read_text_file(name, 1 << 26)?).map_err(|error| error.context(name))
}

/// A run of an experiment in its directory. Its ledger is open, and locked, while rows are written into it.
#[pyclass(module = "yomi._native", frozen)]
pub(crate) struct ExperimentRun {
    plan: ExperimentPlan,
    directory: Directory,
    workshop: LocalWorkshop,
    desk: Mutex<Option<Desk>>,
}

/// What was handed out and not written down yet.
struct Desk {
    ledger: Ledger,
    missing: BTreeMap<(usize, u64), Job>,
}

#[pymethods]
impl ExperimentRun {
    /// Begins a run, or goes on with the one in the directory.
    #[new]
    #[pyo3(signature = (name = None, *, out = None, scale = None, seed = 1, allow_programs = false, command = ""))]
    fn new(
        py: Python<'_>,
        name: Option<&str>,
        out: Option<PathBuf>,
        scale: Option<f64>,
        seed: u64,
        allow_programs: bool,
        command: &str,
    ) -> PyResult<ExperimentRun> {
        let (plan, path) = match (name, out) {
            (Some(name), out) => {
                let plan = ExperimentPlan::new(find(name).or_raise()?, scale.unwrap_or(1.0), seed).or_raise()?;
                let path = out.unwrap_or_else(|| Directory::default_path(&plan));
                (plan, path)
            }
            (None, Some(path)) => {
                let (_, plan, _) = Directory::open(&path).or_raise()?;
                let scale = scale.unwrap_or(plan.scale);
                (ExperimentPlan::new(plan.experiment, scale, plan.seed).or_raise()?, path)
            }
            (None, None) => return Err(wrong("which experiment? a name, a file, or the directory of a run")),
        };
        let programs = if allow_programs { Programs::Allowed } else { Programs::Refused };
        run::check(&plan, &LocalWorkshop::onlooker(version(0))).or_raise()?;
        let named = plan.programs().or_raise()?;
        if !allow_programs && !named.is_empty() {
            let list = named.into_iter().collect::<Vec<_>>().join(", ");
            return Err(wrong(format!(
                "this experiment starts programs ({list}): allow_programs says that you trust it"
            )));
        }
        let workshop = LocalWorkshop { version: version(crate::lists::signature(py)?), programs };
        let circumstances = Circumstances { players: seats(&plan, &workshop), command: command.to_string() };
        let directory = Directory::create(&path, &plan, &workshop.version(), &circumstances).or_raise()?;
        Ok(ExperimentRun { plan, directory, workshop, desk: Mutex::new(None) })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.directory.path().to_path_buf()
    }

    #[getter]
    fn reproducible(&self) -> bool {
        self.plan.is_reproducible()
    }

    #[getter]
    fn signature(&self) -> u64 {
        self.workshop.version.bench
    }

    /// How many jobs there are in all.
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.plan.jobs().or_raise()?.len())
    }

    /// Does what is missing in this process, `jobs` at a time. True if nothing is left. `hear` gets every job that is done.
    #[pyo3(signature = (jobs = 1, hear = None))]
    fn run(&self, py: Python<'_>, jobs: usize, hear: Option<Py<PyAny>>) -> PyResult<bool> {
        let controls = Controls::default();
        let stop = controls.stop.clone();
        let end = interruptible(py, &stop, hear.as_ref(), |tell| {
            run::run(&self.plan, &self.workshop, &self.directory, jobs.clamp(1, 1024), &controls, &mut Reporter(tell))
        })?;
        Ok(end.or_raise()? == RunEnd::Complete)
    }

    /// Opens the ledger for writing and gives the jobs that are missing, in the order in which they should be done: the line for a worker,
    /// and whether it has to be alone on its machine, for what it measures is time.
    fn open(&self) -> PyResult<Vec<(String, bool)>> {
        let (ledger, rows) = self.directory.ledger().or_raise()?;
        let done: BTreeMap<(usize, u64), &Row> = rows.iter().map(|row| ((row.part, row.index), row)).collect();
        let all = self.plan.jobs().or_raise()?;
        let mut sizes = vec![0u64; self.plan.experiment.parts.len()];
        all.iter().for_each(|job| sizes[job.part] += 1);
        let is_missing = |job: &Job| done.get(&(job.part, job.index)).is_none_or(|row| !row.is_of(job));
        let mut missing: Vec<Job> = all.into_iter().filter(is_missing).collect();
        // All parts advance together, as in a run on one machine.
        let progress = |job: &Job| job.index as f64 / sizes[job.part] as f64;
        missing
            .sort_by(|a, b| a.work.wants_quiet().cmp(&b.work.wants_quiet()).then(progress(a).total_cmp(&progress(b))));
        let signature = self.workshop.version.bench;
        let line = |job: &Job| {
            let order = Order { signature, job: job.clone() };
            let text = serde_json::to_string(&order).map_err(|error| wrong(error.to_string()))?;
            Ok((text, job.work.wants_quiet()))
        };
        let lines = missing.iter().map(line).collect::<PyResult<Vec<_>>>()?;
        let missing = missing.into_iter().map(|job| ((job.part, job.index), job)).collect();
        *self.lock() = Some(Desk { ledger, missing });
        Ok(lines)
    }

    /// Writes down a row that a worker answered. True if its job was missing, false if it was written down before; an error if it is the
    /// row of no job of this run.
    fn write(&self, row: &str) -> PyResult<bool> {
        let mut guard = self.lock();
        let desk = guard.as_mut().ok_or_else(|| wrong("the ledger is not open"))?;
        let (row, sealed) = ledger::row::<Row>(row.as_bytes()).map_err(wrong)?;
        if !sealed {
            return Err(wrong("this row has no checksum"));
        }
        let place = (row.part, row.index);
        match desk.missing.get(&place) {
            Some(job) if row.is_of(job) => desk.ledger.append(&row).or_raise()?,
            Some(_) => {
                return Err(wrong(format!("part {}, job {}: this row belongs to other work", place.0 + 1, place.1)));
            }
            None => {
                let known = self.plan.jobs().or_raise()?.into_iter().any(|job| row.is_of(&job));
                return if known { Ok(false) } else { Err(wrong("this row belongs to no job of this run")) };
            }
        }
        desk.missing.remove(&place);
        Ok(true)
    }

    /// How many jobs are missing.
    #[getter]
    fn missing(&self) -> PyResult<usize> {
        if let Some(desk) = self.lock().as_ref() {
            return Ok(desk.missing.len());
        }
        let measurements = self.plan.measurements(&self.directory.rows().or_raise()?).or_raise()?;
        Ok(measurements.iter().flatten().filter(|measurement| measurement.is_none()).count())
    }

    /// Puts the ledger on the disk and gives it free.
    fn close(&self) -> PyResult<()> {
        match self.lock().take() {
            Some(mut desk) => desk.ledger.sync().or_raise(),
            None => Ok(()),
        }
    }

    /// The rows of the ledger as JSON.
    fn rows(&self) -> PyResult<String> {
        serde_json::to_string(&self.directory.rows().or_raise()?).map_err(|error| wrong(error.to_string()))
    }

    /// The rows without what may differ when the same work is done again, sorted, one line each: two runs of the same experiment, wherever
    /// they were made, give the same.
    fn fingerprint(&self) -> PyResult<Vec<String>> {
        let mut rows = self.directory.rows().or_raise()?;
        rows.sort_by_key(|row| (row.part, row.index));
        let line = |row: &Row| serde_json::to_string(&row.reproducible()).map_err(|error| wrong(error.to_string()));
        rows.iter().map(line).collect()
    }

    /// Looks through all games by the rules and does some jobs again, as `yomi verify` does; what it found as JSON.
    #[pyo3(signature = (sample = 5, seed = 1))]
    fn verify(&self, py: Python<'_>, sample: usize, seed: u64) -> PyResult<String> {
        let found = py.detach(|| -> LabResult<Value> {
            let found = verify(&self.plan, &self.workshop, &self.directory.rows()?, sample, seed)?;
            Ok(json!({ "checked": found.checked, "replayed": found.replayed, "same": found.same,
                "differences": found.differences, "changed": found.changed }))
        });
        Ok(found.or_raise()?.to_string())
    }

    /// Writes the report and gives its summary as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let summary = py.detach(|| -> LabResult<Value> {
            self.directory.renew_words()?;
            let (directory, plan, manifest): (Directory, ExperimentPlan, Manifest) =
                Directory::open(self.directory.path())?;
            let report = Report::new(&plan, &manifest, &directory)?;
            report.write(&directory, &self.workshop)?;
            let mut summary = report.summary();
            summary["sentence"] = json!(report.sentence());
            Ok(summary)
        });
        Ok(summary.or_raise()?.to_string())
    }
}

impl ExperimentRun {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Desk>> {
        self.desk.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Sends every job that is done to Python.
struct Reporter<'a>(&'a Tell);

impl Watcher for Reporter<'_> {
    fn begin(&mut self, missing: usize, all: usize) {
        let _ = self.0.send(json!({ "type": "begin", "missing": missing, "all": all }).to_string());
    }

    fn done(&mut self, job: &Job) {
        // The listener may be gone.
        let _ = self.0.send(json!({ "type": "job", "part": job.part, "index": job.index }).to_string());
    }
}
