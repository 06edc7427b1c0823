//! Files from elsewhere, programs that misbehave, signals, edited and damaged runs: nothing starts unasked, nothing is left behind.
#![cfg(target_os = "linux")]

use crate::common;
use crate::gone;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;

use common::until;

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).args(args).stdin(Stdio::null()).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output of a command that succeeds.
fn prints(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a command that fails with this status.
fn fails(args: &[&str], code: i32) -> String {
    let output = yomi(args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

/// A directory of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("safety-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a place for tests");
    path
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A manifest with the signature of this build, so that it is computed once for all tests.
static SIGNED: LazyLock<PathBuf> = LazyLock::new(|| {
    let run = scratch("signed").join("run");
    prints(&["match", "--game", "nim", "random", "flat(n=1)", "--games", "2", "--out", shown(&run)]);
    run.join("manifest.json")
});

/// A run directory to be, whose signature is known.
fn signed(place: &Path) -> PathBuf {
    let run = place.join("run");
    fs::create_dir_all(&run).expect("a directory");
    fs::copy(&*SIGNED, run.join("manifest.json")).expect("a manifest");
    run
}

/// An engine for minishogi as a shell script: it writes down its process number and that of a child, resigns every game, and does
/// something else where `change` puts it.
fn engine(place: &Path, change: (&str, &str)) -> PathBuf {
    let script = "#!/bin/sh\n\
        sleep 1000 &\n\
        echo $$ $! >> PIDS\n\
        while read line; do\n\
          case \"$line\" in\n\
            usi) echo 'id name meek'; echo usiok ;;\n\
            isready) echo readyok ;;\n\
            go*) echo 'bestmove resign' ;;\n\
            quit) kill $!; exit 0 ;;\n\
          esac\n\
        done\n\
        kill $!\n";
    let path = place.join("engine.sh");
    let script = script.replace("PIDS", shown(&place.join("pids"))).replace(change.0, change.1);
    fs::write(&path, script).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("an executable");
    path
}

/// How often the engine of this place was started.
fn starts(place: &Path) -> usize {
    fs::read_to_string(place.join("pids")).unwrap_or_default().lines().count()
}

/// An experiment file with a program as the opponent.
fn experiment(place: &Path, opponent: &str) -> PathBuf {
    let path = place.join("experiment.toml");
    let toml = format!(
        "name = \"mine\"\ntitle = \"Mine\"\nquestion = \"?\"\n[[match-table]]\ntitle = \"Table\"\ngame = \"minishogi\"\ngames = 2\n\
         opponent = '{opponent}'\nopening = \"start\"\nrows = [{{ label = \"random\", player = \"random\" }}]\n"
    );
    fs::write(&path, toml).expect("a file");
    path
}

#[test]
fn looking_at_an_experiment_starts_nothing_and_running_it_asks() {
    let place = scratch("experiment");
    let engine = engine(&place, ("", ""));
    let run = place.join("run");
    for language in ["usi", "xboard"] {
        let file = experiment(&place, &format!("{language}:{}", engine.display()));
        let shown_text = prints(&["experiment", "show", shown(&file)]);
        assert!(shown_text.contains("Everything it needs is here"), "{shown_text}");
        assert!(shown_text.contains(&format!("yomi experiment show {} --toml", file.display())), "{shown_text}");
        prints(&["experiment", "plan", shown(&file)]);
        let error = fails(&["experiment", "run", shown(&file), "--out", shown(&run)], 1);
        assert!(error.contains(shown(&engine)) && error.contains("--allow-programs"), "{error}");
    }
    assert!(starts(&place) == 0 && !run.exists(), "nothing was started, nothing was written");
    let file = experiment(&place, &format!("usi:{}", engine.display()));
    prints(&["experiment", "run", shown(&file), "--out", shown(&run), "--allow-programs"]);
    // Once to be asked for its name, and once per game.
    assert_eq!(starts(&place), 3);
    // Nothing is left to do, so no consent is needed; for more of it consent is asked again.
    prints(&["experiment", "run", "--resume", shown(&run)]);
    prints(&["experiment", "report", shown(&run)]);
    assert!(prints(&["experiment", "show", shown(&run)]).contains("Mine"));
    let error = fails(&["experiment", "run", "--resume", shown(&run), "--scale", "2"], 1);
    assert!(error.contains(shown(&engine)) && error.contains("--allow-programs"), "{error}");
    assert_eq!(starts(&place), 3);
    let lines = prints(&["experiment", "plan", shown(&file)]);
    let mut worker = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a worker");
    std::io::Write::write_all(&mut worker.stdin.take().expect("a pipe"), lines.as_bytes()).expect("jobs");
    let answers = text(&worker.wait_with_output().expect("answers").stdout);
    assert!(
        answers.lines().count() == 2 && answers.contains("\"error\"") && answers.contains("--allow-programs"),
        "{answers}"
    );
    assert_eq!(starts(&place), 3);
}

#[test]
fn tuning_starts_programs_that_were_typed_and_asks_about_those_of_a_run() {
    let place = scratch("tune");
    let engine = engine(&place, ("", ""));
    let run = place.join("run");
    let opponent = format!("usi:{}", engine.display());
    let begin = ["tune", "--game", "minishogi", "mcss(t={10..200:log},hash=1) + material", "--against", &opponent];
    prints(&[&begin[..], &["--evals", "50", "--games", "2", "--batch", "1", "--out", shown(&run)]].concat());
    let played = starts(&place);
    assert!(played > 0, "a player that was typed is started as asked");
    let longer = ["tune", "--resume", shown(&run), "--games", "8"];
    let error = fails(&longer, 1);
    assert!(error.contains(shown(&engine)) && error.contains("--allow-programs"), "{error}");
    assert_eq!(starts(&place), played);
    prints(&[&longer[..], &["--allow-programs"]].concat());
    assert!(starts(&place) > played);
}

#[test]
fn only_matches_with_games_to_play_start_programs() {
    let place = scratch("match");
    let engine = engine(&place, ("", ""));
    let run = signed(&place);
    let player = format!("usi:{}", engine.display());
    let begin = ["match", "--game", "minishogi", &player, "random", "--games", "2", "--out", shown(&run)];
    prints(&[&begin[..], &["--plan"]].concat());
    assert_eq!(starts(&place), 0, "a plan plays nothing");
    prints(&begin);
    let played = starts(&place);
    assert!(played > 0);
    prints(&["match", "--resume", shown(&run)]);
    let config = fs::read_to_string(run.join("config.toml")).expect("a configuration");
    fs::write(run.join("config.toml"), config.replace("reproducible = false", "reproducible = true")).expect("a lie");
    let shown_text = prints(&["verify", shown(&run)]);
    assert!(shown_text.contains("2 games checked by the rules, 0 played again"), "{shown_text}");
    let error = fails(&["match", "--resume", shown(&run), "--games", "4"], 1);
    assert!(error.contains(shown(&engine)) && error.contains("--allow-programs"), "{error}");
    assert_eq!(starts(&place), played);
    prints(&["match", "--resume", shown(&run), "--games", "4", "--allow-programs"]);
    assert!(starts(&place) > played);
}

/// A match against an engine that never answers `at`; the engine's process numbers once it is there.
fn stuck(name: &str, at: (&str, &str), started: usize) -> (Child, Vec<String>) {
    let place = scratch(name);
    let engine = engine(&place, at);
    let run = signed(&place);
    let player = format!("usi:{}", engine.display());
    // Signals that the caller of the tests ignores, as nohup does, would be ignored by the match, too.
    let child = Command::new("env")
        .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_yomi")])
        .args(["match", "--game", "minishogi", &player, "random", "--out", shown(&run)])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(said(name)).expect("a file"))
        .spawn()
        .expect("the program starts");
    until("the engine's sleep", || place.join("stuck").exists() && starts(&place) >= started);
    let pids = fs::read_to_string(place.join("pids")).expect("numbers");
    (child, pids.split_whitespace().map(str::to_string).collect())
}

/// Where a match of this name says what it has to say.
fn said(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("safety-{name}/stderr"))
}

/// The engine sleeps instead of answering `go`, and says that it does.
fn never_moves(name: &str) -> (Child, Vec<String>) {
    let mark = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("safety-{name}/stuck"));
    // It is started twice: once to be asked for its name.
    stuck(name, ("echo 'bestmove resign'", &format!("touch {}; sleep 1000", mark.display())), 2)
}

