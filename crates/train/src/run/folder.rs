//! The folder of a run.

use std::path::{Path, PathBuf};

use yomi_core::TextError;

use super::{Config, Generation};
use crate::files::{replace, trouble};
use crate::samples;

/// Paths of a run.
pub struct Folder(PathBuf);

impl Folder {
    /// Opens or makes the folder; the configuration must be the one it was made with.
    pub fn open(path: &Path, config: &Config) -> Result<Folder, TextError> {
        for part in ["nets", "samples"] {
            let folder = path.join(part);
            std::fs::create_dir_all(&folder).map_err(|error| trouble(&folder, error))?;
        }
        let file = path.join("run.json");
        let text = serde_json::to_string_pretty(config).unwrap_or_default();
        match std::fs::read_to_string(&file) {
            Ok(found) if found.trim() == text.trim() => {}
            Ok(found) => {
                let differs = text.lines().zip(found.lines()).find(|(a, b)| a != b);
                let (new, old) = differs.map_or(("", ""), |(a, b)| (a.trim(), b.trim()));
                return Err(trouble(&file, format!("the run was begun with {old}, not with {new}"))
                    .hinting("give the same options again, or another folder"));
            }
            Err(_) => replace(&file, format!("{text}\n").as_bytes())?,
        }
        Ok(Folder(path.to_path_buf()))
    }

    /// The folder of a run that was begun, and its configuration.
    pub fn existing(path: &Path) -> Result<(Folder, Config), TextError> {
        let file = path.join("run.json");
        let text = std::fs::read_to_string(&file)
            .map_err(|error| trouble(&file, error).hinting("this is no folder of a run"))?;
        let config = serde_json::from_str(&text).map_err(|error| trouble(&file, error))?;
        Ok((Folder(path.to_path_buf()), config))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The network that plays a generation.
    pub fn net(&self, generation: u64) -> PathBuf {
        self.0.join(format!("nets/net-{generation:05}.safetensors"))
    }

    /// The games of a generation.
    pub fn samples(&self, generation: u64) -> PathBuf {
        self.0.join(format!("samples/gen-{generation:05}.samples"))
    }

    pub(super) fn checkpoint(&self, generation: u64) -> PathBuf {
        self.0.join(format!("nets/checkpoint-{generation:05}"))
    }

    /// A few games of each generation.
    pub fn games(&self) -> PathBuf {
        self.0.join("games.jsonl")
    }

    /// The line of each generation.
    pub fn log(&self) -> PathBuf {
        self.0.join("log.jsonl")
    }

    /// The generations that are logged.
    pub fn history(&self) -> Vec<Generation> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        // A line that a killed run left half written is not a generation.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The newest network.
    pub fn newest(&self) -> Option<u64> {
        (0..).take_while(|&generation| self.net(generation).exists()).last()
    }
}

/// Whether a file of samples is complete: there is a note of how many records it has.
pub(crate) fn sealed(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path.with_extension("sealed")).ok()?.trim().parse().ok()
}

pub(crate) fn seal(path: &Path, count: u64) -> Result<(), TextError> {
    replace(&path.with_extension("sealed"), format!("{count}\n").as_bytes())
}

/// Checks all sample files of a run: what is wrong, and where.
pub fn check(folder: &Folder, game: &str) -> Result<u64, TextError> {
    let mut count = 0;
    for generation in 0.. {
        let path = folder.samples(generation);
        let Some(sealed) = sealed(&path) else { break };
        let (_, samples) = samples::read(&path, Some(game))?;
        if samples.len() as u64 != sealed {
            return Err(trouble(&path, format!("{} samples, expected {sealed}", samples.len())));
        }
        count += sealed;
    }
    Ok(count)
}
