//! Small things that people and programs meet: errors that name what was meant, and answers that say enough.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What the program prints on both streams when it reads `input`.
fn yomi(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("an end");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn home(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("repairs").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    path
}

#[test]
fn slips_in_options_formats_and_fields_are_understood() {
    let said = yomi(&["usi"], "usi\nsetoption name Thread value 1\nsetoption name zzz value 1\nquit\n");
    assert!(said.contains("no option called Thread; did you mean Threads?"), "{said}");
    assert!(said.contains("no option called zzz\n"), "{said}");

    let home = home("slips");
    let record = home.join("game.usi");
    fs::write(&record, "startpos moves 7g7f\n").expect("a record");
    let to = home.join("game.kfi");
    let said = yomi(&["convert", record.to_str().expect("UTF-8"), to.to_str().expect("UTF-8")], "");
    assert!(said.contains("kfi is no format") && said.contains("; did you mean kif?"), "{said}");

    let file = home.join("slip.toml");
    let text = "name = \"slip\"\ntitle = \"t\"\n[[match-table]]\ntitle = \"n\"\ngame = \"nim\"\ngames = 2\noponent = \"random\"\nrows = []\n";
    fs::write(&file, text).expect("an experiment");
    let said = yomi(&["experiment", "show", file.to_str().expect("UTF-8")], "");
    assert!(said.contains("unknown field `oponent`") && said.contains("; did you mean opponent?"), "{said}");
}

#[test]
fn manifests_and_reports_of_matches_name_the_build() {
    let run = home("build").join("run");
    let path = run.to_str().expect("UTF-8");
    let said = yomi(&["match", "--game", "nim", "random", "random", "--games", "1", "--no-pairs", "--out", path], "");
    let manifest = fs::read_to_string(run.join("manifest.json")).expect("a manifest");
    assert!(manifest.contains(&format!("commit {}", env!("YOMI_COMMIT"))), "{manifest}");
    let report = fs::read_to_string(run.join("report.md")).expect("a report");
    assert!(report.contains("commit") && report.contains("1 of 1 game,"), "{report}");
    assert!(!report.contains("1 games") && !said.contains("1 games"), "{said}\n{report}");
}

#[test]
fn levels_of_gtp_change_the_engine_and_keep_the_game() {
    let text = "1 level 1\n2 play b E5\n3 level 2\n4 list_stones b\n5 genmove w\n6 level 10\n7 level x\n8 level\n\
                9 known_command level\nquit\n";
    let said = yomi(&["gtp", "--game", "go9", "--time", "3600"], text);
    for answer in ["=1\n", "=2\n", "=3\n", "=4 E5\n", "?6 levels go from 1 to 9, not 10", "?7 ", "?8 ", "=9 true"] {
        assert!(said.replace("= \n", "=\n").replace(" \n", "\n").contains(answer), "{answer:?} is missing: {said}");
    }
    let said = yomi(&["gtp", "--game", "blokus-duo"], "level 1\ngenmove b\nquit\n");
    assert!(said.starts_with('=') && !said.contains('?'), "{said}");
    let help = yomi(&["gtp", "--help"], "");
    assert!(help.contains("level N") && help.contains("best move so far"), "{help}");
}

#[test]
fn go_is_judged_in_points_at_the_terminal() {
    let said = yomi(&["play", "--game", "go9", "--side", "black", "--level", "4"], "E5\nhint\nquit\n");
    let judged = |word: &str| said.lines().any(|line| line.contains(word) && line.contains(" points, "));
    assert!(judged("expects: ") && judged("hint: "), "{said}");
    let said = yomi(&["play", "--game", "minishogi", "--side", "white", "--level", "3"], "quit\n");
    assert!(said.contains(" pawns, ") && !said.contains("points"), "{said}");
}

#[test]
fn what_can_be_taken_back_is_counted() {
    let said = yomi(&["play", "--game", "tic-tac-toe", "--side", "both"], "5\n1\nundo 9\nundo 2\nundo\nquit\n");
    assert!(
        said.contains("there are 2 moves to take back") && said.contains("there is nothing to take back"),
        "{said}"
    );
}

#[test]
fn the_game_in_the_help_of_convert_is_legal() {
    let help = yomi(&["convert", "--help"], "");
    let line = help.lines().find_map(|line| line.trim().strip_prefix("echo '")?.split_once('\''));
    let line = line.expect("an example").0;
    let said =
        yomi(&["convert", "-", "-", "--from", "usi", "--to", "kifu", "--game", "minishogi"], &format!("{line}\n"));
    assert!(said.contains("手合割：5五将棋") && said.contains("   1 "), "{line}: {said}");
}
