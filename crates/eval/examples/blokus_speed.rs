//! Evaluations by difference and selective playouts of Blokus Duo per second of CPU time, on one thread.
//!
//!     cargo run --release -p yomi-eval --example blokus_speed -- [weights] [playouts]
#![allow(clippy::print_stdout, reason = "an example prints its measurements")]

use std::hint::black_box;

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::{Policy, Position, Seed, Uniform};
use yomi_eval::blokus::{Evaluation, Kind, Sums, Weights};
use yomi_eval::rollout::Selective;
use yomi_games::blokus::BlokusDuo;

fn main() {
    let mut args = std::env::args().skip(1);
    let weights = match args.next().filter(|name| name != "-") {
        Some(file) => Weights::read(&std::fs::read_to_string(file).expect("a file of weights")).expect("weights"),
        None => simple(),
    };
    let playouts = args.next().map_or(20_000, |n| n.parse().expect("a number of playouts"));
    let evaluation = Evaluation::new(&weights);
    changes(&evaluation);
    measure("uniform", &Uniform, playouts);
    for n in [1, 2, 4, 8, 16, 32, 64] {
        measure(&format!("best-of({n})"), &Selective::best_of(n, evaluation.clone()), playouts / n.min(8));
    }
}

/// Weights as simple as one would set them by hand.
fn simple() -> Weights {
    let mut weights = Weights::default();
    let values = [7.0, -1.0, 0.5, 0.5, 2.0, 0.5, -0.5, 0.3, -0.3];
    Kind::ALL.iter().zip(values).for_each(|(kind, w)| weights.all_mut()[kind.shared()] = w);
    weights
}

/// All moves of the positions of random games, judged from scratch and by difference.
fn changes(evaluation: &Evaluation) {
    let mut rng = Seed::new(1).rng();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    for _ in 0..40 {
        let mut position = BlokusDuo::default();
        while position.generate(&mut moves).is_none() {
            positions.push(position.clone());
            position.play(moves[rng.below(moves.len())]);
        }
    }
    let watch = Stopwatch::start();
    for position in &positions {
        black_box(evaluation.value(position));
    }
    println!("from scratch: {:.0} positions/s", positions.len() as f64 / watch.busy().as_secs_f64());
    let mut judged = 0;
    let mut total = 0i64;
    let watch = Stopwatch::start();
    for position in &positions {
        position.generate(&mut moves);
        let sums = Sums::of(evaluation.tables(), position);
        let ready = sums.ready(evaluation.tables(), position);
        judged += moves.len();
        total += moves.iter().map(|&mv| i64::from(ready.change(mv))).sum::<i64>();
    }
    black_box(total);
    println!("by difference, lists of moves included: {:.0} positions/s", judged as f64 / watch.busy().as_secs_f64());
}

fn measure<Q: Policy<BlokusDuo>>(name: &str, policy: &Q, playouts: usize) {
    let (mut scratch, mut rng) = (policy.scratch(), Seed::new(1).rng());
    let start = BlokusDuo::default();
    for _ in 0..playouts / 10 {
        play_out(&mut start.clone(), 0, policy, &mut rng, &mut scratch);
    }
    let watch = Stopwatch::start();
    let mut plies = 0;
    for _ in 0..playouts {
        plies += play_out(&mut start.clone(), 0, policy, &mut rng, &mut scratch).1;
    }
    let rate = playouts as f64 / watch.busy().as_secs_f64();
    println!("{name}: {rate:.0} playouts/s, {:.1} plies", plies as f64 / playouts as f64);
}