fn send(signal: &str, pid: &str) {
    assert!(Command::new("kill").args([signal, pid]).status().expect("kill").success());
}

fn assert_all_gone(mut child: Child, pids: &[String]) {
    until("the end of the match", || child.try_wait().expect("a child").is_some());
    pids.iter().for_each(|pid| gone::assert_gone(pid));
}

#[test]
fn engines_end_with_a_match_that_is_killed() {
    let (child, pids) = never_moves("kill");
    send("-KILL", &child.id().to_string());
    assert_all_gone(child, &pids);
}

#[test]
fn engines_end_with_a_match_that_is_terminated() {
    for signal in ["-TERM", "-HUP"] {
        let (child, pids) = never_moves(&format!("signal{signal}"));
        send(signal, &child.id().to_string());
        assert_all_gone(child, &pids);
    }
}

/// The first Ctrl-C waits for the game, the second breaks it off.
#[test]
fn engines_end_with_a_match_that_is_interrupted() {
    let (child, pids) = never_moves("interrupt");
    send("-INT", &child.id().to_string());
    // Two signals may arrive as one: the second comes when the first was heard.
    let heard = || fs::read_to_string(said("interrupt")).is_ok_and(|text| text.contains("once more to stop at once"));
    until("an answer to the first", heard);
    send("-INT", &child.id().to_string());
    assert_all_gone(child, &pids);
}

