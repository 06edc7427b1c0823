//! The directory of an experiment's run: `config.toml`, `manifest.json`, `ledger.jsonl`, and what is made from them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_protocol::harmless::{MESSAGE, harmless};

use super::file::{Experiment, Part};
use super::library;
use super::plan::ExperimentPlan;
use super::seats::Seat;
use super::task::Row;
use super::workshop::Version;
use crate::any_run::Kind;
use crate::directory::RunDirectory;
use crate::error::{LabError, Result};
use crate::ledger::{self, Ledger};
use crate::manifest::{machine, own_sum};

/// What a run is, beside its experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The experiment's name.
    pub experiment: String,
    /// How much of it.
    pub scale: f64,
    /// The seed.
    pub seed: u64,
    /// The program that ran it.
    pub program: String,
    /// The signature of that program's rules.
    pub bench: u64,
    /// The conditions of each part, hashed.
    pub parts: Vec<String>,
    /// Whether the same ledger can be produced again.
    pub reproducible: bool,
    /// Commit and compiler of the program, where it knows them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
    /// The SHA-256 of the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
    /// The machines it was run on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<String>,
    /// The commands that made it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Who played, with names, versions and files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<Seat>,
}

/// What is known where an experiment is run, beside its plan and its program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Circumstances {
    /// Who plays.
    pub players: Vec<Seat>,
    /// What was typed.
    pub command: String,
}

/// A run directory of an experiment.
#[derive(Clone, Debug)]
pub struct Directory(RunDirectory);

impl Directory {
    /// The directory at `path`, whatever is in it.
    pub fn at(path: &Path) -> Directory {
        Directory(RunDirectory::at(path))
    }

    /// Where a plan is run if no directory is named.
    pub fn default_path(plan: &ExperimentPlan) -> PathBuf {
        let hash = plan.experiment.parts.first().map_or(String::new(), Part::hash);
        let short: String = hash.chars().take(6).collect();
        Path::new("runs").join(format!("{}-{short}-{}x{}", plan.experiment.name, plan.seed, plan.scale))
    }

    /// The directory at `path` for this plan: a new one, or one in which the same was begun.
    pub fn create(
        path: &Path,
        plan: &ExperimentPlan,
        version: &Version,
        circumstances: &Circumstances,
    ) -> Result<Directory> {
        let directory = Directory::at(path);
        let mut manifest = Manifest {
            experiment: plan.experiment.name.clone(),
            scale: plan.scale,
            seed: plan.seed,
            program: version.program.clone(),
            bench: version.bench,
            parts: plan.experiment.parts.iter().map(Part::hash).collect(),
            reproducible: plan.is_reproducible(),
            build: version.build.clone(),
            sha256: own_sum().unwrap_or_default(),
            machines: vec![machine()],
            commands: vec![circumstances.command.clone()],
            players: circumstances.players.clone(),
        };
        manifest.commands.retain(|command| !command.is_empty());
        if directory.0.file("config.toml").exists() {
            let (_, begun) = directory.read()?;
            if (&begun.parts, begun.seed) != (&manifest.parts, manifest.seed) {
                return Err(LabError::Conflict(difference(path, &begun, plan)));
            }
            directory.accept(&begun, version)?;
            manifest.machines = together(begun.machines, manifest.machines);
            manifest.commands = together(begun.commands, manifest.commands);
        }
        let json = serde_json::to_string_pretty(&manifest).map_err(|error| LabError::Conflict(error.to_string()))?;
        directory.0.write("manifest.json", json.as_bytes())?;
        // Last: a directory with a configuration is complete.
        directory.0.write("config.toml", plan.experiment.text()?.as_bytes())?;
        Ok(directory)
    }

    /// The run at `path`, as it was begun.
    pub fn open(path: &Path) -> Result<(Directory, ExperimentPlan, Manifest)> {
        Kind::Experiment.expect_at(path)?;
        let directory = Directory::at(path);
        let (plan, manifest) = directory.read()?;
        Ok((directory, plan, manifest))
    }

