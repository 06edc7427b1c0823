//! `yomi learn-blokus` from outside: killed and resumed, with wrong arguments, and its weights in a player's hands.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn yomi(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yomi"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    yomi(arguments).output().expect("yomi runs")
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("yomi-learn-blokus-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

const SMALL: [&str; 6] = ["--n", "2", "--simulations", "3", "--updates", "60"];

fn begin(folder: &Path) -> Vec<&str> {
    let mut arguments = vec!["learn-blokus", "--out", folder.to_str().unwrap(), "--checkpoint", "0"];
    arguments.extend(SMALL);
    arguments
}

/// A run that is killed at any moment goes on and ends with the same weights.
#[test]
fn a_killed_run_goes_on() {
    let (whole, killed) = (folder("whole"), folder("killed"));
    assert!(run(&begin(&whole)).status.success());
    let expected = std::fs::read(whole.join("weights.txt")).unwrap();

    let mut child = yomi(&begin(&killed)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Killed once there is something in the curve; should it be done by then, resuming has nothing to do.
    while child.try_wait().unwrap().is_none() {
        if std::fs::metadata(killed.join("curve.jsonl")).is_ok_and(|file| file.len() > 0) {
            child.kill().unwrap();
        }
        std::thread::yield_now();
    }
    let resumed = run(&["learn-blokus", "--resume", killed.to_str().unwrap(), "--threads", "2", "--json"]);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(std::fs::read(killed.join("weights.txt")).unwrap(), expected);
    let last = String::from_utf8(resumed.stdout).unwrap().lines().last().unwrap().to_string();
    assert!(last.contains("\"type\":\"end\"") && last.contains("\"updates\":60"), "{last}");
    let curve = std::fs::read_to_string(killed.join("curve.jsonl")).unwrap();
    assert_eq!(curve.lines().count(), 6);

    let weights = format!("greedy + learned(file={})", killed.join("weights.txt").display());
    let analysis = run(&["analyze", "--game", "blokus-duo", "--player", &weights]);
    assert!(analysis.status.success(), "{}", String::from_utf8_lossy(&analysis.stderr));
    for folder in [whole, killed] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn wrong_arguments_are_refused_and_nothing_is_lost() {
    let taken = folder("taken");
    assert!(run(&begin(&taken)).status.success());
    let before = std::fs::read(taken.join("checkpoint.txt")).unwrap();
    let path = taken.to_str().unwrap();
    for (arguments, message) in [
        (vec!["learn-blokus", "--out", path], "a run already"),
        (vec!["learn-blokus", "--resume", path, "--n", "4"], "cannot be used with"),
        (vec!["learn-blokus"], "--out"),
        (vec!["learn-blokus", "--resume", "/no/such/folder"], "no run to resume"),
        (vec!["learn-blokus", "--out", "/tmp/yomi-never", "--rate=-1"], "learning rate"),
        (vec!["learn-blokus", "--out", "/tmp/yomi-never", "--softmax", "1", "--noise", "1"], "cannot be used with"),
    ] {
        let output = run(&arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(message), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read(taken.join("checkpoint.txt")).unwrap(), before);
    std::fs::write(taken.join("checkpoint.txt"), &before[..before.len() - 5]).unwrap();
    let output = run(&["learn-blokus", "--resume", path]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("checksum"));
    std::fs::remove_dir_all(taken).unwrap();
}
