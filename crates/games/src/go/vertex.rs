//! Points of the board and moves.

use yomi_core::{Color, Move};

/// A point of the board: its index in arrays that have a border around the board. Only a board knows where it lies
/// ([`super::Go::column`], [`super::Go::row`]), for how long the rows of the array are depends on the type of the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vertex(pub(super) u16);

/// A stone on a point, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GoMove(u16);

impl GoMove {
    /// The pass: greater than every point of every board, so it comes last wherever moves are sorted.
    pub const PASS: GoMove = GoMove(511);

    /// A stone on `vertex`.
    #[inline]
    pub const fn at(vertex: Vertex) -> GoMove {
        GoMove(vertex.0)
    }

    /// The point; none for the pass.
    #[inline]
    pub fn vertex(self) -> Option<Vertex> {
        (self != GoMove::PASS).then_some(Vertex(self.0))
    }
}

impl Move for GoMove {
    #[inline]
    fn to_bits(self) -> u16 {
        self.0
    }
    #[inline]
    fn from_bits(bits: u16) -> Self {
        GoMove(bits)
    }
}

/// What lies on a point: two bits, the same everywhere (in cells and in the fields of a 3x3 code).
pub(super) mod cell {
    pub(in super::super) const EMPTY: u8 = 0;
    pub(in super::super) const BLACK: u8 = 1;
    pub(in super::super) const WHITE: u8 = 2;
    /// Outside the board. Both bits: it is a liberty of neither side and completes the eyes of both.
    pub(in super::super) const BORDER: u8 = 3;
}

/// The cell of a stone.
#[inline]
pub(super) fn stone(color: Color) -> u8 {
    color as u8 + 1
}

/// The stone in a cell.
#[inline]
pub(super) fn color_of(cell: u8) -> Option<Color> {
    match cell {
        cell::BLACK => Some(Color::Black),
        cell::WHITE => Some(Color::White),
        _ => None,
    }
}
