//! What exactly is said to engines, line by line.
#![cfg(unix)]

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use yomi_core::Color;
use yomi_protocol::client::{Clock, Engine, Launch, Question, Setup};

/// A log that can be looked at while it is written.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Paper {
    /// What was said to the engine since the last look.
    fn sent(&self) -> Vec<String> {
        let text = String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap();
        text.lines().filter_map(|line| line.split_once(" > ").map(|(_, said)| said.to_string())).collect()
    }
}

static GO_ON: AtomicBool = AtomicBool::new(false);

fn start(text: &str) -> (Box<dyn Engine>, Paper) {
    let paper = Paper::default();
    let text = text.replace("FAKE", env!("CARGO_BIN_EXE_fake-engine"));
    let mut launch: Launch = text.parse().unwrap();
    // The engine answers and leaves at once, whatever time it is given; on a busy machine that may take long.
    (launch.patience.grace, launch.patience.quit) = (Duration::from_secs(60), Duration::from_secs(60));
    (launch.start(Some(Box::new(paper.clone()))).unwrap(), paper)
}

fn setup(family: &str, game: &str, position: &str, standard: bool) -> Setup {
    Setup {
        family: family.to_string(),
        game: game.to_string(),
        rules: if family == "go" { format!("{game}(komi=6.5)") } else { game.to_string() },
        position: position.to_string(),
        standard,
        first: Color::Black,
        color: Color::White,
        seed: 7,
    }
}

fn question(moves: &[String]) -> Question<'_> {
    Question {
        moves,
        turn: if moves.len().is_multiple_of(2) { Color::Black } else { Color::White },
        nodes: None,
        depth: None,
        time: None,
        clocks: None,
        grace: Duration::ZERO,
        stop: &GO_ON,
    }
}

