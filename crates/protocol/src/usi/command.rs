//! What is said to an engine.

use std::fmt;
use std::str::FromStr;

use yomi_core::TextError;

use super::go::Go;

/// A line to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `usi`: say who you are and which options you have, then `usiok`.
    Usi,
    /// `isready`: load what is slow to load, then `readyok`.
    IsReady,
    /// `setoption name NAME [value VALUE]`. Both may hold spaces.
    SetOption {
        /// Which option.
        name: String,
        /// Its value; a button has none.
        value: Option<String>,
    },
    /// `usinewgame`.
    NewGame,
    /// `position …`.
    Position(PositionText),
    /// `go …`: think, then `bestmove` or `checkmate`.
    Go(Go),
    /// `stop`: answer at once.
    Stop,
    /// `ponderhit`, with the clocks where the other side sends them (an extension of YaneuraOu and ShogiHome).
    PonderHit(Go),
    /// `gameover win|lose|draw`.
    GameOver(GameResult),
    /// `quit`.
    Quit,
}

/// How a game ended for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// It won.
    Win,
    /// It lost.
    Lose,
    /// A draw, or the game was broken off.
    Draw,
}

/// A position as a start and the moves played from it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PositionText {
    /// The start in SFEN; the start position of the game if there is none.
    pub sfen: Option<String>,
    /// The moves.
    pub moves: Vec<String>,
}

impl FromStr for PositionText {
    type Err = TextError;

    /// Reads what stands behind `position`.
    fn from_str(text: &str) -> Result<PositionText, TextError> {
        let mut words = text.split_whitespace().peekable();
        let sfen = match words.next() {
            Some("startpos") => None,
            Some("sfen") => {
                let mut fields = Vec::new();
                while let Some(word) = words.next_if(|&word| word != "moves") {
                    fields.push(word);
                }
                if fields.is_empty() {
                    return Err(TextError::new("an SFEN was expected after `sfen`"));
                }
                Some(fields.join(" "))
            }
            _ => return Err(TextError::at(text, 0, "a position is `startpos` or `sfen …`")),
        };
        match words.next() {
            None | Some("moves") => Ok(PositionText { sfen, moves: words.map(str::to_string).collect() }),
            Some(word) => Err(TextError::new(format!("`moves` was expected, not {word}"))),
        }
    }
}

impl fmt::Display for PositionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sfen {
            None => write!(f, "startpos")?,
            Some(sfen) => write!(f, "sfen {sfen}")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

impl FromStr for Command {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Command, TextError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim_start();
        Ok(match word {
            "usi" => Command::Usi,
            "isready" => Command::IsReady,
            "setoption" => set_option(line, rest)?,
            "usinewgame" => Command::NewGame,
            "position" => Command::Position(rest.parse()?),
            "go" => Command::Go(rest.parse()?),
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit(rest.parse()?),
            "gameover" => Command::GameOver(match rest {
                "win" => GameResult::Win,
                "lose" => GameResult::Lose,
                "draw" => GameResult::Draw,
                _ => return Err(TextError::new("a game ends in win, lose or draw")),
            }),
            "quit" => Command::Quit,
            _ => return Err(TextError::at(line, 0, format!("{} is no command of USI", shorten(word)))),
        })
    }
}

/// `name Skill Level value 3`: a name ends at the word `value`, a value at the end of the line.
fn set_option(line: &str, rest: &str) -> Result<Command, TextError> {
    let wrong = || TextError::at(line, 0, "setoption is followed by `name NAME value VALUE`");
    let rest = rest.strip_prefix("name").filter(|r| r.starts_with(char::is_whitespace)).ok_or_else(wrong)?;
    let mut name = Vec::new();
    let mut words = rest.split_whitespace();
    let mut value = None;
    while let Some(word) = words.next() {
        if word == "value" && !name.is_empty() {
            value = Some(words.by_ref().collect::<Vec<_>>().join(" "));
        } else {
            name.push(word);
        }
    }
    if name.is_empty() {
        return Err(wrong());
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

/// As much of a stranger's word as an error shows.
fn shorten(word: &str) -> String {
    word.chars().take(40).collect()
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Usi => write!(f, "usi"),
            Command::IsReady => write!(f, "isready"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::SetOption { name, value: Some(value) } => write!(f, "setoption name {name} value {value}"),
            Command::NewGame => write!(f, "usinewgame"),
            Command::Position(position) => write!(f, "position {position}"),
            Command::Go(go) => write!(f, "{}", format!("go {go}").trim_end()),
            Command::Stop => write!(f, "stop"),
            Command::PonderHit(go) => write!(f, "{}", format!("ponderhit {go}").trim_end()),
            Command::GameOver(GameResult::Win) => write!(f, "gameover win"),
            Command::GameOver(GameResult::Lose) => write!(f, "gameover lose"),
            Command::GameOver(GameResult::Draw) => write!(f, "gameover draw"),
            Command::Quit => write!(f, "quit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_as_it_reads() {
        for line in [
            "usi",
            "isready",
            "setoption name USI_Hash value 256",
            "setoption name Skill Level value 3",
            "setoption name BookFile value my book.db",
            "setoption name Clear Hash",
            "usinewgame",
            "position startpos",
            "position startpos moves 7g7f 3c3d",
            "position sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 2e3d",
            "go btime 1000 wtime 2000 byoyomi 300",
            "go",
            "stop",
            "ponderhit",
            "ponderhit btime 5 wtime 6 byoyomi 7",
            "gameover draw",
            "quit",
        ] {
            assert_eq!(line.parse::<Command>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        for line in [
            "",
            "uci",
            "position",
            "position fen x",
            "position sfen",
            "position startpos 7g7f",
            "setoption",
            "gameover",
        ] {
            assert!(line.parse::<Command>().is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(line in "(go|position|setoption|gameover|usi)?[ a-z0-9+*é-]{0,60}") {
            if let Ok(command) = line.parse::<Command>() {
                prop_assert_eq!(command.to_string().parse::<Command>().unwrap(), command);
            }
        }
    }
}