/// Before the first game, while the engine is asked for its name.
#[test]
fn engines_end_with_a_match_that_is_interrupted_early() {
    let mark = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("safety-early/stuck");
    let silent = format!("touch {}; sleep 1000", mark.display());
    let (child, pids) = stuck("early", ("echo 'id name meek'; echo usiok", &silent), 1);
    send("-INT", &child.id().to_string());
    assert_all_gone(child, &pids);
}

#[test]
fn an_edited_match_does_not_go_on() {
    let place = scratch("edited");
    let run = signed(&place);
    prints(&["match", "--game", "nim", "random", "flat(n=2)", "--games", "4", "--out", shown(&run)]);
    let config = fs::read_to_string(run.join("config.toml")).expect("a configuration");
    fs::write(run.join("config.toml"), config.replace("flat(n=2)", "flat(n=3)")).expect("an edit");
    for args in [
        &["match", "--resume", shown(&run), "--games", "8"][..],
        &["match", "--resume", shown(&run)],
        &["verify", shown(&run)],
    ] {
        let error = fails(args, 1);
        assert!(error.contains("config.toml was changed") && error.contains("flat(n=3)"), "{error}");
    }
    fs::write(run.join("config.toml"), &config).expect("undone");
    prints(&["match", "--resume", shown(&run), "--games", "8"]);
    prints(&["verify", shown(&run)]);
}

#[test]
fn runs_of_another_kind_are_named() {
    let place = scratch("kinds");
    let run = signed(&place);
    prints(&["match", "--game", "nim", "random", "flat(n=2)", "--games", "4", "--out", shown(&run)]);
    let other = place.join("other");
    fs::create_dir_all(&other).expect("a directory");
    for (config, found, command) in [
        ("title = 'Mine'", "an experiment", "experiment run --resume"),
        ("space = []", "a tuning run", "tune --resume"),
    ] {
        fs::write(other.join("config.toml"), config).expect("a configuration");
        for args in [&["match", "--resume", shown(&other)][..], &["stats", "pool", shown(&other)]] {
            let error = fails(args, 1);
            let named = error.contains(&format!("holds {found}, not a match; yomi {command} {}", other.display()));
            assert!(named, "{error}");
        }
        // A folder of runs may hold other things, too.
        let table = prints(&["stats", "pool", shown(&run), shown(&other)]);
        assert!(table.contains("flat(n=2)"), "{table}");
    }
    let error = fails(&["experiment", "run", "--resume", shown(&run)], 1);
    assert!(error.contains("holds a match, not an experiment; yomi match --resume"), "{error}");
}

#[test]
fn options_that_a_resumed_match_would_ignore_are_errors() {
    for option in [
        &["--seed", "3"][..],
        &["--sims", "30"],
        &["--nodes", "30"],
        &["--openings", "random(3)"],
        &["--clock", "10"],
        &["--sprt", "0,10"],
        &["--no-pairs"],
        &["--name", "other"],
        &["--move-limit", "7"],
        &["--schedule", "gauntlet"],
    ] {
        let error = fails(&[&["match", "--resume", "nowhere"], option].concat(), 2);
        assert!(error.contains(option[0]) && error.contains("--resume"), "{error}");
    }
    fails(&["experiment", "run", "--resume", "nowhere", "--seed", "3"], 2);
    fails(&["match", "--game", "nim", "random", "random", "--alpha", "0.1"], 2);
}

