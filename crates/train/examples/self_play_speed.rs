//! How many positions self-play evaluates per second: `self_play_speed GAME NETWORK DEVICE THREADS SEATS SECONDS [FULL FAST SHARE METHOD]`.
//!
//! NETWORK is a file or a tower that has learned nothing, as `5x64`. DEVICE `none` answers at once without a network: what is left is what
//! the searches themselves cost, for profilers and for counting how many threads feed a device.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks to people")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Seed, Spec, TextError};
use yomi_net::measure::Instant;
use yomi_net::open::Choice;
use yomi_net::{Architecture, NetEvaluator};
use yomi_train::dispatch::{self, Order};
use yomi_train::self_play::Settings;
use yomi_train::{open, run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match measure(&words) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(words: &[String]) -> Result<serde_json::Value, TextError> {
    let word = |i: usize, default: &str| words.get(i).cloned().unwrap_or_else(|| default.into());
    let number = |i: usize, default: f64| words.get(i).and_then(|word| word.parse().ok()).unwrap_or(default);
    let game = Spec::parse(&word(0, "minishogi"))?;
    let (tower, device, layout) = (word(1, "5x64"), word(2, "none"), dispatch::layout(&game)?);
    let (threads, seats, seconds) = (number(3, 1.0) as usize, number(4, 192.0) as usize, number(5, 5.0));
    let network = match tower.split_once('x').and_then(|(b, c)| Some((b.parse().ok()?, c.parse().ok()?))) {
        Some((blocks, channels)) => run::first_network(Architecture::new(layout, blocks, channels), &Seed::new(1))?,
        None => open::read(tower.as_ref())?,
    };
    let net = match device.as_str() {
        "none" => NetEvaluator::with_batch(Box::new(Instant(layout)), 64),
        _ => open::open(&network, Choice::parse(&device)?, threads)?,
    };
    let settings = Settings {
        method: word(9, "gumbel(scale=0.3)"),
        full: number(6, 80.0) as u64,
        fast: number(7, 20.0) as u64,
        full_share: number(8, 0.3) as f32,
        seats,
        ..Settings::default()
    };
    let out = std::env::temp_dir().join(format!("self-play-speed-{}.samples", std::process::id()));
    let order = Order { game: &game, settings: &settings, games: 0..u64::MAX, seed: 1, threads, out: &out };
    let (stop, clock) = (AtomicBool::new(false), Stopwatch::start());
    // The first third is for warming up: games begin together, and later ones are spread over all their moves.
    let mut begun = None;
    let tally = dispatch::self_play(&order, net.clone(), &network, &stop, &mut |_| {
        let now = clock.elapsed().as_secs_f64();
        if now >= seconds / 3.0 {
            begun.get_or_insert((now, net.counts()));
        }
        if now >= seconds {
            stop.store(true, Ordering::Relaxed);
        }
    })?;
    let (ended, (positions, batches)) = (clock.elapsed().as_secs_f64(), net.counts());
    let _ = std::fs::remove_file(&out);
    let (from, (first, earlier)) = begun.unwrap_or((0.0, (0, 0)));
    let (counted, batches) = (positions - first, (batches - earlier).max(1));
    Ok(json!({
        "game": game.to_string(), "network": tower, "device": net.backend().name(), "threads": threads, "seats": seats,
        "evaluations": positions, "evaluations_per_second": counted as f64 / (ended - from), "batch": counted as f64 / batches as f64,
        "games": tally.games, "samples": tally.samples, "failure": net.failure().map(ToString::to_string),
    }))
}
