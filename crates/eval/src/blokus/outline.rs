//! What lies in and around a piece, as bits of a window of the board.
//!
//! A piece with all squares around it is at most seven rows high, so 128 bits hold it: questions about a move are asked of the window of
//! the board around it, and need no sets of the whole board.

use std::sync::LazyLock;

use yomi_games::blokus::{BlokusMove, Cell, CellSet, SHAPES};

/// The squares of an oriented piece, of its edges, and of its corners. The window begins a row and a column before the piece.
#[derive(Clone, Copy, Default)]
pub(super) struct Outline {
    pub(super) cells: u128,
    /// Beside the piece; may lie outside of the board.
    pub(super) beside: u128,
    /// Diagonal to the piece and not beside it; may lie outside of the board.
    pub(super) diagonal: u128,
    /// The bits of `beside` one by one, and a mask that is 0 where there are fewer than twelve.
    edges: [[u8; MOST_BESIDE]; 2],
}

/// No piece has more squares beside it.
const MOST_BESIDE: usize = 12;

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
        let mut edges = [[0; MOST_BESIDE]; 2];
        let bits = (0..128).filter(|bit| beside >> bit & 1 == 1);
        bits.zip(0..).for_each(|(bit, i)| [edges[0][i], edges[1][i]] = [bit, u8::MAX]);
        outlines[shape] = Outline { cells, beside, diagonal, edges };
    }
    outlines
});

impl Outline {
    /// The outline of one of the oriented pieces.
    #[inline]
    pub(super) fn of(shape: usize) -> &'static Outline {
        &OUTLINES[shape]
    }

    /// The sum of a table over the squares beside the piece. The first entry of the table, which is no square, must be 0: a fixed number
    /// of entries is added up, because how many there are is hard to predict.
    #[inline]
    pub(super) fn sum_beside(&self, view: View, table: &[i32; 256]) -> i32 {
        let [bits, keep] = &self.edges;
        bits.iter().zip(keep).map(|(bit, keep)| table[usize::from((view.start as u8).wrapping_add(*bit) & keep)]).sum()
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

    /// The squares of some of its bits, which must be squares of the board.
    #[inline]
    pub(super) fn squares(self, mut bits: u128) -> impl Iterator<Item = Cell> {
        std::iter::from_fn(move || {
            let bit = self.start + bits.trailing_zeros() as i32;
            (bits != 0).then(|| bits &= bits - 1).map(|()| Cell::from_bit(bit as u8))
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
            let back = |bits: u128| view.squares(bits & view.of(CellSet::BOARD)).collect::<CellSet>();
            assert_eq!(back(outline.cells), mv.cells());
            assert_eq!(back(outline.beside), mv.cells().edge_neighbors());
            assert_eq!(back(outline.diagonal), mv.cells().corner_neighbors());
        }
    }
}
