//! Uniform playouts of Go: how fast, how long, who wins.
//!
//! `cargo run --release -p yomi-games --example go_playouts -- go9 100000 [every-move]`
//!
//! With `every-move` own eyes are filled, passes are drawn like other moves and games are cut off after 2 plies per point, as
//! OpenSpiel plays them.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

use yomi_core::clock::Stopwatch;
use yomi_core::policy::play_out;
use yomi_core::{Color, Notation, Outcome, Policy, Seed, Spec, TextError, Uniform};
use yomi_games::go::{EveryMove, Go, size_of_name};

fn main() -> Result<(), TextError> {
    let mut args = std::env::args().skip(1);
    let spec = Spec::parse(&args.next().unwrap_or("go9".to_string()))?;
    let games = args.next().unwrap_or("100000".to_string());
    let games: u32 = games.parse().map_err(|_| TextError::at(&games, 0, "how many playouts?"))?;
    let every_move = args.next().as_deref() == Some("every-move");
    match size_of_name(&spec.name) {
        Some(2..=9) => measure::<128>(&spec, games, every_move),
        Some(10..=13) => measure::<256>(&spec, games, every_move),
        _ => measure::<512>(&spec, games, every_move),
    }
}

fn measure<const LEN: usize>(spec: &Spec, games: u32, every_move: bool) -> Result<(), TextError> {
    let start = Go::<LEN>::start(spec)?;
    for round in 0..3 {
        if every_move {
            report(&start, &EveryMove, games, round);
        } else {
            report(&start, &Uniform, games, round);
        }
    }
    Ok(())
}

fn report<const LEN: usize, Q: Policy<Go<LEN>>>(start: &Go<LEN>, policy: &Q, games: u32, round: u64) {
    let mut rng = Seed::new(1).branch("round", round).rng();
    let mut scratch = policy.scratch();
    let mut position = start.clone();
    let (mut plies, mut wins) = (0, 0);
    let watch = Stopwatch::start();
    for _ in 0..games {
        position.clone_from(start);
        let (outcome, length) = play_out(&mut position, 0, policy, &mut rng, &mut scratch);
        plies += length;
        wins += u32::from(outcome == Outcome::Win(Color::Black));
    }
    let (seconds, games) = (watch.busy().as_secs_f64(), f64::from(games));
    println!(
        "{}: {:.1} kpps, {:.2} plies per playout, {:.1} ns per ply, black wins {:.2} %",
        Notation::rules(start),
        games / seconds / 1e3,
        plies as f64 / games,
        seconds / plies as f64 * 1e9,
        100.0 * f64::from(wins) / games,
    );
}
