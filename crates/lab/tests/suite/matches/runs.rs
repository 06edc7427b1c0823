//! Whole runs: order, duplicates, sequential tests, reports, verification.

use yomi_core::toy::{ConnectFour, TicTacToe};
use yomi_games::go::Go9;
use yomi_games::shogi::Minishogi;
use yomi_lab::arena::Place;
use yomi_lab::config::SprtConfig;
use yomi_lab::directory::RunDirectory;
use yomi_lab::plan::MatchPlan;
use yomi_lab::report::{self, Records};
use yomi_lab::row::{GameResult, GameRow};
use yomi_lab::runner::RunEnd;
use yomi_lab::statistics::Decision;
use yomi_lab::statistics::ratings::read_games;
use yomi_lab::summary::Summary;
use yomi_lab::verify::verify;

use super::actors::{Scratch, arena, config, played};

#[test]
fn one_thread_and_two_play_the_same_games() {
    let (one, two) = (Scratch::new("one"), Scratch::new("two"));
    let config = config("connect-four", &["random", "first", "last"], 12);
    let arena = arena::<ConnectFour>("connect-four");
    let (first, standing, end) = played(&config, &*arena, &one, 1);
    let (second, ..) = played(&config, &*arena, &two, 2);
    assert_eq!((first.len(), standing.games, end), (36, 36, RunEnd::Complete));
    assert_eq!(first, second);
}

#[test]
fn players_without_chance_repeat_themselves_and_are_caught() {
    let scratch = Scratch::new("repeat");
    let config = config("connect-four", &["first", "last"], 20);
    let arena = arena::<ConnectFour>("connect-four");
    let (rows, ..) = played(&config, &*arena, &scratch, 1);
    let plan = MatchPlan::new(config, Vec::new()).unwrap();
    let summary = Summary::of(&plan, &rows).unwrap();
    assert_eq!(summary.unique(), 2);
    assert!(
        summary.warnings.iter().any(|warning| warning.contains("only 2 of 20 games are unique")),
        "{:?}",
        summary.warnings
    );
}

/// Games that are images of each other under a rotation have one identity.
#[test]
fn rotated_games_are_the_same_game() {
    let game = arena::<Go9>("go9");
    let mut config = config("go9", &["first", "last"], 2);
    config.conditions.move_limit = 3;
    let plan = MatchPlan::new(config, Vec::new()).unwrap();
    let mut table = game.table(&plan.config, Place::default()).unwrap();
    let mut identity = |moves: &str| {
        let mut job = plan.job(0, &*game).unwrap();
        job.opening.moves = moves.into();
        table.play(&job, &Default::default()).unwrap().identity
    };
    let game = identity("C3 G7 D4");
    assert_eq!(game, identity("G3 C7 F4"), "mirrored");
    assert_eq!(game, identity("G7 C3 F6"), "half a turn");
    assert_ne!(game, identity("C3 G7 D5"));
}

#[test]
fn a_sequential_test_stops_by_the_prefix_whatever_the_threads() {
    let mut config = config("tic-tac-toe", &["first", "random"], 2000);
    config.sprt = Some(SprtConfig { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, logistic: false });
    let arena = arena::<TicTacToe>("tic-tac-toe");
    let stops: Vec<_> = [1, 3]
        .map(|threads| {
            let scratch = Scratch::new(&format!("sprt{threads}"));
            let (_, standing, end) = played(&config, &*arena, &scratch, threads);
            assert_eq!(end, RunEnd::Complete);
            assert!(standing.games < 2000);
            standing.pairings[0].sequence.as_ref().unwrap().stop().unwrap()
        })
        .into();
    assert_eq!(stops[0], stops[1]);
    assert_ne!(stops[0].decision, Decision::Continue);
}

#[test]
fn a_run_directory_has_everything() {
    let scratch = Scratch::new("report");
    let config = config("minishogi", &["random", "first", "last"], 2);
    let arena = arena::<Minishogi>("minishogi");
    played(&config, &*arena, &scratch, 1);
    let (directory, plan) = RunDirectory::open(&scratch.0).unwrap();
    let rows = directory.rows().unwrap();
    let summary = report::write(&plan, &*arena, &directory, &rows, Records::All, "toys 1").unwrap();
    assert_eq!(summary.standing.games, 6);
    let html = directory.read("report.html").unwrap();
    assert!(html.contains("<svg") && html.contains("class=\"replay\"") && !html.contains("src="), "self-contained");
    assert!(directory.read("report.md").unwrap().contains("| random | first |"));
    for file in
        ["plots/scores.svg", "plots/ratings.svg", "plots/board-1.svg", "records/0.kifu", "records/5.csa", "config.toml"]
    {
        assert!(directory.file(file).exists(), "{file}");
    }
    let json: serde_json::Value = serde_json::from_str(&directory.read("summary.json").unwrap()).unwrap();
    assert_eq!(json["games"], 6);
    assert_eq!(json["pairings"].as_array().unwrap().len(), 3);
    // The ratings of the statistics read the ledger and the PGN, and find the same games.
    let [pgn, ledger] = ["results.pgn", "games.jsonl"].map(|file| read_games(&directory.read(file).unwrap()).unwrap());
    assert_eq!(pgn.games().values().map(|n| n.iter().sum::<u64>()).sum::<u64>(), 6);
    assert_eq!(pgn.games().len(), ledger.games().len());
    // Records are read back as the same games.
    let csa = std::fs::read(directory.file("records/3.csa")).unwrap();
    let row = rows.iter().find(|row| row.job == 3).unwrap();
    let openings = arena.read_openings(&csa, "csa", Some(row.plies as usize - 1)).unwrap();
    assert!(row.moves.starts_with(&openings[0].moves));
}

#[test]
fn verification_finds_what_was_changed() {
    let scratch = Scratch::new("verify");
    let config = config("connect-four", &["random", "random "], 8);
    let arena = arena::<ConnectFour>("connect-four");
    let (rows, ..) = played(&config, &*arena, &scratch, 1);
    let plan = MatchPlan::new(config, Vec::new()).unwrap();
    let check = |rows: &[GameRow]| verify(&plan, &*arena, rows, 8, 1).unwrap();
    let honest = check(&rows);
    assert_eq!((honest.checked, honest.replayed, honest.same), (8, 8, 8));
    assert!(honest.differences.is_empty() && honest.changed.is_empty());
    let tampered = |change: &dyn Fn(&mut GameRow)| {
        let mut rows = rows.clone();
        change(&mut rows[3]);
        let found = check(&rows);
        [found.differences, found.changed].concat()
    };
    let turned = |row: &GameRow| if row.result == GameResult::First { GameResult::Second } else { GameResult::First };
    let found = tampered(&|row| row.result = turned(row));
    assert!(found.iter().any(|line| line.contains("game 3")), "{found:?}");
    assert!(!tampered(&|row| row.seed += 1).is_empty());
    let other_first_move =
        |row: &GameRow| format!("{}{}", if row.moves.starts_with('1') { 2 } else { 1 }, &row.moves[1..]);
    assert!(!tampered(&|row| row.moves = other_first_move(row)).is_empty());
    assert!(!tampered(&|row| row.first = "somebody".into()).is_empty());
    assert!(!tampered(&|row| row.detail = "agreed".into()).is_empty());
    assert!(tampered(&|row| row.ms = [5.0, 6.0]).is_empty(), "times differ from run to run");
}
