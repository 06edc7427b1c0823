//! Reading who played whom and how it ended.

use std::collections::BTreeMap;

use serde_json::Value;
use yomi_core::TextError;

use crate::tally::{Game, MAX_GAMES};

/// Larger pools are for other tools: the work grows with the cube of the number of players.
pub const MAX_PLAYERS: usize = 1000;

/// Longer names are taken for noise.
const MAX_NAME: usize = 200;

/// Players and the games between them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pool {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    games: BTreeMap<(usize, usize), [u64; 3]>,
    unfinished: u64,
}

impl Pool {
    /// No players and no games.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// Adds a game by its two players, the one who moved first in front, and its result for that one.
    pub fn add(&mut self, first: &str, second: &str, result: Game) -> Result<(), TextError> {
        if first == second {
            return Err(TextError::new(format!("{first} cannot play against the same name")));
        }
        let key = (self.number(first)?, self.number(second)?);
        let counts = self.games.entry(key).or_default();
        if counts[result.half_points()] >= MAX_GAMES {
            return Err(TextError::new(format!("more than {MAX_GAMES} games are taken for a mistake")));
        }
        counts[result.half_points()] += 1;
        Ok(())
    }

    fn number(&mut self, name: &str) -> Result<usize, TextError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(TextError::new(format!("a name has 1 to {MAX_NAME} bytes, not {}", name.len())));
        }
        if self.names.len() == MAX_PLAYERS {
            return Err(TextError::new(format!("more than {MAX_PLAYERS} players cannot be rated together")));
        }
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), self.names.len() - 1);
        Ok(self.names.len() - 1)
    }

    /// The players, in the order they appeared.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// For each first and second player the losses, draws and wins of the first.
    pub fn games(&self) -> &BTreeMap<(usize, usize), [u64; 3]> {
        &self.games
    }

    /// How many games had no result (`*`) and were left out.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Adds a game by the word for its result; `*` is counted and left out.
    fn add_word(&mut self, first: &str, second: &str, result: &str) -> Result<(), TextError> {
        match result {
            "1-0" => self.add(first, second, Game::Win),
            "0-1" => self.add(first, second, Game::Loss),
            "1/2-1/2" => self.add(first, second, Game::Draw),
            "*" => {
                self.unfinished += 1;
                Ok(())
            }
            other => {
                let other: String = other.chars().take(20).collect();
                Err(TextError::new(format!("a result is 1-0, 0-1, 1/2-1/2 or *, not {other:?}")))
            }
        }
    }
}

/// Reads games in one of three forms, distinguished by the first character that is not space:
///
/// - `[`: PGN. Only the tags White, Black and Result are looked at; White is taken for the player who moved first.
/// - `{`: JSON Lines, an object per line with the texts `first`, `second` (or `white`, `black`) and `result`; other members are ignored.
/// - anything else: a game per line, `first second result` separated by spaces; empty lines and lines that begin with `#` are skipped.
///
/// A result is `1-0` (the first player won), `0-1`, `1/2-1/2`, or `*`, which is counted and left out.
pub fn read_games(text: &str) -> Result<Pool, TextError> {
    let read_line = match text.trim_start().chars().next() {
        Some('[') => return read_pgn(text),
        Some('{') => read_json,
        _ => read_words,
    };
    let mut pool = Pool::new();
    for (i, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            read_line(&mut pool, line).map_err(|error| TextError::in_line(i + 1, line, error.message))?;
        }
    }
    Ok(pool)
}

fn read_words(pool: &mut Pool, line: &str) -> Result<(), TextError> {
    if line.trim_start().starts_with('#') {
        return Ok(());
    }
    let mut words = line.split_whitespace();
    let (Some(first), Some(second), Some(result), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(TextError::new("three words were expected: first player, second player, result"));
    };
    pool.add_word(first, second, result)
}

fn read_json(pool: &mut Pool, line: &str) -> Result<(), TextError> {
    let value: Value = serde_json::from_str(line).map_err(|error| TextError::new(format!("no JSON: {error}")))?;
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|&key| value.get(key)?.as_str());
        found.ok_or_else(|| TextError::new(format!("the object has no text called {}", keys.join(" or "))))
    };
    pool.add_word(text(&["first", "white"])?, text(&["second", "black"])?, text(&["result"])?)
}

