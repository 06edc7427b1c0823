//! Opening books in the text form of YaneuraOu (`.db`), and a search that plays from one.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 0 32 2
//! 2g2f 8c8d 0 32 1
//! ```
//! A move stands with the reply expected, its value, the depth of the search behind it and how often it was played; all but the move may
//! be left out. Comments begin with `#` or `//`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use yomi_core::{Line, Notation, Rng, TextError};

use crate::search::{Ended, Limits, RootMove, Search, Verdict, Watch};

/// No file with a book may be larger, in bytes: a book is kept in memory, where it takes about as much again.
pub const LARGEST_BOOK: u64 = 1 << 30;

/// A move of a book.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BookMove<M> {
    /// The move.
    pub mv: M,
    /// Its value for the side that plays it.
    pub value: i32,
    /// How often it was played; 0 if the book does not say.
    pub count: u32,
}

/// A book: positions and their moves.
#[derive(Clone, Debug)]
pub struct Book<M> {
    positions: BTreeMap<u64, Vec<BookMove<M>>>,
}

impl<M: yomi_core::Move> Book<M> {
    /// Reads a book. `start` says which game it is of, and under which rules.
    pub fn parse<P: Notation<Move = M>>(start: &P, text: &str) -> Result<Book<M>, TextError> {
        let mut positions: BTreeMap<u64, Vec<BookMove<M>>> = BTreeMap::new();
        let mut current: Option<(P, u64)> = None;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            let wrong = |error: TextError| error.context(format!("line {}", number + 1));
            if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
                continue;
            }
            if let Some(sfen) = line.strip_prefix("sfen ") {
                let position = start.parse_position(sfen.trim()).map_err(wrong)?;
                let key = position.key();
                current = Some((position, key));
                continue;
            }
            let Some((position, key)) = &current else {
                return Err(wrong(TextError::at(line, 0, "a move stands before the first position (sfen …)")));
            };
            positions.entry(*key).or_default().push(book_move(position, line).map_err(wrong)?);
        }
        Ok(Book { positions })
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The moves of a position.
    pub fn moves(&self, key: u64) -> &[BookMove<M>] {
        self.positions.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Draws one of the moves as often as it was played. Where nothing is said about that, those of the highest value are equals.
    pub fn choose(&self, key: u64, rng: &mut Rng) -> Option<BookMove<M>> {
        let moves = self.moves(key);
        let total: u64 = moves.iter().map(|mv| u64::from(mv.count)).sum();
        if total > 0 {
            let mut left = rng.next() % total;
            return moves.iter().copied().find(|mv| {
                let found = left < u64::from(mv.count);
                left = left.saturating_sub(u64::from(mv.count));
                found
            });
        }
        let best = moves.iter().map(|mv| mv.value).max()?;
        let equals: Vec<BookMove<M>> = moves.iter().copied().filter(|mv| mv.value == best).collect();
        Some(equals[rng.below(equals.len())])
    }
}

fn book_move<P: Notation>(position: &P, line: &str) -> Result<BookMove<P::Move>, TextError> {
    let mut words = line.split_whitespace();
    let mv = position.parse_move(words.next().unwrap_or(""))?;
    let _reply = words.next();
    let mut number = |what: &str| match words.next() {
        None => Ok(0),
        Some(word) => word.parse::<i32>().map_err(|_| {
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            TextError::at(line, at, format!("{word} is no {what}"))
        }),
    };
    let value = number("value")?;
    let _depth = number("depth")?;
    let count = number("count")?;
    Ok(BookMove { mv, value, count: count.max(0) as u32 })
}

/// Plays from a book as long as it knows the position, and asks the search inside where it does not.
pub struct Bookish<P: Notation> {
    book: Arc<Book<P::Move>>,
    inner: Box<dyn Search<P>>,
}

impl<P: Notation> Bookish<P> {
    /// Plays from `book` first.
    pub fn new(inner: Box<dyn Search<P>>, book: Arc<Book<P::Move>>) -> Bookish<P> {
        Bookish { book, inner }
    }
}

impl<P: Notation> Search<P> for Bookish<P> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut rng = limits.seed.branch("book", line.len() as u64).rng();
        let known = self.book.choose(line.position().key(), &mut rng).filter(|known| line.is_legal(known.mv));
        let Some(known) = known else { return self.inner.search(line, limits, watch) };
        let value = known.value as f32;
        let root = RootMove { value, selection: 1.0, backup: 1.0, ..RootMove::new(known.mv) };
        Verdict {
            best: Some(known.mv),
            value,
            pv: vec![known.mv],
            moves: vec![root],
            ended: Some(Ended::Exhausted),
            ..Verdict::empty()
        }
    }

    fn played(&mut self, mv: P::Move) {
        self.inner.played(mv);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        self.inner.prepare(line, stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomPlayer;
    use yomi_core::{Position, Seed};
    use yomi_games::shogi::Shogi9;

    const BOOK: &str = "#YANEURAOU-DB2016 1.00\n// a comment\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        7g7f 3c3d 32 12 30\n2g2f none 28 12 10\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d 2g2f -10 8\n8c8d 2g2f -40\n";

    #[test]
    fn moves_are_drawn_as_often_as_they_were_played() {
        let start = Shogi9::default();
        let book = Book::parse(&start, BOOK).unwrap();
        assert_eq!((book.len(), book.moves(start.key()).len()), (2, 2));
        let mut rng = Seed::new(1).rng();
        let often = start.parse_move("7g7f").unwrap();
        let drawn = (0..4000).filter(|_| book.choose(start.key(), &mut rng).unwrap().mv == often).count();
        // Six standard errors around three quarters.
        assert!((drawn as f64 - 3000.0).abs() < 6.0 * 27.4, "{drawn}");
        // Without counts the highest value decides, wherever in the game the position stands.
        let mut second = start;
        second.play(often);
        let reply = second.parse_move("3c3d").unwrap();
        assert!((0..20).all(|_| book.choose(second.key(), &mut rng).unwrap().mv == reply));
    }

    #[test]
    fn the_search_inside_is_asked_where_the_book_ends() {
        let book = Arc::new(Book::parse(&Shogi9::default(), BOOK).unwrap());
        let mut search = Bookish::new(Box::new(RandomPlayer), book);
        let mut line = Line::new(Shogi9::default());
        for ply in 0..4u64 {
            let verdict = search.search(&line, &Limits::nodes(1).seeded(Seed::new(ply)), &mut ());
            let mv = verdict.best.expect("a move");
            assert!(line.is_legal(mv));
            assert!(ply > 0 || verdict.moves.len() == 1 && verdict.value >= 28.0);
            line.play(mv);
            search.played(mv);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let refused = |text: &str| Book::parse(&Shogi9::default(), text).unwrap_err().to_string();
        assert!(refused("7g7f").contains("line 1"), "{}", refused("7g7f"));
        assert!(refused("#x\nsfen nonsense b - 1").contains("line 2"));
        let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
        assert!(refused(&format!("{start}7g7e")).contains("line 2"));
        assert!(refused(&format!("{start}7g7f 3c3d many")).contains("many is no value"));
        assert!(Book::parse(&Shogi9::default(), "").unwrap().is_empty());
    }
}
