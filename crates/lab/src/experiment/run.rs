//! Doing what is missing of an experiment: threads take jobs in order, one scribe writes down what they tell.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use yomi_core::TextError;

use super::directory::Directory;
use super::plan::ExperimentPlan;
use super::task::{Job, Measurement, Row};
use super::workshop::{Failure, Workshop};
use crate::error::{LabError, Result};
use crate::ledger::Ledger;
use crate::runner::{Controls, RunEnd};

/// How often a job that failed without a player's fault is tried.
const TRIES: u32 = 2;
/// How often a wait for jobs checks for a stop.
const TICK: Duration = Duration::from_millis(200);

/// Who watches a run.
pub trait Watcher {
    /// How many jobs are missing, and of how many.
    fn begin(&mut self, missing: usize, all: usize) {
        let _ = (missing, all);
    }

    /// A job was done and written down.
    fn done(&mut self, job: &Job) {
        let _ = job;
    }

    /// Some time has passed.
    fn tick(&mut self) {}
}

/// No one watches.
impl Watcher for () {}

/// Looks whether everything that a plan needs is there: before anything runs. Only jobs that differ in more than their number are asked for.
pub fn check(plan: &ExperimentPlan, workshop: &dyn Workshop) -> std::result::Result<(), TextError> {
    for (number, part) in plan.experiment.parts.iter().enumerate() {
        for task in part.kind().tasks(1e-9) {
            workshop.check(&task).map_err(|error| {
                let title = part.kind().title();
                error.context(format!("{}, part {} ({title})", plan.experiment.name, number + 1))
            })?;
        }
    }
    Ok(())
}

/// Whether these rows are all that a plan wants, so that nothing is left to do.
pub fn is_complete(plan: &ExperimentPlan, rows: &[Row]) -> std::result::Result<bool, TextError> {
    Ok(plan.measurements(rows)?.iter().flatten().all(Option::is_some))
}

/// Does what is missing of a plan, `threads` jobs at a time, and writes it into the ledger of its directory. Jobs that measure time come
/// last and alone.
pub fn run(
    plan: &ExperimentPlan,
    workshop: &dyn Workshop,
    directory: &Directory,
    threads: usize,
    controls: &Controls,
    watcher: &mut dyn Watcher,
) -> Result<RunEnd> {
    let (mut ledger, rows) = directory.ledger()?;
    let done: BTreeMap<(usize, u64), &Row> = rows.iter().map(|row| ((row.part, row.index), row)).collect();
    let all = plan.jobs()?;
    let count = all.len();
    let is_missing = |job: &Job| done.get(&(job.part, job.index)).is_none_or(|row| !row.is_of(job));
    let mut sizes = vec![0u64; plan.experiment.parts.len()];
    all.iter().for_each(|job| sizes[job.part] += 1);
    let mut missing: Vec<Job> = all.into_iter().filter(is_missing).collect();
    // All parts advance together, so that a run broken off says something about each.
    let progress = |job: &Job| job.index as f64 / sizes[job.part] as f64;
    missing.sort_by(|a, b| progress(a).total_cmp(&progress(b)));
    watcher.begin(missing.len(), count);
    let (alone, together): (Vec<Job>, Vec<Job>) = missing.into_iter().partition(|job| job.work.wants_quiet());
    let mut complete = true;
    for (jobs, threads) in [(together, threads.max(1)), (alone, 1)] {
        let shift = Shift { jobs: &jobs, next: AtomicUsize::new(0), workshop, controls };
        complete &= shift.work(threads, &mut ledger, watcher)?;
    }
    ledger.sync()?;
    Ok(if complete { RunEnd::Complete } else { RunEnd::Interrupted })
}

/// Jobs that are done side by side.
struct Shift<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    workshop: &'a dyn Workshop,
    controls: &'a Controls,
}

impl Shift<'_> {
    /// Does all jobs. False if it was asked to end before.
    fn work(&self, threads: usize, ledger: &mut Ledger, watcher: &mut dyn Watcher) -> Result<bool> {
        let mut failure: Option<LabError> = None;
        let mut written = 0;
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..threads.min(self.jobs.len()) {
                let sender = sender.clone();
                scope.spawn(move || self.one_thread(&sender));
            }
            drop(sender);
            loop {
                let (number, outcome) = match receiver.recv_timeout(TICK) {
                    Ok(message) => message,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        watcher.tick();
                        continue;
                    }
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                let job = &self.jobs[number];
                let outcome = match outcome {
                    Ok(measurement) => ledger.append(&Row::of(job, measurement)),
                    Err(Failure::Stopped) => continue,
                    Err(Failure::Void(why)) => Err(LabError::Conflict(format!("given up after {TRIES} tries: {why}"))),
                    Err(Failure::Wrong(error)) => Err(error.into()),
                };
                match outcome {
                    Ok(()) => {
                        written += 1;
                        watcher.done(job);
                    }
                    // No more jobs begin; those under way are finished and written down.
                    Err(error) => {
                        self.controls.drain.store(true, Ordering::Relaxed);
                        failure.get_or_insert(error);
                    }
                }
            }
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(written == self.jobs.len()),
        }
    }

    fn one_thread(&self, sender: &mpsc::Sender<(usize, std::result::Result<Measurement, Failure>)>) {
        loop {
            // Relaxed: the flags carry no data, and the counter orders nothing but itself.
            if self.controls.drain.load(Ordering::Relaxed) || self.controls.stop.load(Ordering::Relaxed) {
                return;
            }
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = self.jobs.get(number) else { return };
            let mut outcome = self.workshop.work(job, &self.controls.stop);
            for _ in 1..TRIES {
                if matches!(outcome, Err(Failure::Void(_))) {
                    outcome = self.workshop.work(job, &self.controls.stop);
                }
            }
            // The scribe outlives all threads.
            let _ = sender.send((number, outcome));
        }
    }
}
