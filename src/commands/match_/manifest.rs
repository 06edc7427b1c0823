//! The manifest of a run: what it is played with, and whether a run that goes on is still played with the same.

use std::thread::JoinHandle;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use yomi_lab::directory::RunDirectory;
use yomi_lab::manifest::{Program, manifest};
use yomi_lab::plan::MatchPlan;

use crate::arguments;
use crate::build;
use crate::commands::bench::build_signature;

/// The signature of this build: known from an earlier run, or being computed while games are played.
pub(crate) enum Signature {
    Known(u64),
    Coming(JoinHandle<anyhow::Result<u64>>),
}

impl Signature {
    /// Begins to find it out. A run that was begun by a build that plays differently is refused: its games would not be of one kind.
    pub(crate) fn begin(directory: &RunDirectory) -> anyhow::Result<Signature> {
        let begun = directory.manifest();
        let signature = |manifest: &Value| manifest["signature"].as_u64();
        let Some((manifest, before)) = begun.as_ref().and_then(|manifest| Some((manifest, signature(manifest)?)))
        else {
            return Ok(Signature::Coming(std::thread::spawn(build_signature)));
        };
        if manifest["executable"] == executable() {
            return Ok(Signature::Known(before));
        }
        let now = build_signature()?;
        ensure!(
            now == before,
            "{} was begun by a build of signature {before}; this one has {now} and would play other games",
            directory.path().display()
        );
        Ok(Signature::Known(now))
    }

    /// The signature, if it is known by now.
    pub(crate) fn known(&self) -> Option<u64> {
        match self {
            Signature::Known(signature) => Some(*signature),
            Signature::Coming(_) => None,
        }
    }

    /// The signature, as soon as it is known.
    pub(crate) fn wait(self) -> anyhow::Result<u64> {
        match self {
            Signature::Known(signature) => Ok(signature),
            Signature::Coming(thread) => thread.join().ok().context("the bench broke off")?,
        }
    }
}

/// Writes the manifest; the signature is left out while it is not known. `ids` are what the players call themselves.
pub(crate) fn write(
    plan: &MatchPlan,
    directory: &RunDirectory,
    ids: &[String],
    signature: Option<u64>,
) -> anyhow::Result<()> {
    let (version, compiler, build) = (env!("CARGO_PKG_VERSION"), env!("YOMI_COMPILER"), &build::text());
    let program = Program { version, signature, compiler, build };
    let mut json = manifest(plan, &program, ids);
    json["executable"] = executable();
    json["command"] = json!(arguments::typed());
    directory.write("manifest.json", format!("{}\n", serde_json::to_string_pretty(&json)?).as_bytes())?;
    Ok(())
}

/// Which file is running, well enough to know it again: its length and when it was written.
fn executable() -> Value {
    let metadata = std::env::current_exe().and_then(std::fs::metadata);
    let identity = metadata.ok().map(|metadata| {
        let written = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        json!([metadata.len(), written.map(|time| time.as_nanos().to_string())])
    });
    identity.unwrap_or_default()
}
