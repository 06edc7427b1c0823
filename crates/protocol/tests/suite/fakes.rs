//! Engines that hang, crash, lie, speak half lines, start slowly and flood: the right reason each time, nothing hangs, nothing is left.
#![cfg(unix)]

use crate::gone;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use yomi_core::Color;
use yomi_protocol::client::fault::Exit;
use yomi_protocol::client::{Action, Answer, Engine, Fault, Launch, Phase, Question, Reason, Setup};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn launch(language: &str, behaviour: &str) -> Launch {
    let text = format!("{language}(\"{} {language} {behaviour}\")", env!("CARGO_BIN_EXE_fake-engine"));
    let mut launch: Launch = text.parse().unwrap();
    launch.patience.quit = if behaviour == "immortal" { Duration::from_millis(300) } else { long() };
    launch
}

fn setup(family: &str) -> Setup {
    Setup {
        family: family.to_string(),
        game: if family == "go" { "go3".to_string() } else { family.to_string() },
        rules: if family == "go" { "go3".to_string() } else { family.to_string() },
        position: ".../.../... b - 0".to_string(),
        standard: true,
        first: Color::Black,
        color: Color::Black,
        seed: 1,
    }
}

fn ask<'a>(moves: &'a [String], ms: Option<u64>, stop: &'a AtomicBool) -> Question<'a> {
    let time = ms.map(Duration::from_millis);
    Question { moves, turn: Color::Black, nodes: None, depth: None, time, clocks: None, grace: Duration::ZERO, stop }
}

/// Plays one move; `ms` is the patience of every phase.
fn play(launch: &Launch, family: &str) -> Result<(Box<dyn Engine>, Answer), Fault> {
    let mut engine = launch.start(None)?;
    engine.new_game(&setup(family))?;
    let answer = engine.think(&ask(&[], None, &GO_ON))?;
    Ok((engine, answer))
}

/// The same with little patience for those that never answer; the others may be slow on a busy machine.
fn fails(language: &str, behaviour: &str) -> Fault {
    let mut launch = launch(language, behaviour);
    let never =
        ["hang-", "half-go", "half-genmove", "endless-", "deaf"].iter().any(|start| behaviour.starts_with(start));
    let short = if never { Duration::from_millis(400) } else { long() };
    (launch.patience.think, launch.patience.grace) = (short, short);
    // Nor must the well-behaved phases fail.
    let hangs_early = behaviour.ends_with("usi") || behaviour.ends_with("name") || behaviour == "deaf";
    (launch.patience.start, launch.patience.ready) = if hangs_early { (short, short) } else { (long(), long()) };
    if behaviour.ends_with("isready") || behaviour.ends_with("clear_board") || behaviour.ends_with("echo") {
        launch.patience.ready = short;
    }
    let family = if language == "gtp" { "go" } else { "shogi" };
    match play(&launch, family) {
        Err(fault) => fault,
        Ok((_, answer)) => panic!("{language} {behaviour} answers {answer:?}"),
    }
}

fn long() -> Duration {
    Duration::from_secs(30)
}

fn answers(language: &str, behaviour: &str) -> Answer {
    let family = if language == "gtp" { "go" } else { "shogi" };
    play(&launch(language, behaviour), family).unwrap_or_else(|fault| panic!("{language} {behaviour}: {fault}")).1
}

/// Nothing of the processes that an engine's name names is left.
fn assert_gone(name: &str) {
    name.split(' ').skip(1).for_each(gone::assert_gone);
}

#[test]
fn good_engines_play_and_leave() {
    for (language, family, mv) in [("usi", "shogi", "m1"), ("gtp", "go", "D4"), ("xboard", "minishogi", "m1")] {
        let (mut engine, answer) = play(&launch(language, "good"), family).unwrap();
        assert_eq!(answer.action, Action::Move(mv.to_string()), "{language}");
        let name = engine.name().to_string();
        assert!(name.starts_with("fake "), "{name}");
        let moves = [mv.to_string(), "2b2c".to_string()];
        assert!(matches!(engine.think(&ask(&moves, None, &GO_ON)).unwrap().action, Action::Move(_)));
        engine.game_over(Some(Color::Black)).unwrap();
        engine.new_game(&setup(family)).unwrap();
        assert_eq!(engine.quit(), Ok(()));
        drop(engine);
        assert_gone(&name);
    }
}

#[test]
fn reports_are_collected() {
    let report = answers("usi", "good").report;
    assert_eq!((report.depth, report.nodes, report.centipawns), (Some(3), Some(7), Some(5)));
    assert_eq!(report.line, ["m1", "m2"]);
}

#[test]
fn resignations_and_declarations() {
    assert_eq!(answers("usi", "resign").action, Action::Resign);
    assert_eq!(answers("usi", "win").action, Action::Win);
    assert_eq!(answers("gtp", "resign").action, Action::Resign);
    assert_eq!(answers("xboard", "resign").action, Action::Resign);
}

