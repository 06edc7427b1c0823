//! Programs that answer `go` twice: the second answer is never played as the answer to the next `go`.
#![cfg(unix)]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::Color;
use yomi_protocol::client::{Action, Engine, Launch, Question, Setup};

fn start(behaviour: &str, doubt: Duration) -> Box<dyn Engine> {
    let text = format!("usi(\"{} usi {behaviour}\")", env!("CARGO_BIN_EXE_fake-engine"));
    let mut launch: Launch = text.parse().unwrap();
    launch.patience.doubt = doubt;
    // It answers at once, whatever time it is given; on a busy machine that may take long.
    launch.patience.grace = LONG;
    let mut engine = launch.start(None).unwrap();
    let setup = Setup {
        family: "shogi".to_string(),
        game: "shogi".to_string(),
        rules: "shogi".to_string(),
        position: String::new(),
        standard: true,
        first: Color::Black,
        color: Color::Black,
        seed: 1,
    };
    engine.new_game(&setup).unwrap();
    engine
}

/// The answers of a game in which the other side's moves are called r1, r2, …; the program calls its own m1, m2, …
fn play(behaviour: &str, plies: usize, time: Option<Duration>, doubt: Duration) -> Vec<String> {
    let stop = AtomicBool::new(false);
    let mut engine = start(behaviour, doubt);
    let (mut moves, mut answers) = (Vec::new(), Vec::new());
    for turn in 1..=plies {
        let question = Question {
            moves: &moves,
            turn: Color::Black,
            nodes: None,
            depth: None,
            time,
            clocks: None,
            grace: Duration::ZERO,
            stop: &stop,
        };
        let Action::Move(mv) = engine.think(&question).unwrap().action else { panic!("{behaviour}: no move") };
        moves.extend([mv.clone(), format!("r{turn}")]);
        answers.push(mv);
    }
    answers
}

/// Longer than any machine takes to say a few lines. What is doubted is contradicted long before.
const LONG: Duration = Duration::from_secs(600);
const OWN: [&str; 5] = ["m1", "m2", "m3", "m4", "m5"];

#[test]
fn second_answers_are_not_played() {
    for behaviour in ["good", "twice-at-once", "twice-late", "twice-the-same", "twice-silent"] {
        assert_eq!(play(behaviour, 5, None, Duration::from_secs(1)), OWN, "{behaviour}");
    }
}

/// The second answer comes with the next question, long before the answer to that: with words about the search, and without any.
#[test]
fn an_answer_that_comes_too_soon_waits_for_a_contradiction() {
    for behaviour in ["twice-early", "twice-early-and-short"] {
        for time in [None, Some(4 * LONG)] {
            assert_eq!(play(behaviour, 5, time, LONG), OWN, "{behaviour}");
        }
    }
}

/// A program that knows its moves from a book has no more to say, so doubt ends by itself.
#[test]
fn an_answer_that_nothing_contradicts_counts() {
    for time in [None, Some(Duration::from_millis(8))] {
        assert_eq!(play("twice-never", 5, time, Duration::from_millis(2)), OWN);
    }
}
