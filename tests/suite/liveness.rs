//! The program ends when it is asked to, whatever it searches, and answers what was asked before.
//!
//! Every search here would last for hours. A guard kills a program that hangs after half a minute; nothing else looks at a clock.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

const GUARD: Duration = Duration::from_secs(30);

/// What comes after the lines.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Then {
    /// The end of the input.
    End,
    /// Nothing: the input stays open.
    Silence,
}

/// What the program says to all these lines, which are sent in one write.
fn talk(args: &[&str], lines: &str, then: Then) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take();
    input.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    if then == Then::End {
        input = None;
    }
    let mut output = child.stdout.take().unwrap();
    let (sender, said) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = output.read_to_string(&mut text);
        let _ = sender.send(read.map(|_| text));
    });
    let Ok(text) = said.recv_timeout(GUARD) else {
        child.kill().unwrap();
        child.wait().unwrap();
        panic!("yomi {args:?} hangs after {lines:?} and {then:?}");
    };
    assert!(child.wait().unwrap().success(), "yomi {args:?} after {lines:?}");
    drop(input);
    text.unwrap().lines().map(str::to_string).collect()
}

/// The lines that begin so.
fn beginning<'a>(lines: &'a [String], start: &str) -> Vec<&'a str> {
    lines.iter().map(String::as_str).filter(|line| line.starts_with(start)).collect()
}

#[test]
fn an_analysis_ends_with_what_waits() {
    let lines = "genmove b\nlz-analyze 10\nname\nquit\n";
    for then in [Then::End, Then::Silence] {
        let said = talk(&["gtp", "--game", "go9", "--sims", "4"], lines, then);
        let answers = beginning(&said, "=");
        assert_eq!((answers.len(), answers[2]), (4, "= Yomi"), "{said:?}");
    }
    let pairs: String =
        ["b A1", "w B1", "b C1", "w D1", "b E1"].map(|mv| format!("play {mv}\nlz-analyze 1\n")).concat();
    let said = talk(&["gtp", "--game", "go9"], &format!("{pairs}list_stones b\n"), Then::End);
    assert_eq!(beginning(&said, "= A1 C1 E1").len(), 1, "{said:?}");
}

#[test]
fn a_move_is_played_before_leaving() {
    for (game, then, lines) in [
        ("go9", Then::End, "genmove b\n"),
        ("go9", Then::Silence, "genmove b\nquit\n"),
        ("go19", Then::End, "time_settings 36000 0 0\ngenmove b\ngenmove w\nquit\n"),
        ("blokus-duo", Then::End, "genmove b\n"),
        ("blokus-duo", Then::Silence, "genmove b\ngenmove w\nquit\n"),
    ] {
        let said = talk(&["gtp", "--game", game, "--time", "36000"], lines, then);
        let asked = lines.lines().count();
        assert_eq!((beginning(&said, "=").len(), beginning(&said, "?").len()), (asked, 0), "{game}: {said:?}");
    }
}

#[test]
fn every_search_of_usi_ends() {
    let lines = "position startpos\ngo movetime 36000000\nposition startpos moves 7g7f\ngo infinite\n";
    for player in [
        "mcss",
        "mcss(threads=2)",
        "alpha-beta",
        "alpha-beta(threads=2) + material",
        "mate-first(uct,nodes=1000000000000)",
        "flat(n=1000000000000)",
        "greedy",
        "random",
    ] {
        let said = talk(&["usi", "--player", player], lines, Then::End);
        assert_eq!(beginning(&said, "bestmove").len(), 2, "{player}: {said:?}");
        let said = talk(&["usi", "--player", player], &format!("{lines}stop\nquit\n"), Then::Silence);
        assert_eq!(beginning(&said, "bestmove").len(), 2, "{player}: {said:?}");
    }
    let three = "position startpos\ngo infinite\nstop\n".repeat(3);
    assert_eq!(beginning(&talk(&["usi"], &three, Then::End), "bestmove").len(), 3);
}

#[test]
fn small_budgets_are_spent_before_leaving() {
    let lines = "position startpos\ngo depth 1\nquit\n";
    let said = talk(&["usi", "--player", "alpha-beta(hash=1) + material"], lines, Then::End);
    assert_eq!(beginning(&said, "bestmove").len(), 1, "{said:?}");
    // A file of questions is answered to its end, and what is only looked at ends with the input.
    let questions = "{\"id\":\"a\",\"moves\":[],\"maxVisits\":20}\n".repeat(3)
        + "{\"id\":\"b\",\"moves\":[],\"maxVisits\":1000000000,\"reportDuringSearchEvery\":3600}\n";
    let said = talk(&["analysis", "--game", "go5"], &questions, Then::End);
    assert_eq!((said.len(), beginning(&said, "{\"error").len()), (4, 0), "{said:?}");
    let long = "{\"id\":\"c\",\"moves\":[],\"maxVisits\":1000000000}\n".repeat(3);
    assert!(talk(&["analysis", "--game", "go5", "--quit-without-waiting"], &long, Then::End).len() <= 3);
}
