//! Whole searches on a device: what comes of its speed when positions are made, packed and backed up by threads.

use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Cancel, Line, Position, Seed, TextError};
use yomi_games::shogi::Shogi9;
use yomi_net::backend::{Answers, Backend, CpuBackend, Request};
use yomi_net::cuda::{Cuda, Options};
use yomi_net::input::{Encode, Layout};
use yomi_net::{Architecture, NetEvaluator, Network};
use yomi_search::{Limits, Method, Pool, Search, TreeSearch};

/// How long each row is measured.
const TIME: Duration = Duration::from_secs(2);
/// Batches in flight, and positions of a batch: two or three threads wait for the device while the others work.
const FLIGHTS: usize = 4;
const BATCH: usize = 396;

/// What is measured on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// A GPU, with a network of 5x192.
    Cuda,
    /// The CPU, with a network that is hardly one: whether the program works.
    Cpu,
}

/// What is searched.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// One search with several threads.
    Search(&'static str),
    /// Many games against themselves, each search with this many simulations a move; how many games each thread has.
    SelfPlay(&'static str, u64, usize),
}

/// Everything that is measured, with names.
pub(super) const CHECKS: [(&str, Kind); 5] = [
    ("search-mcss", Kind::Search("mcss(t=0.05)")),
    ("search-mcss-puct", Kind::Search("mcss-puct")),
    ("search-puct", Kind::Search("puct")),
    ("selfplay-mcss-puct", Kind::SelfPlay("mcss-puct(flights=1,hash=8)", 64, 8)),
    ("selfplay-puct", Kind::SelfPlay("puct(flights=4,hash=8)", 256, 99)),
];

fn start(network: &Network, on: On) -> Result<(NetEvaluator, Option<Cuda>), TextError> {
    match on {
        On::Cpu => Ok((NetEvaluator::with_batch(Box::new(CpuBackend::new(network, 1)), 64), None)),
        On::Cuda => {
            let cuda = Cuda::new(network, Options { flights: FLIGHTS, ..Options::default() })?;
            Ok((NetEvaluator::with_batch(Box::new(cuda.clone()), BATCH), Some(cuda)))
        }
    }
}

/// Rows of one kind of search, for several numbers of threads.
pub(super) fn rows(name: &str, kind: Kind, on: On) -> Result<Vec<Value>, TextError> {
    let (blocks, channels, time) = if on == On::Cuda { (5, 192, TIME) } else { (1, 8, Duration::from_millis(300)) };
    let network = Network::random(Architecture::new(Layout::Shogi, blocks, channels), Seed::new(5))?;
    let (net, cuda) = start(&network, on)?;
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut counts = match kind {
        Kind::Search(_) => vec![1, 2, 4, 8, 16],
        Kind::SelfPlay(..) => vec![processors],
    };
    counts.retain(|&threads| threads <= processors);
    counts.dedup();
    let mut rows = Vec::new();
    for threads in counts {
        let (positions, batches) = net.counts();
        let watch = Stopwatch::start();
        let simulations = match kind {
            Kind::Search(method) => search(method, threads, &net, time)?,
            Kind::SelfPlay(method, simulations, games) => self_play(method, simulations, games, threads, &net, time)?,
        };
        let seconds = watch.elapsed().as_secs_f64();
        let (positions, batches) = (net.counts().0 - positions, net.counts().1 - batches);
        let mean = positions as f64 / batches.max(1) as f64;
        let rate = positions as f64 / seconds;
        // Device time of as many batches of the mean size, and the rate of batches of the preferred size that wait for nothing.
        let (busy, raw) = match &cuda {
            Some(cuda) => (batches as f64 * device_time(cuda, mean as usize)? / 1e6 / seconds, raw_rate(cuda)?),
            None => (f64::NAN, f64::NAN),
        };
        rows.push(json!({
            "check": "search", "network": name, "ok": net.failure().is_none(), "threads": threads,
            "backend": net.backend().name(), "positions_per_s": rate, "simulations_per_s": simulations as f64 / seconds,
            "batches_per_s": batches as f64 / seconds, "mean_batch": mean, "busy": busy, "raw_per_s": raw,
            "share_of_raw": rate / raw, "seconds": seconds,
        }));
    }
    Ok(rows)
}

/// A line of the table.
pub(super) fn line(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    format!(
        "{:20} threads {:2} positions {:6.0} k/s simulations {:6.1} k/s batches {:5.0}/s of {:4.0} busy {:.2} share of raw {:.2}",
        row["network"].as_str().unwrap_or_default(),
        row["threads"],
        number("positions_per_s") / 1e3,
        number("simulations_per_s") / 1e3,
        number("batches_per_s"),
        number("mean_batch"),
        number("busy"),
        number("share_of_raw")
    )
}

/// One search from the start of the game; how many simulations.
fn search(method: &str, threads: usize, net: &NetEvaluator, time: Duration) -> Result<u64, TextError> {
    let separator = if method.ends_with(')') { "," } else { "(" };
    let text = format!("{}{separator}threads={threads},hash=4096)", method.trim_end_matches(')'));
    let mut search = TreeSearch::new(text.parse::<Method>()?, net.clone());
    let line = Line::new(Shogi9::default());
    Ok(search.search(&line, &Limits::time(time), &mut ()).simulations)
}

/// Games against themselves, `games` for each thread, all on one device; how many simulations.
fn self_play(
    method: &str,
    simulations: u64,
    games: usize,
    threads: usize,
    net: &NetEvaluator,
    time: Duration,
) -> Result<u64, TextError> {
    let method: Method = method.parse()?;
    let play = |thread: usize| {
        let seat = |_| TreeSearch::new(method.clone(), net.clone());
        let mut pool = Pool::new((0..games).map(seat));
        let seed = |game: usize, ply: usize| {
            Seed::new(11).branch("game", (thread * games + game) as u64).branch("ply", ply as u64)
        };
        let mut lines: Vec<Line<Shogi9>> = (0..games).map(|game| opening(seed(game, 0), 12)).collect();
        let (watch, mut done) = (Stopwatch::start(), 0);
        while watch.elapsed() < time {
            for (game, line) in lines.iter_mut().enumerate() {
                if pool.is_running(game) {
                    continue;
                }
                if let Some(verdict) = pool.take_verdict(game) {
                    done += verdict.simulations;
                    match verdict.best {
                        Some(mv) if line.plies().len() < 256 => line.play(mv),
                        _ => *line = opening(seed(game, 0), 12),
                    }
                }
                let limits = Limits::simulations(simulations).seeded(seed(game, line.plies().len()));
                pool.begin(game, line, &limits);
            }
            pool.advance(Cancel::NEVER);
        }
        done
    };
    Ok(std::thread::scope(|scope| {
        let play = &play;
        let players: Vec<_> = (0..threads).map(|thread| scope.spawn(move || play(thread))).collect();
        players.into_iter().map(|player| player.join().unwrap_or(0)).sum()
    }))
}

/// A game after some random moves.
pub(super) fn opening(seed: Seed, plies: usize) -> Line<Shogi9> {
    let (mut line, mut moves, mut rng) = (Line::new(Shogi9::default()), Vec::new(), seed.rng());
    for _ in 0..plies {
        if line.generate(&mut moves).is_some() {
            break;
        }
        line.play(moves[rng.below(moves.len())]);
    }
    line
}

/// The start of the game, this many times.
fn positions(count: usize) -> Vec<yomi_net::input::PackedPosition> {
    let start = Shogi9::default();
    vec![start.pack(start.turn()); count]
}

/// Microseconds that the device takes for a batch of this size.
fn device_time(cuda: &Cuda, batch: usize) -> Result<f64, TextError> {
    let positions = positions(batch.clamp(1, cuda.largest_batch()));
    cuda.device_time(Request { positions: &positions, ..Request::default() }, 10, 5)
}

/// Positions in a second where batches of the preferred size wait for nothing but each other.
fn raw_rate(cuda: &Cuda) -> Result<f64, TextError> {
    let positions = positions(BATCH);
    let request = Request { positions: &positions, ..Request::default() };
    let (mut answers, mut tickets) = (Answers::default(), std::collections::VecDeque::new());
    let (watch, mut batches) = (Stopwatch::start(), 0);
    while batches < 500 {
        if tickets.len() == FLIGHTS {
            cuda.collect(tickets.pop_front().expect("some are in flight"), &mut answers)?;
            batches += 1;
        }
        tickets.push_back(cuda.submit(request)?);
    }
    let rate = (batches * BATCH) as f64 / watch.elapsed().as_secs_f64();
    for ticket in tickets {
        cuda.collect(ticket, &mut answers)?;
    }
    Ok(rate)
}
