//! Sets of squares of the 5x5 board.

use yomi_core::Color;

use super::bits::{Bits, set_operators};
use super::geometry;
use super::square::Square;

/// A set of squares of the 5x5 board: square i is bit i.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits25(u32);
set_operators!(Bits25);

impl Bits25 {
    /// From one bit a square index.
    pub(super) const fn from_indices(set: u128) -> Bits25 {
        Bits25(set as u32)
    }
}

/// Half lines from each square: four of increasing indices, four of decreasing ones; rook's first, the file before the rank.
struct Rays25 {
    increasing: [[Bits25; 4]; 25],
    decreasing: [[Bits25; 4]; 25],
}

static RAYS25: Rays25 = {
    const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let empty = [[Bits25(0); 4]; 25];
    let mut rays = Rays25 { increasing: empty, decreasing: empty };
    let mut sq = 0;
    while sq < 25 {
        let mut d = 0;
        while d < 4 {
            let (file, rank) = DIRECTIONS[d];
            rays.increasing[sq][d] = Bits25::from_indices(geometry::ray(5, sq, file, rank));
            rays.decreasing[sq][d] = Bits25::from_indices(geometry::ray(5, sq, -file, -rank));
            d += 1;
        }
        sq += 1;
    }
    rays
};

#[inline]
fn increasing25(half: Bits25, occupied: Bits25) -> Bits25 {
    let pieces = occupied.0 & half.0;
    Bits25((pieces ^ pieces.wrapping_sub(1)) & half.0)
}

#[inline]
fn decreasing25(half: Bits25, occupied: Bits25) -> Bits25 {
    let pieces = occupied.0 & half.0;
    Bits25(half.0 & (u32::MAX << (31 - (pieces | 1).leading_zeros())))
}

impl Bits for Bits25 {
    const EMPTY: Self = Bits25(0);

    #[inline]
    fn of(square: Square) -> Self {
        Bits25(1 << (square.index() & 31))
    }
    #[inline]
    fn of_indices(indices: u128) -> Self {
        Bits25::from_indices(indices)
    }
    #[inline]
    fn is_empty(self) -> bool {
        self.0 == 0
    }
    #[inline]
    fn len(self) -> u32 {
        self.0.count_ones()
    }
    #[inline]
    fn is_many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }
    #[inline]
    fn without(self, other: Self) -> Self {
        Bits25(self.0 & !other.0)
    }
    #[inline]
    fn first(self) -> Option<Square> {
        (self.0 != 0).then(|| Square::from_index(self.0.trailing_zeros() as usize))
    }
    #[inline]
    fn rest(self) -> Self {
        Bits25(self.0 & self.0.wrapping_sub(1))
    }
    #[inline(always)]
    fn each(self, mut f: impl FnMut(Square)) {
        let mut set = self.0;
        while set != 0 {
            f(Square::from_index(set.trailing_zeros() as usize));
            set &= set - 1;
        }
    }
    #[inline(always)]
    fn total(self, f: impl Fn(Square) -> i64) -> i64 {
        let (mut set, mut sum) = (self.0, 0);
        while set != 0 {
            sum += f(Square::from_index(set.trailing_zeros() as usize));
            set &= set - 1;
        }
        sum
    }
    #[inline]
    fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => Bits25(self.0 >> 1),
            Color::White => Bits25(self.0 << 1),
        }
    }
    /// As on the large board, with files of five bits.
    #[inline]
    fn free_files(self) -> Self {
        const BOTTOM: u32 = Bits25::from_indices(geometry::rank(5, 4)).0;
        let free = (BOTTOM - self.0) & BOTTOM;
        Bits25(free ^ (free - (free >> 4)))
    }
    #[inline]
    fn lance(color: Color, square: Square, occupied: Self) -> Self {
        match color {
            Color::Black => decreasing25(RAYS25.decreasing[square.index()][0], occupied),
            Color::White => increasing25(RAYS25.increasing[square.index()][0], occupied),
        }
    }
    #[inline]
    fn bishop(square: Square, occupied: Self) -> Self {
        let ([_, _, a, b], [_, _, c, d]) = (RAYS25.increasing[square.index()], RAYS25.decreasing[square.index()]);
        increasing25(a, occupied) | increasing25(b, occupied) | decreasing25(c, occupied) | decreasing25(d, occupied)
    }
    #[inline]
    fn rook(square: Square, occupied: Self) -> Self {
        let ([a, b, ..], [c, d, ..]) = (RAYS25.increasing[square.index()], RAYS25.decreasing[square.index()]);
        increasing25(a, occupied) | increasing25(b, occupied) | decreasing25(c, occupied) | decreasing25(d, occupied)
    }
}
