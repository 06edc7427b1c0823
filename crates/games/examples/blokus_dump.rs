//! Prints positions of random games with their legal moves, for scripts/crosscheck_blokus.py.
//!
//! `cargo run --release -p yomi-games --example blokus_dump -- --positions 3000 --seed 1`. A line is: rules, position, both scores, and
//! the legal moves or how the game has ended, with tabs between them.
#![allow(clippy::print_stdout, reason = "an example that prints positions")]

use yomi_core::{Color, Notation, Position, Rng, Seed};
use yomi_games::blokus::{BlokusDuo, BlokusMove, Rules};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, default: u64| match arguments.iter().position(|a| a == name) {
        Some(i) => arguments.get(i + 1).and_then(|n| n.parse().ok()).expect("a number follows"),
        None => default,
    };
    let (positions, seed) = (number("--positions", 3000), Seed::new(number("--seed", 1)));
    let mut printed = 0;
    let mut moves = Vec::new();
    for game in 0.. {
        let mut rng = seed.branch("dump", game).rng();
        let rules = Rules { free_start: game % 4 == 1, bonus: game % 4 == 2 };
        let mut position = BlokusDuo::new(rules);
        loop {
            if printed == positions {
                return;
            }
            let outcome = position.generate(&mut moves);
            let result = match outcome {
                Some(outcome) => format!("over {outcome:?}"),
                None => moves.iter().map(|&mv| position.move_text(mv)).collect::<Vec<_>>().join(" "),
            };
            let scores = Color::BOTH.map(|c| position.score(c).to_string()).join(" ");
            println!("{}\t{}\t{scores}\t{result}", position.rules(), position.position_text());
            printed += 1;
            if outcome.is_some() {
                break;
            }
            position.play(choose(&moves, game, &mut rng));
        }
    }
}

/// Every other game prefers big pieces, so that the boards are fuller than those of uniform games.
fn choose(moves: &[BlokusMove], game: u64, rng: &mut Rng) -> BlokusMove {
    let size = |mv: &BlokusMove| mv.cells().len();
    let biggest = moves.iter().map(size).max().unwrap_or(0);
    let wanted = if game.is_multiple_of(2) { 0 } else { biggest };
    let worthy: Vec<BlokusMove> = moves.iter().copied().filter(|mv| size(mv) >= wanted).collect();
    worthy[rng.below(worthy.len())]
}