fn moves(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn clock(left: u64, byoyomi: u64, increment: u64) -> Clock {
    let ms = Duration::from_millis;
    Clock { left: ms(left), byoyomi: ms(byoyomi), increment: ms(increment) }
}

#[test]
fn usi() {
    let (mut engine, paper) = start(r#"usi("FAKE usi", "Skill Level"=3, USI_Hash=64)"#);
    assert_eq!(paper.sent(), ["usi", "setoption name Skill Level value 3", "setoption name USI_Hash value 64"]);
    engine.new_game(&setup("minishogi", "minishogi", "rbsgk/4p/5/P4/KGSBR b - 1", true)).unwrap();
    assert_eq!(paper.sent(), ["setoption name UCI_Variant value minishogi", "isready", "usinewgame"]);
    engine.think(&Question { nodes: Some(500), ..question(&[]) }).unwrap();
    assert_eq!(paper.sent(), ["position startpos", "go nodes 500"]);
    let played = moves("m1 4a3b");
    engine.think(&Question { time: Some(Duration::from_millis(1500)), depth: Some(4), ..question(&played) }).unwrap();
    assert_eq!(paper.sent(), ["position startpos moves m1 4a3b", "go btime 0 wtime 0 byoyomi 1500 depth 4"]);
    let clocks = Some([clock(60_000, 1000, 0), clock(50_000, 1000, 0)]);
    engine.think(&Question { clocks, ..question(&played) }).unwrap();
    assert_eq!(paper.sent()[1], "go btime 60000 wtime 50000 byoyomi 1000");
    let clocks = Some([clock(60_000, 0, 2000), clock(50_000, 0, 2000)]);
    engine.think(&Question { clocks, ..question(&played) }).unwrap();
    assert_eq!(paper.sent()[1], "go btime 60000 wtime 50000 binc 2000 winc 2000");
    engine.think(&question(&played)).unwrap();
    assert_eq!(paper.sent()[1], "go btime 0 wtime 0 byoyomi 150000", "no limit but our patience");
    engine.game_over(Some(Color::White)).unwrap();
    // A game from another position: no word about the variant, it is set.
    engine.new_game(&setup("minishogi", "minishogi", "4k/5/5/5/K3R b - 1", false)).unwrap();
    engine.think(&Question { nodes: Some(5), ..question(&[]) }).unwrap();
    assert_eq!(
        paper.sent(),
        ["gameover win", "isready", "usinewgame", "position sfen 4k/5/5/5/K3R b - 1", "go nodes 5"]
    );
    engine.quit().unwrap();
    assert_eq!(paper.sent(), ["quit"]);
}

#[test]
fn usi_with_movetime() {
    let (mut engine, paper) = start(r#"usi("FAKE usi", timing=movetime)"#);
    engine.new_game(&setup("shogi", "shogi", "", true)).unwrap();
    engine.think(&Question { time: Some(Duration::from_secs(2)), ..question(&[]) }).unwrap();
    assert_eq!(paper.sent().last().unwrap(), "go movetime 2000");
}

/// Lines without their numbers.
fn bare(lines: Vec<String>) -> Vec<String> {
    lines.iter().map(|line| line.split_once(' ').map_or(line.clone(), |(_, rest)| rest.to_string())).collect()
}

#[test]
fn gtp() {
    let (mut engine, paper) = start(r#"gtp("FAKE gtp", level=3)"#);
    assert_eq!(bare(paper.sent()), ["protocol_version", "name", "version", "list_commands", "level 3"]);
    engine.new_game(&setup("go", "go3", ".../.../... b - 0", true)).unwrap();
    assert_eq!(bare(paper.sent()), ["boardsize 3", "clear_board", "komi 6.5"]);
    engine.think(&question(&moves("A1"))).unwrap();
    assert_eq!(bare(paper.sent()), ["play b A1", "genmove w"]);
    engine.think(&question(&moves("A1 D4 pass"))).unwrap();
    assert_eq!(bare(paper.sent()), ["play b pass", "genmove w"], "its own move is known to it");
    engine.think(&question(&moves("B2"))).unwrap();
    let again = ["boardsize 3", "clear_board", "komi 6.5", "play b B2", "genmove w"];
    assert_eq!(bare(paper.sent()), again, "another game: everything anew");
    engine.new_game(&setup("go", "go3", "b../..w/... b - 0", false)).unwrap();
    assert_eq!(bare(paper.sent()), ["boardsize 3", "clear_board", "komi 6.5", "play b A3", "play w C2"]);
    assert_eq!(engine.quit(), Ok(()));
}

#[test]
fn gtp_knows_whole_seconds() {
    let (mut engine, paper) = start(r#"gtp("FAKE gtp terse")"#);
    engine.new_game(&setup("go", "go3", "bb./.../... w - 0", false)).unwrap();
    assert_eq!(bare(paper.sent()).last().unwrap(), "set_free_handicap A3 B3");
    engine.think(&Question { time: Some(Duration::from_millis(2500)), ..question(&[]) }).unwrap();
    assert_eq!(bare(paper.sent()), ["time_settings 0 2 1", "time_left b 2 1", "genmove b"]);
    let played = moves("D4 A1");
    let clocks = Some([clock(90_000, 10_000, 0); 2]);
    let (mut engine, paper) = start(r#"gtp("FAKE gtp terse")"#);
    engine.new_game(&setup("go", "go3", ".../.../... b - 0", true)).unwrap();
    paper.sent();
    engine.think(&Question { clocks, ..question(&[]) }).unwrap();
    assert_eq!(bare(paper.sent()), ["time_settings 90 10 1", "time_left b 90 0", "genmove b"]);
    let clocks = Some([clock(0, 10_000, 0); 2]);
    engine.think(&Question { clocks, ..question(&played) }).unwrap();
    assert_eq!(bare(paper.sent()), ["play w A1", "time_left b 10 1", "genmove b"]);
    let fault = engine.think(&Question { time: Some(Duration::from_millis(300)), ..question(&moves("D4 A1 D4 A2")) });
    assert!(fault.unwrap_err().to_string().contains("whole seconds"));
}

#[test]
fn blokus_over_gtp() {
    let (mut engine, paper) = start(r#"gtp("FAKE gtp terse")"#);
    engine.new_game(&setup("blokus-duo", "blokus-duo", "14 b", true)).unwrap();
    assert_eq!(bare(paper.sent())[4..], ["set_game Blokus Duo", "clear_board"]);
    engine.think(&question(&moves("e9,d10 j5 pass"))).unwrap();
    assert_eq!(bare(paper.sent()), ["play b e9,d10", "play w j5", "genmove w"], "passes are not sent");
}

#[test]
fn xboard() {
    let (mut engine, paper) = start(r#"xboard("FAKE xboard", book)"#);
    assert_eq!(paper.sent(), ["book"]);
    engine.new_game(&setup("minishogi", "minishogi", "", true)).unwrap();
    assert_eq!(paper.sent(), ["new", "force"]);
    engine.think(&Question { depth: Some(4), ..question(&moves("2e3d")) }).unwrap();
    assert_eq!(paper.sent(), ["force", "2e3d", "depth", "4", "white", "go"]);
    let played = moves("2e3d m2 3d2c");
    engine.think(&Question { depth: Some(4), ..question(&played) }).unwrap();
    assert_eq!(paper.sent(), ["force", "3d2c", "white", "go"]);
    engine.think(&Question { time: Some(Duration::from_secs(61)), ..question(&[]) }).unwrap();
    assert_eq!(paper.sent(), ["force", "new", "force", "depth", "29", "level 1 1:01", "black", "go"]);
    engine.new_game(&setup("minishogi", "minishogi", "4k/5/5/5/K4 b - 1", false)).unwrap();
    assert_eq!(paper.sent(), ["new", "force", "edit", "#", "k5e", "c", "k1a", "."]);
}
