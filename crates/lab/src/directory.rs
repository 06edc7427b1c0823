//! The directory of a run: the one source of truth about a match.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use yomi_core::TextError;
use yomi_protocol::client::process::is_running;

use crate::any_run::Kind;
use crate::config::MatchConfig;
use crate::error::{LabError, Result};
use crate::ledger::Ledger;
use crate::manifest;
use crate::opening::Opening;
use crate::plan::MatchPlan;
use crate::row::GameRow;

/// A run directory. It holds `config.toml`, `openings.jsonl` where a collection is used, `manifest.json`, `games.jsonl`, and what is made
/// from them.
#[derive(Clone, Debug)]
pub struct RunDirectory {
    path: PathBuf,
}

impl RunDirectory {
    /// The directory at `path`, whatever is in it.
    pub fn at(path: &Path) -> RunDirectory {
        RunDirectory { path: path.to_path_buf() }
    }

    /// The directory in which a plan is run if no directory is named.
    pub fn default_path(plan: &MatchPlan) -> PathBuf {
        let word = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = plan.config.name.chars().take(60).map(word).collect();
        Path::new("runs").join(format!("{name}-{}", plan.short_hash()))
    }

    /// Refuses a plan that is not the match begun in this directory, if one was begun.
    pub fn check(&self, plan: &MatchPlan) -> Result<()> {
        if !self.file("config.toml").exists() {
            return Ok(());
        }
        let (_, begun) = RunDirectory::open(&self.path)?;
        self.check_unchanged(&begun)?;
        if begun.hash != plan.hash {
            let message = format!("{} holds another match ({})", self.path.display(), begun.short_hash());
            return Err(LabError::Conflict(message));
        }
        Ok(())
    }

    /// The directory at `path` for this plan: a new one, or one in which the same match was begun. Its configuration is then this one,
    /// so a match can be made longer.
    pub fn create(path: &Path, plan: &MatchPlan) -> Result<RunDirectory> {
        let directory = RunDirectory::at(path);
        directory.check(plan)?;
        fs::create_dir_all(path).map_err(LabError::file("cannot create", path))?;
        if !plan.book.is_empty() {
            let mut lines = String::new();
            for opening in &plan.book {
                lines += &json(opening)?;
                lines.push('\n');
            }
            directory.write("openings.jsonl", lines.as_bytes())?;
        }
        // Last: a directory with a configuration is complete.
        let text =
            toml::to_string(&plan.config).map_err(|error| LabError::Conflict(format!("config.toml: {error}")))?;
        directory.write("config.toml", text.as_bytes())?;
        Ok(directory)
    }

    /// The run at `path`, as it was begun.
    pub fn open(path: &Path) -> Result<(RunDirectory, MatchPlan)> {
        Kind::Match.expect_at(path)?;
        let directory = RunDirectory { path: path.to_path_buf() };
        let text = directory.read("config.toml")?;
        let config: MatchConfig = toml::from_str(&text)
            .map_err(|error| TextError::new(error.to_string()).context(directory.file("config.toml").display()))?;
        let mut book: Vec<Opening> = Vec::new();
        if directory.file("openings.jsonl").exists() {
            for (i, line) in directory.read("openings.jsonl")?.lines().enumerate() {
                let wrong =
                    |error: serde_json::Error| TextError::in_line(i + 1, line, format!("openings.jsonl: {error}"));
                book.push(serde_json::from_str(line).map_err(wrong)?);
            }
        }
        Ok((directory, MatchPlan::new(config, book)?))
    }

    /// Refuses a configuration that is not the one the match was begun with, as the manifest remembers it: the ledger would hold games of
    /// two different matches. Without a manifest the seeds of the games decide, when they are counted.
    pub fn check_unchanged(&self, plan: &MatchPlan) -> Result<()> {
        let Some(manifest) = self.manifest() else { return Ok(()) };
        let Some(hash) = manifest["experiment"].as_str().filter(|hash| *hash != plan.hash) else { return Ok(()) };
        let changes = manifest::changes(&manifest["config"], &plan.config);
        let what = if changes.is_empty() { String::new() } else { format!(" ({})", changes.join("; ")) };
        Err(LabError::Conflict(format!(
            "{} was changed after the match began{what}: its games so far are of match {:.8}, these would be of {}; undo the change, or \
             begin a new match in another directory",
            self.file("config.toml").display(),
            hash,
            plan.short_hash()
        )))
    }

    /// What is known about how the match is played, if anything was written down yet.
    pub fn manifest(&self) -> Option<serde_json::Value> {
        serde_json::from_str(&self.read("manifest.json").ok()?).ok()
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file or directory in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The ledger, for writing, and what was played so far.
    pub fn ledger(&self) -> Result<(Ledger, Vec<GameRow>)> {
        let opened = Ledger::open(&self.file("games.jsonl"))?;
        self.clean();
        Ok(opened)
    }

    /// The games so far, for reading. None if nothing was played.
    pub fn rows(&self) -> Result<Vec<GameRow>> {
        let path = self.file("games.jsonl");
        if path.exists() { crate::ledger::read(&path) } else { Ok(Vec::new()) }
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> Result<String> {
        let path = self.file(name);
        fs::read_to_string(&path).map_err(LabError::file("cannot read", &path))
    }

    /// Writes a file in it so that it is either the old one or the new one, whatever happens in between.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.file(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(LabError::file("cannot create", parent))?;
        }
        let mut beside = path.clone().into_os_string();
        beside.push(format!(".{}{PART}", std::process::id()));
        let beside = PathBuf::from(beside);
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&beside, &path));
        if written.is_err() {
            // The rest of a failed attempt; that it may not be removable changes nothing.
            let _ = fs::remove_file(&beside);
        }
        written.map_err(LabError::file("cannot write", &path))
    }

    /// Removes what writers that were killed left half written. Those that still run keep theirs.
    pub(crate) fn clean(&self) {
        for place in [self.path.clone(), self.file("plots"), self.file("games"), self.file("records")] {
            for entry in fs::read_dir(place).into_iter().flatten().flatten() {
                if is_left_over(&entry.file_name().to_string_lossy()) {
                    // That one may not be removable changes nothing.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }
}

/// The ending of a file that is being written, behind the number of the process that writes it: `report.md.4711.part`.
const PART: &str = ".part";

/// Whether this is the name of a file that a process was writing which is no more.
fn is_left_over(name: &str) -> bool {
    let writer = name.strip_suffix(PART).and_then(|name| name.rsplit_once('.')).and_then(|(_, id)| id.parse().ok());
    writer.is_some_and(|id: u32| !is_running(id))
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| LabError::Conflict(error.to_string()))
}
