//! How fast the searches are.
//!
//! `cargo run --release -p yomi-search --example speed` measures one thread, by the processor time it really got;
//! `… --example speed -- scaling` measures 1, 2, 4, … threads by the clock on the wall, for machines with nothing else to do;
//! `… --example speed -- mcss` measures only the methods of that name.
#![allow(clippy::print_stdout, reason = "a program")]

mod fan;
mod scaling;

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::toy::ConnectFour;
use yomi_core::{Evaluator, Line, Position, Seed, Simulate, Uniform};
use yomi_eval::Rollout;
use yomi_eval::constant::Blind;
use yomi_games::go::{Go9, Go19, Rules};
use yomi_search::tree::{Block, ROOT, Tree};
use yomi_search::{Limits, Search, TreeSearch, Verdict};

use fan::{Fan, Hashed};

fn main() {
    let only = std::env::args().nth(1);
    if only.as_deref() == Some("scaling") {
        return scaling::run();
    }
    let wanted = |method: &str| only.as_deref().is_none_or(|only| method.split('(').next() == Some(only));
    println!("every evaluation is 0: what is left is descent, selection, expansion and backup");
    if wanted("mcss") {
        report("mcss(t=80)", Blind, Fan::default(), 100_000);
    }
    if wanted("tree") {
        // Nodes grow only after eight visits: nearly nothing but descent, selection and backup.
        report(
            "tree(select=boltzmann(t=80),expand=leaf(after=8),backup=softmax(t=80))",
            Blind,
            Fan::default(),
            400_000,
        );
    }
    if wanted("uct") {
        report("uct", Blind, ConnectFour::default(), 400_000);
    }
    println!("\nvalues out of a hash, eighty moves a position");
    for (method, n) in [
        ("mcss(t=80)", 60_000),
        ("mcss(t=20)", 60_000),
        ("mcss(t=5)", 60_000),
        ("mcss-puct(ts=20,tb=20,c=30)", 60_000),
        ("ubfm", 60_000),
        ("softmax-best-first(t=20)", 30_000),
        ("ments(t=20)", 30_000),
        ("uct-h(c=50)", 100_000),
        ("puct(c=50)", 100_000),
    ] {
        if wanted(method) {
            report(method, Hashed, Fan::default(), n);
        }
    }
    println!("\nuniform playouts, beside the bare playouts of the start position");
    if wanted("uct") {
        playouts("uct", ConnectFour::default(), 400_000);
        playouts("uct", Go9::new(9, Rules::default()).expect("a board"), 60_000);
        playouts("uct", Go19::new(19, Rules::default()).expect("a board"), 15_000);
    }
    if wanted("rave") {
        playouts("rave", ConnectFour::default(), 150_000);
    }
}

/// The method with more options.
pub(crate) fn with(method: &str, options: &str) -> String {
    let open = method.strip_suffix(')').map_or_else(|| format!("{method}("), |open| format!("{open},"));
    format!("{open}{options})")
}

/// A search twice over: the first pays for the memory it touches, the second finds it there, as in the middle of a game.
fn measure<P: Position, E: Evaluator<P>>(
    method: &str,
    evaluator: E,
    start: P,
    n: u64,
) -> [(Verdict<P::Move>, f64, u64); 2] {
    let mut search = TreeSearch::new(with(method, "hash=1024").parse().expect("a method"), evaluator);
    [(); 2].map(|()| {
        search.new_game();
        // The system counts a thread's time in steps: let the first one pass.
        let warm = Stopwatch::start();
        while warm.elapsed().as_millis() < 20 {}
        let stopwatch = Stopwatch::start();
        let limits = Limits::simulations(n).seeded(Seed::new(1));
        let verdict = search.search(&Line::new(start.clone()), &limits, &mut ());
        let busy = stopwatch.busy().as_secs_f64();
        (verdict, busy, selections(search.tree()))
    })
}

fn report<P: Position, E: Evaluator<P>>(method: &str, evaluator: E, start: P, n: u64) {
    let [fresh, warm] = measure(method, evaluator, start, n);
    let rate = |(_, busy, selections): &(Verdict<P::Move>, f64, u64)| *selections as f64 / busy / 1e6;
    let (verdict, busy, selections) = &warm;
    println!(
        "{:70} {:8.0} simulations/s  {:5.2} selections each: {:5.2} M/s ({:5.2} in fresh memory)",
        format!("{method} {}", P::NAME),
        verdict.simulations as f64 / busy,
        *selections as f64 / verdict.simulations as f64,
        rate(&warm),
        rate(&fresh),
    );
}

fn playouts<P: Simulate>(method: &str, start: P, n: u64) {
    let mut rng = Seed::new(1).rng();
    let mut scratch = P::Sampler::default();
    let mut position = start.clone();
    let mut bare = || {
        let stopwatch = Stopwatch::start();
        for _ in 0..n {
            position.clone_from(&start);
            play_out(&mut position, 0, &Uniform, &mut rng, &mut scratch);
        }
        n as f64 / stopwatch.busy().as_secs_f64()
    };
    // One right after the other and several times, so that a machine that changes its speed does not matter.
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    for _ in 0..scaling::ROUNDS {
        let before = bare();
        let [_, (verdict, busy, _)] = measure(method, Rollout::new(Uniform), start.clone(), n);
        let (searched, bare) = (verdict.simulations as f64 / busy, before.midpoint(bare()));
        rounds.push([searched, bare, searched / bare]);
    }
    let [searched, bare, share] = [0, 1, 2].map(|i| scaling::median(rounds.iter().map(|round| round[i])));
    println!(
        "{:30} {searched:8.0} simulations/s, bare {bare:8.0} playouts/s: {share:.3} of it",
        format!("{method} {}", P::NAME)
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
