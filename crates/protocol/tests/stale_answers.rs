//! Programs that answer `go` twice: the second answer is never played as the answer to the next `go`.
#![cfg(unix)]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::Color;
use yomi_protocol::client::{Action, Engine, Launch, Question, Setup};

fn start(behaviour: &str) -> Box<dyn Engine> {
    let text = format!("usi(\"{} usi {behaviour}\")", env!("CARGO_BIN_EXE_fake-engine"));
    let launch: Launch = text.parse().unwrap();
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
fn play(behaviour: &str, plies: usize) -> Vec<String> {
    let stop = AtomicBool::new(false);
    let mut engine = start(behaviour);
    let (mut moves, mut answers) = (Vec::new(), Vec::new());
    for turn in 1..=plies {
        let question = Question {
            moves: &moves,
            turn: Color::Black,
            nodes: None,
            depth: None,
            time: None,
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

#[test]
fn second_answers_are_not_played() {
    for behaviour in ["good", "twice-at-once", "twice-late", "twice-the-same", "twice-silent"] {
        assert_eq!(play(behaviour, 5), ["m1", "m2", "m3", "m4", "m5"], "{behaviour}");
    }
}
