//! Matches between networks and searches, hundreds of games at a time on one device. The argument is a file of JSON lines, one match each:
//!
//! ```json
//! {"name": "mcss", "game": "minishogi", "nets": ["a.safetensors", "a.safetensors"], "methods": ["mcss-puct", "puct"],
//!  "evaluations": [800, 800], "pairs": 200, "random": 4, "seed": 1, "device": "cuda", "threads": 15}
//! ```
//!
//! Each is answered by the same line with `half_points`: for each pair of games from one opening with colours exchanged what the first player
//! made of it, 0 to 4. `"simulations"` in place of `"evaluations"` limits simulations.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks to people")]

use std::process::ExitCode;

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, Spec, TextError};
use yomi_net::NetEvaluator;
use yomi_net::open::Choice;
use yomi_search::Limits;
use yomi_train::contest::Terms;
use yomi_train::{dispatch, open};

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("net_match FILE.jsonl");
        return ExitCode::from(2);
    };
    match yomi_core::file::read_text_file(&file, 1 << 20) {
        Ok(text) => {
            let wrong = text.lines().filter(|line| !line.trim().is_empty()).map(play).filter(|played| !played).count();
            if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays one match and prints it; whether it could be played.
fn play(line: &str) -> bool {
    let order: Result<Value, _> = serde_json::from_str(line);
    let played = order.map_err(|error| TextError::new(format!("{line}: {error}"))).and_then(|order| answer(&order));
    match played {
        Ok(ref answer) => println!("{answer}"),
        Err(ref error) => eprintln!("{line}: {error}"),
    }
    played.is_ok()
}

fn answer(order: &Value) -> Result<Value, TextError> {
    let number = |name: &str, default: u64| order[name].as_u64().unwrap_or(default);
    let text = |name: &str, i: usize| order[name][i].as_str().unwrap_or_default().to_string();
    let game = Spec::parse(order["game"].as_str().unwrap_or_default())?;
    let device = Choice::parse(order["device"].as_str().unwrap_or("auto"))?;
    let threads = number("threads", 1) as usize;
    let limits = |i: usize| match (&order["evaluations"][i], &order["simulations"][i]) {
        (Value::Number(n), _) => Ok(Limits::evaluations(n.as_u64().unwrap_or(1))),
        (_, Value::Number(n)) => Ok(Limits::simulations(n.as_u64().unwrap_or(1))),
        _ => Err(TextError::new("no `evaluations` and no `simulations` for both sides")),
    };
    let net = |i: usize| -> Result<NetEvaluator, TextError> {
        open::open(&open::read(text("nets", i).as_ref())?, device, threads)
    };
    let first = net(0)?;
    let second = if text("nets", 0) == text("nets", 1) { first.clone() } else { net(1)? };
    let terms = Terms {
        methods: [text("methods", 0).parse()?, text("methods", 1).parse()?],
        limits: [limits(0)?, limits(1)?],
        random: number("random", 4) as usize,
    };
    let watch = Stopwatch::start();
    let pairs = number("pairs", 50) as usize;
    let points = dispatch::contest(&game, &terms, [&first, &second], pairs, threads, &Seed::new(number("seed", 1)))?;
    if let Some(error) = first.failure().or(second.failure()) {
        return Err(error.clone());
    }
    let mut answer = order.clone();
    answer["score"] = json!(points.iter().sum::<usize>() as f64 / (4 * pairs.max(1)) as f64);
    answer["seconds"] = json!(watch.elapsed().as_secs_f64());
    answer["half_points"] = json!(points);
    Ok(answer)
}
