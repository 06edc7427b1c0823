//! Sequences of moves as text, and back.

use yomi_core::{Line, Notation, TextError};
pub use yomi_games::variation;

/// Plays the moves of `text`, separated by spaces. An error names the move by its number; the moves before it are played.
pub fn parse_moves<P: Notation>(line: &mut Line<P>, text: &str) -> Result<Vec<P::Move>, TextError> {
    let mut played = Vec::new();
    for (i, word) in text.split_whitespace().enumerate() {
        let number = i + 1;
        let mv = line.position().parse_move(word).map_err(|error| error.context(format!("move {number}")))?;
        if !line.is_legal(mv) {
            let why = "is forbidden by what was played before, or the game is over";
            return Err(TextError::new(format!("move {number}: {word} {why}")));
        }
        line.play(mv);
        played.push(mv);
    }
    Ok(played)
}