    fn read(&self) -> Result<(ExperimentPlan, Manifest)> {
        let experiment = library::parse(&self.0.read("config.toml")?)
            .map_err(|error| error.context(self.0.file("config.toml").display()))?;
        let manifest: Manifest = serde_json::from_str(&self.0.read("manifest.json")?)
            .map_err(|error| TextError::new(error.to_string()).context(self.0.file("manifest.json").display()))?;
        Ok((ExperimentPlan::new(experiment, manifest.scale, manifest.seed)?, manifest))
    }

    /// Puts the words of the experiment that comes with the program (title, notes, claims, what was published) in the place of those that the
    /// run was begun with, if its conditions are still the same: reports say what is known today.
    pub fn renew_words(&self) -> Result<()> {
        let (plan, _) = self.read()?;
        let Some(Ok(today)) = library::find(&plan.experiment.name) else { return Ok(()) };
        let hashes = |experiment: &Experiment| experiment.parts.iter().map(Part::hash).collect::<Vec<_>>();
        if today != plan.experiment && hashes(&today) == hashes(&plan.experiment) && same_sizes(&today, &plan)? {
            self.0.write("config.toml", today.text()?.as_bytes())?;
        }
        Ok(())
    }

    /// Who played so far; empty if nothing was written down.
    pub fn players(&self) -> Vec<Seat> {
        self.read().map_or(Vec::new(), |(_, manifest)| manifest.players)
    }

    /// Refuses to go on with another program: its games would not be the same.
    pub fn accept(&self, begun: &Manifest, version: &Version) -> Result<()> {
        if begun.bench == version.bench {
            return Ok(());
        }
        Err(LabError::Conflict(format!(
            "{} was begun by a program of signature {}; this one has {} and would play other games",
            self.0.path().display(),
            begun.bench,
            version.bench
        )))
    }

    /// The directory as all runs have it.
    pub(crate) fn run(&self) -> &RunDirectory {
        &self.0
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The ledger, for writing, and what was done so far.
    pub fn ledger(&self) -> Result<(Ledger, Vec<Row>)> {
        let opened = Ledger::open(&self.0.file("ledger.jsonl"))?;
        self.0.clean();
        Ok(opened)
    }

    /// What was done so far, for reading.
    pub fn rows(&self) -> Result<Vec<Row>> {
        let path = self.0.file("ledger.jsonl");
        if path.exists() { ledger::read(&path) } else { Ok(Vec::new()) }
    }

    /// Writes a file in it, never half.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.0.write(name, bytes)
    }
}

/// Whether the plan has the same jobs with today's experiment: numbers of games are no conditions, but they decide what is complete.
fn same_sizes(today: &Experiment, plan: &ExperimentPlan) -> Result<bool> {
    let with_today = ExperimentPlan::new(today.clone(), plan.scale, plan.seed)?;
    Ok(with_today.jobs()? == plan.jobs()?)
}

/// What was known before and what is known now, each once.
fn together(mut before: Vec<String>, now: Vec<String>) -> Vec<String> {
    now.into_iter().for_each(|one| {
        if !before.contains(&one) {
            before.push(one);
        }
    });
    before
}

/// What a run that was begun differs in from the plan that would go on with it.
fn difference(path: &Path, begun: &Manifest, plan: &ExperimentPlan) -> String {
    let parts = &plan.experiment.parts;
    let what = if begun.experiment != plan.experiment.name {
        format!("it was begun as {}, and this is {}", begun.experiment, plan.experiment.name)
    } else if begun.seed != plan.seed {
        format!("it was begun with seed {}, and this is seed {}", begun.seed, plan.seed)
    } else if begun.parts.len() != parts.len() {
        format!("it was begun with {} parts, and this has {}", begun.parts.len(), parts.len())
    } else {
        let changed = parts.iter().enumerate().filter(|(i, part)| begun.parts[*i] != part.hash());
        let titles: Vec<String> =
            changed.map(|(i, part)| format!("part {} ({})", i + 1, part.kind().title())).collect();
        format!("{} was changed since it was begun", titles.join(", "))
    };
    let advice = "undo the change, or begin a new run in another directory";
    format!("{} holds another experiment: {}; {advice}", path.display(), harmless(&what, MESSAGE))
}
