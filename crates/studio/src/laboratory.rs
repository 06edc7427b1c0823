//! The laboratory behind the pages: experiments that are begun and broken off here, and the runs that lie in its folders.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::experiment::directory::{Circumstances, Directory};
use yomi_lab::experiment::report::Report;
use yomi_lab::experiment::run::{self, Watcher};
use yomi_lab::experiment::seats::seats;
use yomi_lab::experiment::workshop::Version;
use yomi_lab::experiment::{Experiment, ExperimentPlan, Job, LocalWorkshop, Part, library};
use yomi_lab::players::build::Programs;
use yomi_lab::runner::Controls;
use yomi_page::Request;

use crate::league::League;
use crate::runs::{self, Found};
use crate::{learners, lessons};

/// Tells who this program is.
pub type Signature = Arc<dyn Fn() -> Result<Version, String> + Send + Sync>;

/// Experiments and runs.
pub(crate) struct Laboratory {
    folders: Vec<PathBuf>,
    programs: Programs,
    signature: Signature,
    league: League,
    running: Arc<Mutex<Vec<Running>>>,
}

/// An experiment that was begun here.
#[derive(Clone)]
struct Running {
    name: String,
    scale: f64,
    seed: u64,
    directory: PathBuf,
    controls: Controls,
    done: usize,
    all: usize,
    /// Over: complete, broken off, or failed with this message.
    end: Option<Result<bool, String>>,
}

/// No more experiments at the same time.
const MOST_EXPERIMENTS: usize = 2;

