//! Positions per second of the CPU backend with networks of shogi, in several batch sizes and for all children of a position:
//! `cargo run --release -p yomi-net --features measure --example net_bench`. With `-- children` only the latter: children evaluated whole, and by what moves change (S4.4), for the networks of `weights/nets`.
//!
//! One thread with each vector unit of the processor (with the baseline only where that is all there is), by the processor time it got; the best
//! of several repetitions, for the machine may have other work.
#![allow(clippy::print_stdout, reason = "a program")]

use yomi_core::clock::Stopwatch;
use yomi_core::{Notation, Position, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::cpu::{Cpu, Unit, Workspace};
use yomi_net::input::{Changes, Encode, Layout, PackedPosition};
use yomi_net::{Architecture, Evaluations, Network};

/// Positions of a random game of shogi.
fn positions(count: usize) -> Vec<PackedPosition> {
    let mut rng = Seed::new(9).rng();
    let (mut position, mut moves) = (Shogi9::default(), Vec::new());
    std::iter::from_fn(|| {
        if position.generate(&mut moves).is_some() {
            position = Shogi9::default();
            position.generate(&mut moves);
        }
        position.play(moves[rng.below(moves.len())]);
        Some(position.pack(position.turn()))
    })
    .take(count)
    .collect()
}

/// The best rate of some repetitions, in positions per second of processor time.
fn rate(batch: usize, mut run: impl FnMut()) -> f64 {
    run();
    let total = Stopwatch::start();
    let mut best = 0.0f64;
    while total.busy().as_secs_f64() < 1.5 {
        let watch = Stopwatch::start();
        run();
        best = best.max(batch as f64 / watch.busy().as_secs_f64());
    }
    best
}

/// All children of a position packed and evaluated, and evaluated by what the moves change (S4.4), packing and changes included.
fn children<P: Encode>(start: &P, blocks: usize, channels: usize) {
    let layout = start.layout();
    let network = Network::random(Architecture::new(layout, blocks, channels), Seed::new(1)).expect("a known layout");
    let cpu = Cpu::new(&network);
    let (mut work, mut answers) = (Workspace::default(), Evaluations::default());
    let (mut rng, mut position, mut moves) = (Seed::new(9).rng(), start.clone(), Vec::new());
    for _ in 0..8 {
        position.generate(&mut moves);
        position.play(moves[rng.below(moves.len())]);
    }
    position.generate(&mut moves);
    let mut packed = Vec::new();
    let mut changes = vec![Changes::default(); moves.len()];
    // In turn, so that both have the same share of whatever else the machine does; the quickest of each.
    let (mut best, total) = ([f64::INFINITY; 2], Stopwatch::start());
    while total.busy().as_secs_f64() < 15.0 {
        let watch = Stopwatch::start();
        packed.clear();
        packed.extend(moves.iter().map(|&mv| {
            let mut child = position.clone();
            child.play(mv);
            child.pack(child.turn())
        }));
        cpu.evaluate(&packed, 1, &mut work, &mut answers);
        best[0] = best[0].min(watch.busy().as_secs_f64());
        let watch = Stopwatch::start();
        let parent = position.pack(!position.turn());
        changes.iter_mut().zip(&moves).for_each(|(changes, &mv)| position.changes(layout, mv, changes));
        cpu.evaluate_children(&parent, &changes, 1, &mut work, &mut answers);
        best[1] = best[1].min(watch.busy().as_secs_f64());
    }
    let best = best.map(|seconds| moves.len() as f64 / seconds);
    println!(
        "{} {blocks}x{channels} {}: {} children, {:.0} positions/s, by difference {:.0} ({:.3})",
        layout.game(),
        cpu.unit().name(),
        moves.len(),
        best[0],
        best[1],
        best[1] / best[0]
    );
}

/// The networks of `weights/nets`, and a wide one.
fn all_children() {
    children(&Minishogi::default(), 5, 64);
    children(&Minishogi::default(), 6, 128);
    children(&Go9::start(&Spec::parse("go9").expect("a game")).expect("a board"), 6, 96);
    children(&BlokusDuo::default(), 4, 64);
    children(&Shogi9::default(), 4, 64);
    children(&Shogi9::default(), 5, 192);
    children(&Go19::start(&Spec::parse("go19").expect("a game")).expect("a board"), 5, 64);
}

fn main() {
    if std::env::args().nth(1).is_some_and(|word| word == "children") {
        return all_children();
    }
    let units = Unit::available();
    let units = if units.len() > 1 { &units[1..] } else { &units[..] };
    for (blocks, channels) in [(4, 64), (5, 192), (10, 192)] {
        let network =
            Network::random(Architecture::new(Layout::Shogi, blocks, channels), Seed::new(1)).expect("a known layout");
        for &unit in units {
            let cpu = Cpu::with_unit(&network, unit);
            let (mut work, mut answers) = (Workspace::default(), Evaluations::default());
            for batch in [1, 8, 32, 128] {
                let positions = positions(batch);
                let rate = rate(batch, || cpu.evaluate(&positions, 1, &mut work, &mut answers));
                println!("{blocks}x{channels} {} batch {batch}: {rate:.0} positions/s", unit.name());
            }
        }
    }
    all_children();
}
