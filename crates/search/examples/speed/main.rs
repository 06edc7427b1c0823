//! How fast the searches are.
//!
//! `cargo run --release -p yomi-search --features measure --example speed` measures one thread, by the processor time it really got;
//! `… --example speed -- scaling` measures 1, 2, 4, … threads by the clock on the wall, for machines with nothing else to do;
//! `… --example speed -- mcss` and `… -- scaling mcss` measure only the methods of that name, `… -- scaling mcss 5` in five rounds.
#![allow(clippy::print_stdout, reason = "a program")]

mod fan;
mod scaling;

use std::cell::{Cell, RefCell};

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::toy::ConnectFour;
use yomi_core::{Evaluator, Line, Position, Seed, Simulate, Uniform};
use yomi_eval::Rollout;
use yomi_eval::constant::Blind;
use yomi_games::go::{Go9, Go19, Rules};
use yomi_search::tree::{Block, ROOT, Tree};
use yomi_search::{Limits, Search, TreeSearch, Verdict, Watch};

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
    println!("\nvalues out of a hash, eighty moves per position");
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

/// Plays bare playouts now and then while a search is at work, and says how long they took.
struct Aside<F> {
    play: RefCell<F>,
    samples: Cell<u64>,
    every: u64,
    bare: Cell<f64>,
}

impl<M, F: FnMut() + Send> Watch<M> for Aside<F> {
    fn should_stop(&self) -> bool {
        self.samples.set(self.samples.get() + 1);
        if self.samples.get().is_multiple_of(self.every) {
            let stopwatch = Stopwatch::start();
            self.play.borrow_mut()();
            self.bare.set(self.bare.get() + stopwatch.busy().as_secs_f64());
        }
        false
    }
}

/// A search and, twelve times in its midst, bare playouts: a machine that changes its speed from second to second does so to both alike.
fn playouts<P: Simulate>(method: &str, start: P, n: u64) {
    const SLICES: u64 = 12;
    let mut rng = Seed::new(1).rng();
    let mut scratch = P::Sampler::default();
    let mut position = start.clone();
    let mut search = TreeSearch::new(with(method, "hash=1024").parse().expect("a method"), Rollout::new(Uniform));
    let mut round = || {
        let play = || {
            for _ in 0..n / SLICES {
                position.clone_from(&start);
                play_out(&mut position, 0, &Uniform, &mut rng, &mut scratch);
            }
        };
        let mut aside =
            Aside { play: RefCell::new(play), samples: Cell::new(0), every: n / SLICES, bare: Cell::new(0.0) };
        search.new_game();
        let stopwatch = Stopwatch::start();
        let limits = Limits::simulations(n).seeded(Seed::new(1));
        let verdict = search.search(&Line::new(start.clone()), &limits, &mut aside);
        let searching = stopwatch.busy().as_secs_f64() - aside.bare.get();
        let playouts = aside.samples.get() / aside.every * (n / SLICES);
        let [searched, bare] = [verdict.simulations as f64 / searching, playouts as f64 / aside.bare.get()];
        [searched, bare, searched / bare]
    };
    // The first round pays for the memory it touches.
    round();
    let rounds: Vec<[f64; 3]> = (0..scaling::ROUNDS).map(|_| round()).collect();
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