fn lock(running: &Mutex<Vec<Running>>) -> MutexGuard<'_, Vec<Running>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Laboratory {
    pub(crate) fn new(folders: Vec<PathBuf>, programs: Programs, signature: Signature) -> Laboratory {
        Laboratory { folders, programs, signature, league: League::default(), running: Arc::default() }
    }

    /// The answers that need run directories.
    pub(crate) fn answer(&self, request: &Request) -> Result<Value, TextError> {
        match request {
            Request::Experiments => self.experiments(),
            Request::Experiment { name } => self.experiment(name),
            Request::Start { name, scale, seed, jobs } => self.start(name, *scale, *seed, *jobs),
            Request::Pause { name } => Ok(self.halt(name, |controls| controls.drain.store(true, Ordering::Relaxed))),
            Request::BreakOff { name } => Ok(self.halt(name, |controls| {
                controls.drain.store(true, Ordering::Relaxed);
                controls.stop.store(true, Ordering::Relaxed);
            })),
            Request::Runs => {
                Ok(json!({ "type": "runs", "runs": self.found().iter().map(runs::line).collect::<Vec<_>>() }))
            }
            Request::Run { name } => runs::describe(&self.find(name)?),
            Request::Games { name, part, row } => runs::games(&self.find(name)?, *part, *row),
            Request::League => Ok(self.league.of(&self.found())),
            Request::Learners => Ok(learners::list(&self.folders)),
            Request::Curves { name } => learners::curves(&self.folders, name),
            Request::Lessons { name, step } => lessons::games(&self.folders, name, *step),
            _ => Err(TextError::new("this is no request for the laboratory")),
        }
    }

    /// Ends the runs of an experiment that go on, in the way of `how`.
    fn halt(&self, name: &str, how: impl Fn(&Controls)) -> Value {
        let running = lock(&self.running);
        let found = running.iter().filter(|running| running.name == name && running.end.is_none());
        json!({ "type": "paused", "running": found.map(|running| how(&running.controls)).count() > 0 })
    }

    fn found(&self) -> Vec<Found> {
        runs::scan(&self.folders)
    }

    /// A run by its name in the list: names are compared, never made into paths.
    fn find(&self, name: &str) -> Result<Found, TextError> {
        let found = self.found().into_iter().find(|found| found.name == name);
        found.ok_or_else(|| TextError::new(format!("there is no run called {name}")))
    }

    fn experiments(&self) -> Result<Value, TextError> {
        let running = lock(&self.running).clone();
        let mut list = Vec::new();
        for name in library::names() {
            let experiment = library_experiment(name)?;
            let state = running.iter().rev().find(|running| running.name == name).map(Running::json);
            list.push(json!({ "name": name, "title": experiment.title, "paper": experiment.paper,
                "question": experiment.question, "kinds": experiment.parts.iter().map(Part::word).collect::<Vec<_>>(),
                "running": state }));
        }
        Ok(json!({ "type": "experiments", "experiments": list }))
    }

    fn experiment(&self, name: &str) -> Result<Value, TextError> {
        let experiment = library_experiment(name)?;
        let plan = ExperimentPlan::new(experiment, 1.0, 1)?;
        let jobs = plan.jobs()?;
        let parts: Vec<Value> = plan.experiment.parts.iter().enumerate().map(|(i, part)| {
            json!({ "title": part.kind().title(), "kind": part.word(), "jobs": jobs.iter().filter(|job| job.part == i).count() })
        }).collect();
        let missing = self.missing(&plan);
        let state = lock(&self.running).iter().rev().find(|running| running.name == name).cloned();
        let report = state.as_ref().map(|state| runs::describe(&Found::at(&state.directory))).transpose();
        let runs: Vec<Value> =
            self.found().iter().filter(|found| found.experiment.as_deref() == Some(name)).map(runs::line).collect();
        let experiment = &plan.experiment;
        Ok(json!({ "type": "experiment", "name": name, "title": experiment.title, "paper": experiment.paper,
            "question": experiment.question, "note": experiment.note, "parts": parts, "jobs": jobs.len(),
            "reproducible": plan.is_reproducible(), "missing": missing, "running": state.as_ref().map(Running::json),
            "programs": plan.programs().unwrap_or_default(), "report": report.ok().flatten(), "runs": runs }))
    }

    fn start(&self, name: &str, scale: f64, seed: u64, jobs: usize) -> Result<Value, TextError> {
        let plan = ExperimentPlan::new(library_experiment(name)?, scale, seed)?;
        if let Some(missing) = self.missing(&plan) {
            return Err(TextError::new(format!("it cannot be run here: {missing}")));
        }
        let path = self.place(&plan);
        let controls = Controls::default();
        {
            let mut running = lock(&self.running);
            let busy = |running: &&Running| running.end.is_none();
            if running.iter().filter(busy).any(|running| running.directory == path) {
                return Err(TextError::new(format!("{name} is running already")));
            }
            if running.iter().filter(busy).count() >= MOST_EXPERIMENTS {
                return Err(TextError::new(format!("busy: {MOST_EXPERIMENTS} experiments run already")));
            }
            running.retain(|running| running.directory != path);
            running.push(Running {
                name: name.to_string(),
                scale,
                seed,
                directory: path.clone(),
                controls: controls.clone(),
                done: 0,
                all: 0,
                end: None,
            });
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.clamp(1, cores);
        let (running, signature, programs) = (Arc::clone(&self.running), Arc::clone(&self.signature), self.programs);
        let work = move || {
            let clerk = &mut Clerk { running: &running, directory: &path };
            let end = signature().and_then(|version| {
                carry_out(&plan, &path, &LocalWorkshop { version, programs }, jobs, &controls, clerk)
            });
            clerk.update(|running| running.end = Some(end.clone()));
        };
        let spawned = std::thread::Builder::new().name("experiment".into()).spawn(work);
        spawned.map_err(|error| TextError::new(format!("no thread for an experiment: {error}")))?;
        Ok(json!({ "type": "started", "name": name }))
    }

    /// What an experiment needs that is not here. Programs of others are started only with `--allow-programs`.
    fn missing(&self, plan: &ExperimentPlan) -> Option<String> {
        match plan.programs() {
            Ok(programs) if programs.is_empty() || self.programs == Programs::Allowed => {
                let here = LocalWorkshop { version: Version::default(), programs: self.programs };
                run::check(plan, &here).err().map(|error| error.to_string())
            }
            Ok(programs) => {
                let names: Vec<&str> = programs.iter().map(String::as_str).collect();
                let names = names.join(", ");
                Some(format!(
                    "this experiment starts {names}: the studio does that if it was started with --allow-programs"
                ))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    /// Where a plan is run: in the first folder, under its usual name.
    fn place(&self, plan: &ExperimentPlan) -> PathBuf {
        let path = Directory::default_path(plan);
        let name = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
        self.folders.first().map_or(path, |folder| folder.join(name))
    }
}

/// Does what is missing of an experiment and writes its report. Whether it is complete.
fn carry_out(
    plan: &ExperimentPlan,
    path: &Path,
    here: &LocalWorkshop,
    jobs: usize,
    controls: &Controls,
    clerk: &mut Clerk<'_>,
) -> Result<bool, String> {
    let text = |error: yomi_lab::error::LabError| error.to_string();
    let (name, scale, seed) = (&plan.experiment.name, plan.scale, plan.seed);
    let command = format!("yomi experiment run {name} --scale {scale} --seed {seed} --jobs {jobs}");
    let circumstances = Circumstances { players: seats(plan, here), command };
    let directory = Directory::create(path, plan, &here.version, &circumstances).map_err(text)?;
    let end = run::run(plan, here, &directory, jobs, controls, clerk).map_err(text)?;
    let (directory, plan, manifest) = Directory::open(path).map_err(text)?;
    Report::new(&plan, &manifest, &directory).map_err(text)?.write(&directory, here).map_err(text)?;
    Ok(end == yomi_lab::runner::RunEnd::Complete)
}

fn library_experiment(name: &str) -> Result<Experiment, TextError> {
    library::find(name).ok_or_else(|| TextError::new(format!("there is no experiment called {name}")))?
}

impl Running {
    fn json(&self) -> Value {
        let [draining, broken] =
            [&self.controls.drain, &self.controls.stop].map(|control| control.load(Ordering::Relaxed));
        let state = match &self.end {
            None if broken => "stopping",
            None if draining => "pausing",
            None => "running",
            Some(Ok(true)) => "complete",
            Some(Ok(false)) if broken => "stopped",
            Some(Ok(false)) => "paused",
            Some(Err(_)) => "failed",
        };
        let error = self.end.as_ref().and_then(|end| end.as_ref().err());
        json!({ "state": state, "done": self.done, "all": self.all, "error": error, "scale": self.scale,
            "seed": self.seed, "run": runs::name_of(&self.directory) })
    }
}

/// Notes how an experiment goes.
struct Clerk<'a> {
    running: &'a Mutex<Vec<Running>>,
    directory: &'a Path,
}

impl Clerk<'_> {
    fn update(&self, change: impl Fn(&mut Running)) {
        lock(self.running).iter_mut().filter(|running| running.directory == self.directory).for_each(change);
    }
}

impl Watcher for Clerk<'_> {
    fn begin(&mut self, missing: usize, all: usize) {
        self.update(|running| (running.done, running.all) = (all - missing, all));
    }

    fn done(&mut self, _: &Job) {
        self.update(|running| running.done += 1);
    }
}
