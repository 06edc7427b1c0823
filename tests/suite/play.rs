//! `yomi play`, `yomi levels` and `yomi analyze` as a person meets them, typed through a pipe.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn output(args: &[&str], typed: &str) -> Output {
    let mut child = start(args);
    child.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
    child.wait_with_output().expect("an end")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What is printed when this is typed.
fn prints(args: &[&str], typed: &str) -> String {
    let output = output(args, typed);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    // A spinner is for terminals. A log has a line every ten seconds, which a busy machine may take.
    let said = text(&output.stderr);
    assert!(said.lines().all(|line| line.contains(" simulations ")), "{args:?}: {said}");
    text(&output.stdout)
}

fn play(args: &[&str], typed: &str) -> String {
    prints(&[&["play", "--seed", "3"], args].concat(), typed)
}

/// What goes wrong, and the exit code.
fn fails(args: &[&str], typed: &str) -> (String, Option<i32>) {
    let output = output(args, typed);
    assert!(!output.status.success(), "{args:?}: {}", text(&output.stdout));
    (text(&output.stderr), output.status.code())
}

/// An empty directory for a test of this name.
fn scratch(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("yomi-play-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// A whole game: a wrong move, a hint, a move taken back, the record saved.
#[test]
fn a_game_between_two_people() {
    let directory = scratch("people");
    let record = directory.join("game.txt");
    let typed = format!("5\n5\nundo\n1\n4\nhint\n2\n5\nmoves\n3\n7\nsave {}\nquit\n", record.display());
    let out = play(&["--game", "tic-tac-toe", "--side", "both", "--player", "flat(n=4)", "--ascii"], &typed);
    for part in ["you play both sides", "% to win", "for Black", "the game is over", "saved"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert!(out.contains("game over: black wins"), "{out}");
    let saved = fs::read_to_string(record).expect("a record");
    assert_eq!(saved.lines().skip(2).collect::<Vec<_>>(), ["1", "4", "2", "5", "3"]);
    fs::remove_dir_all(directory).expect("removed");
}

#[test]
fn moves_are_typed_in_japanese_and_in_western_letters_and_a_record_is_loaded() {
    let directory = scratch("languages");
    let record = directory.join("game.kifu");
    let path = record.to_str().expect("UTF-8");
    let typed = "７六歩\nP-3d\n22角成\n9a9z\n同銀\nB*4e\nquit\n";
    let out = play(&["--game", "shogi", "--side", "both", "--save", path], typed);
    assert!(out.contains("a move looks like 7g7f") && out.contains("saved"), "{out}");
    let saved = fs::read_to_string(&record).expect("a record");
    for mv in ["７六歩(77)", "３四歩(33)", "２二角成(88)", "同　銀(31)", "４五角打"] {
        assert!(saved.contains(mv), "{mv} in {saved}");
    }
    // White is to move where the record ends, and answers by itself; level 5 needs no time.
    let out = play(&["--load", path, "--level", "5"], "quit\n");
    assert!(out.contains("shogi: you play Black against level 5") && out.contains("White plays "), "{out}");
    assert!(out.contains("% to win") && out.contains(" pawns, "), "{out}");
    let (error, _) = fails(&["play", "--load", path, "--game", "minishogi"], "");
    assert!(error.contains("is a record of shogi, not of minishogi"), "{error}");
    fs::remove_dir_all(directory).expect("removed");
}

#[test]
fn the_opponent_answers_and_the_same_seed_repeats_the_game() {
    let args = ["--game", "minishogi", "--side", "white", "--level", "1"];
    let typed = "undo\nmoves\nhint\nlevel 2\nresign\nundo\nresign\n";
    let out = play(&args, typed);
    for part in ["against level 1", "Black plays ", "nothing to take back", "hint: ", "The opponent is level 2 now."] {
        assert!(out.contains(part), "{part} in {out}");
    }
    assert_eq!(out.matches("game over: black wins").count(), 2, "{out}");
    assert_eq!(out, play(&args, typed));
}

#[test]
fn a_game_is_asked_for_where_none_is_named() {
    let out = play(&[], "chess\n2\n0\n1\nquit\n");
    for part in [
        "Which game?",
        "there is no game called chess",
        "number from 1 to 9",
        "minishogi: you play Black against level 1",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let (error, code) = fails(&["play"], "");
    assert!(error.contains("no game was chosen") && code == Some(1), "{error}");
}

#[test]
fn passing_is_explained() {
    let out = play(&["--game", "go5", "--side", "both"], "C3\npass\npass\nquit\n");
    assert!(out.contains("A second pass in a row ends the game") && out.contains("(B+17.5 now)"), "{out}");
    assert!(out.contains("Both sides have passed") && out.contains("game over: black wins (B+17.5)"), "{out}");
}

/// Black has no move left; no one has to type a pass.
#[test]
fn a_pass_that_is_forced_is_made() {
    let position = "1bbwwww3ww2/1b1w3www1www/1bb2bb2w4/3b2bb1w4/3bbb1b2ww2/1bb2b2bwww2/1b2b3b3w1/1b1bbbb2bwww1/\
        1b2w2bb1w2w/b1www1bbww2w1/bb3wwwbww1ww/1b4wbbw4/1bwwww1bb1wwww/3wbbb2bbbbb b";
    let out = play(&["--game", "blokus-duo", "--position", position, "--level", "1"], "undo\nquit\n");
    assert!(
        out.contains("Black has nothing to play and passes.") && out.contains("There is no passing by choice"),
        "{out}"
    );
    assert!(out.contains("game over: ") && out.contains("there is nothing to take back"), "{out}");
}

#[test]
fn clocks_run() {
    let out = play(&["--game", "nim", "--clock", "10m+5s", "--level", "1"], "1\nquit\n");
    assert!(out.contains("Clocks: Black 10:05, White 10:05") && out.contains("White plays"), "{out}");
    // A billionth of a second is always over at the first look.
    let out = play(&["--game", "nim", "--clock", "0/0.000000001", "--side", "both"], "1\nquit\n");
    assert!(out.contains("Black has run out of time.") && out.contains("game over: white wins"), "{out}");
    let (error, code) = fails(&["play", "--game", "nim", "--clock", "soon"], "");
    assert!(error.contains("10m+5s") && code == Some(2), "{error}");
}

/// Ctrl-C keeps what was played, even while the program waits for a line.
#[cfg(unix)]
#[test]
fn an_interrupted_game_is_saved() {
    let directory = scratch("interrupt");
    let record = directory.join("game.csa");
    let path = record.to_str().expect("UTF-8");
    let mut child = start(&["play", "--game", "minishogi", "--side", "both", "--save", path]);
    let mut input = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    input.write_all(b"3e2d\n").expect("typed");
    let mut line = String::new();
    while !line.contains("White to move") {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "the program ended by itself");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("UTF-8");
    assert!(child.wait().expect("an end").success() && rest.contains("saved"), "{rest}");
    drop(input);
    assert!(fs::read_to_string(&record).expect("a record").contains("+3524GI"), "the move");
    fs::remove_dir_all(directory).expect("removed");
}

#[test]
fn a_file_that_cannot_be_written_ends_nothing() {
    let out = play(&["--game", "nim", "--side", "both"], "save\nsave x.kifu\nsave /nowhere/at/all/x.txt\n1\nquit\n");
    for part in ["save needs a file: save game.txt", "the file ends in one of txt", "cannot write", "20 left"] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn every_level_is_listed_and_played() {
    let out = prints(&["levels"], "");
    for game in ["shogi", "minishogi", "go9", "go13", "go19", "blokus-duo", "connect-four"] {
        assert!(out.lines().any(|line| line.starts_with(&format!("{game} (default: "))), "{game} in {out}");
    }
    assert_eq!(prints(&["levels", "--game", "go7", "--json"], "").lines().count(), 9);
    assert!(fails(&["levels", "--game", "chess"], "").0.contains("chess"));
    assert_eq!(fails(&["play", "--game", "nim", "--level", "10"], "").1, Some(2));
    let directory = scratch("match");
    let out = directory.join("run");
    let args = ["match", "--game", "tic-tac-toe", "level(9) sims=2000", "level(1)", "--games", "4", "--no-records"];
    let ran = output(&[&args[..], &["--out", out.to_str().expect("UTF-8")]].concat(), "");
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let config = fs::read_to_string(out.join("config.toml")).expect("a configuration");
    assert!(config.contains("level(1)") && config.contains("weakened("), "the run says what the level was: {config}");
    fs::remove_dir_all(directory).expect("removed");
}

/// The last line says of the best move what the table says of it, and searches without probabilities show none.
#[test]
fn an_analysis_agrees_with_itself() {
    let mini = ["analyze", "--game", "minishogi"];
    for (search, budget) in [
        (&["--player", "alpha-beta"][..], ["--nodes", "20000"]),
        (&["--player", "alpha-beta"], ["--nodes", "30"]),
        (&["--player", "alpha-beta"], ["--depth", "0"]),
        (&["--player", "alpha-beta(multipv=3)"], ["--depth", "3"]),
        (&["--player", "mcss"], ["--sims", "300"]),
        (&["--player", "uct + rollout"], ["--sims", "300"]),
        (&["--level", "1"], ["--depth", "1"]),
        (&[], ["--nodes", "500"]),
    ] {
        let out = prints(&[&mini[..], search, &budget].concat(), "");
        let first: Vec<&str> = out.lines().nth(1).expect("a row").split_whitespace().collect();
        let last: Vec<&str> = out.lines().last().expect("a line").split([' ', ';', ',']).collect();
        let (mv, value) = (first[0], first[2]);
        assert_eq!(last[..4], ["best", mv, "value", value], "{search:?} {budget:?}: {out}");
        let alpha_beta = !matches!(search, ["--player", "mcss" | "uct + rollout"]);
        assert_eq!(out.contains("prior"), !alpha_beta, "{out}");
        assert!(!out.contains(" 0 simulations") && !out.contains("\n0 simulations"), "{out}");
    }
    // A search that was broken off in its next iteration still knows the line of the one before.
    let out = prints(&[&mini[..], &["--player", "alpha-beta", "--nodes", "20000"]].concat(), "");
    let row: Vec<&str> = out.lines().nth(1).expect("a row").split_whitespace().collect();
    assert!(row[3].parse::<f32>().expect("a depth") > 1.0 && row.len() > 6, "{out}");
}
