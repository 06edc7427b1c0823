//! A short match of one linear evaluation against material or another one, at equal nodes of alpha-beta or equal evaluations of MCSS,
//! openings in pairs.
//!
//! `cargo run --release -p yomi-learn --features measure --example duel -- shogi FILE|embedded material|FILE [nodes] [pairs] [threads]`
//!
//! `2000,1200` nodes give the second player less, for matches at equal time; `mcss:20000` is MCSS with a quiescence search at the leaves
//! instead of alpha-beta, at that many evaluations per move.
#![allow(clippy::print_stdout, reason = "this program prints")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Color, Evaluator, Line, Outcome, Position, Seed};
use yomi_eval::linear::Weights;
use yomi_eval::{Linear, Material};
use yomi_games::shogi::{Five, Nine, Shogi, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Limits, Proof, Quiet, QuietOptions, Search, TreeSearch};

const RANDOM_PLIES: usize = 8;
const LONGEST: usize = 320;

/// How both search.
#[derive(Clone, Copy)]
struct Terms {
    mcss: bool,
    /// Nodes or evaluations of each.
    budget: [u64; 2],
}

impl Terms {
    fn parse(text: &str) -> Option<Terms> {
        let (mcss, numbers) = text.strip_prefix("mcss:").map_or((false, text), |rest| (true, rest));
        let (first, second) = numbers.split_once(',').unwrap_or((numbers, numbers));
        Some(Terms { mcss, budget: [first.parse().ok()?, second.parse().ok()?] })
    }

    fn player<V: Variant, E: Evaluator<Shogi<V>> + 'static>(self, evaluator: E) -> Box<dyn Search<Shogi<V>>> {
        if self.mcss {
            let method = "mcss(hash=64)".parse().expect("a method");
            return Box::new(TreeSearch::new(method, Quiet::new(evaluator, QuietOptions::default())));
        }
        Box::new(AlphaBeta::tactical(evaluator, AlphaBetaOptions { hash: 8, ..AlphaBetaOptions::default() }))
    }

    fn named<V: Variant>(self, name: &str) -> Box<dyn Search<Shogi<V>>> {
        match name {
            "material" => self.player(Material),
            "embedded" => self.player(Linear::<V>::embedded()),
            file => {
                let bytes = std::fs::read(file).expect("a file of weights");
                self.player(Linear::<V>::new(&Weights::read::<V>(&bytes).expect("weights"), file).expect("weights"))
            }
        }
    }

    fn limits(self, player: usize, pair: u64) -> Limits {
        let budget = self.budget[player];
        let limits = if self.mcss { Limits::evaluations(budget) } else { Limits::nodes(budget) };
        limits.seeded(Seed::new(pair))
    }
}

/// The score of the first player as this colour.
fn game<V: Variant>(names: [&str; 2], terms: Terms, pair: u64, first: Color) -> f64 {
    let mut players = names.map(|name| terms.named::<V>(name));
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
            let player = usize::from(turn != first);
            let verdict = players[player].search(&line, &terms.limits(player, pair), &mut ());
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

fn duel<V: Variant>(names: [&str; 2], terms: &str, pairs: u64, threads: usize) {
    let Some(budgets) = Terms::parse(terms) else { return println!("{terms} is no number of nodes") };
    let (next, scores) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if index >= 2 * pairs {
                        return;
                    }
                    let score = game::<V>(names, budgets, index / 2, Color::from_index((index % 2) as usize));
                    scores.lock().expect("no thread panics").push(score);
                }
            });
        }
    });
    let scores = scores.into_inner().expect("no thread panics");
    let count = |x: f64| scores.iter().filter(|&&score| score == x).count();
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let deviation = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n / (n - 1.0)).sqrt();
    let elo = |p: f64| -400.0 * (1.0 / p.clamp(1e-3, 1.0 - 1e-3) - 1.0).log10();
    println!(
        "{} against {}, {terms} a move: +{} ={} -{}  {:.1} %  Elo {:+.0} [{:+.0}, {:+.0}]",
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
    let number = |i: usize, default: u64| text(i).parse().unwrap_or(default);
    let (names, pairs, threads) = ([text(2), text(3)], number(5, 50), number(6, 1) as usize);
    let terms = if text(4).is_empty() { "2000" } else { text(4) };
    match text(1) {
        "shogi" => duel::<Nine>(names, terms, pairs, threads),
        "minishogi" => duel::<Five>(names, terms, pairs, threads),
        other => println!("{other} is no game here: shogi, minishogi"),
    }
}
