//! Matches of a network against players that have none: programs of other people, and our own. Every thread plays a game of its own, so that
//! a machine with many processors and one device is used whole. The argument is a file of JSON lines, one match each:
//!
//! ```json
//! {"name": "fairy", "game": "minishogi", "net": "n.safetensors", "method": "puct(flights=8)", "evaluations": 5000, "device": "cuda",
//!  "opponent": {"usi": "fairy-stockfish", "nodes": 5000}, "pairs": 100, "random": 2, "threads": 15, "ends_after": 60}
//! ```
//!
//! `"openings": "balanced"` in minishogi and shogi: an opening is drawn again until alpha-beta with 30,000 nodes finds it within 100 centipawns of even.
//! `"seconds"` in place of `"evaluations"` gives each move so much time; `"mate": N` puts a mate solver of N nodes in front of the search.
//! Opponents: `{"usi": COMMAND, "nodes" | "movetime": N}`, `{"gtp": COMMAND}`, `{"own": true, "nodes" | "simulations" | "seconds": N}` for alpha-beta with
//! the learned linear evaluation (minishogi, shogi) and MCTS with learned priors (Blokus Duo). After `ends_after` seconds no game is begun.
//! Games are printed as they end, one JSON object each, and the match at last; pairs share an opening and exchange colours.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks to people")]

mod opponent;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use yomi_core::clock::Stopwatch;
use yomi_core::{Color, Line, Notation, Outcome, Seed, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19};
use yomi_games::shogi::{Minishogi, Nine, Shogi};
use yomi_net::backend::CpuBackend;
use yomi_net::open::Choice;
use yomi_net::{NetEvaluator, Network};
use yomi_search::{Limits, Method, Search, TreeSearch};
use yomi_train::{Trainable, open};

use opponent::{Opponent, Own, Program};

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("peer_match FILE.jsonl");
        return ExitCode::from(2);
    };
    let text = match yomi_core::file::read_text_file(&file, 1 << 20) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let mut code = ExitCode::SUCCESS;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let order: Result<Value, _> = serde_json::from_str(line);
        let done = order.map_err(|error| TextError::new(error.to_string())).and_then(|order| dispatch(&order));
        if let Err(error) = done {
            eprintln!("{line}: {error}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn dispatch(order: &Value) -> Result<(), TextError> {
    let spec = Spec::parse(order["game"].as_str().unwrap_or_default())?;
    match spec.name.as_str() {
        "minishogi" => contest(&Minishogi::start(&spec)?, order),
        "shogi" => contest(&Shogi::<Nine>::start(&spec)?, order),
        "go9" => contest(&Go9::start(&spec)?, order),
        "go19" => contest(&Go19::start(&spec)?, order),
        "blokus-duo" => contest(&BlokusDuo::start(&spec)?, order),
        _ => Err(spec.unknown("a game", ["minishogi", "shogi", "go9", "go19", "blokus-duo"])),
    }
}

/// What a move may cost.
fn limits(order: &Value) -> Result<Limits, TextError> {
    let number = |name: &str| order[name].as_u64();
    match (number("evaluations"), number("simulations"), number("nodes"), order["seconds"].as_f64()) {
        (Some(n), ..) => Ok(Limits::evaluations(n)),
        (_, Some(n), ..) => Ok(Limits::simulations(n)),
        (_, _, Some(n), _) => Ok(Limits::nodes(n)),
        (.., Some(seconds)) => Ok(Limits::time(Duration::from_secs_f64(seconds))),
        _ => Err(TextError::new("no `evaluations`, `simulations`, `nodes` or `seconds`")),
    }
}

/// What all threads of a match share.
struct Match<'a, P> {
    start: &'a P,
    order: &'a Value,
    network: &'a Network,
    net: Option<NetEvaluator>,
    method: Method,
    limits: Limits,
    seed: Seed,
    next: AtomicUsize,
    scores: Mutex<Vec<Option<usize>>>,
    watch: Stopwatch,
}

fn contest<P: Trainable + Own>(start: &P, order: &Value) -> Result<(), TextError> {
    let number = |name: &str, default: u64| order[name].as_u64().unwrap_or(default);
    let (pairs, threads) = (number("pairs", 10) as usize, number("threads", 1) as usize);
    let network = open::read(order["net"].as_str().unwrap_or_default().as_ref())?;
    let net = match Choice::parse(order["device"].as_str().unwrap_or("cpu"))? {
        // Each thread computes its own answers.
        Choice::Cpu => None,
        choice => Some(open::open(&network, choice, threads)?),
    };
    let all = Match {
        start,
        order,
        network: &network,
        net,
        method: order["method"].as_str().unwrap_or("puct").parse()?,
        limits: limits(order)?,
        seed: Seed::new(number("seed", 1)),
        next: AtomicUsize::new(0),
        scores: Mutex::new(vec![None; 2 * pairs]),
        watch: Stopwatch::start(),
    };
    let failures: Vec<TextError> = std::thread::scope(|scope| {
        let all = &all;
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || all.work(thread))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()?.err()).collect()
    });
    let scores = all.scores.into_inner().unwrap_or_else(PoisonError::into_inner);
    let played: Vec<usize> = scores.iter().copied().flatten().collect();
    // Only whole pairs count for intervals.
    let points: Vec<usize> = scores.as_chunks::<2>().0.iter().filter_map(|&[a, b]| Some(a? + b?)).collect();
    let mut answer = order.clone();
    answer["type"] = json!("match");
    answer["games"] = json!(played.len());
    answer["won"] = json!(played.iter().filter(|&&score| score == 2).count());
    answer["drawn"] = json!(played.iter().filter(|&&score| score == 1).count());
    answer["score"] = json!(played.iter().sum::<usize>() as f64 / (2 * played.len().max(1)) as f64);
    answer["half_points"] = json!(points);
    answer["seconds_taken"] = json!(all.watch.elapsed().as_secs_f64());
    answer["failures"] = json!(failures.iter().map(ToString::to_string).collect::<Vec<_>>());
    println!("{answer}");
    Ok(())
}

