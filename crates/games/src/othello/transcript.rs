//! Games as transcripts: `f5d6c3d3c4`, one game per line.
//!
//! Passes are forced, so they are usually left out: the reader puts them in. `pass`, `ps`, `pa` and `--` are read where they stand. What is
//! behind `#` is a comment.

use yomi_core::record::ROOT;
use yomi_core::{Ending, Notation, Position, Record, TextError};

use super::moves::OthelloMove;
use super::notation::read_move;
use super::position::Othello;

/// Reads all games of a file.
pub fn read_all(text: &str) -> Result<Vec<Record<Othello>>, TextError> {
    let mut records = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let game = line.split('#').next().unwrap_or_default();
        if !game.trim().is_empty() {
            let error = |(offset, message): (usize, String)| TextError::at(text, start + offset, message);
            records.push(read(game).map_err(error)?);
        }
        start += line.len();
    }
    Ok(records)
}

/// Reads one game; an error names the byte where it is.
fn read(text: &str) -> Result<Record<Othello>, (usize, String)> {
    let mut position = Othello::default();
    let mut record = Record::new(position);
    let (mut node, mut at) = (ROOT, 0);
    while let Some(begin) = text[at..].find(|c: char| !c.is_whitespace()).map(|skipped| at + skipped) {
        let length = if text[begin..].get(..4).is_some_and(|word| word.eq_ignore_ascii_case("pass")) { 4 } else { 2 };
        let word = text[begin..].get(..length).unwrap_or(&text[begin..]);
        let mv = read_move(word).ok_or_else(|| (begin, "a square such as f5 was expected here".to_string()))?;
        if mv != OthelloMove::PASS && position.is_legal(OthelloMove::PASS) {
            position.play(OthelloMove::PASS);
            node = record.add(node, Some(OthelloMove::PASS));
        }
        if !position.is_legal(mv) {
            return Err((begin, position.why_not(mv)));
        }
        position.play(mv);
        node = record.add(node, Some(mv));
        at = begin + word.len();
    }
    record.nodes[node].ending = position.ended(&mut Vec::new()).map(Ending::Counted);
    Ok(record)
}

/// Writes the main line of a game, without its passes, as a line of its own. Only games from the start position have transcripts.
pub fn write(record: &Record<Othello>) -> Result<String, TextError> {
    if record.start != Othello::default() {
        let start = record.start.position_text();
        return Err(TextError::new(format!("a transcript begins at the start position, not at {start}")));
    }
    let moves = record.moves();
    Ok(moves.iter().filter(|&&mv| mv != OthelloMove::PASS).map(OthelloMove::to_string).collect::<String>() + "\n")
}

#[cfg(test)]
mod tests {
    use yomi_core::{Color, Outcome, Seed};

    use super::*;

    #[test]
    fn random_games_are_read_back_with_their_passes() {
        let mut passes = 0;
        for seed in 0..200 {
            let mut rng = Seed::new(seed).rng();
            let mut position = Othello::default();
            let mut record = Record::new(position);
            let (mut node, mut moves) = (ROOT, Vec::new());
            while position.generate(&mut moves).is_none() {
                let mv = moves[rng.below(moves.len())];
                position.play(mv);
                node = record.add(node, Some(mv));
                passes += usize::from(mv == OthelloMove::PASS);
            }
            let text = write(&record).unwrap();
            let read = read_all(&text).unwrap();
            assert_eq!(read[0].moves(), record.moves(), "{text}");
            assert_eq!(read[0].ending(), position.ended(&mut Vec::new()).map(Ending::Counted));
            assert_eq!(write(&read[0]).unwrap(), text);
        }
        assert!(passes > 50, "random games have passes: {passes}");
    }

    /// The shortest game there is: Black wins after nine plies with every disc on the board.
    #[test]
    fn the_shortest_game() {
        let records = read_all("# shortest\n\n  F5d6 c5F4 e7f6g5e6 E3 # 13 to 0\n").unwrap();
        assert_eq!(records[0].ending(), Some(Ending::Counted(Outcome::Win(Color::Black))));
        assert_eq!(write(&records[0]).unwrap(), "f5d6c5f4e7f6g5e6e3\n");
    }

    #[test]
    fn errors_say_where() {
        for (text, line, column) in
            [("f5d6\nf5d7", 2, 3), ("f5\nf", 2, 1), ("f5é", 0, 3), ("f5pass", 0, 3), ("e3", 0, 1)]
        {
            let error = read_all(text).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        }
        let mut other = Othello::default();
        other.play(OthelloMove::at(37));
        assert!(write(&Record::new(other)).is_err());
    }
}
