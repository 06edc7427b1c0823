//! A run directory, whatever was run in it: commands that look at runs take matches and experiments alike.

use std::fmt;
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

/// What kinds of runs there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A match.
    Match,
    /// An experiment.
    Experiment,
    /// A tuning run.
    Tuning,
}

impl Kind {
    /// By its configuration: only matches have players, only experiments have a title, only tuning runs have a space.
    fn of(config: &toml::Table) -> Option<Kind> {
        let kinds = [("players", Kind::Match), ("title", Kind::Experiment), ("space", Kind::Tuning)];
        kinds.into_iter().find(|(key, _)| config.contains_key(*key)).map(|(_, kind)| kind)
    }

    /// The kind of the run at `path`, if it is one.
    pub fn at(path: &Path) -> Option<Kind> {
        Kind::of(&std::fs::read_to_string(path.join("config.toml")).ok()?.parse().ok()?)
    }

    /// Says what the run at `path` is, if it is one of another kind.
    pub(crate) fn expect_at(self, path: &Path) -> Result<()> {
        let Some(found) = Kind::at(path).filter(|&kind| kind != self) else { return Ok(()) };
        let command = match found {
            Kind::Match => "match --resume",
            Kind::Experiment => "experiment run --resume",
            Kind::Tuning => "tune --resume",
        };
        let path = path.display();
        let message = format!("{path} holds {found}, not {self}; yomi {command} {path} goes on with it");
        Err(LabError::Conflict(message))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Match => "a match",
            Kind::Experiment => "an experiment",
            Kind::Tuning => "a tuning run",
        })
    }
}

impl AnyRun {
    /// Opens the run at `path`.
    pub fn open(path: &Path) -> Result<AnyRun> {
        let config = path.join("config.toml");
        let wrong = |what: &str| Err(LabError::Conflict(format!("{} is no run directory: {what}", path.display())));
        if !config.is_file() {
            return wrong("it has no config.toml");
        }
        let text = std::fs::read_to_string(&config).map_err(LabError::file("cannot read", &config))?;
        let Ok(table) = text.parse::<toml::Table>() else { return wrong("its config.toml is no TOML") };
        match Kind::of(&table) {
            Some(Kind::Match) => {
                let (directory, plan) = RunDirectory::open(path)?;
                Ok(AnyRun::Match(directory, plan))
            }
            Some(Kind::Experiment) => {
                let (directory, plan, manifest) = directory::Directory::open(path)?;
                Ok(AnyRun::Experiment(directory, plan, manifest))
            }
            Some(Kind::Tuning) => Ok(AnyRun::Tuning(Tuning::open(path, Programs::Refused)?)),
            None => wrong("its config.toml is neither of a match nor of an experiment nor of a tuning run"),
        }
    }
}
