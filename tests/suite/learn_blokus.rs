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

/// Every extension of S1 that the command line names is another way to learn, and none of them is ignored: all weights differ.
#[test]
fn every_extension_is_reachable() {
    let games = folder("stronger.blksgf");
    std::fs::write(&games, "(;GM[Blokus Duo];B[e10,e11,f11,g11,e12];W[j4,j5,k5,l5,m5];B[d7,c8,d8,e8,d9])\n").unwrap();
    let mut learned: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, extension) in [
        ("plain", vec![]),
        ("softmax", vec!["--softmax", "10"]),
        ("noise", vec!["--noise", "10"]),
        ("lambda", vec!["--lambda", "0.7"]),
        ("searched", vec!["--searched", "1"]),
        ("games", vec!["--games", games.to_str().unwrap()]),
    ] {
        let out = folder(name);
        let mut arguments = vec!["learn", "simulations", "--out", out.to_str().unwrap(), "--n", "3"];
        arguments.extend(["--simulations", "3", "--updates", "3", "--seed", "5"]);
        arguments.extend(extension);
        let output = run(&arguments);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let weights = std::fs::read(out.join("weights.txt")).unwrap();
        if let Some((other, _)) = learned.iter().find(|(_, known)| *known == weights) {
            panic!("{name} learned what {other} learned");
        }
        learned.push((name, weights));
        std::fs::remove_dir_all(out).unwrap();
    }
    std::fs::remove_file(games).unwrap();
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
