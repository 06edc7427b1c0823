//! The program says about games what a session says.

use std::io::Write;
use std::process::{Command, Stdio};

fn play(game: &str, lines: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(["play", "--game", game, "--side", "both", "--level", "1", "--seed", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn mistakes_at_the_terminal_are_those_of_a_session() {
    for (game, moves, wrong) in [
        ("minishogi", "", "5e5a"),
        ("minishogi", "5d5c", "nonsense"),
        ("go5(ko=positional)", "B3 C3 A2 D2 B1 C1 C2 B2", "C2"),
        ("connect-four", "", "9"),
        ("blokus-duo", "", "a1"),
    ] {
        let mut session = yomi_session::open(&game.parse().unwrap()).unwrap();
        session.play_line(moves).unwrap();
        let error = session.play(wrong).unwrap_err().to_string();
        let said = play(game, &format!("{}\n{wrong}\nquit\n", moves.replace(' ', "\n")));
        assert!(said.contains(&error), "{game} {wrong}:\n{error}\n---\n{said}");
    }
}

#[test]
fn analyze_prints_the_analysis_of_a_session() {
    use yomi_session::{Budget, Control, Player, SearchRequest};

    let text = "mcss(t=80,hash=16) sims=300";
    let output = Command::new(env!("CARGO_BIN_EXE_yomi"))
        .args(["analyze", "--game", "minishogi", "--player", text, "--json", "--multipv", "4"])
        .output()
        .unwrap();
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut session = yomi_session::open(&"minishogi".parse().unwrap()).unwrap();
    let player: Player = text.parse().unwrap();
    let request = SearchRequest::new(&player, player.limits(&Budget::default(), 1).unwrap());
    let analysis = session.search(&request, &Control::default(), &mut |_| {}).unwrap().json(4);
    // Through text as well: a number read from it may differ in its last bit.
    let analysis: serde_json::Value = serde_json::from_str(&analysis.to_string()).unwrap();
    for field in ["schema", "best", "value", "pv", "moves", "simulations", "evaluations", "nodes_per_depth", "ended"] {
        assert_eq!(printed[field], analysis[field], "{field}");
    }
}
