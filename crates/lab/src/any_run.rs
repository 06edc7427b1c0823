//! A run directory, whatever was run in it: commands that look at runs take matches and experiments alike.

use std::path::Path;

use crate::directory::RunDirectory;
use crate::error::{LabError, Result};
use crate::experiment::{self, directory};
use crate::plan::MatchPlan;
use crate::players::build::Programs;
use crate::tune::run::Tuning;

/// A run that was begun.
pub enum AnyRun {
    /// A match.
    Match(RunDirectory, MatchPlan),
    /// An experiment.
    Experiment(directory::Directory, experiment::ExperimentPlan, directory::Manifest),
    /// A tuning run; no program is started by looking at it.
    Tuning(Tuning),
}

impl AnyRun {
    /// Opens the run at `path`. What kind it is stands in its configuration: only matches have players, only experiments have a
    /// title, only tuning runs have a space.
    pub fn open(path: &Path) -> Result<AnyRun> {
        let config = path.join("config.toml");
        let wrong = |what: &str| Err(LabError::Conflict(format!("{} is no run directory: {what}", path.display())));
        if !config.is_file() {
            return wrong("it has no config.toml");
        }
        let text = std::fs::read_to_string(&config).map_err(LabError::file("cannot read", &config))?;
        let Ok(table) = text.parse::<toml::Table>() else { return wrong("its config.toml is no TOML") };
        if table.contains_key("players") {
            let (directory, plan) = RunDirectory::open(path)?;
            return Ok(AnyRun::Match(directory, plan));
        }
        if table.contains_key("title") {
            let (directory, plan, manifest) = directory::Directory::open(path)?;
            return Ok(AnyRun::Experiment(directory, plan, manifest));
        }
        if table.contains_key("space") {
            return Ok(AnyRun::Tuning(Tuning::open(path, Programs::Refused)?));
        }
        wrong("its config.toml is neither of a match nor of an experiment nor of a tuning run")
    }
}
