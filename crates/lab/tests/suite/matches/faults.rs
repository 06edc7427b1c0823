//! Void games, torn ledgers, bad directories.

use std::io::Write;

use yomi_core::toy::TicTacToe;
use yomi_lab::directory::RunDirectory;
use yomi_lab::error::LabError;
use yomi_lab::plan::MatchPlan;
use yomi_lab::runner::{Controls, RunEnd, run};

use super::actors::{Scratch, arena, config, played, sorted};

#[test]
fn void_games_are_played_again() {
    let scratch = Scratch::new("moody");
    let (rows, standing, end) =
        played(&config("tic-tac-toe", &["moody", "random"], 8), &*arena::<TicTacToe>("tic-tac-toe"), &scratch, 1);
    assert_eq!((end, standing.games), (RunEnd::Complete, 8));
    assert!(standing.voids > 0 && rows.len() as u64 == standing.games + standing.voids);
}

#[test]
fn two_voids_in_a_row_give_a_pairing_up_and_spare_the_others() {
    let scratch = Scratch::new("never");
    let config = config("tic-tac-toe", &["never", "random", "first"], 4);
    let (rows, standing, end) = played(&config, &*arena::<TicTacToe>("tic-tac-toe"), &scratch, 1);
    assert_eq!(end, RunEnd::GivenUp);
    assert_eq!(standing.games, 4, "random against first");
    assert_eq!(rows.iter().filter(|row| !row.counts()).count(), 4, "two of each pairing with the one that never comes");
    assert!(standing.pairings[0].given_up.as_deref().is_some_and(|why| why.contains("out of order")));
}

#[test]
fn a_torn_line_is_cut_off_and_its_game_played_again() {
    let (whole, torn) = (Scratch::new("whole"), Scratch::new("torn"));
    let config = config("tic-tac-toe", &["random", "random "], 10);
    let arena = arena::<TicTacToe>("tic-tac-toe");
    let (expected, ..) = played(&config, &*arena, &whole, 1);
    played(&config, &*arena, &torn, 1);
    let path = torn.0.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    for cut in [text.len() - 1, text.len() - 40, text.len() / 2, 3, 0] {
        std::fs::write(&path, &text[..cut]).unwrap();
        let (rows, ..) = played(&config, &*arena, &torn, 2);
        assert_eq!(rows, expected, "cut at {cut}");
    }
    // A line that is wrong in the middle is not a torn line.
    let broken = text.replacen("\"job\":1,", "\"job\":x,", 1);
    std::fs::write(&path, &broken).unwrap();
    let plan = MatchPlan::new(config, Vec::new()).unwrap();
    let directory = RunDirectory::create(&torn.0, &plan).unwrap();
    let error = run(&plan, &*arena, &directory, 1, &Controls::default(), &mut ()).unwrap_err().to_string();
    assert!(error.contains("games.jsonl") && error.contains("line 2"), "{error}");
}

#[test]
fn two_runners_never_write_one_ledger() {
    let scratch = Scratch::new("lock");
    let plan = MatchPlan::new(config("tic-tac-toe", &["random", "first"], 2), Vec::new()).unwrap();
    let directory = RunDirectory::create(&scratch.0, &plan).unwrap();
    let (held, _) = directory.ledger().unwrap();
    assert!(matches!(directory.ledger(), Err(LabError::Locked(_))));
    drop(held);
    directory.ledger().expect("free again");
}

#[test]
fn a_ledger_of_another_schedule_is_refused() {
    let scratch = Scratch::new("other");
    let arena = arena::<TicTacToe>("tic-tac-toe");
    played(&config("tic-tac-toe", &["random", "first"], 2), &*arena, &scratch, 1);
    let other = MatchPlan::new(config("tic-tac-toe", &["first", "random"], 2), Vec::new()).unwrap();
    let error = RunDirectory::create(&scratch.0, &other).unwrap_err().to_string();
    assert!(error.contains("another match"), "{error}");
    // The same row twice is refused as well.
    let path = scratch.0.join("games.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
    let plan = MatchPlan::new(config("tic-tac-toe", &["random", "first"], 4), Vec::new()).unwrap();
    let directory = RunDirectory::create(&scratch.0, &plan).unwrap();
    let error = run(&plan, &*arena, &directory, 1, &Controls::default(), &mut ()).unwrap_err().to_string();
    assert!(error.contains("twice"), "{error}");
}

#[test]
fn a_directory_that_cannot_be_written_gives_a_clear_error() {
    let scratch = Scratch::new("file");
    let path = scratch.0.join("file");
    std::fs::write(&path, "no directory").unwrap();
    let plan = MatchPlan::new(config("tic-tac-toe", &["random", "first"], 2), Vec::new()).unwrap();
    let error = RunDirectory::create(&path.join("run"), &plan).unwrap_err().to_string();
    assert!(error.starts_with("cannot create") && error.contains("run"), "{error}");
}

#[test]
fn a_match_can_be_made_longer() {
    let (short, long) = (Scratch::new("short"), Scratch::new("long"));
    let arena = arena::<TicTacToe>("tic-tac-toe");
    let at = |games| config("tic-tac-toe", &["random", "random "], games);
    played(&at(4), &*arena, &short, 1);
    let (longer, ..) = played(&at(10), &*arena, &short, 1);
    let (expected, ..) = played(&at(10), &*arena, &long, 1);
    assert_eq!(longer, expected);
    let (directory, plan) = RunDirectory::open(&short.0).unwrap();
    assert_eq!((plan.config.games, sorted(&directory).len()), (10, 10));
}

#[test]
fn a_drained_match_goes_on_later() {
    let scratch = Scratch::new("drain");
    let plan = MatchPlan::new(config("tic-tac-toe", &["random", "first"], 4), Vec::new()).unwrap();
    let directory = RunDirectory::create(&scratch.0, &plan).unwrap();
    let controls = Controls::default();
    controls.drain.store(true, std::sync::atomic::Ordering::Relaxed);
    let arena = arena::<TicTacToe>("tic-tac-toe");
    let (standing, end) = run(&plan, &*arena, &directory, 2, &controls, &mut ()).unwrap();
    assert_eq!((standing.games, end), (0, RunEnd::Interrupted));
    let (standing, end) = run(&plan, &*arena, &directory, 2, &Controls::default(), &mut ()).unwrap();
    assert_eq!((standing.games, end), (4, RunEnd::Complete));
}
