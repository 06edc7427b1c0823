//! Symmetries: other ways to see a position, in which its moves are as good as before. Trainers learn from samples under a random one.
//!
//! Go has all eight of the square. Blokus Duo has the reflection in the diagonal through both start squares; half a turn swaps the sides, and
//! what a network sees is turned that way already. Shogi and minishogi have the mirror from left to right. Results, values, scores and margins stay what they are.

use std::sync::LazyLock;

use yomi_games::blokus::{self, BlokusMove};

use crate::input::{Layout, PACKED_BYTES, PackedPosition};
use crate::label::{self, Labels};

/// A way to see the positions of a layout: where squares and labels come to lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    layout: Layout,
    squares: Vec<u16>,
    labels: Vec<u16>,
}

/// Which symmetries are of use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those that leave the starting position as it is: Go, Blokus Duo. What they make of a game could have been played.
    OfTheStart,
    /// All that the rules have: the mirror of shogi, too, which makes positions that no game from the starting position reaches so early.
    OfTheRules,
}

impl Symmetry {
    /// The symmetries of a layout's game, the identity first.
    pub fn list(layout: Layout, which: Which) -> Vec<Symmetry> {
        let n = layout.board();
        let far = |at: usize| n - 1 - at;
        let of = |place: &dyn Fn(usize, usize) -> (usize, usize)| {
            let square = |square: usize| {
                let (row, column) = place(square / n, square % n);
                (row * n + column) as u16
            };
            let squares: Vec<u16> = (0..layout.squares()).map(square).collect();
            let labels = labels(layout, &squares);
            Symmetry { layout, squares, labels }
        };
        let identity = of(&|row, column| (row, column));
        match (layout, which) {
            (Layout::Go(_), _) => vec![
                identity,
                of(&|row, column| (column, far(row))),
                of(&|row, column| (far(row), far(column))),
                of(&|row, column| (far(column), row)),
                of(&|row, column| (column, row)),
                of(&|row, column| (row, far(column))),
                of(&|row, column| (far(column), far(row))),
                of(&|row, column| (far(row), column)),
            ],
            (Layout::BlokusDuo, _) => vec![identity, of(&|row, column| (column, row))],
            // Squares are counted file by file.
            (Layout::Shogi | Layout::Dlshogi | Layout::Minishogi, Which::OfTheRules) => {
                vec![identity, of(&|file, rank| (far(file), rank))]
            }
            (Layout::Shogi | Layout::Dlshogi | Layout::Minishogi, Which::OfTheStart) => vec![identity],
        }
    }

    /// Where a square comes to lie.
    pub fn square(&self, square: usize) -> usize {
        usize::from(self.squares[square])
    }

    /// What the label of a move becomes.
    pub fn label(&self, label: usize) -> usize {
        usize::from(self.labels[label])
    }

    /// What a position becomes. Bytes that no position packs to become some others.
    pub fn packed(&self, packed: &PackedPosition) -> PackedPosition {
        let mut image = *packed;
        let squares = self.squares.len();
        match self.layout {
            Layout::Shogi | Layout::Dlshogi | Layout::Minishogi => {
                (0..squares).for_each(|square| image.0[self.square(square)] = packed.0[square]);
            }
            Layout::Go(_) => {
                [0, 46].into_iter().for_each(|at| self.bits(packed, &mut image, at));
                // Ko, the last move, the one before; 65535 and 65534 are no points.
                for at in [92, 94, 96] {
                    let point = u16::from_le_bytes([packed.0[at], packed.0[at + 1]]);
                    let to = self.squares.get(usize::from(point)).copied().unwrap_or(point);
                    image.0[at..at + 2].copy_from_slice(&to.to_le_bytes());
                }
            }
            Layout::BlokusDuo => [0, 25].into_iter().for_each(|at| self.bits(packed, &mut image, at)),
        }
        image
    }

    /// The bits of all squares from byte `at` on.
    fn bits(&self, packed: &PackedPosition, image: &mut PackedPosition, at: usize) {
        image.0[at..(at + self.squares.len().div_ceil(8)).min(PACKED_BYTES)].fill(0);
        for square in 0..self.squares.len() {
            let to = self.square(square);
            image.0[at + to / 8] |= (packed.0[at + square / 8] >> (square % 8) & 1) << (to % 8);
        }
    }

    /// What is known of every square, as who owns it.
    pub fn board<T: Copy>(&self, of_squares: &[T]) -> Vec<T> {
        let mut image = of_squares.to_vec();
        of_squares.iter().enumerate().for_each(|(square, &x)| image[self.square(square)] = x);
        image
    }
}

/// Where labels come to lie when squares do.
fn labels(layout: Layout, squares: &[u16]) -> Vec<u16> {
    let numbering = Labels::of(layout);
    let identity = squares.iter().enumerate().all(|(i, &square)| i == usize::from(square));
    let board = |plane: usize, to_plane: usize, square: usize| match layout {
        _ if identity => Some(plane * squares.len() + square),
        Layout::BlokusDuo => TRANSPOSED[plane].label(square),
        _ => Some(to_plane * squares.len() + usize::from(squares[square])),
    };
    let mut labels = Vec::with_capacity(numbering.count());
    for plane in 0..numbering.planes {
        let to_plane = match layout {
            Layout::Shogi | Layout::Dlshogi | Layout::Minishogi => label::mirrored(plane),
            _ => plane,
        };
        // A label for which there is no move stays where it is.
        labels.extend(
            (0..squares.len())
                .map(|square| board(plane, to_plane, square).unwrap_or(plane * squares.len() + square) as u16),
        );
    }
    labels.extend(numbering.pass.then_some(numbering.count() as u16 - 1));
    labels
}

/// What the reflection in the diagonal makes of an oriented piece: which one, and how far its reference square lies from the image of the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Transposed {
    /// The oriented piece.
    pub shape: usize,
    /// Rows and columns.
    pub by: (i32, i32),
}

impl Transposed {
    /// The label of the image of a placement whose reference square this is; none if that lies outside.
    fn label(self, reference: usize) -> Option<usize> {
        let size = Layout::BlokusDuo.board() as i32;
        let (row, column) = (reference as i32 / size, reference as i32 % size);
        let (row, column) = (column + self.by.0, row + self.by.1);
        let inside = (0..size).contains(&row) && (0..size).contains(&column);
        inside.then(|| self.shape * (size * size) as usize + (row * size + column) as usize)
    }
}

/// For every oriented piece of Blokus, in the order of the labels, its image under the reflection in the diagonal.
pub fn transposed() -> &'static [Transposed] {
    &TRANSPOSED
}

static TRANSPOSED: LazyLock<Vec<Transposed>> = LazyLock::new(|| {
    let (size, squares) = (Layout::BlokusDuo.board() as i32, Layout::BlokusDuo.squares());
    let mut images = vec![Transposed::default(); Labels::of(Layout::BlokusDuo).planes];
    for mv in BlokusMove::all_placements() {
        let [old, new] = [mv, blokus::Symmetry::Transpose.mv(mv)].map(|mv| label::blokus(mv, yomi_core::Color::Black));
        let place = |label: usize| ((label % squares) as i32 / size, (label % squares) as i32 % size);
        let ((row, column), (to_row, to_column)) = (place(old), place(new));
        images[old / squares] = Transposed { shape: new / squares, by: (to_row - column, to_column - row) };
    }
    images
});
