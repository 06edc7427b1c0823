//! What a match was played with: program, machine, files, engines.

use std::path::Path;

use serde_json::{Value, json};

use crate::config::{PlayerConfig, sha256};
use crate::plan::Plan;

/// What the program knows of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// Its version.
    pub version: &'static str,
    /// The signature of its bench: the same for builds that play alike.
    pub signature: u64,
    /// The compiler that made it.
    pub compiler: &'static str,
}

/// The manifest of a match. `ids` are what the players call themselves.
pub fn manifest(plan: &Plan, program: &Program, ids: &[String]) -> Value {
    let players: Vec<Value> = plan
        .config
        .players
        .iter()
        .zip(ids)
        .map(|(player, id)| json!({ "name": player.name, "spec": player.spec, "id": id, "files": files(player) }))
        .collect();
    json!({ "version": program.version, "signature": program.signature, "compiler": program.compiler, "cpu": cpu(),
        "cpus": std::thread::available_parallelism().map_or(0, usize::from), "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH, "experiment": plan.hash, "reproducible": plan.config.reproducible, "players": players })
}

/// The model of the processor, where the system tells.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The files that a player's specification names (weights, programs) with their SHA-256.
fn files(player: &PlayerConfig) -> Value {
    let words = player.spec.split(|c: char| c.is_whitespace() || "(),=\"'".contains(c));
    let paths = words.map(|word| word.split_once(':').map_or(word, |(_, path)| path)).filter(|path| !path.is_empty());
    let files = paths.filter(|path| Path::new(path).is_file());
    let sums = files.map(|path| (path.to_string(), json!(std::fs::read(path).ok().map(|bytes| sha256(&bytes)))));
    Value::Object(sums.collect())
}
