//! Squares: file by file from the right, each from the top, as every shogi program counts them.

use super::variant::Variant;

/// A square. Its index is (file - 1) * SIZE + (rank - 1), so 1a is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square of an index; which squares exist is a question to the [`Variant`].
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        Square(index as u8)
    }

    /// The square on `file` and `rank`, both counted from 1, if the board has it.
    #[inline]
    pub fn new<V: Variant>(file: u8, rank: u8) -> Option<Square> {
        let on_board = |n: u8| (1..=V::SIZE).contains(&n);
        (on_board(file) && on_board(rank)).then(|| Square((file - 1) * V::SIZE + rank - 1))
    }

    /// All squares of a board.
    pub fn all<V: Variant>() -> impl Iterator<Item = Square> {
        (0..V::SIZE * V::SIZE).map(Square)
    }

    /// Its index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its file, from 1 at the right of the diagram.
    #[inline]
    pub fn file<V: Variant>(self) -> u8 {
        self.0 / V::SIZE + 1
    }

    /// Its rank, from 1 at the top of the diagram.
    #[inline]
    pub fn rank<V: Variant>(self) -> u8 {
        self.0 % V::SIZE + 1
    }

    /// The square seen from the other side of the board.
    #[inline]
    pub fn turned<V: Variant>(self) -> Square {
        Square(V::SIZE * V::SIZE - 1 - self.0)
    }

    /// The square in USI: `7f`.
    pub fn text<V: Variant>(self) -> String {
        format!("{}{}", self.file::<V>(), (b'a' + self.rank::<V>() - 1) as char)
    }

    /// The square that `text` names in USI.
    pub fn parse<V: Variant>(text: &str) -> Option<Square> {
        let &[file @ b'1'..=b'9', rank @ b'a'..=b'i'] = text.as_bytes() else { return None };
        Square::new::<V>(file - b'0', rank - b'a' + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::variant::{Five, Nine};
    use super::*;

    #[test]
    fn names_and_indices() {
        assert_eq!(Square::parse::<Nine>("1a"), Some(Square(0)));
        assert_eq!(Square::parse::<Nine>("9i"), Some(Square(80)));
        assert_eq!(Square::parse::<Five>("2e"), Some(Square(9)));
        assert_eq!(Square::parse::<Five>("6a"), None);
        assert_eq!(Square::parse::<Five>("1f"), None);
        for sq in Square::all::<Nine>() {
            assert_eq!(Square::parse::<Nine>(&sq.text::<Nine>()), Some(sq));
            assert_eq!(Square::new::<Nine>(sq.file::<Nine>(), sq.rank::<Nine>()), Some(sq));
            assert_eq!(sq.turned::<Nine>().file::<Nine>(), 10 - sq.file::<Nine>());
        }
    }
}
