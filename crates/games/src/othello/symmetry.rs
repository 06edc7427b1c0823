//! The four symmetries of the start position: the two diagonals and the half turn.

use super::moves::OthelloMove;

/// A symmetry that leaves the start position as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// Columns become rows: a1 and h8 stay.
    Transpose,
    /// The other diagonal: a8 and h1 stay.
    AntiTranspose,
    /// The board turned by half a turn.
    HalfTurn,
}

impl Symmetry {
    /// All four.
    pub const ALL: [Symmetry; 4] =
        [Symmetry::Identity, Symmetry::Transpose, Symmetry::AntiTranspose, Symmetry::HalfTurn];

    /// The image of a move.
    pub fn apply(self, mv: OthelloMove) -> OthelloMove {
        let Some(square) = mv.square() else { return mv };
        let transposed = square % 8 * 8 + square / 8;
        OthelloMove::at(match self {
            Symmetry::Identity => square,
            Symmetry::Transpose => transposed,
            Symmetry::AntiTranspose => 63 - transposed,
            Symmetry::HalfTurn => 63 - square,
        })
    }
}

#[cfg(test)]
mod tests {
    use yomi_core::{Position, Seed};

    use super::super::position::Othello;
    use super::*;

    #[test]
    fn images_of_a_game_are_games() {
        let mut rng = Seed::new(1).rng();
        let mut boards = [Othello::default(); 4];
        let mut moves = Vec::new();
        while boards[0].generate(&mut moves).is_none() {
            let mv = moves[rng.below(moves.len())];
            for (board, symmetry) in boards.iter_mut().zip(Symmetry::ALL) {
                assert!(board.is_legal(symmetry.apply(mv)), "{symmetry:?} {mv}");
                board.play(symmetry.apply(mv));
            }
        }
        assert!(boards.iter().all(|board| board.margin() == boards[0].margin()));
    }
}
