//! Matches as a person runs them: interrupted, resumed, on full disks, verified, plotted, pooled.

use crate::common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use common::until;
use serde_json::Value;
use yomi_core::{Rng, Seed};

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

/// Standard error of a command that fails.
fn fails(args: &[&str]) -> String {
    let output = yomi(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// A directory of its own for a test.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("matches-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a place for tests");
    path
}

/// A match whose games depend on chance, long enough to be interrupted.
const MATCH: [&str; 7] = ["match", "--game", "connect-four", "uct sims=30", "flat(n=3)", "--games", "60"];

fn into(directory: &Path) -> Vec<&str> {
    let mut args = MATCH.to_vec();
    args.extend(["--out", directory.to_str().expect("UTF-8")]);
    args
}

/// The match, played without interruption.
static WHOLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = scratch("whole").join("run");
    let out = prints(&into(&directory));
    assert!(out.contains("60 of 60 games") && out.contains("report.html"), "{out}");
    directory
});

/// A directory for the same match whose manifest is there already: the signature of this build need not be computed again.
fn signed(name: &str) -> PathBuf {
    let directory = scratch(name);
    fs::copy(WHOLE.join("manifest.json"), directory.join("manifest.json")).expect("a manifest");
    directory
}

/// The rows of a ledger in the order of the schedule, without times.
fn rows(directory: &Path) -> Vec<Value> {
    let ledger = fs::read_to_string(directory.join("games.jsonl")).expect("a ledger");
    let mut rows: Vec<Value> = ledger.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    for row in &mut rows {
        let row = row.as_object_mut().expect("an object");
        for time in ["ms", "cpu_ms", "slowest_ms", "worker", "ended", "check"] {
            row.remove(time);
        }
    }
    rows.sort_by_key(|row| row["job"].as_u64());
    rows
}

/// Where twenty interruptions take more matches than this, something is wrong.
const MATCHES: u32 = 200;

/// Twenty times the program is killed without warning, whenever the ledger has grown by a random number of bytes. How often one match can
/// be interrupted before it is over depends on the machine: as many matches are played as twenty interruptions take.
#[test]
fn killed_twenty_times_the_ledger_is_that_of_an_uninterrupted_run() {
    let mut rng = Seed::new(1).rng();
    let mut kills = 0;
    for _ in 0..MATCHES {
        let directory = signed("killed");
        while kills < 20 && killed(&directory, &mut rng) {
            kills += 1;
        }
        prints(&["match", "--resume", directory.to_str().expect("UTF-8"), "--jobs", "2"]);
        assert_eq!(rows(&directory), rows(&WHOLE));
        // Everything that follows from the ledger is the same too, except times.
        assert_eq!(fs::read(directory.join("results.pgn")).unwrap(), fs::read(WHOLE.join("results.pgn")).unwrap());
        if kills == 20 {
            return;
        }
    }
    panic!("{MATCHES} matches were over after {kills} interruptions");
}

