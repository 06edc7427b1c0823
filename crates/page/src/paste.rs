//! Games and positions as they are pasted: SFEN, `position …`, KIF, KI2, CSA, SGF, Blokus SGF, or a line of moves.

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_games::shogi::records::detect;
use yomi_session::records::{AnyRecord, read_all};
use yomi_session::{RecordFormat, open};

use crate::request::Place;

/// The game that a text holds. `game` is the one on the board: it decides where the text does not.
pub fn read_pasted(text: &str, game: Option<&str>) -> Result<Value, TextError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(TextError::new("there is nothing to read"));
    }
    if let Some(format) = record_format(text) {
        let usi = usi_line(text);
        // Only `startpos` leaves open which shogi is meant; everything else says it itself, whatever is on the board.
        let open = usi.as_deref().is_some_and(|line| line.starts_with("startpos"));
        let shogi = |name: &&str| open && matches!(name.split('(').next(), Some("shogi" | "minishogi"));
        let spec = game.filter(shogi).map(str::parse).transpose()?;
        let records = read_all(usi.as_deref().unwrap_or(text).as_bytes(), format, spec.as_ref())?;
        let first = records.first().ok_or_else(|| TextError::new("there is no game in this text"))?;
        return read(&**first, records.len());
    }
    let game = game.unwrap_or("shogi");
    position_or_moves(text, game)
}

/// The format that a text is written in, by its first words.
fn record_format(text: &str) -> Option<RecordFormat> {
    let format = |ending: &str| ending.parse().ok();
    if text.starts_with('(') {
        let blokus = text.contains("GM[Blokus");
        return format(if blokus { "blksgf" } else { "sgf" });
    }
    if usi_line(text).is_some() {
        return format("usi");
    }
    detect(text).map(|_| format("kifu")).unwrap_or_default()
}

/// The text as one USI line: with or without `position`, or a bare SFEN.
fn usi_line(text: &str) -> Option<String> {
    let text = text.strip_prefix("position ").unwrap_or(text).trim();
    if text.lines().count() != 1 {
        return None;
    }
    let first = text.split_whitespace().next()?;
    let rows = first.matches('/').count();
    let bare = (rows == 8 || rows == 4) && text.split_whitespace().nth(1).is_some_and(|turn| matches!(turn, "b" | "w"));
    match first {
        "startpos" | "sfen" => Some(text.to_string()),
        _ if bare && text.split_whitespace().nth(2).is_some() => Some(format!("sfen {text}")),
        _ => None,
    }
}

/// A record as a place and what the file says about it.
fn read(record: &dyn AnyRecord, games: usize) -> Result<Value, TextError> {
    let mut session = record.open();
    let moves = session.moves();
    session.undo(moves.len())?;
    let headers: Vec<(&str, &str)> =
        record.headers().iter().take(40).map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let ending = record.ending().map(|ending| format!("{ending:?}"));
    Ok(json!({ "type": "record", "game": record.game(), "position": session.position().position, "moves": moves,
        "headers": headers, "ending": ending, "games": games }))
}

/// A position of the game on the board in its own text, or moves from its start.
fn position_or_moves(text: &str, game: &str) -> Result<Value, TextError> {
    let mut session = open(&game.parse()?)?;
    let record = |position: Option<String>, moves: Vec<String>| json!({ "type": "record", "game": game, "position": position, "moves": moves, "headers": [], "ending": null, "games": 1 });
    if session.set_position(Some(text)).is_ok() {
        return Ok(record(Some(session.position().position), Vec::new()));
    }
    let place = Place { game: game.to_string(), position: None, moves: text.to_string() };
    match place.open() {
        Ok(session) => Ok(record(None, session.moves())),
        Err(error) => Err(error
            .context(format!("this is neither a record nor a position nor moves of {game}"))
            .hinting("SFEN, a position command, KIF, KI2, CSA, SGF and Blokus SGF are read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_recognised() {
        let cases = [
            ("position startpos moves 7g7f 3c3d", None, "shogi", 2),
            ("startpos moves 5d5c", Some("minishogi"), "minishogi", 1),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", None, "shogi", 0),
            ("rbsgk/4p/5/P4/KGSBR b - 1", None, "minishogi", 0),
            // Another game on the board is no hindrance.
            ("rbsgk/4p/5/P4/KGSBR b - 1", Some("go9"), "minishogi", 0),
            ("4k4/9/9/9/9/9/9/9/4K4 b RB 1", Some("minishogi"), "shogi", 0),
            ("position sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 3e4d", Some("shogi"), "minishogi", 1),
            ("position startpos moves 7g7f", Some("blokus-duo"), "shogi", 1),
            ("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n", None, "shogi", 2),
            ("V2.2\nPI\n+\n+7776FU\n-3334FU\n", None, "shogi", 2),
            ("(;GM[1]SZ[9]KM[6.5];B[ee];W[cc])", None, "go9(komi=6.5)", 2),
            ("(;GM[Blokus Duo];B[e10,e9,d9])", Some("shogi"), "blokus-duo", 1),
            ("E5 C3 G6", Some("go9"), "go9", 3),
        ];
        for (text, game, expected, plies) in cases {
            let pasted = read_pasted(text, game).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(pasted["game"], expected, "{text}");
            assert_eq!(pasted["moves"].as_array().unwrap().len(), plies, "{text}");
        }
        assert!(read_pasted("hello", Some("go9")).is_err() && read_pasted(" ", None).is_err());
    }
}
