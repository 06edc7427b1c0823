//! The loop and the matches of its generations without the rest of the program: a small binary that is quickly built and copied to another
//! machine. Its argument is a JSON file:
//!
//! ```json
//! {"out": "runs/mini", "device": "cuda", "threads": 15, "time": 300, "planned": 300, "trainer": "python3 python/yomi_train",
//!  "config": {...as run.json...}, "training": {"batch": 2048, "search_share": 0.3, "surprise_share": 0.5},
//!  "rate": {"every": 4, "pairs": 100, "simulations": 64}}
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks to people")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use yomi_core::{Seed, Spec, TextError};
use yomi_net::open::Choice;
use yomi_search::{Limits, Method};
use yomi_train::contest::Terms;
use yomi_train::run::{Conditions, Config, Folder, Generation};
use yomi_train::trainer::python::Python;
use yomi_train::{dispatch, open};

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("device_loop FILE.json");
        return ExitCode::from(2);
    };
    match run(&file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str) -> Result<(), TextError> {
    let text = yomi_core::file::read_text_file(file, 1 << 20)?;
    let fault = |error: serde_json::Error| TextError::new(format!("{file}: {error}"));
    let order: Value = serde_json::from_str(&text).map_err(fault)?;
    let config: Config = serde_json::from_value(order["config"].clone()).map_err(fault)?;
    let out = PathBuf::from(order["out"].as_str().unwrap_or("run"));
    let device = Choice::parse(order["device"].as_str().unwrap_or("auto"))?;
    let threads = order["threads"].as_u64().unwrap_or(1) as usize;
    if order["time"].as_f64().is_none_or(|time| time > 0.0) {
        let conditions = Conditions {
            device,
            threads,
            generations: order["generations"].as_u64().unwrap_or(u64::MAX),
            time: order["time"].as_f64(),
            planned: order["planned"].as_f64(),
            decide: |_| None,
        };
        let settings = serde_json::from_value(order["training"].clone()).map_err(fault)?;
        let mut trainer = Python::start(order["trainer"].as_str().unwrap_or("python3 python/yomi_train"), settings)?;
        let mut tell = |line: &Generation| println!("{}", json!(line));
        dispatch::run(&config, &conditions, &out, &mut trainer, &AtomicBool::new(false), &mut tell)?;
    }
    match order.get("rate") {
        Some(rate) => rate_generations(&config, &out, device, threads, rate),
        None => Ok(()),
    }
}

/// Plays each chosen generation against the next two of those chosen; half points of pairs go to `pairs.jsonl`.
fn rate_generations(
    config: &Config,
    out: &std::path::Path,
    device: Choice,
    threads: usize,
    rate: &Value,
) -> Result<(), TextError> {
    let (folder, game) = (Folder::existing(out)?.0, Spec::parse(&config.game)?);
    let number = |name: &str, default: u64| rate[name].as_u64().unwrap_or(default);
    let method: Method = rate["method"].as_str().unwrap_or("puct").parse()?;
    let limits = Limits::simulations(number("simulations", 64));
    let terms = Terms {
        methods: [method.clone(), method],
        limits: [limits.clone(), limits],
        random: number("random", 4) as usize,
    };
    let newest = folder.newest().unwrap_or(0);
    let mut chosen: Vec<u64> = (0..newest).step_by(number("every", 1).max(1) as usize).collect();
    chosen.push(newest);
    let net = |generation: u64| open::open(&open::read(&folder.net(generation))?, device, threads);
    let mut lines = String::new();
    for (i, &first) in chosen.iter().enumerate() {
        let player = net(first)?;
        for &second in chosen[i + 1..].iter().take(2) {
            let seed = Seed::new(1).branch("first", first).branch("second", second);
            let other = net(second)?;
            let pairs = number("pairs", 50) as usize;
            let points = dispatch::contest(&game, &terms, [&player, &other], pairs, threads, &seed)?;
            let line = json!({"first": first, "second": second, "half_points": points});
            println!("{first} against {second}: {} of {}", points.iter().sum::<usize>(), 4 * pairs);
            lines.push_str(&format!("{line}\n"));
        }
    }
    yomi_train::files::replace(&out.join("pairs.jsonl"), lines.as_bytes())
}
