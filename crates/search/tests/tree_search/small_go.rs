//! Go on boards so small that its value is known: +9 on three by three, +2 on four by four (van der Werf 2003), area counted.

use crate::common::{simulations, with};
use crate::solved_games::{HEURISTIC, PLAYOUTS};
use yomi_core::{Line, Notation, Uniform};
use yomi_eval::Rollout;
use yomi_games::go::Go9;
use yomi_search::{Method, Search, TreeSearch};

/// The move and the value that a method finds for Black after `moves`.
fn best(method: &str, threads: usize, game: &str, moves: &str) -> (String, f32) {
    let method: Method = with(method, &format!("threads={threads},hash=64"));
    // Methods that judge siblings once get steady playouts: with single ones they may well stay with a lucky line.
    let (averaged, n) = if method.recipe.expand.judges_siblings() { (16, 400) } else { (2, 4_000) };
    let mut line = Line::new(Go9::start(&game.parse().unwrap()).unwrap());
    for word in moves.split_whitespace() {
        line.play(line.position().parse_move(word).unwrap());
    }
    let mut search = TreeSearch::new(method, Rollout::averaging(Uniform, averaged));
    let verdict = search.search(&line, &simulations(n, 3), &mut ());
    (line.position().move_text(verdict.best.unwrap()), verdict.value)
}

/// The first move in the middle takes the whole board, whatever komi it must outweigh.
#[test]
fn three_by_three_is_worth_nine() {
    for method in HEURISTIC.iter().chain(PLAYOUTS) {
        for threads in [1, 2] {
            let (mv, value) = best(method, threads, "go3(komi=8.5)", "");
            assert!(mv == "B2" && value > 0.2, "{method} with {threads} threads: {mv} {value}");
        }
    }
}

/// Ten plies into the line of best play, where Black must still find the move that keeps two points: a win with 1.5 points of komi, a
/// loss with 2.5.
#[test]
fn four_by_four_is_worth_two() {
    for method in HEURISTIC.iter().chain(PLAYOUTS) {
        for threads in [1, 2] {
            let (mv, value) = best(method, threads, "go4(komi=1.5)", "B2 C3 B3 C2 C4 B4 A4 B1 D3 A2");
            assert!(mv == "D2" && value > 0.2, "{method} with {threads} threads: {mv} {value}");
            let (_, value) = best(method, threads, "go4(komi=2.5)", "B2 C3 B3 C2 C4 B4 A4 B1 D3 A2");
            assert!(value < -0.2, "{method} with {threads} threads: {value}");
        }
    }
}
