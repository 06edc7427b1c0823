//! Saved trees: those of `yomi analyze --tree` and those kept from a page, by the names of their files in the folders of the studio.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_page::TreeOrder;
use yomi_session::SavedTree;

/// The ending of their files.
const ENDING: &str = "tree";
/// No list is longer.
const MOST_TREES: usize = 200;
/// Trees that pages may leave in one folder.
const MOST_KEPT: usize = 1000;

/// The trees of these folders.
pub(crate) struct Trees {
    folders: Vec<PathBuf>,
}

impl Trees {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Trees {
        Trees { folders }
    }

    /// The trees by their names; of two with one name the first folder's.
    fn found(&self) -> Vec<(String, PathBuf)> {
        let mut found: Vec<(String, PathBuf)> = Vec::new();
        for folder in &self.folders {
            let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut here: Vec<(String, PathBuf)> = paths
                .filter(|path| path.extension().is_some_and(|ending| ending == ENDING) && path.is_file())
                .filter_map(|path| Some((path.file_stem()?.to_str()?.to_string(), path)))
                .filter(|(name, _)| !found.iter().any(|(other, _)| other == name))
                .collect();
            here.sort();
            found.extend(here);
        }
        found.truncate(MOST_TREES);
        found
    }

    /// The list. A file that is no tree is left out.
    pub(crate) fn list(&self) -> Value {
        let entry = |(name, path): (String, PathBuf)| {
            let tree = SavedTree::open(File::open(&path).ok()?).ok()?;
            let notes = &tree.notes;
            let bytes = fs::metadata(&path).map_or(0, |data| data.len());
            Some(json!({ "name": name, "game": notes.game, "position": notes.position, "player": notes.player,
                "nodes": tree.nodes(), "bytes": bytes }))
        };
        json!({ "type": "trees", "trees": self.found().into_iter().filter_map(entry).collect::<Vec<_>>() })
    }

    /// A part of a tree. Only what is shown is read, however large the file.
    pub(crate) fn explore(&self, name: &str, order: &TreeOrder) -> Result<Value, TextError> {
        let found = self.found().into_iter().find(|(other, _)| other == name);
        let (_, path) = found.ok_or_else(|| TextError::new(format!("there is no tree called {name}")))?;
        let file =
            File::open(&path).map_err(|error| TextError::new(format!("cannot open the tree {name}: {error}")))?;
        let mut tree = SavedTree::open(file).map_err(|error| error.context(name))?;
        let report = tree.explore(&order.query())?;
        Ok(report.json(&tree.notes.player))
    }

    /// Writes a tree into the first folder, under a name that is free: `minishogi-mcss-2`.
    pub(crate) fn keep(
        &self,
        label: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<bool>,
    ) -> Result<String, TextError> {
        let folder = self.folders.first().ok_or_else(|| TextError::new("this studio has no folder for trees"))?;
        let wrong = |error: io::Error| TextError::new(format!("the tree cannot be kept: {error}"));
        fs::create_dir_all(folder).map_err(wrong)?;
        let label: String = label.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(60).collect();
        for number in 1..=MOST_KEPT {
            let name = format!("{label}-{number}");
            let path = folder.join(format!("{name}.{ENDING}"));
            let file = match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file.map_err(wrong)?,
            };
            let mut out = BufWriter::new(file);
            let written = write(&mut out).and_then(|there| out.flush().map(|()| there));
            if !matches!(written, Ok(true)) {
                // What is half there is no tree.
                let _ = fs::remove_file(&path);
                written.map_err(wrong)?;
                return Err(TextError::new("this search grows no tree that could be kept"));
            }
            return Ok(name);
        }
        Err(TextError::new(format!("there are {MOST_KEPT} trees called {label} already")))
    }
}
