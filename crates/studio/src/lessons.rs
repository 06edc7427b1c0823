//! The games of a learner, where its run keeps some: `games.jsonl` of `yomi learn`, by step.

use std::path::PathBuf;

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::file::read_text_file;

use crate::learners::{LARGEST, folder_of};

/// The file.
pub(crate) const GAMES: &str = "games.jsonl";
/// Games of one answer.
const MOST_GAMES: usize = 200;

/// Games of a step of a learner, or of its latest; and the steps that have some.
pub(crate) fn games(folders: &[PathBuf], name: &str, step: Option<u64>) -> Result<Value, TextError> {
    let file = folder_of(folders, name)?.join(GAMES);
    if !file.is_file() {
        return Ok(json!({ "type": "lessons", "name": name, "step": null, "steps": [], "game": null, "games": [] }));
    }
    let text = read_text_file(&file.to_string_lossy(), LARGEST)?;
    // A line that is being written is not there yet.
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut steps: Vec<u64> = rows.iter().filter_map(|row| row["step"].as_u64()).collect();
    steps.sort_unstable();
    steps.dedup();
    let wanted = step.or(steps.last().copied());
    let played = rows.iter().filter(|row| row["step"].as_u64() == wanted).take(MOST_GAMES);
    let games: Vec<Value> = played
        .map(|row| {
            let moves: Vec<&str> = row["moves"].as_str().unwrap_or_default().split_whitespace().collect();
            json!({ "number": row["number"], "row": 0, "black": name, "white": name, "result": row["result"], "detail": "",
                "position": row["position"], "moves": moves })
        })
        .collect();
    let game = rows.last().map(|row| row["game"].clone());
    Ok(json!({ "type": "lessons", "name": name, "step": wanted, "steps": steps, "game": game, "games": games }))
}
