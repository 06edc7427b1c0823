//! How long and how far an engine may think.

use std::fmt;
use std::str::FromStr;

use yomi_core::TextError;

/// What stands behind `go`. Times are milliseconds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Go {
    /// What the first player has left on the clock.
    pub btime: Option<u64>,
    /// What the second player has left.
    pub wtime: Option<u64>,
    /// What a move may take once the clock is empty.
    pub byoyomi: Option<u64>,
    /// What the first player gains with every move.
    pub binc: Option<u64>,
    /// What the second player gains.
    pub winc: Option<u64>,
    /// What this move may take.
    pub movetime: Option<u64>,
    /// Nodes to look at.
    pub nodes: Option<u64>,
    /// Plies to look ahead.
    pub depth: Option<u32>,
    /// Think until `stop`.
    pub infinite: bool,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Look for a mate only.
    pub mate: Option<Mate>,
    /// Look at these moves only.
    pub searchmoves: Vec<String>,
    /// Unknown words (`rtime`, `perft`, …): an engine plays on without them, but may say so.
    pub unknown: Vec<String>,
}

/// How long to look for a mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mate {
    /// A time in milliseconds (not plies).
    Within(u64),
    /// Until `stop`.
    Infinite,
}

/// The words that begin something new.
const KEYS: &[&str] = &[
    "btime",
    "wtime",
    "byoyomi",
    "binc",
    "winc",
    "movetime",
    "nodes",
    "depth",
    "infinite",
    "ponder",
    "mate",
    "searchmoves",
];

impl Go {
    /// A time in milliseconds for this move, in the words that every program knows: empty clocks and byo-yomi.
    pub fn set_byoyomi(&mut self, ms: u64) {
        (self.btime, self.wtime, self.byoyomi) = (Some(0), Some(0), Some(ms));
    }

    /// Whether any clock or time is given.
    pub fn is_timed(&self) -> bool {
        [self.btime, self.wtime, self.byoyomi, self.binc, self.winc, self.movetime].iter().any(Option::is_some)
    }
}

impl FromStr for Go {
    type Err = TextError;

    /// Reads what stands behind `go`.
    fn from_str(text: &str) -> Result<Go, TextError> {
        let mut go = Go::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(key) = words.next() {
            // Bare `mate`, which some interfaces send, names no time either.
            if key == "mate"
                && (words.next_if_eq(&"infinite").is_some() || words.peek().is_none_or(|word| KEYS.contains(word)))
            {
                go.mate = Some(Mate::Infinite);
                continue;
            }
            let mut number = || {
                let word = words.next().ok_or_else(|| TextError::new(format!("a number was expected after {key}")))?;
                count(word).ok_or_else(|| TextError::new(format!("a number was expected after {key}, not {word:.40}")))
            };
            match key {
                "btime" => go.btime = Some(number()?),
                "wtime" => go.wtime = Some(number()?),
                "byoyomi" => go.byoyomi = Some(number()?),
                "binc" => go.binc = Some(number()?),
                "winc" => go.winc = Some(number()?),
                "movetime" => go.movetime = Some(number()?),
                "nodes" => go.nodes = Some(number()?),
                "depth" => go.depth = Some(u32::try_from(number()?).unwrap_or(u32::MAX)),
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "mate" => go.mate = Some(Mate::Within(number()?)),
                "searchmoves" => {
                    while let Some(mv) = words.next_if(|word| !KEYS.contains(word)) {
                        go.searchmoves.push(mv.to_string());
                    }
                }
                _ => go.unknown.push(key.to_string()),
            }
        }
        Ok(go)
    }
}

/// A number from 0 up. Some interfaces send negative times when a clock has run out.
fn count(word: &str) -> Option<u64> {
    match word.strip_prefix('-') {
        Some(digits) => digits.parse::<u64>().ok().map(|_| 0),
        None => word.parse().ok(),
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        if self.ponder {
            words.push("ponder".to_string());
        }
        let numbers = [
            ("btime", self.btime),
            ("wtime", self.wtime),
            ("byoyomi", self.byoyomi),
            ("binc", self.binc),
            ("winc", self.winc),
            ("movetime", self.movetime),
            ("nodes", self.nodes),
            ("depth", self.depth.map(u64::from)),
        ];
        words.extend(numbers.iter().filter_map(|&(key, value)| value.map(|value| format!("{key} {value}"))));
        if self.infinite {
            words.push("infinite".to_string());
        }
        match self.mate {
            None => {}
            Some(Mate::Infinite) => words.push("mate infinite".to_string()),
            Some(Mate::Within(ms)) => words.push(format!("mate {ms}")),
        }
        words.extend(self.unknown.iter().cloned());
        if !self.searchmoves.is_empty() {
            words.push(format!("searchmoves {}", self.searchmoves.join(" ")));
        }
        write!(f, "{}", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_limit() {
        let go: Go = "btime -5 wtime 2000 byoyomi 300 nodes 9 depth 3 searchmoves 7g7f 2g2f infinite".parse().unwrap();
        assert_eq!((go.btime, go.wtime, go.byoyomi), (Some(0), Some(2000), Some(300)));
        assert_eq!((go.nodes, go.depth, go.infinite), (Some(9), Some(3), true));
        assert_eq!(go.searchmoves, ["7g7f", "2g2f"]);
        assert!(go.is_timed() && !Go::default().is_timed());
        assert_eq!("mate infinite".parse::<Go>().unwrap().mate, Some(Mate::Infinite));
        assert_eq!("mate 3000".parse::<Go>().unwrap().mate, Some(Mate::Within(3000)));
        for bare in ["mate", "mate btime 5", "btime 5 mate"] {
            assert_eq!(bare.parse::<Go>().unwrap().mate, Some(Mate::Infinite), "{bare}");
        }
        assert!("mate soon".parse::<Go>().is_err());
        assert!("nodes".parse::<Go>().is_err() && "nodes many".parse::<Go>().is_err());
    }

    #[test]
    fn keeps_what_it_does_not_know() {
        let go: Go = "rtime 100 nodes 5".parse().unwrap();
        assert_eq!((go.nodes, go.unknown.len()), (Some(5), 2));
    }
}
