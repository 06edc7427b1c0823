//! How much faster learning is on several threads: `cargo run --release -p yomi-learn --features measure --example learn_scaling [STEPS] [KEY=VALUE …]`
//!
//! A run is made on one thread, every game and everything between games is timed by the thread's own CPU clock, and the time of each step on
//! 1, 2, 4, … threads follows from that: a free thread begins the next game, and a step ends with its last game. So the answer does not depend on
//! what else the machine does; that memory and caches are shared is not in it.
//!
//! `--wall [REPETITIONS]` asks the clock instead: `… --example learn_scaling -- --wall 9 [STEPS] [KEY=VALUE …]`. The same steps are made with one
//! and with two threads in turn, who begins changes with every repetition, and each repetition gives a ratio; printed are wall and CPU
//! seconds of both, the median ratio, and an interval for it that asks nothing of the distribution. The machine should do nothing else.
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::path::PathBuf;

use yomi_core::clock::{Stopwatch, process_cpu};
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

/// Wall and CPU seconds of these steps from the beginning of a run.
fn time(
    folder: &std::path::Path,
    changes: &[(String, String)],
    steps: usize,
    threads: usize,
) -> Result<[f64; 2], yomi_core::TextError> {
    let _ = std::fs::remove_dir_all(folder);
    let mut run: Box<dyn Run> = open(folder, Config::with("", changes)?)?;
    // The first step touches all memory once.
    run.batch(threads, &|_| None, &|| {})?;
    let cpu = || process_cpu().unwrap_or_default().as_secs_f64();
    let (watch, before) = (Stopwatch::start(), cpu());
    for _ in 0..steps {
        run.batch(threads, &|_| None, &|| {})?;
    }
    run.checkpoint()?;
    Ok([watch.elapsed().as_secs_f64(), cpu() - before])
}

/// How far from both ends of `n` sorted values an interval reaches that holds their median with a confidence of at least 95 %, and that
/// confidence: `1 - 2·P(fewer than k of n fair coins)`.
fn median_ranks(n: usize) -> (usize, f64) {
    let mut chance = 0.5_f64.powi(n as i32);
    let (mut below, mut k, mut confidence) = (chance, 1, 1.0 - 2.0 * chance);
    while k < n / 2 {
        chance *= (n - k + 1) as f64 / k as f64;
        below += chance;
        if 1.0 - 2.0 * below < 0.95 {
            break;
        }
        (k, confidence) = (k + 1, 1.0 - 2.0 * below);
    }
    (k, confidence)
}

fn measure_wall(
    folder: &std::path::Path,
    changes: &[(String, String)],
    steps: usize,
    repetitions: usize,
) -> Result<(), yomi_core::TextError> {
    let (mut ratios, mut sums) = (Vec::new(), [[0.0; 2]; 2]);
    for repetition in 0..repetitions {
        let mut seconds = [[0.0; 2]; 2];
        for turn in 0..2 {
            let which = (turn + repetition) % 2;
            seconds[which] = time(folder, changes, steps, 1 + which)?;
        }
        (0..2).for_each(|i| (0..2).for_each(|j| sums[i][j] += seconds[i][j]));
        ratios.push(seconds[0][0] / seconds[1][0]);
    }
    ratios.sort_by(f64::total_cmp);
    let median = 0.5 * (ratios[(repetitions - 1) / 2] + ratios[repetitions / 2]);
    let (rank, confidence) = median_ranks(repetitions);
    let [[wall1, cpu1], [wall2, cpu2]] = sums.map(|sum| sum.map(|x| x / repetitions as f64));
    let method = changes.iter().find(|(key, _)| key == "method").map_or("", |(_, method)| method);
    println!(
        "{method:16} one thread {wall1:.2} s wall, {cpu1:.2} s CPU; two {wall2:.2} s wall, {cpu2:.2} s CPU; {median:.3}x \
         [{:.3}, {:.3}], {:.1} % interval of the median of {repetitions}",
        ratios[rank - 1],
        ratios[repetitions - rank],
        100.0 * confidence
    );
    Ok(())
}

fn main() -> Result<(), yomi_core::TextError> {
    let mut arguments = std::env::args().skip(1).peekable();
    let wall = arguments.next_if(|text| text == "--wall").is_some();
    let repetitions = match wall {
        true => arguments.next_if(|text| !text.contains('=')).and_then(|text| text.parse().ok()).unwrap_or(9).max(1),
        false => 0,
    };
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
        match wall {
            true => measure_wall(&folder, &changes, steps, repetitions)?,
            false => measure(&folder, &changes, steps)?,
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|error| yomi_core::TextError::new(error.to_string()))
}
