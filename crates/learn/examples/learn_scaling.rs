//! How much faster learning is on several threads: `cargo run --release -p yomi-learn --example learn_scaling [STEPS] [KEY=VALUE …]`
//!
//! A run is made on one thread, every game and everything between games is timed by the thread's own CPU clock, and the time of each step on
//! 1, 2, 4, … threads follows from that: a free thread begins the next game, and a step ends with its last game. So the answer does not depend on
//! what else the machine does; that memory and caches are shared is not in it. On an idle machine the clock says the same.
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::path::PathBuf;

use yomi_learn::run::{Config, Run, open};

const THREADS: [usize; 5] = [1, 2, 4, 8, 16];

fn measure(folder: &std::path::Path, changes: &[(String, String)], steps: usize) -> Result<(), yomi_core::TextError> {
    let _ = std::fs::remove_dir_all(folder);
    let mut run: Box<dyn Run> = open(folder, Config::with("", changes)?)?;
    let (mut paths, mut alone, mut games) = ([0.0; THREADS.len()], 0.0, 0);
    for _ in 0..steps {
        run.batch(1, &|_| None, &|| {})?;
        let cost = run.cost();
        THREADS.iter().zip(&mut paths).for_each(|(&threads, path)| *path += cost.path(threads));
        (alone, games) = (alone + cost.alone, games + cost.games.len());
    }
    let faster: Vec<String> = THREADS
        .iter()
        .zip(&paths)
        .skip(1)
        .map(|(threads, path)| format!("{threads}: {:.2}x", paths[0] / path))
        .collect();
    println!(
        "{:16} {} games, {:.1}/s; between games {:.2} %; {}",
        run.config().method,
        games,
        games as f64 / paths[0],
        100.0 * alone / paths[0],
        faster.join(", ")
    );
    Ok(())
}

fn main() -> Result<(), yomi_core::TextError> {
    let mut arguments = std::env::args().skip(1).peekable();
    let steps = arguments.next_if(|text| !text.contains('=')).and_then(|text| text.parse().ok()).unwrap_or(40);
    let given: Vec<(String, String)> = arguments
        .filter_map(|text| text.split_once('=').map(|(key, value)| (key.to_string(), value.to_string())))
        .collect();
    let folder: PathBuf = std::env::temp_dir().join(format!("yomi-learn-scaling-{}", std::process::id()));
    for method in ["root-strap", "pg-leaf", "pg-tree", "td-leaf"] {
        let defaults = [("method", method), ("game", "minishogi"), ("start", "embedded"), ("gate.every", "0")];
        let mut changes: Vec<(String, String)> = defaults.map(|(key, value)| (key.into(), value.into())).to_vec();
        changes.retain(|(key, _)| !given.iter().any(|(other, _)| other == key));
        changes.extend(given.iter().cloned());
        measure(&folder, &changes, steps)?;
    }
    std::fs::remove_dir_all(&folder).map_err(|error| yomi_core::TextError::new(error.to_string()))
}