fn read_pgn(text: &str) -> Result<Pool, TextError> {
    let mut pool = Pool::new();
    let mut tags: [Option<String>; 3] = [None, None, None];
    for (i, line) in text.lines().enumerate() {
        let Some((name, value)) = pgn_tag(line) else { continue };
        let Some(slot) = ["White", "Black", "Result"].iter().position(|&tag| tag == name) else { continue };
        if tags[slot].is_some() {
            let message = format!("a second {name} before the game had White, Black and Result");
            return Err(TextError::in_line(i + 1, line, message));
        }
        tags[slot] = Some(value);
        if let [Some(white), Some(black), Some(result)] = &tags {
            pool.add_word(white, black, result).map_err(|error| TextError::in_line(i + 1, line, error.message))?;
            tags = [None, None, None];
        }
    }
    if tags.iter().any(Option::is_some) {
        return Err(TextError::new("the last game has not all of the tags White, Black and Result"));
    }
    Ok(pool)
}

/// The name and value of a line `[Name "value"]`; a backslash protects quotes and itself.
fn pgn_tag(line: &str) -> Option<(&str, String)> {
    let inside = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, rest) = inside.split_once(char::is_whitespace)?;
    let quoted = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        value.push(if c == '\\' { chars.next()? } else { c });
    }
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_forms_say_the_same() {
        let words = "# a comment\na b 1-0\nb a 0-1\n\na c 1/2-1/2\nc b *\n";
        let json = "{\"first\":\"a\",\"second\":\"b\",\"result\":\"1-0\",\"plies\":80}\n{\"white\":\"b\",\"black\":\"a\",\"result\":\"0-1\"}\n\
            {\"first\":\"a\",\"second\":\"c\",\"result\":\"1/2-1/2\"}\n{\"first\":\"c\",\"second\":\"b\",\"result\":\"*\"}";
        let pgn = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 1]} 1-0\n\n[White \"b\"]\r\n[Black \"a\"]\r\n\
            [Result \"0-1\"]\n\n[Result \"1/2-1/2\"]\n[Black \"c\"]\n[White \"a\"]\n[White \"c\"]\n[Black \"b\"]\n[Result \"*\"]\n*\n";
        let pools = [words, json, pgn].map(|text| read_games(text).unwrap());
        assert_eq!(pools[0].names(), ["a", "b", "c"]);
        assert_eq!(pools[0].games()[&(0, 1)], [0, 0, 1]);
        assert_eq!(pools[0].unfinished(), 1);
        assert!(pools[1] == pools[0] && pools[2] == pools[0], "{pools:?}");
        assert_eq!(pgn_tag(r#"[White "a \"b\" \\"]"#), Some(("White", r#"a "b" \"#.to_string())));
    }

    #[test]
    fn errors_say_where() {
        let error = |text: &str| read_games(text).unwrap_err();
        assert_eq!(error("a b 1-0\na b").line, 2);
        assert_eq!(error("a b 1-0\na a 1-0\n").line, 2);
        assert!(error("a b 2-0").message.contains("1/2-1/2"));
        assert_eq!(error("{\"first\":\"a\"}").line, 1);
        assert!(error("{\"first\":\"a\"}").message.contains("second or black"));
        assert!(error("{ 7").message.contains("no JSON"));
        assert_eq!(error("[White \"a\"]\n[White \"b\"]").line, 2);
        assert!(error("[White \"a\"]\n").message.contains("last game"));
        assert!(error(&"a b 1-0".repeat(1_000_000)).excerpt.len() < 100);
        let crowd: String = (0..2000).map(|i| format!("p{i} q{i} 1-0\n")).collect();
        assert_eq!(error(&crowd).line, MAX_PLAYERS / 2 + 1);
    }

    #[test]
    fn nothing_is_no_error_yet() {
        assert!(read_games("").unwrap().games().is_empty());
        assert!(read_games("[ noise ]\nmore").unwrap().games().is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[{a\"]?.{0,80}(\n.{0,40}){0,3}") {
            let _ = read_games(&text);
        }
    }
}
