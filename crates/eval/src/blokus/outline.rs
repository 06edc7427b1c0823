//! What lies in and around a piece, as bits of a window of the board.
//!
//! A piece with all squares around it is at most seven rows high, so 128 bits hold it: questions about a move are asked of the window of
//! the board around it, and need no sets of the whole board.

use std::sync::LazyLock;

use yomi_games::blokus::{BlokusMove, Cell, CellSet, SHAPES};

use super::field::Field;

/// The squares of an oriented piece, of its edges, and of its corners. The window begins a row and a column before the piece.
#[derive(Clone, Copy, Default)]
pub(super) struct Outline {
    pub(super) cells: u128,
    /// Beside the piece; may lie outside of the board.
    pub(super) beside: u128,
    /// Diagonal to the piece and not beside it; may lie outside of the board.
    pub(super) diagonal: u128,
    each_cell: Bits<MOST_CELLS>,
    each_beside: Bits<MOST_BESIDE>,
}

/// No piece has more squares.
const MOST_CELLS: usize = 5;
/// No piece has more squares beside it.
const MOST_BESIDE: usize = 12;

/// Bits of a window one by one.
#[derive(Clone, Copy)]
struct Bits<const MOST: usize> {
    bits: [u8; MOST],
    /// 0 where there are fewer than the most.
    keep: [u8; MOST],
}

impl<const MOST: usize> Default for Bits<MOST> {
    fn default() -> Self {
        Bits { bits: [0; MOST], keep: [0; MOST] }
    }
}

impl<const MOST: usize> Bits<MOST> {
    fn new(window: u128) -> Self {
        let mut list = Bits::default();
        let set = (0..128).filter(|bit| window >> bit & 1 == 1);
        set.zip(0..).for_each(|(bit, i)| (list.bits[i], list.keep[i]) = (bit, u8::MAX));
        list
    }

    /// The sum over these squares. A fixed number of entries is added up, because how many there are is hard to predict: those
    /// too many are the bit 0, which is no square of the board and has the number 0.
    #[inline]
    fn sum(&self, view: View, field: &Field) -> i32 {
        let at = |(bit, keep): (&u8, &u8)| field.at((view.start as u8).wrapping_add(*bit) & keep);
        self.bits.iter().zip(&self.keep).map(at).sum()
    }
}

/// How far the window begins before the top left square of a piece.
const BEFORE: i32 = 17;

static OUTLINES: LazyLock<Vec<Outline>> = LazyLock::new(|| {
    let mut outlines = vec![Outline::default(); SHAPES];
    for mv in BlokusMove::all_placements() {
        let Some((shape, at)) = mv.footprint() else { continue };
        let [beside, diagonal] = mv.cells().neighbors();
        let view = View::at(at);
        let [cells, beside, diagonal] =
            [mv.cells(), beside - mv.cells(), diagonal - beside - mv.cells()].map(|set| view.of(set));
        outlines[shape] =
            Outline { cells, beside, diagonal, each_cell: Bits::new(cells), each_beside: Bits::new(beside) };
    }
    outlines
});

impl Outline {
    /// The outline of one of the oriented pieces.
    #[inline]
    pub(super) fn of(shape: usize) -> &'static Outline {
        &OUTLINES[shape]
    }

    /// The sum of one field over the squares of the piece and of another over the squares beside it.
    #[inline]
    pub(super) fn sum(&self, view: View, covered: &Field, beside: &Field) -> i32 {
        self.each_cell.sum(view, covered) + self.each_beside.sum(view, beside)
    }
}

/// The window around a piece.
#[derive(Clone, Copy)]
pub(super) struct View {
    start: i32,
}

impl View {
    /// The window around a piece whose top left square is this.
    #[inline]
    pub(super) fn at(top_left: Cell) -> View {
        View { start: i32::from(top_left.bit()) - BEFORE }
    }

    /// What it shows of a set.
    #[inline]
    pub(super) fn of(self, set: CellSet) -> u128 {
        set.window(self.start)
    }

    /// Some of its bits, which must be squares of the board, each with its square.
    #[inline]
    pub(super) fn squares(self, mut bits: u128) -> impl Iterator<Item = (usize, Cell)> {
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            (bits != 0)
                .then(|| bits &= bits - 1)
                .map(|()| (bit as usize, Cell::from_bit((self.start + bit as i32) as u8)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever a piece lies, its window shows what sets of the whole board show.
    #[test]
    fn windows_show_what_sets_show() {
        for mv in BlokusMove::all_placements() {
            let (shape, at) = mv.footprint().unwrap();
            let (outline, view) = (Outline::of(shape), View::at(at));
            let back =
                |bits: u128| view.squares(bits & view.of(CellSet::BOARD)).map(|(_, cell)| cell).collect::<CellSet>();
            assert_eq!(back(outline.cells), mv.cells());
            assert_eq!(back(outline.beside), mv.cells().edge_neighbors());
            assert_eq!(back(outline.diagonal), mv.cells().corner_neighbors());
            let (mut covered, mut beside) = (Field::ZERO, Field::ZERO);
            Cell::all().for_each(|cell| covered.add(cell, i32::from(cell.bit())));
            Cell::all().for_each(|cell| beside.add(cell, 1000 * i32::from(cell.bit())));
            let sum = |set: CellSet| set.iter().map(|cell| i32::from(cell.bit())).sum::<i32>();
            let expected = sum(mv.cells()) + 1000 * sum(mv.cells().edge_neighbors());
            assert_eq!(outline.sum(view, &covered, &beside), expected);
        }
    }
}
