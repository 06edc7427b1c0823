//! Othello against its slow twin and against published counts.

use yomi_core::conformance::{Effort, check};
use yomi_core::perft::perft;
use yomi_core::{Notation, Outcome, Position};
use yomi_games::draw::{Draw, TextOptions, terminal};
use yomi_games::othello::{Othello, OthelloMove};

#[test]
fn obeys_the_laws() {
    let effort = Effort { games: 300, max_plies: 130, ends: true, brute_force_every: 500 };
    check(&Othello::default(), effort, 1);
}

/// Leaves of the largest count that is made by default; `PERFT_LIMIT` in the environment raises it.
const LIMIT: u64 = 30_000_000;

#[test]
fn perft_is_as_published() {
    let limit = std::env::var("PERFT_LIMIT").map_or(LIMIT, |text| text.parse().expect("PERFT_LIMIT is a number"));
    let file = include_str!("../../../../tests/perft/othello.perft");
    let mut rows = 0;
    for line in file.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| words[index].parse::<u64>().unwrap();
        let (depth, count) = (words[0], number(1));
        if words.len() > 2 {
            assert_eq!(count, number(3) - number(5), "{line}");
        }
        if count <= limit {
            assert_eq!(perft(&Othello::default(), depth.parse().unwrap()), count, "depth {depth}");
            rows += 1;
        }
    }
    assert!(rows >= 10);
}

/// A side passes exactly when it must, and a board without any move left is counted.
#[test]
fn passes_are_forced() {
    let start = Othello::default();
    let text = |rows: [&str; 8], turn: &str| format!("{} {turn}", rows.concat());
    let rows = ["XO------", "O-------", "--------", "--------", "--------", "--------", "--------", "--------"];
    let position = start.parse_position(&text(rows, "O")).unwrap();
    let mut moves = Vec::new();
    assert_eq!((position.generate(&mut moves), moves.as_slice()), (None, &[OthelloMove::PASS][..]));
    let black = start.parse_position(&text(rows, "X")).unwrap();
    assert!(!black.is_legal(OthelloMove::PASS) && black.count(&mut moves) == 2);
    let blocked = ["XX------", "--------", "--------", "--------", "--------", "--------", "--------", "------OO"];
    let over = start.parse_position(&text(blocked, "X")).unwrap();
    assert_eq!(over.generate(&mut moves), Some(Outcome::Draw));
    assert!(moves.is_empty() && !over.is_legal(OthelloMove::PASS));
}

/// Stones stand below the letters of their columns: white d4 and black e4.
#[test]
fn the_board_in_the_terminal_is_straight() {
    for ascii in [false, true] {
        let text = terminal(&Othello::default().board(), &TextOptions { ascii, ..TextOptions::default() });
        let column = |line: &str, wanted: char| -> usize {
            let before = line.chars().take_while(|&c| c != wanted);
            before.map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
        };
        let (letters, fourth) = (text.lines().next().unwrap(), text.lines().find(|line| line.contains('O')).unwrap());
        assert_eq!(column(fourth, 'O'), column(letters, 'd'), "{text}");
        assert_eq!(column(fourth, 'X'), column(letters, 'e'), "{text}");
    }
}