#[test]
fn a_damaged_row_is_reported_with_its_place() {
    let place = scratch("damaged");
    let run = signed(&place);
    prints(&["match", "--game", "nim", "random", "flat(n=2)", "--games", "4", "--out", shown(&run)]);
    let ledger = fs::read_to_string(run.join("games.jsonl")).expect("a ledger");
    fs::write(run.join("games.jsonl"), ledger.replacen("\"round\":0", "\"round\":2", 1)).expect("damage");
    for args in [&["verify", shown(&run)][..], &["match", "--resume", shown(&run)], &["stats", "pool", shown(&run)]] {
        let error = fails(args, 1);
        let shown_text =
            ["games.jsonl", "line 1", "checksum", "delete this line"].iter().all(|word| error.contains(word));
        assert!(shown_text, "{error}");
    }
}

/// A name of 64 kB with escape sequences, and an answer of the same kind.
#[test]
fn hostile_text_reaches_neither_ledger_nor_report_nor_terminal() {
    let place = scratch("hostile");
    let noise = "printf 'id name \\033[2J\\033]0;owned\\007'; head -c 60000 /dev/zero | tr '\\0' x; echo; echo usiok";
    let engine = engine(&place, ("echo 'id name meek'; echo usiok", noise));
    let script = fs::read_to_string(&engine).expect("a script");
    let answer = "printf 'bestmove \\033[31m'; head -c 60000 /dev/zero | tr '\\0' y; echo";
    fs::write(&engine, script.replace("echo 'bestmove resign'", answer)).expect("a script");
    let run = signed(&place);
    let player = format!("usi:{}", engine.display());
    let output = yomi(&["match", "--game", "minishogi", &player, "random", "--games", "2", "--out", shown(&run)]);
    let mut texts = vec![("terminal".to_string(), text(&output.stdout) + &text(&output.stderr))];
    for name in ["games.jsonl", "manifest.json", "report.md", "report.html", "summary.json"] {
        texts.push((name.to_string(), fs::read_to_string(run.join(name)).unwrap_or_default()));
    }
    for (name, text) in texts {
        assert!(!text.contains(['\u{1b}', '\u{7}']) && !text.contains(&"x".repeat(1100)), "{name}");
        assert!(!text.contains(&"y".repeat(1100)), "{name}");
    }
    assert!(fs::read_to_string(run.join("games.jsonl")).expect("a ledger").contains("\"reason\":\"illegal\""));
}

#[test]
fn budgets_that_a_search_ignores_are_errors() {
    let understood = "limit it by evals, nodes, depth, time";
    for args in [
        &["analyze", "--game", "minishogi", "--player", "alpha-beta", "--sims", "10"][..],
        &["analyze", "--game", "minishogi", "--player", "mate-first(alpha-beta) sims=10"],
        &["match", "--game", "minishogi", "alpha-beta", "mcss", "--sims", "10", "--out", "nowhere"],
        &["play", "--game", "minishogi", "--player", "alpha-beta", "--sims", "10"],
    ] {
        let error = fails(args, 1);
        assert!(error.contains("does not count sims") && error.contains(understood), "{error}");
    }
    let place = scratch("budgets");
    let error = fails(&["experiment", "run", shown(&experiment(&place, "alpha-beta sims=10"))], 1);
    assert!(error.contains(understood), "{error}");
    let error = fails(&["match", "--game", "go9", "gtp:sh nodes=10", "random"], 1);
    assert!(error.contains("GTP programs are limited by time"), "{error}");
    let error = fails(&["match", "--game", "go9", "gtp:no-such-program", "random", "--sims", "10"], 1);
    let named =
        error.contains("does not understand sims=10 and plays without a limit: GTP programs are limited by time");
    assert!(named, "{error}");
    let error = fails(&["match", "--game", "go9", "gtp:no-such-program time=1", "random", "--sims", "10"], 1);
    assert!(!error.contains("without a limit"), "{error}");
    prints(&["analyze", "--game", "minishogi", "--player", "alpha-beta", "--sims", "10", "--depth", "2"]);
}
