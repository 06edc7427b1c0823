//! The program as a person uses it: what it prints, how it fails.

use std::process::{Command, Output};

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Standard output of a command that succeeds.
fn prints(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a command that fails, with the exit code it should have.
fn fails(args: &[&str], code: i32) -> String {
    let output = yomi(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output.stdout));
    assert_eq!(text(&output.stdout), "", "{args:?} prints nothing on failure");
    text(&output.stderr)
}

#[test]
fn perft_prints_the_total_last() {
    let out = prints(&["perft", "--game", "connect-four", "--depth", "3"]);
    assert_eq!(out.lines().last(), Some("343"));
    let out = prints(&["perft", "--game", "tic-tac-toe", "--moves", "5 1", "--depth", "2", "--divide"]);
    assert_eq!(out.lines().count(), 8);
    assert_eq!(out.lines().last(), Some("42"));
    assert_eq!(prints(&["perft", "--game", "nim", "--depth", "0"]), "1\n");
}

#[test]
fn errors_say_what_and_where() {
    let error = fails(&["perft", "--game", "chess", "--depth", "1"], 1);
    assert!(error.starts_with("yomi: chess is no game here"), "{error}");
    let error = fails(&["show", "--game", "nim(pile=many)"], 1);
    assert!(error.contains("many is not a whole number"), "{error}");
    let error = fails(&["show", "--game", "nim(pool=3)"], 1);
    assert!(error.contains("nim has no parameter called pool"), "{error}");
    let error = fails(&["show", "--game", "tic-tac-toe", "--moves", "5 5"], 1);
    assert!(error.contains("--moves, move 2"), "{error}");
    fails(&["show", "--game", "nim(("], 2);
    fails(&["perft", "--game", "nim"], 2);
}

#[test]
fn json_is_one_object_a_line() {
    let runs: [&[&str]; 4] = [
        &["games", "--json"],
        &["perft", "--game", "nim", "--depth", "3", "--json", "--divide"],
        &["show", "--game", "connect-four", "--json"],
        &["sample", "--game", "nim"],
    ];
    for args in runs {
        for line in prints(args).lines() {
            let value: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}: {line}"));
            assert!(value["type"].is_string(), "{line}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_games() {
    let run = |seed| prints(&["sample", "--game", "connect-four", "--games", "3", "--seed", seed]);
    assert_eq!(run("5"), run("5"));
    assert_ne!(run("5"), run("6"));
}
