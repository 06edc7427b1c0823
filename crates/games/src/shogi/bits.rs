//! Sets of squares as bits, and how sliding pieces run over them.
//!
//! Both boards count squares file by file, so "one rank forward" is a shift by one. The 9x9 board leaves bit 63 of its 128
//! unused: then no file lies across two machine words, and running along a file is a matter of one word.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign};

use yomi_core::Color;

use super::geometry;
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

    /// Calls `f` for every square in increasing order.
    fn each(self, f: impl FnMut(Square));

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
        impl BitAnd for $name {
            type Output = $name;
            #[inline]
            fn bitand(self, other: $name) -> $name {
                $name(self.0 & other.0)
            }
        }
        impl BitOr for $name {
            type Output = $name;
            #[inline]
            fn bitor(self, other: $name) -> $name {
                $name(self.0 | other.0)
            }
        }
        impl BitXor for $name {
            type Output = $name;
            #[inline]
            fn bitxor(self, other: $name) -> $name {
                $name(self.0 ^ other.0)
            }
        }
        impl BitAndAssign for $name {
            #[inline]
            fn bitand_assign(&mut self, other: $name) {
                self.0 &= other.0;
            }
        }
        impl BitOrAssign for $name {
            #[inline]
            fn bitor_assign(&mut self, other: $name) {
                self.0 |= other.0;
            }
        }
        impl BitXorAssign for $name {
            #[inline]
            fn bitxor_assign(&mut self, other: $name) {
                self.0 ^= other.0;
            }
        }
    };
}

/// A set of squares of the 9x9 board: squares 0 to 62 (files 1 to 7) are bits 0 to 62, the others bits 64 to 81.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits81(u128);
set_operators!(Bits81);

/// Squares in the lower word.
const LOW: u32 = 63;

impl Bits81 {
    /// From one bit a square index.
    pub(super) const fn from_indices(set: u128) -> Bits81 {
        Bits81((set & ((1 << LOW) - 1)) | (set >> LOW << 64))
    }

    #[inline]
    const fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }
}

/// The squares as sets, and the lines and half lines through each.
struct Lines81 {
    of: [Bits81; 81],
    rank: [Bits81; 81],
    diagonals: [[Bits81; 2]; 81],
    above: [Bits81; 81],
    below: [Bits81; 81],
}

static LINES81: Lines81 = {
    let empty = [Bits81(0); 81];
    let mut lines = Lines81 { of: empty, rank: empty, diagonals: [[Bits81(0); 2]; 81], above: empty, below: empty };
    let mut sq = 0;
    while sq < 81 {
        lines.of[sq] = Bits81::from_indices(1 << sq);
        lines.rank[sq] = Bits81::from_indices(geometry::ray(9, sq, 1, 0) | geometry::ray(9, sq, -1, 0));
        lines.diagonals[sq] = [
            Bits81::from_indices(geometry::ray(9, sq, 1, 1) | geometry::ray(9, sq, -1, -1)),
            Bits81::from_indices(geometry::ray(9, sq, 1, -1) | geometry::ray(9, sq, -1, 1)),
        ];
        lines.above[sq] = Bits81::from_indices(geometry::ray(9, sq, 0, -1));
        lines.below[sq] = Bits81::from_indices(geometry::ray(9, sq, 0, 1));
        sq += 1;
    }
    lines
};

/// Hyperbola quintessence: subtracting the slider from the pieces on its line flips every bit up to the first piece above it.
/// Turned around, the same finds the first piece below. Turning only the order of the bytes is enough, because squares of a rank
/// or a diagonal lie eight bits apart or more.
#[inline]
fn both_ways(slider: Bits81, line: Bits81, occupied: Bits81) -> Bits81 {
    let pieces = occupied.0 & line.0;
    let upwards = pieces.wrapping_sub(slider.0);
    let downwards = pieces.swap_bytes().wrapping_sub(slider.0.swap_bytes()).swap_bytes();
    Bits81((upwards ^ downwards) & line.0)
}

/// Along a half line of increasing indices: all up to the lowest piece.
#[inline]
fn increasing81(half: Bits81, occupied: Bits81) -> Bits81 {
    let pieces = occupied.0 & half.0;
    Bits81((pieces ^ pieces.wrapping_sub(1)) & half.0)
}

/// Along a half file of decreasing indices: all down to the highest piece, in the one word that holds the file.
#[inline]
fn decreasing81(half: Bits81, occupied: Bits81) -> Bits81 {
    let [low, high] = half.words();
    let [pieces_low, pieces_high] = (half & occupied).words();
    let run = |half: u64, pieces: u64| half & (u64::MAX << (63 - (pieces | 1).leading_zeros()));
    Bits81(u128::from(run(low, pieces_low)) | u128::from(run(high, pieces_high)) << 64)
}

impl Bits for Bits81 {
    const EMPTY: Self = Bits81(0);

    #[inline]
    fn of(square: Square) -> Self {
        LINES81.of[square.index()]
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
        Bits81(self.0 & !other.0)
    }
    #[inline]
    fn first(self) -> Option<Square> {
        match self.words() {
            [0, 0] => None,
            [0, high] => Some(Square::from_index((LOW + high.trailing_zeros()) as usize)),
            [low, _] => Some(Square::from_index(low.trailing_zeros() as usize)),
        }
    }
    #[inline]
    fn rest(self) -> Self {
        Bits81(self.0 & self.0.wrapping_sub(1))
    }
    #[inline]
    fn each(self, mut f: impl FnMut(Square)) {
        let [mut low, mut high] = self.words();
        while low != 0 {
            f(Square::from_index(low.trailing_zeros() as usize));
            low &= low - 1;
        }
        while high != 0 {
            f(Square::from_index((LOW + high.trailing_zeros()) as usize));
            high &= high - 1;
        }
    }
    #[inline]
    fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => Bits81(self.0 >> 1),
            Color::White => Bits81(self.0 << 1),
        }
    }
    /// In each file of nine bits: the lowest rank's bit minus the set's survives in empty files only, and one less than it,
    /// exclusive-or'ed with it, is a full file.
    #[inline]
    fn free_files(self) -> Self {
        const BOTTOM: u128 = Bits81::from_indices(geometry::rank(9, 8)).0;
        let free = (BOTTOM - self.0) & BOTTOM;
        Bits81(free ^ (free - (free >> 8)))
    }
    #[inline]
    fn lance(color: Color, square: Square, occupied: Self) -> Self {
        match color {
            Color::Black => decreasing81(LINES81.above[square.index()], occupied),
            Color::White => increasing81(LINES81.below[square.index()], occupied),
        }
    }
    #[inline]
    fn bishop(square: Square, occupied: Self) -> Self {
        let [rising, falling] = LINES81.diagonals[square.index()];
        both_ways(Self::of(square), rising, occupied) | both_ways(Self::of(square), falling, occupied)
    }
    #[inline]
    fn rook(square: Square, occupied: Self) -> Self {
        both_ways(Self::of(square), LINES81.rank[square.index()], occupied)
            | decreasing81(LINES81.above[square.index()], occupied)
            | increasing81(LINES81.below[square.index()], occupied)
    }
}

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
    #[inline]
    fn each(self, mut f: impl FnMut(Square)) {
        let mut set = self.0;
        while set != 0 {
            f(Square::from_index(set.trailing_zeros() as usize));
            set &= set - 1;
        }
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
