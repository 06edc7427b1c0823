//! How well a shallow search predicts a search two plies deeper in Blokus Duo: the numbers of ProbCut.
//!
//!     cargo run --release -p yomi-learn --features measure --example blokus_probcut -- [games] [weights] [seed]
//!
//! Plays games of alpha-beta with itself from random pentominoes, with some random moves, and searches their positions to both depths.
//! Prints a row `slope, offset, deviation` for each depth and phase of the game, as `crates/players/src/blokus/foresight.rs` has them.
#![allow(clippy::print_stdout, reason = "an example prints its measurements")]

use yomi_core::{Color, Line, Position, Seed};
use yomi_eval::blokus::{Evaluation, Learned, Unit, Weights};
use yomi_games::blokus::BlokusDuo;
use yomi_learn::blokus::random_pentomino;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Search};

const DEPTHS: [u32; 2] = [3, 4];
/// Pieces on the board per phase.
const PHASE: u32 = 6;
const PHASES: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let games: u64 = args.first().map_or(40, |n| n.parse().expect("a number of games"));
    let weights = match args.get(1).filter(|name| *name != "-") {
        Some(file) => Weights::read(&std::fs::read_to_string(file).expect("a file of weights")).expect("weights"),
        None => Learned::embedded_weights(),
    };
    let seed: u64 = args.get(2).map_or(1, |n| n.parse().expect("a seed"));
    let learned = Learned::new(Evaluation::new(&weights), Unit::Value, 20.0, "learned");
    let options = AlphaBetaOptions { siblings: true, probcut: 0.0, hash: 4, ..AlphaBetaOptions::default() };
    let value = |line: &Line<BlokusDuo>, depth: u32| {
        let mut search = AlphaBeta::new(learned.clone(), options);
        let verdict = search.search(line, &Limits::depth(depth), &mut ());
        (verdict.proof.is_none().then_some(verdict.value), verdict.best)
    };
    let mut pairs = vec![[const { Vec::new() }; PHASES]; DEPTHS.len()];
    let mut moves = Vec::new();
    for game in 0..games {
        let mut rng = Seed::new(seed).branch("game", game).rng();
        let mut line = Line::new(BlokusDuo::default());
        while line.generate(&mut moves).is_none() {
            let position = line.position();
            let placed: u32 = Color::BOTH.iter().map(|&color| 21 - position.remaining(color).len()).sum();
            let mv = if position.occupied(position.turn()).is_empty() {
                random_pentomino(&moves, &mut rng)
            } else {
                // Every third position is enough, and neighbours say the same.
                for (i, &depth) in DEPTHS.iter().enumerate().filter(|_| rng.below(3) == 0) {
                    if let [Some(shallow), Some(deep)] = [depth - 2, depth].map(|depth| value(&line, depth).0) {
                        let phase = (placed / PHASE) as usize;
                        pairs[i][phase.min(PHASES - 1)].push((f64::from(shallow), f64::from(deep)));
                    }
                }
                let random = moves[rng.below(moves.len())];
                if rng.below(8) == 0 { random } else { value(&line, 2).1.unwrap_or(random) }
            };
            line.play(mv);
        }
    }
    for (depth, phases) in DEPTHS.iter().zip(&pairs) {
        println!("depth {depth}");
        for pairs in phases {
            let [slope, offset, deviation] = regression(pairs);
            println!("    ({slope:.3}, {offset:.2}, {deviation:.2}), // {} positions", pairs.len());
        }
    }
}

/// The straight line through points, and how far they lie from it.
fn regression(points: &[(f64, f64)]) -> [f64; 3] {
    let n = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>();
    let variance = points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    let slope = if variance > 0.0 { covariance / variance } else { 1.0 };
    let offset = y - slope * x;
    let squares = points.iter().map(|p| (p.1 - slope * p.0 - offset).powi(2)).sum::<f64>();
    [slope, offset, (squares / (n - 2.0).max(1.0)).sqrt()]
}
