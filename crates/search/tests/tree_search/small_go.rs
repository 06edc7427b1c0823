//! Go on boards so small that its value is known: +9 on three by three, +2 on four by four (van der Werf 2003), area counted.

use crate::common::{simulations, with};
use yomi_core::{Line, Notation, Uniform};
use yomi_eval::Rollout;
use yomi_games::go::Go9;
use yomi_search::{Method, Search, TreeSearch};

/// Methods, with parameters for values from -1 to 1, that can do with the noise of playouts. The maximum of noisy values, which is all
/// that `uct-max-h` backs up, cannot. Two threads never do the same twice, so parameters must leave room: of 40 seeds on one thread and 40 on
/// two, none of these failed in any of the three searches below (some measured with 600 samples instead of 1,000).
const METHODS: &[&str] = &[
    "mcss(t=0.3)",
    "mcss(t=target(0.7))",
    "mcss-puct(ts=0.3,tb=0.1)",
    "uct(c=0.7)",
    "rave(c=0.5,beta=least-squares(0.3),choose=visits)",
    "uct-h(c=1)",
    "puct(c=2)",
    "rbfm(sigma=0.5)",
    "softmax-best-first(t=0.3)",
    "ubfm",
    "ments(t=0.05,e=0.1)",
    "rents(t=0.3,e=0.1,choose=visits)",
    "tents(t=0.05,e=0.1)",
    "bts(t=0.1,e=0.1)",
    "dents(t=0.1,e=0.1)",
    "tree(select=ucb1(c=0.5),expand=leaf,backup=implicit-minimax(alpha=0.4))",
    "tree(select=ucb1(c=0.7),expand=leaf,backup=power-mean(p=2))",
    "tree(select=boltzmann(t=0.3),expand=siblings,backup=mellowmax(t=0.1))",
];

/// The move and the value that a method finds for Black after `moves`.
fn best(method: &str, threads: usize, game: &str, moves: &str) -> (String, f32) {
    let method: Method = with(method, &format!("threads={threads},hash=64"));
    // Methods that judge siblings once get steady playouts: with single ones they may well stay with a lucky line.
    let (averaged, n) = if method.recipe.expand.judges_siblings() { (16, 1_000) } else { (2, 6_000) };
    let mut line = Line::new(Go9::start(&game.parse().unwrap()).unwrap());
    for word in moves.split_whitespace() {
        line.play(line.position().parse_move(word).unwrap());
    }
    let mut search = TreeSearch::new(method, Rollout::averaging(Uniform, averaged));
    let verdict = search.search(&line, &simulations(n, 3), &mut ());
    (line.position().move_text(verdict.best.unwrap()), verdict.value)
}

/// Every method on one thread and on two.
fn players() -> impl Iterator<Item = (&'static str, usize)> {
    METHODS.iter().flat_map(|method| [1, 2].map(|threads| (*method, threads)))
}

/// The first move in the middle takes the whole board: all nine points, more than 8.5 of komi.
#[test]
fn three_by_three_is_worth_nine() {
    for (method, threads) in players() {
        let (mv, value) = best(method, threads, "go3(komi=8.5)", "");
        assert!(mv == "B2" && value > 0.1, "{method} on {threads}: {mv} {value}");
    }
}

/// Ten plies into the line of best play, where Black must still find the move that keeps two points: a win with 1.5 points of komi, a
/// loss with 2.5. The example `four_by_four` solves it from the empty board, in minutes.
#[test]
fn four_by_four_is_worth_two() {
    let line = "B2 C3 B3 C2 C4 B4 A4 B1 D3 A2";
    for (method, threads) in players() {
        let (mv, won) = best(method, threads, "go4(komi=1.5)", line);
        let (_, lost) = best(method, threads, "go4(komi=2.5)", line);
        assert_eq!(mv, "D2", "{method} on {threads}");
        assert!(won > 0.1 && lost < 0.2 && won - lost > 0.25, "{method} on {threads}: {won} and {lost}");
    }
}