impl<P: Trainable + Own> Match<'_, P> {
    /// Plays games until there are no more.
    fn work(&self, thread: usize) -> Result<(), TextError> {
        let net = match &self.net {
            Some(net) => net.clone(),
            None => NetEvaluator::new(Box::new(CpuBackend::new(self.network, 1))),
        };
        let search = Box::new(TreeSearch::new(self.method.clone(), net.clone()));
        let mut search = P::around(search, self.order["mate"].as_u64());
        let opponent = &self.order["opponent"];
        let mut opponent: Box<dyn Opponent<P>> = match opponent["own"].as_bool() {
            Some(true) => P::own(limits(opponent)?),
            _ => Box::new(Program::start(self.start, opponent, thread as u64)?),
        };
        let ends_after = self.order["ends_after"].as_f64().unwrap_or(f64::INFINITY);
        while self.watch.elapsed().as_secs_f64() < ends_after {
            // Relaxed: numbers are handed out, nothing hangs on their order.
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.scores.lock().unwrap_or_else(PoisonError::into_inner).len() {
                break;
            }
            let score = self.game(number, &mut *search, &mut *opponent)?;
            self.scores.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(score);
            if let Some(error) = net.failure() {
                return Err(error.clone());
            }
        }
        Ok(())
    }

    /// An opening of random moves that does not end the game and, if it is to be balanced, is nearly even.
    fn opening(&self, seed: &Seed) -> Result<Vec<P::Move>, TextError> {
        let random = self.order["random"].as_u64().unwrap_or(2) as usize;
        let mut judge = P::judge().filter(|_| self.order["openings"].as_str() == Some("balanced"));
        for attempt in 0..500 {
            let mut rng = seed.branch("opening", attempt).rng();
            let (mut line, mut moves, mut played) = (Line::new(self.start.clone()), Vec::new(), Vec::new());
            for _ in 0..random {
                if line.generate(&mut moves).is_some() {
                    break;
                }
                let mv = moves[rng.below(moves.len())];
                line.play(mv);
                played.push(mv);
            }
            let over = line.generate(&mut moves).is_some();
            let even = judge.as_mut().is_none_or(|judge| {
                let verdict = judge.search(&line, &Limits::nodes(30_000).seeded(*seed), &mut ());
                verdict.proof.is_none() && verdict.value.abs() <= 100.0
            });
            if !over && even {
                return Ok(played);
            }
        }
        Err(TextError::new(format!("none of 500 openings of {random} random moves is even")))
    }

    /// Plays one game; our half points.
    fn game(
        &self,
        number: usize,
        search: &mut dyn Search<P>,
        opponent: &mut dyn Opponent<P>,
    ) -> Result<usize, TextError> {
        let seed = self.seed.branch("pair", number as u64 / 2);
        let colour = if number.is_multiple_of(2) { Color::Black } else { Color::White };
        let mut line = Line::new(self.start.clone());
        let (mut moves, mut text) = (Vec::new(), Vec::new());
        let opening = self.opening(&seed)?;
        search.new_game();
        opponent.begin(self.start)?;
        let mut evaluations = 0;
        let outcome = loop {
            if let Some(outcome) = line.generate(&mut moves) {
                break outcome;
            }
            let position = line.position().clone();
            if line.len() >= position.longest_game() {
                break position.broken_off();
            }
            let turn = position.turn();
            let (mv, ours) = if let Some(&mv) = opening.get(line.len()) {
                (Some(mv), true)
            } else if turn == colour {
                let limits = self.limits.clone().seeded(seed.branch("move", line.len() as u64));
                let verdict = search.search(&line, &limits, &mut ());
                evaluations += verdict.evaluations;
                (verdict.best, true)
            } else {
                let limits_seed = seed.branch("opponent", line.len() as u64);
                (opponent.choose(&line, &text, limits_seed)?.filter(|mv| moves.contains(mv)), false)
            };
            // No move is a resignation, and so is one that is not legal.
            let Some(mv) = mv else { break Outcome::Win(!turn) };
            text.push(position.move_text(mv));
            if ours {
                opponent.hear(&position, mv)?;
            }
            line.play(mv);
        };
        let score = match outcome {
            Outcome::Win(winner) => 2 * usize::from(winner == colour),
            Outcome::Draw => 1,
        };
        println!(
            "{}",
            json!({ "type": "game", "name": self.order["name"], "number": number, "first": colour == Color::Black, "half_points": score,
                "moves": text, "evaluations": evaluations })
        );
        Ok(score)
    }
}
