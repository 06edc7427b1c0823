//! The symmetries of the game: reflection in the diagonal through both start squares, and half a turn, which swaps the sides.

use std::sync::LazyLock;

use yomi_core::Move;

use super::cells::{Cell, CellSet, SIZE};
use super::moves::BlokusMove;
use super::position::{BlokusDuo, Side, full_key};
use super::tables::PLACEMENTS;

/// A way to see the same game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symmetry {
    /// As it is.
    Identity,
    /// Columns become rows: both start squares stay where they are.
    Transpose,
    /// Half a turn: the start squares and the sides change places.
    Rotate,
    /// Reflection in the other diagonal: the start squares and the sides change places.
    Antitranspose,
}

impl Symmetry {
    /// All four, each of which undoes itself.
    pub const ALL: [Symmetry; 4] = [Symmetry::Identity, Symmetry::Transpose, Symmetry::Rotate, Symmetry::Antitranspose];

    /// Whether Black becomes White.
    pub const fn swaps_colors(self) -> bool {
        matches!(self, Symmetry::Rotate | Symmetry::Antitranspose)
    }

    /// Where a square comes to lie.
    pub fn cell(self, cell: Cell) -> Cell {
        let (x, y) = (cell.x(), cell.y());
        let far = |n: u8| SIZE + 1 - n;
        let (x, y) = match self {
            Symmetry::Identity => (x, y),
            Symmetry::Transpose => (y, x),
            Symmetry::Rotate => (far(x), far(y)),
            Symmetry::Antitranspose => (far(y), far(x)),
        };
        Cell::new(x, y).unwrap_or(cell)
    }

    /// Where squares come to lie.
    pub fn cells(self, cells: CellSet) -> CellSet {
        cells.iter().map(|cell| self.cell(cell)).collect()
    }

    /// What a move becomes; passing stays passing.
    pub fn mv(self, mv: BlokusMove) -> BlokusMove {
        IMAGES[self as usize].get(usize::from(mv.to_bits())).map_or(mv, |&image| image)
    }

    /// What a position becomes. Where the sides change places, so does the turn.
    pub fn position(self, position: &BlokusDuo) -> BlokusDuo {
        let side = |side: &Side| Side {
            occupied: self.cells(side.occupied),
            forbidden: self.cells(side.forbidden & CellSet::BOARD) | !CellSet::BOARD,
            attach: self.cells(side.attach),
            ..*side
        };
        let mut image = position.clone();
        image.sides = [side(&position.sides[0]), side(&position.sides[1])];
        if self.swaps_colors() {
            image.sides.swap(0, 1);
            image.passed.swap(0, 1);
            image.monomino_last.swap(0, 1);
            image.turn = !position.turn;
        }
        image.key = full_key([image.sides[0].occupied, image.sides[1].occupied], image.monomino_last, image.turn);
        image
    }
}

/// What each placement becomes under each symmetry.
static IMAGES: LazyLock<[Vec<BlokusMove>; 4]> = LazyLock::new(|| {
    Symmetry::ALL.map(|symmetry| {
        let image = |mv: BlokusMove| BlokusMove::from_cells(symmetry.cells(mv.cells())).unwrap_or(mv);
        let images: Vec<BlokusMove> = BlokusMove::all_placements().map(image).collect();
        debug_assert_eq!(images.len(), PLACEMENTS);
        images
    })
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::{Notation, Position, Seed};

    #[test]
    fn start_squares_stay_or_change_places() {
        let start = BlokusDuo::default();
        for symmetry in Symmetry::ALL {
            let image = symmetry.position(&start);
            assert_eq!(image.sides.map(|s| s.attach), start.sides.map(|s| s.attach), "{symmetry:?}");
        }
    }

    proptest! {
        /// The moves of an image are the images of the moves, and playing them commutes.
        #[test]
        fn rules_know_no_direction(seed: u64, plies in 0..34usize, choice in 0..4usize) {
            let symmetry = Symmetry::ALL[choice];
            let mut rng = Seed::new(seed).rng();
            let mut position = BlokusDuo::default();
            let mut moves = Vec::new();
            for _ in 0..plies {
                if position.generate(&mut moves).is_none() {
                    position.play(moves[rng.below(moves.len())]);
                }
            }
            let image = symmetry.position(&position);
            prop_assert_eq!(image.key(), image.parse_position(&image.position_text()).unwrap().key());
            prop_assert_eq!(symmetry.position(&image).key(), position.key());
            let outcome = position.generate(&mut moves);
            let mut images: Vec<BlokusMove> = moves.iter().map(|&mv| symmetry.mv(mv)).collect();
            images.sort_unstable();
            let mut of_image = Vec::new();
            prop_assert_eq!(image.generate(&mut of_image).is_some(), outcome.is_some());
            prop_assert_eq!(&of_image, &images);
            if let Some(&mv) = moves.first() {
                prop_assert_eq!(symmetry.mv(symmetry.mv(mv)), mv);
                let mut after = image.clone();
                after.play(symmetry.mv(mv));
                position.play(mv);
                prop_assert_eq!(after.key(), symmetry.position(&position).key());
            }
        }
    }
}
