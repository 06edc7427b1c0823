//! The first games of every step, for people who want to see what was learned from: `games.jsonl`, one JSON object per game.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use yomi_core::{Color, Line, Move, Notation, Outcome, TextError};

use super::episode::Episode;
use crate::files::{read_if_there, replace, trouble};

/// The file.
const FILE: &str = "games.jsonl";
/// Games kept of a step.
const KEPT: usize = 4;

/// Takes out what a killed run wrote after its last checkpoint.
pub(super) fn cut(folder: &Path, steps: u64) -> Result<(), TextError> {
    let path = folder.join(FILE);
    let Some(bytes) = read_if_there(&path)? else { return Ok(()) };
    let text = String::from_utf8_lossy(&bytes);
    let step = |line: &str| serde_json::from_str::<Value>(line).ok().and_then(|value| value["step"].as_u64());
    let kept: String =
        text.lines().filter(|line| step(line).is_some_and(|n| n <= steps)).map(|line| format!("{line}\n")).collect();
    if kept.as_bytes() == bytes { Ok(()) } else { replace(&path, kept.as_bytes()) }
}

/// Adds the first games of a step; `first` is the number of the first of them, `start` says where a game begins, if not as usual.
pub(super) fn add<'a, P: Notation + 'a>(
    folder: &Path,
    usual: &P,
    start: impl Fn(u64) -> &'a P,
    step: u64,
    first: u64,
    episodes: &[Episode],
) -> Result<(), TextError> {
    let mut lines = String::new();
    for (number, episode) in (first..).zip(episodes.iter().take(KEPT)) {
        let start = start(number);
        let mut line = Line::new(start.clone());
        let moves = episode.moves.iter().map(|&bits| {
            let mv = P::Move::from_bits(bits);
            let text = line.position().move_text(mv);
            line.play(mv);
            text
        });
        let moves: Vec<String> = moves.collect();
        let result = match episode.outcome {
            Outcome::Win(Color::Black) => "1-0",
            Outcome::Win(Color::White) => "0-1",
            Outcome::Draw => "1/2-1/2",
        };
        let mut game = json!({ "step": step, "number": number, "game": start.rules(), "result": result,
            "moves": moves.join(" ") });
        if start.key() != usual.key() {
            game["position"] = json!(start.position_text());
        }
        lines += &format!("{game}\n");
    }
    let path = folder.join(FILE);
    let open = fs::OpenOptions::new().create(true).append(true).open(&path);
    open.and_then(|mut file| std::io::Write::write_all(&mut file, lines.as_bytes()))
        .map_err(|error| trouble(&path, &error))
}
