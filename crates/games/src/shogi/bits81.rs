//! Sets of squares of the 9x9 board, and how sliding pieces run over it without large tables.
//!
//! Bit 63 of the 128 stays unused: then no file lies across two machine words, and running along a file is a matter of one word.

use yomi_core::Color;

use super::bits::{Bits, set_operators};
use super::geometry;
use super::square::Square;

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
    fn of_indices(indices: u128) -> Self {
        Bits81::from_indices(indices)
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
    #[inline(always)]
    fn each(self, mut f: impl FnMut(Square)) {
        // One loop over both words, so that `f` is compiled, and inlined, once.
        let ([mut word, mut next], mut first) = (self.words(), 0);
        loop {
            while word != 0 {
                f(Square::from_index((first + word.trailing_zeros()) as usize));
                word &= word - 1;
            }
            if next == 0 {
                break;
            }
            (word, next, first) = (next, 0, LOW);
        }
    }
    #[inline(always)]
    fn total(self, f: impl Fn(Square) -> i64) -> i64 {
        let ([mut low, mut high], mut sum) = (self.words(), 0);
        while low != 0 {
            sum += f(Square::from_index(low.trailing_zeros() as usize));
            low &= low - 1;
        }
        while high != 0 {
            sum += f(Square::from_index((LOW + high.trailing_zeros()) as usize));
            high &= high - 1;
        }
        sum
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