/// Goes on with the match and kills it a little later. Whether it was not over before that.
fn killed(directory: &Path, rng: &mut Rng) -> bool {
    let ledger = directory.join("games.jsonl");
    let length = || fs::metadata(&ledger).map_or(0, |metadata| metadata.len());
    let whole = fs::metadata(WHOLE.join("games.jsonl")).expect("a ledger").len();
    let mut args = into(directory);
    args.extend(["--jobs", "2"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let enough = length() + rng.below((whole / 20) as usize) as u64;
    until("a longer ledger", || length() > enough || child.try_wait().expect("a child").is_some());
    // A moment later, of no fixed length. Who makes way on a busy machine comes back when the match is over.
    (0..rng.below(50_000)).for_each(|_| std::hint::spin_loop());
    let running = child.try_wait().expect("a child").is_none();
    child.kill().expect("killed");
    child.wait().expect("gone");
    running
}

/// Files may not grow beyond some blocks: what a full disk looks like. Whatever was finished is in the ledger or on standard error.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_no_finished_game() {
    let directory = signed("full");
    let command = format!(
        "trap '' XFSZ; ulimit -f 20; exec '{}' match --game connect-four 'uct sims=30' 'flat(n=3)' --games 60 --jobs 2 --out '{}'",
        env!("CARGO_BIN_EXE_yomi"),
        directory.display()
    );
    let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write to") && error.contains("games.jsonl"), "{error}");
    let saved = rows(&directory);
    let reported: Vec<Value> = error.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(
        !saved.is_empty() && !reported.is_empty() && saved.len() < 60,
        "{} saved, {} reported",
        saved.len(),
        reported.len()
    );
    // With room again the match goes on where it stopped.
    prints(&["match", "--resume", directory.to_str().expect("UTF-8")]);
    assert_eq!(rows(&directory), rows(&WHOLE));
}

/// Presses Ctrl-C in a program.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// The first Ctrl-C lets games under way end; what is missing is played later.
#[cfg(unix)]
#[test]
fn one_interruption_drains() {
    let start = |attempt: u32| {
        let directory = signed(&format!("drained-{attempt}"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
            .args(into(&directory))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let ledger = directory.join("games.jsonl");
        until("a finished game", || fs::metadata(&ledger).is_ok_and(|metadata| metadata.len() > 0));
        interrupt(&child);
        let status = child.wait().expect("an end");
        assert!(status.success());
        (rows(&directory).len() < 60).then_some(directory)
    };
    // On a busy machine the signal may come after the last game.
    let directory = (0..10).find_map(start).expect("it is interrupted");
    assert!(!rows(&directory).is_empty());
    assert!(directory.join("report.html").exists(), "what there is, is reported");
    prints(&["match", "--resume", directory.to_str().expect("UTF-8")]);
    assert_eq!(rows(&directory), rows(&WHOLE));
}

/// A match on 9x9 between a program for Go and a player, one game after the other.
#[cfg(unix)]
struct GoMatch {
    place: PathBuf,
    run: PathBuf,
    child: Child,
}

#[cfg(unix)]
impl GoMatch {
    /// Begins it. The program makes the file `asked` when it is asked for a move, and then does what this line of a shell says.
    fn begin(name: &str, line: &str, player: &str) -> GoMatch {
        let (place, run) = (scratch(&format!("{name}-aside")), signed(name));
        let script = "cd 'PLACE'\n\
            while read id command rest; do\n\
              case $command in\n\
                name) echo \"=$id script\" ;;\n\
                genmove) touch asked; LINE ;;\n\
                *) echo \"=$id\" ;;\n\
              esac\n\
              echo\n\
            done\n";
        let path = place.join("script.sh");
        let script = script.replace("PLACE", &place.display().to_string()).replace("LINE", line);
        fs::write(&path, script).expect("a script");
        let program = format!("gtp:sh {}", path.display());
        let child = Command::new(env!("CARGO_BIN_EXE_yomi"))
            .args(["match", "--game", "go9", &program, player, "--games", "2", "--jobs", "1"])
            .args(["--out", run.to_str().expect("UTF-8")])
            .stdout(Stdio::null())
            .stderr(fs::File::create(place.join("said")).expect("a file"))
            .spawn()
            .expect("the program starts");
        GoMatch { place, run, child }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.place.join("said")).expect("a file")
    }

    /// Presses Ctrl-C once, in the first game, and waits until that was heard: two signals may arrive as one.
    fn interrupt_first_game(&self) {
        until("a question for a move", || self.place.join("asked").exists());
        interrupt(&self.child);
        until("an answer to the signal", || self.said().contains("once more to stop at once"));
    }

    /// Waits for its end and counts its games.
    fn end(mut self) -> usize {
        let mut status = None;
        until("the end of the match", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        assert!(status.is_some_and(|status| status.success()) && self.said().contains("--resume"), "{}", self.said());
        rows(&self.run).len()
    }
}

#[cfg(unix)]
impl Drop for GoMatch {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The game under way when Ctrl-C was pressed is played to its end, and no other is begun.
#[cfg(unix)]
#[test]
fn one_interruption_breaks_off_nothing() {
    let resigns = "until test -e heard; do sleep 0.01; done; echo \"=$id resign\"";
    let game = GoMatch::begin("resigned", resigns, "random");
    game.interrupt_first_game();
    fs::write(game.place.join("heard"), "").expect("a file");
    assert_eq!(game.end(), 1);
}

/// The second one breaks off a game that would take for ever.
#[cfg(unix)]
#[test]
fn two_interruptions_stop() {
    // The program has Black and moves at once; the search never answers.
    let game = GoMatch::begin("stopped", "echo \"=$id D4\"", "uct sims=100000000000");
    game.interrupt_first_game();
    interrupt(&game.child);
    until("an answer to the second signal", || game.said().contains("\nstopping\n"));
    assert_eq!(game.end(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_is_named() {
    // No directory can be made here, not even by root.
    let error = fails(&["match", "--game", "nim", "random", "random", "--games", "2", "--out", "/sys/yomi-run"]);
    assert!(error.starts_with("yomi: cannot create /sys/yomi-run"), "{error}");
}

#[test]
fn a_changed_row_is_found() {
    let whole = WHOLE.to_str().expect("UTF-8");
    let honest = prints(&["verify", whole, "--sample", "3"]);
    assert_eq!(honest, "60 games checked by the rules, 3 played again, 0 differences\n");
    let directory = scratch("tampered");
    for file in ["config.toml", "manifest.json", "games.jsonl"] {
        fs::copy(WHOLE.join(file), directory.join(file)).expect("a copy");
    }
    // Someone who tampers makes the checksums fit, or takes them off as here.
    let sealed = fs::read_to_string(directory.join("games.jsonl")).unwrap();
    let open = |line: &str| line.split_once(",\"check\"").map(|(row, _)| format!("{row}}}\n")).expect("a checksum");
    let ledger: String = sealed.lines().map(open).collect();
    let line = ledger.lines().find(|line| line.contains("\"1-0\"")).expect("a game won by Black");
    fs::write(directory.join("games.jsonl"), ledger.replace(line, &line.replace("\"1-0\"", "\"0-1\""))).unwrap();
    let output = yomi(&["verify", directory.to_str().unwrap(), "--sample", "0", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let reported: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(reported["differences"].as_array().map(Vec::len), Some(1), "{reported}");
}

/// Real searches, trees kept from move to move and tables from game to game: threads change nothing.
#[test]
fn one_thread_and_two_give_the_same_ledger() {
    let run = |name: &str, jobs: &str| {
        let directory = signed(name);
        let path = directory.to_str().expect("UTF-8").to_string();
        let players = ["mcss(t=80) sims=20", "alpha-beta depth=2"];
        let options = ["--openings", "random(4)", "--games", "6", "--move-limit", "40", "--no-records"];
        let args = [&["match", "--game", "minishogi", "--out", &path, "--jobs", jobs], &players[..], &options].concat();
        prints(&args);
        rows(&directory)
    };
    assert_eq!(run("jobs-1", "1"), run("jobs-2", "2"));
}

#[test]
fn players_without_chance_are_caught() {
    let directory = signed("repeated");
    let path = directory.to_str().expect("UTF-8");
    let players = ["alpha-beta depth=1", "alpha-beta depth=2"];
    let options = ["--games", "6", "--move-limit", "30", "--json", "--no-records"];
    let out = prints(&[&["match", "--game", "minishogi", "--out", path], &players[..], &options].concat());
    let summary: Value = serde_json::from_str(out.lines().last().expect("a summary")).unwrap();
    assert_eq!((&summary["games"], &summary["unique"]), (&6.into(), &2.into()));
    let warning = summary["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("only 2 of 6 games are unique"), "{warning}");
    assert_eq!(out.lines().count(), 7, "six games and the summary");
}

#[test]
fn a_run_is_pooled_and_plotted() {
    let whole = WHOLE.to_str().expect("UTF-8");
    let list = prints(&["stats", "pool", whole]);
    assert!(list.contains("uct sims=30") && list.contains("flat(n=3)"), "{list}");
    let error = fails(&["stats", "pool", whole, whole]);
    assert!(error.contains("another of these directories"), "{error}");
    let ledger = WHOLE.join("games.jsonl");
    let ledger = ledger.to_str().expect("UTF-8");
    for options in [
        &["--x", "job", "--y", "plies"][..],
        &["--x", "first", "--y", "plies", "--kind", "mean"],
        &["--x", "plies", "--kind", "count", "--group", "result"],
        &["--y", "ms.0", "--kind", "line", "--log-y", "--title", "time"],
    ] {
        let svg = prints(&[&["plot", ledger], options].concat());
        assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{options:?}: {svg:.60}");
    }
    assert!(fails(&["plot", ledger, "--x", "job", "--y", "nothing"]).contains("60 lines"));
    assert!(fails(&["plot", ledger, "--x", "job"]).contains("--y is missing"));
}

#[test]
fn mistakes_are_reported_before_anything_is_played() {
    let error = fails(&["match", "--game", "nim", "uct", "random", "--out", "nowhere"]);
    assert!(error.contains("would think for ever"), "{error}");
    let error = fails(&["match", "--game", "nim", "uct(c=many) sims=5", "random"]);
    assert!(error.contains("many is not a number"), "{error}");
    let error = fails(&["match", "--game", "nim", "random", "--games", "4"]);
    assert!(error.contains("two players"), "{error}");
    let error = fails(&["match", "--game", "nim", "random", "random", "--openings", "missing.sfen"]);
    assert!(error.contains("--openings"), "{error}");
    let error = fails(&["match", "--resume", "nowhere"]);
    assert!(error.contains("nowhere/config.toml"), "{error}");
    assert!(!Path::new("nowhere").exists());
}

/// A worker answers what it cannot read, refuses what another build planned, and ends with its input.
#[test]
fn a_worker_answers_every_line() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let config = fs::read_to_string(WHOLE.join("config.toml")).unwrap();
    let config: Value = toml_to_json(&config);
    let manifest: Value = serde_json::from_str(&fs::read_to_string(WHOLE.join("manifest.json")).unwrap()).unwrap();
    let expected = &rows(&WHOLE)[0];
    let job = |signature: &Value| {
        let job = serde_json::json!({ "index": 0, "pairing": 0, "round": 0, "first": 0, "second": 1, "opening": {}, "seed": expected["seed"] });
        serde_json::json!({ "signature": signature, "match": config, "job": job }).to_string()
    };
    let lines = ["nonsense".to_string(), job(&1.into()), job(&manifest["signature"])].join("\n");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
    let out = text(&child.wait_with_output().expect("an end").stdout);
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 3, "{out}");
    assert!(answers[0]["error"].is_string());
    assert!(answers[1]["error"].as_str().is_some_and(|error| error.contains("signature")), "{out}");
    assert_eq!((&answers[2]["moves"], &answers[2]["result"]), (&expected["moves"], &expected["result"]));
}

/// The configuration of a run as a worker's line has it.
fn toml_to_json(text: &str) -> Value {
    let table: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(table).expect("JSON")
}
