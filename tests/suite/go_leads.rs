//! Leads that a reviewer can believe: what `scripts/go_leads.py` checks on 50 games, in miniature and by fixed seeds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

struct Analysis {
    child: Child,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Analysis {
    fn start(seed: u32) -> Analysis {
        let mut child = Command::new(env!("CARGO_BIN_EXE_yomi"))
            .args(["analysis", "--game", "go9", "--seed", &seed.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Analysis { child, answers }
    }

    /// What is thought of the position after these moves, in Black's eyes.
    fn ask(&mut self, moves: &[&str], komi: f64, visits: u32) -> Value {
        let moves: Vec<[&str; 2]> = moves.iter().enumerate().map(|(i, mv)| [["B", "W"][i % 2], mv]).collect();
        let question = json!({"id": "a", "moves": moves, "komi": komi, "rules": "chinese", "boardXSize": 9,
            "boardYSize": 9, "maxVisits": visits, "includePVVisits": true, "includeMovesOwnership": true});
        writeln!(self.child.stdin.as_mut().unwrap(), "{question}").unwrap();
        serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap()
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn lead(info: &Value) -> f64 {
    info["scoreLead"].as_f64().unwrap_or_else(|| panic!("no lead: {info}"))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Perfect play on 9x9 is worth seven points to Black. One answer of 500 visits is off by 1.9 points (a standard deviation), so the bound
/// is two standard errors of the mean of ten.
#[test]
fn an_empty_board_is_worth_its_komi() {
    let empty = |komi: f64| {
        let lead = |seed| lead(&Analysis::start(seed).ask(&[], komi, 500)["rootInfo"]);
        mean(&(1..=10).map(lead).collect::<Vec<f64>>())
    };
    let (seven, more) = (empty(7.0), empty(7.5));
    assert!(seven.abs() < 1.2 && (more + 0.5).abs() < 1.2, "komi 7: {seven}, komi 7.5: {more}");
}

/// A game of GNU Go against itself, which Black won by 1.5 points.
const GAME: &str = include_str!("../../results/go-leads/gnugo.jsonl");

#[test]
fn the_best_move_loses_nothing_and_the_end_is_foreseen() {
    let game: Value = serde_json::from_str(GAME.lines().nth(1).unwrap()).unwrap();
    let moves: Vec<&str> = game["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let margin = game["margin"].as_f64().unwrap();
    let mut analysis = Analysis::start(1);
    let mut losses = Vec::new();
    for ply in (0..moves.len()).step_by(9) {
        let before = analysis.ask(&moves[..ply], 7.5, 300);
        let best = &before["moveInfos"][0];
        assert_eq!(lead(&before["rootInfo"]), lead(best), "{ply}: root and best move have one estimate");
        assert_eq!(best["pvVisits"].as_array().unwrap().len(), best["pv"].as_array().unwrap().len());
        assert_eq!((&best["pvVisits"][0], best["ownership"].as_array().unwrap().len()), (&best["visits"], 81));
        let next = [&moves[..ply], &[best["move"].as_str().unwrap()]].concat();
        let after = analysis.ask(&next, 7.5, 300);
        let sign = if ply % 2 == 0 { 1.0 } else { -1.0 };
        losses.push(sign * (lead(&before["rootInfo"]) - lead(&after["rootInfo"])));
    }
    let loss = mean(&losses);
    assert!(loss.abs() < 1.5, "the best move loses {loss}: {losses:?}");
    let end = lead(&analysis.ask(&moves, 7.5, 300)["rootInfo"]);
    assert!((end - margin).abs() < 1.0, "{end} in the end, {margin} counted");
}
