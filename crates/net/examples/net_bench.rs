//! Positions per second of the CPU backend with networks of shogi, in several batch sizes and for all children of a position:
//! `cargo run --release -p yomi-net --example net_bench`.
//!
//! One thread with each vector unit of the processor (with the baseline only where that is all there is), by the processor time it got; the best
//! of several repetitions, for the machine may have other work.
#![allow(clippy::print_stdout, reason = "a program")]

use yomi_core::clock::Stopwatch;
use yomi_core::{Position, Seed};
use yomi_games::shogi::Shogi9;
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

fn main() {
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
            let parent = Shogi9::default();
            let mut moves = Vec::new();
            parent.generate(&mut moves);
            let mut changes = vec![Changes::default(); moves.len()];
            for (changes, &mv) in changes.iter_mut().zip(&moves) {
                parent.changes(Layout::Shogi, mv, changes);
            }
            let packed = parent.pack(!parent.turn());
            let rate = rate(moves.len(), || cpu.evaluate_children(&packed, &changes, 1, &mut work, &mut answers));
            println!("{blocks}x{channels} {} {} children: {rate:.0} positions/s", unit.name(), moves.len());
        }
    }
}
