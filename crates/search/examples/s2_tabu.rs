//! The measurements of S2.7 that need no opponent, on a position after 42 moves: JSON lines.
//!
//!     cargo run --release -p yomi-search --features measure --example s2_tabu -- repeated|candidates|time [size] [playouts] [uniform|patterns]
//!
//! * `repeated` (figure 5): how often the same position was reached within the first five plies of playouts, the fifty most frequent,
//!   without tabu lists and with each kind (L = 18, M = 5).
//! * `candidates` (table 4): candidates that the move tabu turned away in a search, L from 0 to 15, beside the bound S2.6.
//! * `time` (figure 6): processor time of a search relative to the one without tabu lists.
//!
//! The search is the paper's: UCT with C = 1.5 and threshold 30 (S2.1), 8000 playouts, uniform or by patterns.
#![allow(clippy::print_stdout, reason = "a program")]

use yomi_core::clock::Stopwatch;
use yomi_core::{Evaluator, Line, Policy, Position, Seed, Uniform};
use yomi_eval::Rollout;
use yomi_eval::go::{Ladders, Model};
use yomi_eval::rollout::tabu::{Forbids, Tabu, candidates_bound};
use yomi_eval::rollout::{AnyPolicy, Census, Patterns, patterns};
use yomi_games::go::{Go, Go9, Go13, Go19, Rules};
use yomi_search::{Limits, Search, TreeSearch};

const LENGTH: u32 = 18;
const DEPTH: usize = 5;
const KINDS: [(&str, Option<Forbids>); 4] = [
    ("none", None),
    ("tabu-move", Some(Forbids::Moves)),
    ("tabu-state", Some(Forbids::States)),
    ("tabu-state-win", Some(Forbids::LostStates)),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let what = args.first().map_or("repeated", String::as_str);
    let number = |i: usize, default: usize| args.get(i).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (size, playouts) = (number(1, 19), number(2, 8000) as u64);
    let by_patterns = args.get(3).is_some_and(|word| word == "patterns");
    match size {
        2..=9 => start(what, Go9::new(size, Rules::default()).unwrap(), playouts, by_patterns),
        10..=13 => start(what, Go13::new(size, Rules::default()).unwrap(), playouts, by_patterns),
        _ => start(what, Go19::new(19, Rules::default()).unwrap(), playouts, by_patterns),
    }
}

fn start<const LEN: usize>(what: &str, start: Go<LEN>, playouts: u64, by_patterns: bool) {
    let line = middle_game(start);
    if by_patterns {
        measure(what, &line, playouts, ("patterns", Patterns::new(patterns::Rules::default())));
    } else {
        measure(what, &line, playouts, ("uniform", Uniform));
    }
}

/// Forty-two moves drawn by the learned probabilities, the same every time.
fn middle_game<const LEN: usize>(start: Go<LEN>) -> Line<Go<LEN>> {
    let mut rng = Seed::new(42).rng();
    let mut line = Line::new(start);
    let (mut moves, mut chances, mut ladders) = (Vec::new(), Vec::new(), Ladders::default());
    for _ in 0..42 {
        if line.generate(&mut moves).is_some() {
            break;
        }
        Model::embedded().probabilities(line.position(), &moves, &mut ladders, &mut chances);
        let mut left = rng.unit();
        let drawn = chances.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        line.play(moves[drawn.unwrap_or(0)]);
    }
    line
}

/// One search; the processor seconds it took.
fn search<P: Position, E: Evaluator<P>>(line: &Line<P>, evaluator: E, playouts: u64) -> f64 {
    let method = "uct(c=1.5,after=30)".parse().expect("a method");
    let mut search = TreeSearch::new(method, evaluator);
    let watch = Stopwatch::start();
    search.search(line, &Limits::simulations(playouts).seeded(Seed::new(7)), &mut ());
    watch.busy().as_secs_f64()
}

fn measure<const LEN: usize, Q>(what: &str, line: &Line<Go<LEN>>, playouts: u64, (policy, inner): (&str, Q))
where
    Q: Policy<Go<LEN>> + Copy + 'static,
    Q::Scratch: 'static,
{
    let size = line.position().size();
    match what {
        "candidates" => {
            for length in 0..=15 {
                let tabu = Tabu::new(Forbids::Moves, length, DEPTH, inner).unshrinking();
                let counts = tabu.counts();
                search(line, Rollout::new(tabu), playouts);
                let mean = counts.candidates() as f64 / counts.playouts().max(1) as f64;
                let bound = candidates_bound(size as u32, length, DEPTH as u32).unwrap_or(f64::NAN);
                let candidates = counts.candidates();
                println!(
                    "{{\"type\":\"candidates\",\"game\":\"go{size}\",\"policy\":\"{policy}\",\"length\":{length},\"playouts\":{playouts},\"candidates\":{candidates},\"a_playout\":{mean:.4},\"bound\":{bound:.3}}}"
                );
            }
        }
        "time" => {
            // In turns, and the least of five: others use the machine too.
            let mut best = [f64::INFINITY; 4];
            for _ in 0..5 {
                for (time, (_, forbids)) in best.iter_mut().zip(KINDS) {
                    let now = match forbids {
                        None => search(line, Rollout::new(inner), playouts),
                        Some(forbids) => search(line, Rollout::new(Tabu::new(forbids, LENGTH, DEPTH, inner)), playouts),
                    };
                    *time = time.min(now);
                }
            }
            for (time, (name, _)) in best.iter().zip(KINDS) {
                let ratio = time / best[0];
                println!(
                    "{{\"type\":\"time\",\"game\":\"go{size}\",\"policy\":\"{policy}\",\"tabu\":\"{name}\",\"playouts\":{playouts},\"seconds\":{time:.4},\"ratio\":{ratio:.4}}}"
                );
            }
        }
        _ => {
            for (name, forbids) in KINDS {
                let tabu: AnyPolicy<Go<LEN>> = match forbids {
                    None => AnyPolicy::new(inner),
                    Some(forbids) => AnyPolicy::new(Tabu::new(forbids, LENGTH, DEPTH, inner)),
                };
                let census = Census::new(DEPTH, tabu);
                let counted = census.counted();
                search(line, Rollout::new(census), playouts);
                let (top, positions) = (counted.most_frequent(50), counted.positions());
                let repetitions = counted.repetitions();
                println!(
                    "{{\"type\":\"repeated\",\"game\":\"go{size}\",\"policy\":\"{policy}\",\"tabu\":\"{name}\",\"playouts\":{playouts},\"positions\":{positions},\"repetitions\":{repetitions},\"most_frequent\":{top:?}}}"
                );
            }
        }
    }
}