#[test]
fn illegal_moves_are_for_the_referee() {
    assert_eq!(answers("usi", "illegal").action, Action::Move("9z9z".to_string()));
    assert_eq!(answers("gtp", "illegal").action, Action::Move("9z9z".to_string()));
}

#[test]
fn hanging_is_a_timeout_of_its_phase() {
    for (language, behaviour, phase) in [
        ("usi", "hang-usi", Phase::Start),
        ("usi", "hang-isready", Phase::Ready),
        ("usi", "hang-go", Phase::Move),
        ("usi", "half-go", Phase::Move),
        ("usi", "endless-go", Phase::Move),
        ("usi", "deaf", Phase::Start),
        ("gtp", "hang-name", Phase::Start),
        ("gtp", "hang-clear_board", Phase::Setup),
        ("gtp", "hang-genmove", Phase::Move),
        ("gtp", "half-genmove", Phase::Move),
        ("gtp", "endless-genmove", Phase::Move),
        ("xboard", "hang-usi", Phase::Start),
        ("xboard", "hang-go", Phase::Move),
    ] {
        let fault = fails(language, behaviour);
        assert!(matches!(fault.reason, Reason::Timeout(_)), "{language} {behaviour}: {fault}");
        assert_eq!(fault.phase, phase, "{language} {behaviour}: {fault}");
    }
}

#[test]
fn crashes_tell_how_and_why() {
    for (language, behaviour, phase, exit) in [
        ("usi", "crash-usi", Phase::Start, Exit::Status(3)),
        ("usi", "crash-isready", Phase::Ready, Exit::Status(3)),
        ("usi", "crash-go", Phase::Move, Exit::Status(3)),
        ("usi", "abort-go", Phase::Move, Exit::Signal(6)),
        ("usi", "half-crash-go", Phase::Move, Exit::Status(0)),
        ("usi", "mute-go", Phase::Move, Exit::Silent),
        ("usi", "grandchild-go", Phase::Move, Exit::Status(4)),
        ("gtp", "crash-genmove", Phase::Move, Exit::Status(3)),
        ("gtp", "crash-clear_board", Phase::Setup, Exit::Status(3)),
        ("xboard", "crash-go", Phase::Move, Exit::Status(3)),
    ] {
        let fault = fails(language, behaviour);
        assert_eq!(fault.reason, Reason::Crash(exit), "{language} {behaviour}: {fault}");
        assert_eq!(fault.phase, phase, "{language} {behaviour}: {fault}");
        if behaviour.starts_with("crash") {
            assert!(fault.to_string().contains("out of luck at"), "{fault}");
        }
    }
}

#[test]
fn nonsense_is_quoted() {
    for (language, behaviour, said) in [
        ("usi", "empty", "bestmove"),
        ("gtp", "talkative", "I think D4"),
        ("gtp", "refuse-genmove", "? no"),
        ("xboard", "draw", "Drawn game!"),
    ] {
        let fault = fails(language, behaviour);
        match &fault.reason {
            Reason::Nonsense { said: heard, .. } => assert_eq!(heard.trim(), said),
            _ => panic!("{language} {behaviour}: {fault}"),
        }
    }
}

#[test]
fn slow_and_piecemeal_engines_are_understood() {
    for (language, behaviour) in [
        ("usi", "slow-usi"),
        ("usi", "slow-isready"),
        ("usi", "slow-go"),
        ("usi", "bits-go"),
        ("usi", "binary-go"),
        ("gtp", "slow-genmove"),
        ("gtp", "late"),
        ("gtp", "terse"),
    ] {
        assert!(matches!(answers(language, behaviour).action, Action::Move(_)), "{language} {behaviour}");
    }
}

#[test]
fn floods_cost_no_memory() {
    let before = resident();
    for behaviour in ["stderr-flood-go", "stdout-flood-go", "long-line-go", "stderr-flood-usi"] {
        assert_eq!(answers("usi", behaviour).action, Action::Move("m1".to_string()), "{behaviour}");
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 16 << 20, "grown by {} KiB", grown / 1024);
}

/// Bytes of memory in use.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap() * 4096
}

#[test]
fn a_program_that_does_not_leave_is_killed() {
    for behaviour in ["immortal", "grandchild", "good"] {
        let (mut engine, _) = play(&launch("usi", behaviour), "shogi").unwrap();
        let name = engine.name().to_string();
        if behaviour == "immortal" {
            let fault = engine.quit().unwrap_err();
            assert_eq!((fault.phase, &fault.reason), (Phase::Quit, &Reason::Timeout(Duration::from_millis(300))));
        }
        drop(engine);
        assert_gone(&name);
    }
}

