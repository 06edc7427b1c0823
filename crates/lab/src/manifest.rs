//! What a match was played with: program, machine, files, engines.

use std::path::Path;

use serde_json::{Value, json};
use yomi_protocol::harmless::harmless;

use crate::config::{MatchConfig, PlayerConfig, sha256};
use crate::plan::MatchPlan;

/// What the program knows of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program<'a> {
    /// Its version.
    pub version: &'static str,
    /// The signature of its bench: the same for builds that play alike. Nothing while it is not known yet.
    pub signature: Option<u64>,
    /// The compiler that made it.
    pub compiler: &'static str,
    /// Version, commit and compiler in one line.
    pub build: &'a str,
}

/// The manifest of a match. `ids` are what the players call themselves. The configuration is part of it, so that one that was changed
/// later is found out.
pub fn manifest(plan: &MatchPlan, program: &Program<'_>, ids: &[String]) -> Value {
    let players: Vec<Value> = plan
        .config
        .players
        .iter()
        .zip(ids)
        .map(|(player, id)| json!({ "name": player.name, "spec": player.spec, "id": id, "files": files(player) }))
        .collect();
    json!({ "version": program.version, "signature": program.signature, "compiler": program.compiler, "build": program.build, "cpu": cpu(),
        "cpus": std::thread::available_parallelism().map_or(0, usize::from), "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH, "experiment": plan.hash, "reproducible": plan.config.reproducible, "players": players,
        "config": plan.config })
}

/// What is different in `config`, as far as it decides the games: `seed was 1 and is 2`. Nothing if it is not known how it was.
pub fn changes(before: &Value, config: &MatchConfig) -> Vec<String> {
    let mut changes = Vec::new();
    if let (Value::Object(_), Ok(mut now)) = (before, serde_json::to_value(config)) {
        let mut before = before.clone();
        for free in MatchConfig::FREE {
            (before[free], now[free]) = (Value::Null, Value::Null);
        }
        compare("", &before, &now, &mut changes);
    }
    changes
}

fn compare(name: &str, before: &Value, now: &Value, changes: &mut Vec<String>) {
    let inside = |key: &str| if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
    match (before, now) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.for_each(|key| compare(&inside(key), &before[key], &now[key], changes));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&inside(&(i + 1).to_string()), a, b, changes);
            }
        }
        _ if before != now => {
            let short = |value: &Value| harmless(&value.to_string(), 80);
            changes.push(format!("{name} was {} and is {}", short(before), short(now)));
        }
        _ => {}
    }
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
