//! The whole way: a fake engine at the board, the referee of the laboratory, and the reason that goes into the ledger.
#![cfg(unix)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use yomi_core::{Color, Outcome, Seed};
use yomi_games::shogi::Minishogi;
use yomi_lab::budget::Budget;
use yomi_lab::conditions::Conditions;
use yomi_lab::ending::{Finish, Reason};
use yomi_lab::players::{Foreign, Searcher};
use yomi_lab::referee::{self, Setup};
use yomi_protocol::client::Launch;
use yomi_search::RandomPlayer;

/// A game of a fake engine with Black against random moves.
fn game(behaviour: &str) -> (Finish, bool) {
    let text = format!("usi(\"{} usi {behaviour}\")", env!("CARGO_BIN_EXE_fake-engine"));
    let mut launch: Launch = text.parse().unwrap();
    // Only who never answers is waited for in vain; the others may be slow on a busy machine.
    let short = Duration::from_millis(500);
    match behaviour {
        "hang-go" | "half-go" | "endless-go" => launch.patience.think = short,
        "hang-isready" => launch.patience.ready = short,
        _ => {}
    }
    let mut fake = Foreign::start("fake", &launch, None).unwrap();
    let mut random = Searcher::new("random", Box::new(RandomPlayer));
    let start = Minishogi::default();
    let conditions = Conditions { move_limit: 300, time: None, resign: None, draw: None };
    let stop = Arc::new(AtomicBool::new(false));
    let budgets = [Budget { nodes: Some(1), ..Budget::default() }; 2];
    let seed = Seed::new(1);
    let setup = Setup { start: &start, opening: &[], conditions: &conditions, time: None, budgets, seed, stop: &stop };
    let played = referee::play(&setup, [&mut fake, &mut random]).unwrap();
    (played.finish, played.broken[0])
}

#[test]
fn every_fault_has_its_reason() {
    for (behaviour, reason, broken) in [
        ("resign", Reason::Resign, false),
        ("illegal", Reason::Illegal, false),
        ("good", Reason::Illegal, false),
        ("win", Reason::Illegal, false),
        ("hang-go", Reason::Timeout, true),
        ("half-go", Reason::Timeout, true),
        ("endless-go", Reason::Timeout, true),
    ] {
        let (finish, was_broken) = game(behaviour);
        assert_eq!(finish.reason, reason, "{behaviour}: {}", finish.detail);
        assert_eq!(finish.outcome, Some(Outcome::Win(Color::White)), "{behaviour}");
        assert_eq!(was_broken, broken, "{behaviour}");
    }
    // It never played anything: neither side loses.
    for behaviour in ["hang-isready", "crash-isready", "crash-go", "mute-go", "empty"] {
        let (finish, broken) = game(behaviour);
        assert_eq!(
            (finish.reason, finish.outcome, broken),
            (Reason::Void, None, true),
            "{behaviour}: {}",
            finish.detail
        );
    }
}