#[test]
fn a_raised_flag_breaks_off() {
    let launch = launch("usi", "hang-go");
    let mut engine = launch.start(None).unwrap();
    engine.new_game(&setup("shogi")).unwrap();
    let name = engine.name().to_string();
    let stop = AtomicBool::new(false);
    let fault = std::thread::scope(|scope| {
        let thinking = scope.spawn(|| engine.think(&ask(&[], None, &stop)));
        stop.store(true, Ordering::Relaxed);
        thinking.join().unwrap()
    });
    assert_eq!(fault.unwrap_err().reason, Reason::Stopped);
    drop(engine);
    assert_gone(&name);
}

#[test]
fn what_cannot_be_is_said_at_the_start() {
    let refused = |text: &str, family: &str| {
        let launch: Launch = text.parse().unwrap();
        match play(&launch, family) {
            Err(Fault { reason: Reason::Start(why), .. }) => why,
            Err(fault) => panic!("{text}: {fault}"),
            Ok(_) => panic!("{text} plays"),
        }
    };
    let fake = env!("CARGO_BIN_EXE_fake-engine");
    assert!(refused("usi:no-such-program-anywhere", "shogi").contains("cannot be started"));
    assert!(
        refused(&format!("usi(\"{fake} usi\",Skill=3)"), "shogi")
            .contains("no option called Skill; it has Skill Level")
    );
    assert!(refused(&format!("usi(\"{fake} usi\",\"Skill Level\"=99)"), "shogi").contains("from -20 to 20"));
    assert!(refused(&format!("usi(\"{fake} usi\")"), "go").contains("not for go3"));
    assert!(refused(&format!("gtp(\"{fake} gtp\",speed=9)"), "go").contains("no command called speed"));
    assert!(refused(&format!("gtp(\"{fake} gtp refuse-level\",level=9)"), "go").contains("refuses level 9: no"));
    assert!(refused(&format!("gtp(\"{fake} gtp refuse-boardsize\")"), "go").contains("refuses boardsize 3"));
    assert!(refused(&format!("gtp(\"{fake} gtp\")"), "shogi").contains("not for shogi"));
    assert!(refused(&format!("xboard(\"{fake} xboard\")"), "go").contains("not for go3"));
}

#[test]
fn a_deaf_engine_does_not_block_the_writer() {
    for count in [100, 1000] {
        let mut engine = launch("usi", "hang-usinewgame").start(None).unwrap();
        engine.new_game(&setup("shogi")).unwrap();
        let moves = vec!["x".repeat(2000); count];
        let fault = engine.think(&ask(&moves, Some(100), &GO_ON)).unwrap_err();
        assert!(matches!(fault.reason, Reason::Timeout(_)), "{fault}");
    }
}

/// The worth of moves, as a program with this behaviour reports it.
fn scores(behaviour: &str) -> Result<Vec<(String, f32)>, Fault> {
    let mut launch = launch("gtp", behaviour);
    launch.patience.think = if behaviour == "hang-top_moves_black" { Duration::from_millis(300) } else { long() };
    let mut engine = launch.start(None)?;
    engine.new_game(&setup("go"))?;
    engine.scores(&ask(&["C1".to_string(), "pass".to_string()], None, &GO_ON))
}

#[test]
fn the_worth_of_moves_is_reported() {
    let found = scores("good").unwrap();
    assert_eq!(found, [("B2", 12.5), ("A1", 7.0), ("C3", -1.25)].map(|(mv, score)| (mv.to_string(), score)));
    let mut engine = launch("gtp", "good").start(None).unwrap();
    engine.new_game(&setup("go")).unwrap();
    let moves = ["C1".to_string()];
    let whites = engine.scores(&Question { turn: Color::White, ..ask(&moves, None, &GO_ON) });
    assert_eq!(whites.unwrap(), [("C2".to_string(), 3.5)]);
    assert_eq!(scores("silent").unwrap(), []);
    assert!(matches!(scores("hang-top_moves_black").unwrap_err().reason, Reason::Timeout(_)));
    assert!(matches!(scores("crash-top_moves_black").unwrap_err().reason, Reason::Crash(Exit::Status(3))));
    for behaviour in ["odd", "wordy", "refuse-top_moves_black"] {
        let fault = scores(behaviour).unwrap_err();
        assert!(matches!(fault.reason, Reason::Nonsense { .. }) && fault.phase == Phase::Move, "{behaviour}: {fault}");
    }
    assert!(scores("scoreless").unwrap_err().to_string().contains("no command called top_moves_black"));
    // Languages that know no such thing say so.
    let mut engine = launch("usi", "good").start(None).unwrap();
    assert!(engine.scores(&ask(&[], None, &GO_ON)).unwrap_err().to_string().contains("does not rate moves"));
}
