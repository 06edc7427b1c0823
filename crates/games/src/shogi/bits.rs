//! Sets of squares as bits. Squares are counted file by file, so "one rank forward" is a shift by one.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign};

use yomi_core::Color;

use super::square::Square;

/// A set of squares.
pub trait Bits:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    /// No square.
    const EMPTY: Self;

    /// The set of one square of the board.
    fn of(square: Square) -> Self;

    /// The set of the squares whose indices are set: bit i for square i.
    fn of_indices(indices: u128) -> Self;

    /// Whether there is no square in it.
    fn is_empty(self) -> bool;

    /// How many squares are in it.
    fn len(self) -> u32;

    /// Whether there are two or more squares in it.
    fn is_many(self) -> bool;

    /// The squares of this set that are not in `other`.
    fn without(self, other: Self) -> Self;

    /// The square of the lowest index.
    fn first(self) -> Option<Square>;

    /// The same without the square of the lowest index.
    fn rest(self) -> Self;

    /// Calls `f` for every square in increasing order. Always inlined, so that what `f` works on stays in registers.
    fn each(self, f: impl FnMut(Square));

    /// The sum of `f` over every square. Always inlined, so that the sum stays in a register.
    fn total(self, f: impl Fn(Square) -> i64) -> i64;

    /// Every square one rank forward for `color`. No square of the set may be on that side's last rank.
    fn forward(self, color: Color) -> Self;

    /// All squares of the files in which the set has none. The set may have at most one square in a file.
    fn free_files(self) -> Self;

    /// What a lance of `color` on `square` attacks, the first piece met included.
    fn lance(color: Color, square: Square, occupied: Self) -> Self;

    /// What a bishop on `square` attacks, the first pieces met included.
    fn bishop(square: Square, occupied: Self) -> Self;

    /// What a rook on `square` attacks, the first pieces met included.
    fn rook(square: Square, occupied: Self) -> Self;

    /// Whether the square is in it.
    #[inline]
    fn has(self, square: Square) -> bool {
        !(self & Self::of(square)).is_empty()
    }

    /// The squares in increasing order.
    #[inline]
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// The squares of a set, in increasing order.
#[derive(Clone, Debug)]
pub struct Squares<B>(B);

impl<B: Bits> Iterator for Squares<B> {
    type Item = Square;
    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0 = self.0.rest();
        Some(square)
    }
}

/// The operators of a newtype around an integer.
macro_rules! set_operators {
    ($name:ident) => {
        impl std::ops::BitAnd for $name {
            type Output = $name;
            #[inline]
            fn bitand(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }
        impl std::ops::BitOr for $name {
            type Output = $name;
            #[inline]
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
        impl std::ops::BitXor for $name {
            type Output = $name;
            #[inline]
            fn bitxor(self, other: $name) -> $name {
                $name(self.0 ^ other.0)
            }
        }
        impl std::ops::BitAndAssign for $name {
            #[inline]
            fn bitand_assign(&mut self, other: $name) {
                self.0 &= other.0;
            }
        }
        impl std::ops::BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }
        impl std::ops::BitXorAssign for $name {
            #[inline]
            fn bitxor_assign(&mut self, other: $name) {
                self.0 ^= other.0;
            }
        }
    };
}
pub(super) use set_operators;
