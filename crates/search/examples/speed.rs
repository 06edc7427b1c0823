//! How fast the loop is: descent, selection and backup, with evaluations that cost nothing.
//!
//! `cargo run --release -p yomi-search --example speed -- [threads] [method]`. Rates are per second of processor time of one thread; run it
//! under `time` to see the processor time of all.
#![allow(clippy::print_stdout, reason = "a program")]

use std::fmt;

use yomi_core::clock::Stopwatch;
use yomi_core::toy::{Branch, ConnectFour};
use yomi_core::zobrist::mix;
use yomi_core::{Color, Evaluator, Family, Leaf, Line, Outcome, Position, Seed, Siblings, Uniform};
use yomi_eval::Rollout;
use yomi_search::tree::{Block, ROOT, Tree};
use yomi_search::{Limits, Search, TreeSearch};

/// A game without end in which every position has eighty moves, as shogi has on average.
#[derive(Clone)]
struct Fan {
    key: u64,
    turn: Color,
}

const MOVES: u16 = 80;

impl Position for Fan {
    type Move = Branch;
    const NAME: &'static str = "fan";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        moves.clear();
        moves.extend((0..MOVES).map(Branch));
        None
    }

    fn play(&mut self, mv: Branch) {
        self.key = mix(self.key ^ u64::from(mv.0));
        self.turn = !self.turn;
    }
}

impl fmt::Display for Fan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)
    }
}

/// Values from -100 to 100 out of the key.
struct Hashed;

fn hashed(key: u64) -> f32 {
    (mix(key) >> 40) as f32 / (1u64 << 23) as f32 * 100.0 - 100.0
}

impl Evaluator<Fan> for Hashed {
    type Scratch = ();

    fn scratch(&self, _: u64) {}

    fn win(&self) -> f32 {
        30_000.0
    }

    fn evaluate(&self, leaf: &Leaf<'_, Fan>, _: &mut ()) -> f32 {
        hashed(leaf.position.key)
    }

    fn evaluate_siblings(&self, family: &Family<'_, Fan>, out: &mut Siblings<Branch>, _: &mut ()) {
        out.clear();
        for mv in family.moves {
            out.push(hashed(family.parent.key ^ u64::from(mv.0)), 1.0 / f32::from(MOVES), None);
        }
    }
}

fn main() {
    let threads: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let only = std::env::args().nth(2);
    let wanted =
        |method: &str| only.as_deref().is_none_or(|only| method == only || method.split('(').next() == Some(only));
    for (method, n) in [
        ("mcss(t=80)", 60_000),
        ("mcss(t=20)", 200_000),
        ("mcss(t=5)", 60_000),
        ("mcss-puct(ts=20,tb=20,c=30)", 60_000),
        ("ubfm", 60_000),
        ("softmax-best-first(t=20)", 30_000),
        ("ments(t=20)", 30_000),
        ("uct-h(c=50)", 100_000),
        ("puct(c=50)", 100_000),
    ] {
        if wanted(method) {
            let method = with(method, threads, 512);
            run(&method, Hashed, Fan { key: 1, turn: Color::Black }, n);
        }
    }
    for (method, n) in [("uct", 1_000_000), ("rave", 300_000)] {
        if wanted(method) {
            run(&with(method, threads, 1024), Rollout::new(Uniform), ConnectFour::default(), n);
        }
    }
}

fn with(method: &str, threads: usize, hash: u64) -> String {
    let open = method.strip_suffix(')').map_or_else(|| format!("{method}("), |open| format!("{open},"));
    format!("{open}threads={threads},hash={hash})")
}

fn run<P: Position, E: Evaluator<P>>(method: &str, evaluator: E, start: P, n: u64) {
    let mut search = TreeSearch::new(method.parse().expect("a method"), evaluator);
    // The system counts a thread's time in steps: let the first one pass.
    let warm = Stopwatch::start();
    while warm.elapsed().as_millis() < 50 {}
    let stopwatch = Stopwatch::start();
    let verdict = search.search(&Line::new(start), &Limits::simulations(n).seeded(Seed::new(1)), &mut ());
    let busy = stopwatch.busy().as_secs_f64();
    let selections = selections(search.tree());
    println!(
        "{method:44} {:8.0} simulations/s {:9.0} selections/s  {:5.2} a simulation  {:9} nodes {}",
        verdict.simulations as f64 / busy,
        selections as f64 / busy,
        selections as f64 / verdict.simulations as f64,
        verdict.nodes,
        if verdict.tree_full { "full" } else { "" },
    );
}

/// How often a child was chosen: the visits of all nodes but the root.
fn selections(tree: &Tree) -> u64 {
    let mut total = 0;
    let mut blocks: Vec<Block> = tree.children(ROOT).into_iter().collect();
    while let Some(block) = blocks.pop() {
        for child in block.children() {
            total += u64::from(tree.visits(child));
            blocks.extend(tree.children(child));
        }
    }
    total
}
