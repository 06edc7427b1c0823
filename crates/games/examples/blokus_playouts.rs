//! How fast Blokus Duo runs, and whether its random games look as they should.
//!
//! `cargo run --release -p yomi-games --example blokus_playouts -- 200000 1` plays that many random games with that seed. The
//! speeds are per second of CPU time of one thread.
#![allow(clippy::print_stdout, reason = "an example that prints its measurements")]

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::{Color, Outcome, Position, Seed, Uniform};
use yomi_games::blokus::{BlokusDuo, Sampler};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|arg| arg.parse().expect("a number"));
    let games = numbers.next().unwrap_or(200_000);
    let seed = Seed::new(numbers.next().unwrap_or(1));
    playouts(games, seed);
    lists(games.div_ceil(4000), seed);
}

/// Random games from the empty board: the statistics of 420,000 games by two other programs stand beside ours.
fn playouts(games: u64, seed: Seed) {
    let start = BlokusDuo::default();
    let mut rng = seed.branch("playouts", 0).rng();
    let mut sampler = Sampler::default();
    let (mut wins, mut draws, mut placements, mut margin) = (0u64, 0u64, 0u64, 0i64);
    // Tables are computed, caches filled and the system's count of CPU time is under way before it counts.
    for _ in 0..5000 {
        play_out(&mut start.clone(), 0, &Uniform, &mut rng, &mut sampler);
    }
    let stopwatch = Stopwatch::start();
    for _ in 0..games {
        let mut position = start.clone();
        let (outcome, _) = play_out(&mut position, 0, &Uniform, &mut rng, &mut sampler);
        wins += u64::from(outcome == Outcome::Win(Color::Black));
        draws += u64::from(outcome == Outcome::Draw);
        placements += Color::BOTH.iter().map(|&c| u64::from(21 - position.remaining(c).len())).sum::<u64>();
        margin += i64::from(position.score(Color::Black) - position.score(Color::White));
    }
    let seconds = stopwatch.busy().as_secs_f64();
    let n = games as f64;
    println!("{games} playouts: {:.0}/s, {:.3} us per placement", n / seconds, 1e6 * seconds / placements as f64);
    println!("first player wins {:.4} (0.541)", wins as f64 / n);
    println!("draws             {:.4} (0.045)", draws as f64 / n);
    println!("placements        {:.3} (27.12)", placements as f64 / n);
    println!("margin            {:+.3} (+1.68)", margin as f64 / n);
}

/// Full lists of legal moves in all positions of forty random games, which stay in the cache while they are listed `times` over.
fn lists(times: u64, seed: Seed) {
    let mut rng = seed.branch("lists", 0).rng();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    for _ in 0..40 {
        let mut position = BlokusDuo::default();
        while position.generate(&mut moves).is_none() {
            positions.push(position.clone());
            position.play(moves[rng.below(moves.len())]);
        }
    }
    let n = (times * positions.len() as u64) as f64;
    let many = || (0..times).flat_map(|_| &positions);
    let stopwatch = Stopwatch::start();
    let listed: usize = many().map(|p| (p.generate(&mut moves), moves.len()).1).sum();
    let seconds = stopwatch.busy().as_secs_f64();
    println!(
        "full lists: {:.3} us per list of {:.0} moves, {:.0} million moves/s",
        1e6 * seconds / n,
        listed as f64 / n,
        listed as f64 / seconds / 1e6
    );
    let stopwatch = Stopwatch::start();
    let counted: u64 = many().map(|p| p.count(&mut moves)).sum();
    let seconds = stopwatch.busy().as_secs_f64();
    assert_eq!(counted, listed as u64);
    println!(
        "counts:     {:.3} us per position, {:.0} million moves/s",
        1e6 * seconds / n,
        counted as f64 / seconds / 1e6
    );
}
