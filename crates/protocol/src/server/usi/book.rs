//! Opening books in YaneuraOu's text form.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 8c8d 40 12 3
//! 2g2f 3c3d 35 12 9
//! ```
//! A move, the reply expected, its score, the depth behind the score, how often it was played. All but the move may be left out.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;

use yomi_core::{Notation, Seed, TextError};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

/// Moves of known positions.
#[derive(Debug)]
pub(super) struct Book {
    /// By board, side to move and hands, as SFEN has them; the number of the move does not matter.
    positions: BTreeMap<String, Vec<Entry>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    mv: String,
    score: i32,
}

/// No book is larger: it is kept in memory.
const LARGEST: u64 = 1 << 30;
/// Moves that are worse than the best by no more than this, in hundredths of a pawn, are as good.
const AS_GOOD: i32 = 30;
const HEADER: &str = "#YANEURAOU-DB2016";

impl Book {
    /// Reads the book in a file.
    pub(super) fn load(name: &str) -> Result<Book, TextError> {
        let fault = |error: std::io::Error| TextError::new(format!("cannot read the book {name:.200}: {error}"));
        let mut text = String::new();
        let file = fs::File::open(name).map_err(fault)?;
        file.take(LARGEST).read_to_string(&mut text).map_err(fault)?;
        Book::parse(&text).map_err(|error| error.context(format!("book {name:.200}")))
    }

    fn parse(text: &str) -> Result<Book, TextError> {
        let mut positions: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut at: Option<&mut Vec<Entry>> = None;
        if !text.trim_start_matches('\u{feff}').starts_with(HEADER) {
            return Err(TextError::new(format!("a book begins with {HEADER}")));
        }
        for (i, line) in text.lines().enumerate().skip(1) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
                continue;
            }
            if let Some(sfen) = line.strip_prefix("sfen ") {
                at = Some(positions.entry(key(sfen)).or_default());
                continue;
            }
            let Some(entries) = &mut at else {
                return Err(TextError::in_line(i + 1, line, "a move stands before the first position"));
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let score = words.get(2).and_then(|word| word.parse().ok()).unwrap_or(0);
            entries.push(Entry { mv: words[0].to_string(), score });
        }
        Ok(Book { positions })
    }

    /// A move for this position: one of the best, by chance from `seed`.
    pub(super) fn choose<V: Variant>(&self, position: &Shogi<V>, seed: Seed) -> Option<ShogiMove> {
        let entries = self.positions.get(&key(&position.sfen()))?;
        let legal = |entry: &Entry| Some((position.parse_move(&entry.mv).ok()?, entry.score));
        let known: Vec<(ShogiMove, i32)> = entries.iter().filter_map(legal).collect();
        let best = known.iter().map(|&(_, score)| score).max()?;
        let good: Vec<ShogiMove> =
            known.into_iter().filter(|&(_, score)| score >= best.saturating_sub(AS_GOOD)).map(|(mv, _)| mv).collect();
        good.get(seed.branch("book", 0).rng().below(good.len())).copied()
    }
}

/// Board, side to move and hands.
fn key(sfen: &str) -> String {
    sfen.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Position;
    use yomi_games::shogi::Shogi9;

    const TEXT: &str = "#YANEURAOU-DB2016 1.00\n# NOE:2\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        7g7f 8c8d 40 12 3\n2g2f none 35\n9z9z none 99\n1g1f none -60 1 1\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d\n";

    #[test]
    fn good_moves_are_chosen_by_chance_and_bad_ones_never() {
        let book = Book::parse(TEXT).unwrap();
        let start = Shogi9::default();
        let chosen: Vec<String> =
            (0..40).map(|seed| start.move_text(book.choose(&start, Seed::new(seed)).unwrap())).collect();
        assert!(chosen.iter().all(|mv| mv == "7g7f" || mv == "2g2f"));
        assert!(chosen.iter().any(|mv| mv == "7g7f") && chosen.iter().any(|mv| mv == "2g2f"));
        let mut next = start;
        next.play(start.parse_move("7g7f").unwrap());
        assert_eq!(book.choose(&next, Seed::new(1)).map(|mv| next.move_text(mv)).as_deref(), Some("3c3d"));
        next.play(next.parse_move("3c3d").unwrap());
        assert_eq!(book.choose(&next, Seed::new(1)), None);
    }

    #[test]
    fn what_is_no_book_is_refused() {
        assert!(Book::parse("").is_err());
        assert!(Book::parse("7g7f\n").is_err());
        assert_eq!(Book::parse("#YANEURAOU-DB2016 1.00\n7g7f\n").unwrap_err().line, 2);
        assert!(Book::load("/nowhere/at/all").is_err());
    }
}
