//! A short match of one linear evaluation against material or another one, at equal nodes of alpha-beta, openings in pairs.
//!
//! `cargo run --release -p yomi-learn --example duel -- shogi FILE|embedded material|FILE [nodes] [pairs] [threads]`
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Color, Evaluator, Line, Outcome, Position, Seed};
use yomi_eval::linear::Weights;
use yomi_eval::{Linear, Material};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Proof, Search};

const RANDOM_PLIES: usize = 8;
const LONGEST: usize = 320;

fn player<V: Variant, E: Evaluator<Shogi<V>> + 'static>(evaluator: E) -> Box<dyn Search<Shogi<V>>> {
    Box::new(AlphaBeta::tactical(evaluator, AlphaBetaOptions { hash: 8, ..AlphaBetaOptions::default() }))
}

fn named<V: Variant>(name: &str) -> Box<dyn Search<Shogi<V>>> {
    match name {
        "material" => player(Material),
        "embedded" => player(Linear::<V>::embedded()),
        file => {
            let bytes = std::fs::read(file).expect("a file of weights");
            player(Linear::<V>::new(&Weights::read::<V>(&bytes).expect("weights"), file).expect("weights"))
        }
    }
}

/// The score of the first player as this colour.
fn game<V: Variant>(names: [&str; 2], nodes: u64, pair: u64, first: Color) -> f64 {
    let mut players = [named::<V>(names[0]), named::<V>(names[1])];
    let mut rng = Seed::new(77).branch("pair", pair).rng();
    let mut line = Line::new(Shogi::<V>::default());
    let mut legal = Vec::new();
    let score = |outcome: Outcome| 0.5 + 0.5 * f64::from(outcome.value_for(first, 1.0));
    while line.len() < LONGEST {
        if let Some(outcome) = line.generate(&mut legal) {
            return score(outcome);
        }
        let turn = line.position().turn();
        let mv = if line.len() < RANDOM_PLIES {
            legal[rng.below(legal.len())]
        } else {
            let verdict = players[usize::from(turn != first)].search(
                &line,
                &Limits::nodes(nodes).seeded(Seed::new(pair)),
                &mut (),
            );
            match verdict.proof {
                Some(Proof::Win(_)) => return score(Outcome::Win(turn)),
                Some(Proof::Loss(_)) => return score(Outcome::Win(!turn)),
                _ => verdict.best.unwrap_or(legal[0]),
            }
        };
        line.play(mv);
    }
    0.5
}

fn duel<V: Variant>(names: [&str; 2], nodes: u64, pairs: u64, threads: usize) {
    let (next, scores) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if index >= 2 * pairs {
                        return;
                    }
                    let score = game::<V>(names, nodes, index / 2, Color::from_index((index % 2) as usize));
                    scores.lock().expect("nobody panics").push(score);
                }
            });
        }
    });
    let scores = scores.into_inner().expect("nobody panics");
    let count = |x: f64| scores.iter().filter(|&&score| score == x).count();
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let deviation = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n / (n - 1.0)).sqrt();
    let elo = |p: f64| -400.0 * (1.0 / p.clamp(1e-3, 1.0 - 1e-3) - 1.0).log10();
    println!(
        "{} against {}, {nodes} nodes a move: +{} ={} -{}  {:.1} %  Elo {:+.0} [{:+.0}, {:+.0}]",
        names[0],
        names[1],
        count(1.0),
        count(0.5),
        count(0.0),
        100.0 * mean,
        elo(mean),
        elo(mean - 1.96 * deviation),
        elo(mean + 1.96 * deviation)
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = |i: usize| arguments.get(i).map_or("", String::as_str);
    let number = |i: usize, usual: u64| text(i).parse().unwrap_or(usual);
    let (names, nodes, pairs) = ([text(2), text(3)], number(4, 2000), number(5, 50));
    let threads = number(6, 1) as usize;
    match text(1) {
        "shogi" => duel::<Nine>(names, nodes, pairs, threads),
        "minishogi" => duel::<Five>(names, nodes, pairs, threads),
        other => println!("{other} is no game here: shogi, minishogi"),
    }
}
