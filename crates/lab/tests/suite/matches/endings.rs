//! Every reason for which a game can end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use yomi_core::clock::Stopwatch;
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Color, Seed};
use yomi_games::shogi::Minishogi;
use yomi_lab::budget::Budget;
use yomi_lab::conditions::{Conditions, DrawRule, ResignRule};
use yomi_lab::config::MatchConfig;
use yomi_lab::ending::{Finish, Reason};
use yomi_lab::referee::{Setup, play_timed};
use yomi_lab::row::{GameResult, GameRow};

use super::actors::{Actor, Scratch, arena, config, played};

/// The first game of a match between these two.
fn game(change: impl Fn(&mut MatchConfig), players: [&str; 2]) -> GameRow {
    let scratch = Scratch::new(&format!("endings-{}-{}", players[0], players[1]));
    let mut config = config("connect-four", &players, 2);
    change(&mut config);
    let (rows, ..) = played(&config, &*arena::<ConnectFour>("connect-four"), &scratch, 1);
    rows[0].clone()
}

fn ended(change: impl Fn(&mut MatchConfig), players: [&str; 2]) -> (GameResult, Reason) {
    let row = game(change, players);
    (row.result, row.reason)
}

#[test]
fn players_lose_by_their_own_faults() {
    let white_wins = |reason| (GameResult::Second, reason);
    assert_eq!(ended(|_| (), ["first", "last"]), (GameResult::First, Reason::Normal));
    assert_eq!(ended(|_| (), ["resigns", "first"]), white_wins(Reason::Resign));
    assert_eq!(ended(|_| (), ["babbles", "first"]), white_wins(Reason::Illegal));
    assert_eq!(ended(|_| (), ["declares", "first"]), white_wins(Reason::Illegal), "nothing to declare in this game");
    assert_eq!(ended(|_| (), ["crashes", "first"]), white_wins(Reason::Crash));
    assert_eq!(ended(|_| (), ["hangs", "first"]), white_wins(Reason::Timeout));
    let row = game(|_| (), ["crashes", "first"]);
    assert_eq!((row.detail.as_str(), row.plies), ("Black: it died", 2));
}

#[test]
fn an_illegal_move_is_seen_by_the_referee() {
    let scratch = Scratch::new("cheat");
    let (rows, ..) =
        played(&config("tic-tac-toe", &["cheats", "first"], 2), &*arena::<TicTacToe>("tic-tac-toe"), &scratch, 1);
    assert_eq!((rows[0].result, rows[0].reason), (GameResult::Second, Reason::Illegal));
    assert_eq!((rows[1].result, rows[1].reason), (GameResult::First, Reason::Illegal), "with the other colour too");
}

/// A game under these clocks in which every move takes 30 ms: no clock is read, each reading is so much later than the one before.
fn timed(time: &str) -> Finish {
    fn watch() -> Stopwatch {
        static READINGS: AtomicU64 = AtomicU64::new(0);
        Stopwatch::counted(&READINGS, Duration::from_millis(30))
    }
    let conditions = Conditions { move_limit: 200, time: Some(time.into()), resign: None, draw: None };
    let setup = Setup {
        start: &ConnectFour::default(),
        opening: &[],
        conditions: &conditions,
        time: Some(time.parse().unwrap()),
        budgets: [Budget::default(); 2],
        seed: Seed::new(1),
        stop: &Arc::new(AtomicBool::new(false)),
    };
    play_timed(&setup, [&mut Actor::new("first"), &mut Actor::new("last")], watch).unwrap().finish
}

#[test]
fn clocks_are_kept() {
    let lost = |detail: &str| Finish::lost_by(Color::Black, Reason::Timeout, detail.to_string());
    assert_eq!(timed("0/0.029"), lost("Black took 0.030 s"));
    assert_eq!(timed("0.06"), lost("Black took 0.030 s"), "main time is used up");
    for enough in ["0/0.03", "0/0.029~0.001", "0.03+0.03", "0.12"] {
        assert_eq!(timed(enough).reason, Reason::Normal, "{enough}");
    }
    // The clocks of a match are those that its players see.
    let hour = |config: &mut MatchConfig| config.conditions.time = Some("3600".into());
    assert_eq!(ended(hour, ["timed", "first"]).1, Reason::Normal);
    assert_eq!(ended(|_| (), ["timed", "first"]), (GameResult::Second, Reason::Resign));
}

#[test]
fn the_referee_calls_games_early() {
    let rule = |text: &str| Some(ResignRule::parse(text).unwrap());
    let one = |config: &mut MatchConfig| config.conditions.resign = rule("score=500,moves=2");
    assert_eq!(ended(one, ["pessimist", "realist"]), (GameResult::Second, Reason::Adjudicated));
    let both = |config: &mut MatchConfig| config.conditions.resign = rule("score=500,moves=2,two-sided=true");
    assert_eq!(ended(both, ["pessimist", "realist"]).1, Reason::Normal);
    assert_eq!(ended(both, ["pessimist", "optimist"]), (GameResult::Second, Reason::Adjudicated));
    let draw = |config: &mut MatchConfig| config.conditions.draw = Some(DrawRule::parse("score=10,moves=2").unwrap());
    assert_eq!(ended(draw, ["realist", "realist "]), (GameResult::Draw, Reason::Adjudicated));
    let short = |config: &mut MatchConfig| config.conditions.move_limit = 5;
    assert_eq!(ended(short, ["first", "last"]), (GameResult::Draw, Reason::MoveLimit));
}

#[test]
fn void_games_are_written_down_and_do_not_count() {
    let row = game(|_| (), ["broken", "first"]);
    assert_eq!((row.result, row.reason), (GameResult::None, Reason::Void));
    assert!(row.detail.contains("our own fault"), "{}", row.detail);
}

#[test]
fn other_games_end_by_their_rules() {
    let scratch = Scratch::new("nim");
    let (rows, ..) = played(&config("nim", &["first", "random"], 2), &*arena::<Nim>("nim"), &scratch, 1);
    assert!(rows.iter().all(|row| row.reason == Reason::Normal && row.counts()));
    let scratch = Scratch::new("mini");
    let (rows, ..) =
        played(&config("minishogi", &["random", "first"], 2), &*arena::<Minishogi>("minishogi"), &scratch, 1);
    assert!(rows.iter().all(GameRow::counts), "{rows:?}");
}
