//! Conversations with `yomi usi`, `yomi gtp` and `yomi analysis`, as they were written down in `transcripts/`.
//!
//! `$` is the command, `>` a line sent, `<` a line that must come next, where `…` stands for anything; `< …` alone passes over any
//! number of lines up to the one that fits the next pattern. `#` begins a comment. At the end the input is closed, and nothing more may come.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// No answer in a transcript takes longer, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Whether `line` is `pattern`, in which `…` stands for anything.
fn fits(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn play(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let name = path.display();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    let (_, first) = lines.next().expect("a command");
    let args = first.strip_prefix("$ yomi ").unwrap_or_else(|| panic!("{name}: the first line is no command"));
    let is_usi = args.starts_with("usi");
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(words(args))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    let (sender, answers) = channel();
    // An empty line of USI is no answer: it says that something takes its time, as everything may on a busy machine.
    let says_something = move |line: &String| !(line.is_empty() && is_usi);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok).filter(says_something) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut passing = false;
    for (number, line) in lines {
        let place = format!("{name}:{}", number + 1);
        match line.split_at(1) {
            (">", sent) => writeln!(input, "{}", sent.strip_prefix(' ').unwrap_or(sent)).expect(&place),
            ("<", " …") => passing = true,
            ("<", pattern) => {
                expect(&answers, pattern.strip_prefix(' ').unwrap_or(pattern), passing, &place);
                passing = false;
            }
            _ => panic!("{place}: neither sent nor expected"),
        }
    }
    drop(input);
    let rest: Vec<String> = answers.iter().collect();
    assert!(passing || rest.is_empty(), "{name}: more came: {rest:#?}");
    assert!(child.wait().unwrap().success(), "{name}");
}

fn expect(answers: &Receiver<String>, pattern: &str, passing: bool, place: &str) {
    let mut passed = Vec::new();
    loop {
        let answer = answers.recv_timeout(PATIENCE);
        let line = answer.unwrap_or_else(|_| panic!("{place}: {pattern:?} never came, but {passed:#?}"));
        if fits(pattern, &line) {
            return;
        }
        assert!(passing, "{place}: expected {pattern:?}, got {line:?}");
        passed.push(line);
    }
}

/// The words of a command line; single quotes hold them together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let mut words = Vec::new();
    for (i, part) in parts {
        if i % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

fn play_all(protocol: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(protocol);
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.iter().for_each(|file| play(file));
}

#[test]
fn usi() {
    play_all("usi");
}

#[test]
fn gtp() {
    play_all("gtp");
}

#[test]
fn analysis() {
    play_all("analysis");
}

#[test]
fn patterns_fit_what_they_should() {
    for (pattern, line, fit) in [
        ("readyok", "readyok", true),
        ("readyok", "readyok ", false),
        ("info …", "info depth 1", true),
        ("info … pv 7g7f…", "info depth 1 pv 7g7f 3c3d", true),
        ("info … pv 7g7f", "info depth 1 pv 7g7f 3c3d", false),
        ("…b…c", "abxbc", true),
        ("…", "", true),
        ("a…a", "a", false),
        ("", "", true),
    ] {
        assert_eq!(fits(pattern, line), fit, "{pattern} {line}");
    }
}
