//! What a match was played with: program, machine, files, engines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use yomi_protocol::harmless::harmless;

use crate::config::{MatchConfig, sha256};
use crate::plan::MatchPlan;
use crate::players::spec::launches;

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
        .map(|(player, id)| json!({ "name": player.name, "spec": player.spec, "id": id, "files": files(&player.spec) }))
        .collect();
    json!({ "version": program.version, "signature": program.signature, "compiler": program.compiler, "build": program.build, "cpu": cpu(),
        "cpus": std::thread::available_parallelism().map_or(0, usize::from), "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH, "sha256": own_sum(), "experiment": plan.hash, "reproducible": plan.config.reproducible, "players": players,
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

/// The files that a player's text names (weights, books) and the programs that it starts, with their SHA-256.
pub fn files(player: &str) -> BTreeMap<String, String> {
    let words = player.split(|c: char| c.is_whitespace() || "(),=\"'".contains(c));
    let paths = words.map(|word| word.split_once(':').map_or(word, |(_, path)| path)).filter(|path| !path.is_empty());
    let named = paths.map(PathBuf::from).filter(|path| path.is_file());
    let launches = launches(player).unwrap_or_default();
    let programs = launches.iter().filter_map(|launch| launch.command.locate().ok());
    let sum = |path: PathBuf| Some((path.display().to_string(), sha256(&std::fs::read(&path).ok()?)));
    named.chain(programs).filter_map(sum).collect()
}

/// The SHA-256 of the running program.
pub fn own_sum() -> Option<String> {
    Some(sha256(&std::fs::read(std::env::current_exe().ok()?).ok()?))
}

/// The machine in a line: `2 x Intel(R) Xeon(R), linux x86_64`.
pub fn machine() -> String {
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let cpu = cpu().unwrap_or_else(|| "unknown processor".to_string());
    format!("{cpus} x {cpu}, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}
