//! The opening book of a conversation: a file, read when the engine is made ready.

use yomi_core::TextError;
use yomi_core::file::read_text_file;
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::book::{Book, LARGEST_BOOK};

/// Reads the book in a file, in YaneuraOu's text form.
pub(super) fn load<V: Variant>(name: &str) -> Result<Book<ShogiMove>, TextError> {
    let text = read_text_file(name, LARGEST_BOOK).map_err(|error| error.context("cannot read the book"))?;
    Book::parse(&Shogi::<V>::default(), &text).map_err(|error| error.context(format!("book {name:.200}")))
}
