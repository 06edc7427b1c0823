//! What an engine reports while it thinks.

use std::fmt;
use std::str::FromStr;

use yomi_core::TextError;

/// What stands behind `info`. Programs print odd things here, so reading never fails: what is not understood is left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Info {
    /// Plies looked ahead.
    pub depth: Option<u32>,
    /// The deepest line.
    pub seldepth: Option<u32>,
    /// Milliseconds spent.
    pub time: Option<u64>,
    /// Nodes looked at.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// How full the tables are, in thousandths.
    pub hashfull: Option<u32>,
    /// Which of the best lines this is, from 1.
    pub multipv: Option<u32>,
    /// The value for the side to move.
    pub score: Option<Score>,
    /// The move looked at now.
    pub currmove: Option<String>,
    /// The best line.
    pub pv: Vec<String>,
    /// Words for people; the rest of the line.
    pub string: Option<String>,
}

/// A value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Cp(i64, Bound),
    /// A mate: whether the side to move gives it, and in how many plies, where that is known.
    Mate(bool, Option<u32>),
}

/// Whether a value is exact.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Bound {
    /// It is.
    #[default]
    Exact,
    /// The truth is at least this.
    Lower,
    /// The truth is at most this.
    Upper,
}

const KEYS: &[&str] =
    &["depth", "seldepth", "time", "nodes", "nps", "hashfull", "multipv", "score", "currmove", "pv", "string"];

impl Info {
    /// Reads what stands behind `info`.
    pub fn parse(text: &str) -> Info {
        let mut info = Info::default();
        let mut rest = text.trim();
        while let Some((key, after)) = next_word(rest) {
            rest = after;
            match key {
                "depth" => info.depth = take(&mut rest),
                "seldepth" => info.seldepth = take(&mut rest),
                "time" => info.time = take(&mut rest),
                "nodes" => info.nodes = take(&mut rest),
                "nps" => info.nps = take(&mut rest),
                "hashfull" => info.hashfull = take(&mut rest),
                "multipv" => info.multipv = take(&mut rest),
                "score" => info.score = score(&mut rest),
                "currmove" => info.currmove = take(&mut rest),
                "pv" => {
                    while let Some((mv, after)) = next_word(rest).filter(|(word, _)| !KEYS.contains(word)) {
                        info.pv.push(mv.to_string());
                        rest = after;
                    }
                }
                "string" => {
                    info.string = Some(rest.to_string());
                    break;
                }
                _ => {}
            }
        }
        info
    }

    /// Words for people.
    pub fn words(text: impl Into<String>) -> Info {
        Info { string: Some(text.into()), ..Info::default() }
    }
}

/// The first word of `text` and what follows it.
fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// Reads a value from the front of `rest`; a word that begins something else is left there.
fn take<T: FromStr>(rest: &mut &str) -> Option<T> {
    let (word, after) = next_word(rest).filter(|(word, _)| !KEYS.contains(word))?;
    *rest = after;
    word.parse().ok()
}

fn score(rest: &mut &str) -> Option<Score> {
    let kind: String = take(rest)?;
    let number: String = take(rest)?;
    let bound = match next_word(rest) {
        Some(("lowerbound", after)) => {
            *rest = after;
            Bound::Lower
        }
        Some(("upperbound", after)) => {
            *rest = after;
            Bound::Upper
        }
        _ => Bound::Exact,
    };
    match kind.as_str() {
        "cp" => Some(Score::Cp(number.parse().ok()?, bound)),
        "mate" => {
            let winning = !number.starts_with('-');
            let digits = number.trim_start_matches(['+', '-']);
            Some(Score::Mate(winning, if digits.is_empty() { None } else { Some(digits.parse().ok()?) }))
        }
        _ => None,
    }
}

impl FromStr for Info {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Info, TextError> {
        Ok(Info::parse(text))
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Cp(cp, Bound::Exact) => write!(f, "cp {cp}"),
            Score::Cp(cp, Bound::Lower) => write!(f, "cp {cp} lowerbound"),
            Score::Cp(cp, Bound::Upper) => write!(f, "cp {cp} upperbound"),
            Score::Mate(winning, plies) => {
                let plies = plies.map_or(String::new(), |plies| plies.to_string());
                write!(f, "mate {}{plies}", if winning { '+' } else { '-' })
            }
        }
    }
}

impl fmt::Display for Info {
    /// The line of moves and the words stand last, as the protocol wants it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        let mut number = |key: &str, value: Option<u64>| {
            words.extend(value.map(|value| format!("{key} {value}")));
        };
        number("depth", self.depth.map(u64::from));
        number("seldepth", self.seldepth.map(u64::from));
        number("multipv", self.multipv.map(u64::from));
        number("time", self.time);
        number("nodes", self.nodes);
        number("nps", self.nps);
        number("hashfull", self.hashfull.map(u64::from));
        words.extend(self.score.map(|score| format!("score {score}")));
        words.extend(self.currmove.as_ref().map(|mv| format!("currmove {mv}")));
        if !self.pv.is_empty() {
            words.push(format!("pv {}", self.pv.join(" ")));
        }
        words.extend(self.string.as_ref().map(|text| format!("string {text}")));
        write!(f, "{}", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_lines_of_programs_in_use() {
        let fairy = "depth 6 seldepth 6 multipv 1 score cp 166 nodes 500 nps 166666 tbhits 0 time 3 pv 2e3d 4a5b";
        let info = Info::parse(fairy);
        assert_eq!((info.depth, info.nodes, info.time), (Some(6), Some(500), Some(3)));
        assert_eq!(info.score, Some(Score::Cp(166, Bound::Exact)));
        assert_eq!(info.pv, ["2e3d", "4a5b"]);
        assert_eq!(Info::parse("score mate -").score, Some(Score::Mate(false, None)));
        assert_eq!(Info::parse("score mate +7 pv a").score, Some(Score::Mate(true, Some(7))));
        assert_eq!(Info::parse("score cp -3 upperbound").score, Some(Score::Cp(-3, Bound::Upper)));
        assert_eq!(Info::parse("depth pv a b string c  d").string.as_deref(), Some("c  d"));
    }

    #[test]
    fn prints_moves_and_words_last() {
        let line = "depth 3 multipv 2 time 8 nodes 9 score mate +3 pv 7g7f string hello world";
        assert_eq!(Info::parse(line).to_string(), line);
    }

    proptest! {
        #[test]
        fn never_panics(text in "((depth|score|cp|mate|pv|string|lowerbound|nodes) ?[a-z0-9+é-]{0,5} ?){0,12}") {
            let info = Info::parse(&text);
            prop_assert_eq!(Info::parse(&info.to_string()), info);
        }
    }
}
