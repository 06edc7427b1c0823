//! What a GTP program is sent: the values in force, in words that a strict program takes; and what comes of a count that
//! differs from the referee's.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{Line, Notation, Seed, Spec};
use yomi_games::Game;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_lab::budget::Budget;
use yomi_lab::clock::{Clocks, TimeControl};
use yomi_lab::conditions::Conditions;
use yomi_lab::player::{NewGame, Player, Turn};
use yomi_lab::players::Foreign;
use yomi_lab::referee::{self, Played, Setup};
use yomi_protocol::client::Launch;
use yomi_search::Limits;

fn launch(behaviour: &str) -> Launch {
    format!("gtp(\"{} gtp {behaviour}\")", env!("CARGO_BIN_EXE_fake-engine")).parse().unwrap()
}

fn log_file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("yomi-settings-{}-{name}.log", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// What a strict program is sent up to its first move in this game, without the numbers of the commands; a refusal is a failure.
fn settings_sent<P: Game>(game: &str, behaviour: &str, time: Option<&str>, name: &str) -> Vec<String> {
    let log = log_file(name);
    let mut player =
        Foreign::start("strict", &launch(behaviour), Some(Box::new(fs::File::create(&log).unwrap()))).unwrap();
    let start = P::start(&Spec::parse(game).unwrap()).unwrap();
    let time: Option<TimeControl> = time.map(|text| text.parse().unwrap());
    let color = start.turn();
    player.new_game(&NewGame { start: &start, opening: &[], color, time, seed: Seed::new(1) }).unwrap();
    let line = Line::new(start.clone());
    let stop = Arc::new(AtomicBool::new(false));
    let clocks = time.as_ref().map(Clocks::start);
    let turn = Turn { start: &start, moves: &[], line: &line, clocks, limits: &Limits::infinite(), stop: &stop };
    player.choose(&turn).unwrap_or_else(|fault| panic!("{game} {behaviour}: {fault}"));
    drop(player);
    let text = fs::read_to_string(&log).unwrap();
    fs::remove_file(&log).unwrap();
    assert!(!text.contains(" < ?"), "{game} {behaviour}: something was refused:\n{text}");
    let sent = text.lines().filter_map(|line| line.split_once(" > ").map(|(_, said)| said));
    sent.map(|said| said.split_once(' ').unwrap_or_default().1.to_string()).collect()
}

/// The one command of this name that was sent.
fn one<'a>(sent: &'a [String], command: &str) -> &'a str {
    let found: Vec<&String> = sent.iter().filter(|said| said.split(' ').next() == Some(command)).collect();
    assert_eq!(found.len(), 1, "{command}: {sent:?}");
    found[0]
}

fn has(sent: &[String], command: &str) -> bool {
    sent.iter().any(|said| said.split(' ').next() == Some(command))
}

/// The default komi of area and territory scoring, and any that is typed.
#[test]
fn komi_is_the_number_in_force() {
    for (number, (game, komi)) in [
        ("go9", "7.5"),
        ("go9(komi=7)", "7"),
        ("go9(komi=0)", "0"),
        ("go9(komi=-3.5)", "-3.5"),
        ("go9(scoring=territory)", "6.5"),
        ("go9(scoring=territory,komi=7.5)", "7.5"),
        ("go9(rules=japanese)", "6.5"),
        ("go9(rules=korean,komi=0.5)", "0.5"),
        ("go9(rules=chinese,suicide=true)", "7.5"),
        ("go9(rules=tromp-taylor)", "7.5"),
        ("go9(rules=aga,komi=-12)", "-12"),
        ("go9(rules=nz,ko=positional)", "7.5"),
        ("go9(rules=goe)", "7.5"),
        ("go9(ko=simple)", "7.5"),
        ("go5(ko=situational,suicide=true,komi=24.5)", "24.5"),
    ]
    .into_iter()
    .enumerate()
    {
        let sent = settings_sent::<Go9>(game, "strict", None, &format!("komi{number}"));
        assert_eq!(one(&sent, "komi"), format!("komi {komi}"), "{game}");
    }
    let sent = settings_sent::<Go13>("go13(rules=japanese)", "strict", None, "komi13");
    assert_eq!((one(&sent, "boardsize"), one(&sent, "komi")), ("boardsize 13", "komi 6.5"));
    let sent = settings_sent::<Go19>("go19", "strict", None, "komi19");
    assert_eq!((one(&sent, "boardsize"), one(&sent, "komi")), ("boardsize 19", "komi 7.5"));
}

