//! The opening book of a conversation: a file, read when the engine is made ready.

use std::fs;
use std::io::Read;

use yomi_core::TextError;
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::book::Book;

/// No book is larger: it is kept in memory.
const LARGEST: u64 = 1 << 30;

/// Reads the book in a file, in YaneuraOu's text form.
pub(super) fn load<V: Variant>(name: &str) -> Result<Book<ShogiMove>, TextError> {
    let fault = |error: std::io::Error| TextError::new(format!("cannot read the book {name:.200}: {error}"));
    let mut text = String::new();
    let file = fs::File::open(name).map_err(fault)?;
    file.take(LARGEST).read_to_string(&mut text).map_err(fault)?;
    Book::parse(&Shogi::<V>::default(), &text).map_err(|error| error.context(format!("book {name:.200}")))
}
