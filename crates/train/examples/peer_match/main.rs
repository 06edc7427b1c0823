//! Matches of a network against players that have none: programs of other people, and our own. Every thread plays a game of its own, so that
//! a machine with many processors and one device is used whole. `peer_match [--interleaved] FILE`; the file has JSON lines, one match each:
//!
//! ```json
//! {"name": "fairy", "game": "minishogi", "net": "n.safetensors", "method": "puct(flights=8)", "evaluations": 5000, "device": "cuda",
//!  "opponent": {"usi": "fairy-stockfish", "nodes": 5000}, "pairs": 100, "random": 2, "threads": 15, "ends_after": 60}
//! ```
//!
//! Matches are played one after the other or, `--interleaved`, all at once: a thread that is free begins a game of the match of which the
//! smallest share has begun, so that all have come equally far whenever the time is over.
//!
//! `"openings": "balanced"` in minishogi and shogi: an opening is drawn again until alpha-beta with 30,000 nodes finds it within 100 centipawns of even.
//! `"seconds"` in place of `"evaluations"` gives each move so much time; `"mate": N` puts a mate solver of N nodes in front of the search.
//! Opponents: `{"usi": COMMAND, "nodes" | "movetime": N}`, `{"gtp": COMMAND}`, `{"own": true, "nodes" | "simulations" | "seconds": N}` for our strongest
//! player without a network: alpha-beta with the learned linear evaluation (minishogi, shogi), MCTS with learned priors (Go, Blokus Duo).
//! After `ends_after` seconds no game is begun.
//! Games are printed as they end, one JSON object each, and the match at last; pairs share an opening and exchange colours. `cpu_seconds` of a game are those of
//! the threads of this program on our moves and on the opponent's, `work` is what an opponent of our own did.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks to people")]

mod contest;
mod gathering;
mod opponent;

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Notation, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19};
use yomi_games::shogi::{Minishogi, Nine, Shogi};

use contest::{Contest, Match};

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let interleaved = words.first().is_some_and(|word| word == "--interleaved");
    words.drain(..usize::from(interleaved));
    let [file] = &words[..] else {
        eprintln!("peer_match [--interleaved] FILE.jsonl");
        return ExitCode::from(2);
    };
    let played = orders(file).and_then(|orders| {
        let together = if interleaved { orders.len().max(1) } else { 1 };
        orders.chunks(together).try_for_each(play)
    });
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The orders of a file.
fn orders(file: &str) -> Result<Vec<Value>, TextError> {
    let text = yomi_core::file::read_text_file(file, 1 << 20)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| TextError::new(format!("{line}: {error}")))).collect()
}

fn contest(order: &Value) -> Result<Box<dyn Contest>, TextError> {
    let spec = Spec::parse(order["game"].as_str().unwrap_or_default())?;
    Ok(match spec.name.as_str() {
        "minishogi" => Box::new(Match::new(Minishogi::start(&spec)?, order)?),
        "shogi" => Box::new(Match::new(Shogi::<Nine>::start(&spec)?, order)?),
        "go9" => Box::new(Match::new(Go9::start(&spec)?, order)?),
        "go19" => Box::new(Match::new(Go19::start(&spec)?, order)?),
        "blokus-duo" => Box::new(Match::new(BlokusDuo::start(&spec)?, order)?),
        _ => return Err(spec.unknown("a game", ["minishogi", "shogi", "go9", "go19", "blokus-duo"])),
    })
}

/// Plays some matches at once, and prints their results.
fn play(orders: &[Value]) -> Result<(), TextError> {
    let matches = orders.iter().map(contest).collect::<Result<Vec<_>, _>>()?;
    let threads = orders.iter().filter_map(|order| order["threads"].as_u64()).max().unwrap_or(1);
    let plan =
        Schedule { orders, matches: &matches, begun: Mutex::new(vec![0; matches.len()]), watch: Stopwatch::start() };
    let failures: Vec<(usize, TextError)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn({
                    let plan = &plan;
                    move || plan.work(thread)
                })
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    for (at, played) in matches.iter().enumerate() {
        let mut result = played.result();
        result["seconds_taken"] = json!(plan.watch.elapsed().as_secs_f64());
        let ours = failures.iter().filter(|(row, _)| *row == at);
        result["failures"] = json!(ours.map(|(_, error)| error.to_string()).collect::<Vec<_>>());
        println!("{result}");
    }
    Ok(())
}

/// Who plays what.
struct Schedule<'a> {
    orders: &'a [Value],
    matches: &'a [Box<dyn Contest>],
    /// Games of each match that have begun.
    begun: Mutex<Vec<usize>>,
    watch: Stopwatch,
}

impl Schedule<'_> {
    /// The next game of the match of which the smallest share has begun: its place in the list and the game's number.
    fn next(&self) -> Option<(usize, usize)> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.watch.elapsed().as_secs_f64();
        let open = |&at: &usize| {
            let ends_after = self.orders[at]["ends_after"].as_f64().unwrap_or(f64::INFINITY);
            begun[at] < self.matches[at].games() && now < ends_after
        };
        let share = |at: usize| begun[at] as f64 / self.matches[at].games() as f64;
        let at = (0..self.matches.len()).filter(open).min_by(|&a, &b| share(a).total_cmp(&share(b)))?;
        begun[at] += 1;
        Some((at, begun[at] - 1))
    }

    /// Plays games until there are no more; the failures.
    fn work(&self, thread: u64) -> Vec<(usize, TextError)> {
        let mut seats: Vec<_> = self.matches.iter().map(|_| None).collect();
        let mut failures = Vec::new();
        while let Some((at, number)) = self.next() {
            let played = match seats[at].take().map_or_else(|| self.matches[at].seat(thread), Ok) {
                Ok(mut seat) => {
                    let played = seat.play(number);
                    // After a failure the players are made anew.
                    seats[at] = Some(seat).filter(|_| played.is_ok());
                    played
                }
                Err(error) => Err(error),
            };
            failures.extend(played.err().map(|error| (at, error)));
        }
        failures
    }
}