/// Programs that take rules get them, by a name only where it means the same.
#[test]
fn rules_are_those_in_force() {
    for (number, (game, name)) in [
        ("go9", Some("chinese")),
        ("go9(rules=chinese)", Some("chinese")),
        ("go9(rules=chinese,handicap=2)", Some("chinese")),
        ("go9(rules=japanese)", Some("japanese")),
        ("go9(rules=aga)", Some("aga")),
        ("go9(rules=nz)", Some("new_zealand")),
        ("go9(rules=tromp-taylor)", None),
        ("go9(suicide=true)", None),
        ("go9(ko=simple)", None),
        ("go9(handicap=2)", None),
    ]
    .into_iter()
    .enumerate()
    {
        let sent = settings_sent::<Go9>(game, "strict", None, &format!("rules{number}"));
        match name {
            Some(name) => assert_eq!(one(&sent, "kgs-rules"), format!("kgs-rules {name}"), "{game}"),
            None => assert!(!has(&sent, "kgs-rules"), "{game}: {sent:?}"),
        }
        let sent = settings_sent::<Go9>(game, "strict-kata", None, &format!("kata{number}"));
        let said = one(&sent, "kata-set-rules");
        assert!(!has(&sent, "kgs-rules"), "{game}: {sent:?}");
        let rules = Go9::start(&Spec::parse(game).unwrap()).unwrap().ruleset();
        let expected = [
            format!("\"suicide\":{}", rules.suicide),
            format!("\"ko\":\"{}\"", format!("{:?}", rules.ko).to_uppercase()),
            format!("\"scoring\":\"{}\"", format!("{:?}", rules.scoring).to_uppercase()),
        ];
        assert!(expected.iter().all(|part| said.contains(part.as_str())), "{game}: {said}");
        let place = |command: &str| sent.iter().position(|said| said.starts_with(command));
        assert!(place("kata-set-rules") < place("komi"), "rules may bring a komi of their own: {sent:?}");
    }
}

#[test]
fn handicap_stones_and_clocks_are_numbers_too() {
    let sent = settings_sent::<Go9>("go9(handicap=3)", "strict", None, "handicap");
    let stones = one(&sent, "set_free_handicap");
    assert_eq!((stones.split(' ').count(), one(&sent, "genmove")), (4, "genmove w"), "{sent:?}");
    for (number, (time, settings, left)) in [
        ("300", "time_settings 300 0 0", "time_left b 300 0"),
        ("300/10", "time_settings 300 10 1", "time_left b 300 0"),
        ("0/2.5", "time_settings 0 2 1", "time_left b 2 1"),
        ("10/0.5", "time_settings 10 0 0", "time_left b 10 0"),
    ]
    .into_iter()
    .enumerate()
    {
        let sent = settings_sent::<Go9>("go9", "strict", Some(time), &format!("time{number}"));
        assert_eq!((one(&sent, "time_settings"), one(&sent, "time_left")), (settings, left), "{time}");
    }
}

/// A game of a program that passes against another, from a board where Black holds the left, White the right, and a White stone stands
/// at B4 among Black's.
fn counted(rules: &str, said: &str) -> Played<<Go9 as yomi_core::Position>::Move> {
    let start = Go9::start(&Spec::parse(rules).unwrap()).unwrap();
    let start = start.parse_position("..bw./.wbw./..bw./..bww/..bw. b - 0").unwrap();
    let mut fakes = [said, "0 0"].map(|said| Foreign::start("count", &launch(&format!("count {said}")), None).unwrap());
    let conditions = Conditions { move_limit: 300, time: None, resign: None, draw: None };
    let stop = Arc::new(AtomicBool::new(false));
    let (budgets, seed) = ([Budget::default(); 2], Seed::new(1));
    let setup = Setup { start: &start, opening: &[], conditions: &conditions, time: None, budgets, seed, stop: &stop };
    let [black, white] = &mut fakes;
    referee::play(&setup, [black, white]).unwrap()
}

#[test]
fn a_count_that_differs_is_remarked_with_its_reason() {
    for (said, reason) in [
        ("W+6.5 0.5", None),
        ("W+Resign 0.5", None),
        (
            "B+4.5 0.5 B4",
            Some("counts B+4.5 where the referee counts W+6.5: it takes 1 stone on the board for dead (B4)"),
        ),
        ("W+13.5 7.5", Some("counts W+13.5 where the referee counts W+6.5: its komi is 7.5, the referee's 0.5")),
        ("W+4.5 0.5", Some("counts W+4.5 where the referee counts W+6.5: it counts territory, the referee area")),
        ("B+40.5 0.5 B4", Some("counts B+40.5 where the referee counts W+6.5: why cannot be seen from here")),
    ] {
        let played = counted("go5(komi=0.5)", said);
        assert_eq!(played.finish.detail, "W+6.5");
        assert_eq!(played.remarks[0].as_deref(), reason, "{said}");
        assert!(played.remarks[1].is_some(), "White counts a draw");
    }
}
