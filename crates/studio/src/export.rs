//! The studio as a site for any web server: the page, the results of the laboratory, and the WebAssembly program if there is one.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::players::build::Programs;
use yomi_page::Request;

use crate::bundle::ASSETS;
use crate::laboratory::{Laboratory, Signature};
use crate::{learners, lessons, runs};

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Files.
    pub files: usize,
    /// Bytes in all.
    pub bytes: u64,
    /// Run directories.
    pub runs: usize,
}

/// Writes the site into a folder. `wasm` is the program built for `wasm32-wasip1`; without it the site shows results and plays nothing.
pub fn export(
    out: &Path,
    folders: &[PathBuf],
    wasm: Option<&[u8]>,
    signature: Signature,
) -> Result<Exported, TextError> {
    let mut site = Site { out, exported: Exported::default() };
    for asset in ASSETS {
        // The page knows by this word that there is no server behind it.
        let tag = format!("<html data-site=\"{}\"", if wasm.is_some() { "wasm" } else { "results" });
        let bytes = match asset.name {
            "index.html" => String::from_utf8_lossy(asset.bytes).replacen("<html", &tag, 1).into_bytes(),
            _ => asset.bytes.to_vec(),
        };
        site.write(asset.name, &bytes)?;
    }
    if let Some(wasm) = wasm {
        site.write("yomi-page.wasm", wasm)?;
    }
    let laboratory = Laboratory::new(folders.to_vec(), Programs::Refused, signature);
    site.json("data/experiments.json", &laboratory.answer(&Request::Experiments)?)?;
    site.json("data/league.json", &laboratory.answer(&Request::League)?)?;
    let mut listed = Vec::new();
    for (number, found) in runs::scan(folders).iter().enumerate() {
        // A run that cannot be read is left out; `yomi verify` says why.
        let Ok(report) = runs::describe(found) else { continue };
        let mut line = runs::line(found);
        line["file"] = number.into();
        site.json(&format!("data/run-{number}.json"), &report)?;
        for part in 0..report["sections"].as_array().map_or(0, Vec::len) {
            if let Ok(games) = runs::games(found, part, None) {
                site.json(&format!("data/games-{number}-{part}.json"), &games)?;
            }
        }
        listed.push(line);
        site.exported.runs += 1;
    }
    site.json("data/runs.json", &json!({ "type": "runs", "runs": listed }))?;
    let mut learners = learners::list(folders);
    // No learner is at work in a site.
    for learner in learners["learners"].as_array_mut().into_iter().flatten() {
        learner["running"] = false.into();
    }
    let names: Vec<String> = learners["learners"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|learner| learner["name"].as_str().map(str::to_string))
        .collect();
    for (number, name) in names.iter().enumerate() {
        site.json(&format!("data/curves-{number}.json"), &learners::curves(folders, name)?)?;
        // A site has the games of the latest step only.
        let mut latest = lessons::games(folders, name, None)?;
        latest["steps"] = latest["step"].as_u64().into_iter().collect::<Vec<_>>().into();
        site.json(&format!("data/lessons-{number}.json"), &latest)?;
    }
    site.json("data/learners.json", &learners)?;
    Ok(site.exported)
}

struct Site<'a> {
    out: &'a Path,
    exported: Exported,
}

impl Site<'_> {
    fn json(&mut self, name: &str, value: &Value) -> Result<(), TextError> {
        self.write(name, value.to_string().as_bytes())
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), TextError> {
        let path = self.out.join(name);
        let wrong = |error: std::io::Error| TextError::new(format!("cannot write {}: {error}", path.display()));
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(wrong)?;
        }
        std::fs::write(&path, bytes).map_err(wrong)?;
        (self.exported.files, self.exported.bytes) =
            (self.exported.files + 1, self.exported.bytes + bytes.len() as u64);
        Ok(())
    }
}
