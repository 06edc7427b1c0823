//! `yomi experiment` as people use it.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn yomi(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yomi")).arg("experiment").args(args).output().expect("the program runs")
}

fn text(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn error(args: &[&str]) -> String {
    let output = yomi(args);
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn file(name: &str, contents: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("a directory for tests");
    path
}

/// Every experiment of the library can be shown, and what needs no program of others and no GPU can be run.
#[test]
fn all_experiments_are_ready_but_for_programs_of_others() {
    let list = text(&["list", "--json"]);
    assert!(list.lines().count() >= 12, "{list}");
    for line in list.lines() {
        let listed: Value = serde_json::from_str(line).expect("JSON");
        let name = listed["name"].as_str().expect("a name");
        let shown: Value = serde_json::from_str(&text(&["show", name, "--json"])).expect("JSON");
        let file = text(&["show", name, "--toml"]);
        let foreign = ["gtp:", "usi(", "xboard(", "device=cuda"].iter().any(|word| file.contains(word));
        assert!(foreign || shown["ready"] == true, "{name}: {}", shown["missing"]);
    }
    assert!(text(&["list"]).contains("s0-table1"));
}

#[test]
fn mistakes_are_explained_before_anything_runs() {
    assert!(error(&["run", "s9-table9"]).contains("s0-table1"));
    let wrong = file("wrong.toml", "name = \"wrong\"\ntitle = \"x\"\n[[match-table]]\ntitle = \"x\"\ngmae = \"nim\"\n");
    let message = error(&["run", wrong.to_str().expect("a path")]);
    assert!(message.contains("line 5") && message.contains("gmae"), "{message}");
    let missing = file(
        "missing.toml",
        "name = \"missing\"\ntitle = \"x\"\n[[match-table]]\ntitle = \"x\"\ngame = \"go9\"\ngames = 2\nopponent = \"random\"\n\
         rows = [{ label = \"a\", player = \"gtp:no-such-program --mode gtp\" }]\n",
    );
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("never");
    let message = error(&["run", missing.to_str().expect("a path"), "--out", out.to_str().expect("a path")]);
    assert!(message.contains("no-such-program") && !out.exists(), "{message}");
    assert!(error(&["run", "s0-fig3", "--scale", "0"]).contains("no scale"));
    assert!(error(&["report", "/nonexistent/run"]).contains("config.toml"));
}

/// A small experiment from the command line: run, ledger, report; a second run has nothing left to do.
#[test]
fn a_small_experiment_runs_and_reports() {
    let path = file(
        "small.toml",
        "name = \"small\"\ntitle = \"Small\"\nquestion = \"?\"\n[[match-table]]\ntitle = \"Nim\"\ngame = \"nim\"\ngames = 4\n\
         opponent = \"random\"\nopening = \"start\"\nrows = [{ label = \"uct\", player = \"uct + rollout sims=20\", \
         published = { wins = 1, losses = 3 } }]\n",
    );
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("small-run");
    let _ = std::fs::remove_dir_all(&out);
    let run = text(&["run", path.to_str().expect("a path"), "--out", out.to_str().expect("a path"), "--jobs", "2"]);
    assert!(run.contains("Of 1 claim or published row, ") && run.contains("report.html"), "{run}");
    let ledger = std::fs::read(out.join("ledger.jsonl")).expect("a ledger");
    let again = text(&["run", "--resume", out.to_str().expect("a path"), "--json"]);
    let summary: Value = serde_json::from_str(again.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&summary["jobs_done"], &summary["type"]), (&Value::from(4), &Value::from("experiment")));
    assert_eq!(std::fs::read(out.join("ledger.jsonl")).expect("a ledger"), ledger);
    for name in ["config.toml", "manifest.json", "summary.json", "report.md", "report.html", "plots/nim.svg"] {
        assert!(out.join(name).exists(), "{name}");
    }
}
