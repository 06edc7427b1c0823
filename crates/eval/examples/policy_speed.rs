//! Playouts a second of the policies of Go, on one thread and by CPU time, and what they think of an empty board.
//!
//!     cargo run --release -p yomi-eval --example policy_speed -- [size] [playouts]
#![allow(clippy::print_stdout, reason = "an example speaks")]

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::{Color, Outcome, Policy, Seed, Uniform};
use yomi_eval::rollout::patterns::{Patterns, Rules};
use yomi_games::go::{self, Go};

fn main() {
    let mut args = std::env::args().skip(1).map_while(|word| word.parse::<usize>().ok());
    let (size, playouts) = (args.next().unwrap_or(19), args.next().unwrap_or(2000));
    match size {
        2..=9 => report::<128>(size, playouts),
        10..=13 => report::<256>(size, playouts),
        _ => report::<512>(size, playouts),
    }
}

fn report<const LEN: usize>(size: usize, playouts: usize) {
    let start = Go::<LEN>::new(size, go::Rules::default()).unwrap();
    measure("uniform", &start, &Uniform, playouts);
    measure("patterns", &start, &Patterns::new(Rules::default()), playouts);
    let default = Rules::default();
    for (name, rules) in [
        ("patterns(capture=off)", Rules { capture: 0.0, ..default }),
        ("patterns(atari=off)", Rules { atari: 0.0, ..default }),
        ("patterns(shapes=off)", Rules { shapes: 0.0, ..default }),
        ("patterns(wary=off)", Rules { wary: 0.0, ..default }),
    ] {
        measure(name, &start, &Patterns::new(rules), playouts);
    }
}

fn measure<const LEN: usize, Q: Policy<Go<LEN>>>(name: &str, start: &Go<LEN>, policy: &Q, playouts: usize) {
    let (mut scratch, mut rng) = (policy.scratch(), Seed::new(1).rng());
    let mut position = start.clone();
    let (mut plies, mut wins) = (0, 0);
    let watch = Stopwatch::start();
    for _ in 0..playouts {
        position.clone_from(start);
        let (outcome, length) = play_out(&mut position, 0, policy, &mut rng, &mut scratch);
        plies += length;
        wins += usize::from(outcome == Outcome::Win(Color::Black));
    }
    let rate = playouts as f64 / watch.busy().as_secs_f64();
    let (size, n) = (start.size(), playouts as f64);
    println!(
        "{{\"game\":\"go{size}\",\"policy\":\"{name}\",\"playouts_per_cpu_second\":{rate:.0},\"plies\":{:.1},\"black_wins\":{:.3}}}",
        plies as f64 / n,
        wins as f64 / n
    );
}
