//! What tabu lists cost: playouts per second with them and without, in turns, on one thread and by CPU time (S2.7, figure 6).
//!
//!     cargo run --release -p yomi-eval --example tabu_cost -- [size] [rounds]
//!
//! Playouts start from leaves as a search has them: thirty from each, then another leaf. Prints a JSON object a policy.
//!
//! With 0 rounds no clock is read and nothing printed: every policy plays its 300 playouts once, for counting instructions. Build with
//! `RUSTFLAGS="-C target-cpu=x86-64-v3"` and run `valgrind --tool=callgrind … tabu_cost 19 0`; the inclusive cost of each instance of
//! `play` is what it executes.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::policy::{Simulate, play_out};
use yomi_core::{Policy, Rng, Seed, Uniform};
use yomi_eval::rollout::tabu::{Forbids, Tabu};
use yomi_games::go::{Go9, Go13, Go19, Rules};

/// Playouts from one leaf before it would get children (S2.1).
const PLAYOUTS_A_LEAF: usize = 30;
const LEAVES: usize = 10;

fn main() {
    let mut args = std::env::args().skip(1).map_while(|word| word.parse::<usize>().ok());
    let (size, rounds) = (args.next().unwrap_or(19), args.next().unwrap_or(8));
    match size {
        2..=9 => report(&Go9::new(size, Rules::default()).unwrap(), size, rounds),
        10..=13 => report(&Go13::new(size, Rules::default()).unwrap(), size, rounds),
        _ => report(&Go19::new(size, Rules::default()).unwrap(), size, rounds),
    }
}

/// Leaves of a middle game: forty moves at random, then one more each.
fn leaves<P: Simulate>(start: &P) -> Vec<P> {
    let mut rng = Seed::new(1).rng();
    let mut sampler = P::Sampler::default();
    let mut position = start.clone();
    let mut draw = |position: &P| match position.draw(&mut sampler, &mut rng) {
        std::ops::ControlFlow::Continue(mv) => mv,
        std::ops::ControlFlow::Break(_) => unreachable!("forty moves end no game of this size"),
    };
    for _ in 0..40.min(start.places() / 3) {
        position.play(draw(&position));
    }
    (0..LEAVES)
        .map(|_| {
            let mut leaf = position.clone();
            leaf.play(draw(&leaf));
            leaf
        })
        .collect()
}

/// All playouts once.
#[inline(never)]
fn play<P: Simulate, Q: Policy<P>>(leaves: &[P], policy: &Q, rng: &mut Rng) {
    let mut scratch = policy.scratch();
    let mut position = leaves[0].clone();
    for (node, leaf) in leaves.iter().enumerate() {
        for _ in 0..PLAYOUTS_A_LEAF {
            position.clone_from(leaf);
            play_out(&mut position, node as u32, policy, rng, &mut scratch);
        }
    }
}

fn measure<P: Simulate, Q: Policy<P>>(leaves: &[P], policy: &Q, rng: &mut Rng) -> Duration {
    let watch = Stopwatch::start();
    play(leaves, policy, rng);
    watch.busy()
}

fn report<P: Simulate>(start: &P, size: usize, rounds: usize) {
    let leaves = leaves(start);
    let tabu = |forbids| Tabu::new(forbids, 18, 5, Uniform);
    let (moves, states, lost) = (tabu(Forbids::Moves), tabu(Forbids::States), tabu(Forbids::LostStates));
    if rounds == 0 {
        let rng = || Seed::new(2).rng();
        play(&leaves, &Uniform, &mut rng());
        play(&leaves, &moves, &mut rng());
        play(&leaves, &states, &mut rng());
        play(&leaves, &lost, &mut rng());
        return;
    }
    // In turns, and the least of all rounds: others use the machine too.
    let mut best = [Duration::MAX; 4];
    for round in 0..rounds {
        let rng = || Seed::new(2).branch("round", round as u64).rng();
        let times = [
            measure(&leaves, &Uniform, &mut rng()),
            measure(&leaves, &moves, &mut rng()),
            measure(&leaves, &states, &mut rng()),
            measure(&leaves, &lost, &mut rng()),
        ];
        best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
    }
    let names = ["uniform", "tabu-move(18,5)", "tabu-state(18,5)", "tabu-state-win(18,5)"];
    for (name, time) in names.iter().zip(best) {
        let rate = (LEAVES * PLAYOUTS_A_LEAF) as f64 / time.as_secs_f64();
        let cost = time.as_secs_f64() / best[0].as_secs_f64() - 1.0;
        println!(
            "{{\"game\":\"go{size}\",\"policy\":\"{name}\",\"playouts_per_cpu_second\":{rate:.0},\"cost\":{cost:.4}}}"
        );
    }
}
