//! Move labels: which output of the policy head stands for a move.
//!
//! Labels are given as the side to move sees the board, like planes. The outputs are planes of squares, plane by plane, and where a game
//! has passes one more at the end.

use std::sync::LazyLock;

use yomi_core::{Color, Move as _};
use yomi_games::blokus::BlokusMove;
use yomi_games::shogi::{Kind, ShogiMove, Variant};

use crate::input::{Layout, seen, view};

/// How the moves of a game are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labels {
    /// The id in network files. It never changes its meaning.
    pub id: &'static str,
    /// Planes of squares.
    pub planes: usize,
    /// Squares of a plane.
    pub squares: usize,
    /// Whether the last label is the pass.
    pub pass: bool,
}

impl Labels {
    /// The numbering that goes with a layout.
    pub fn of(layout: Layout) -> Labels {
        let (id, planes, pass) = match layout {
            Layout::Shogi | Layout::Dlshogi => ("shogi-27x81", DIRECTIONS, false),
            Layout::Minishogi => ("minishogi-27x25", DIRECTIONS, false),
            Layout::Go(_) => ("go-points-pass", 1, true),
            Layout::BlokusDuo => ("blokus-duo-91x196-pass", SHAPES, true),
        };
        Labels { id, planes, squares: layout.squares(), pass }
    }

    /// How many labels there are.
    pub fn count(self) -> usize {
        self.planes * self.squares + usize::from(self.pass)
    }
}

/// Ten directions, the same with promotion, seven kinds of drop (S4.3).
const DIRECTIONS: usize = 27;
/// Pieces of Blokus in all their different orientations.
const SHAPES: usize = 91;

/// Directions in dlshogi's order, as (file, rank) differences of one step for Black: "left" is towards higher files.
const STEPS: [(i32, i32); 10] =
    [(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1), (1, 1), (-1, 1), (1, -2), (-1, -2)];

/// The plane of shogi's moves in this one mirrored from left to right: directions change sides, drops do not.
pub(crate) fn mirrored(plane: usize) -> usize {
    let Some(&(dx, dy)) = STEPS.get(plane % STEPS.len()).filter(|_| plane < 2 * STEPS.len()) else { return plane };
    let image = STEPS.iter().position(|&step| step == (-dx, dy)).unwrap_or(plane % STEPS.len());
    plane / STEPS.len() * STEPS.len() + image
}

/// Direction times squares plus destination, as the mover sees the board. The piece that moves is the first one met when going back from
/// the destination, so these identify a legal move.
pub(crate) fn shogi<V: Variant>(mv: ShogiMove, turn: Color) -> usize {
    let size = i32::from(V::SIZE);
    let to = seen::<V>(mv.to(), turn);
    let direction = match (mv.from(), mv.dropped()) {
        (Some(from), _) => {
            let (to, from) = (to as i32, seen::<V>(from, turn) as i32);
            let (dx, dy) = (to / size - from / size, to % size - from % size);
            let step = if dy == -2 && dx.abs() == 1 { (dx, dy) } else { (dx.signum(), dy.signum()) };
            let direction = STEPS.iter().position(|&s| s == step).unwrap_or(0);
            direction + if mv.promotes() { 10 } else { 0 }
        }
        (None, kind) => 20 + kind.map_or(0, Kind::index),
    };
    direction * (size * size) as usize + to
}

/// The label of every placement: the number of its oriented piece times squares, plus its reference square.
static PLACEMENTS: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut shapes: Vec<(usize, u8)> = Vec::with_capacity(SHAPES);
    let label = |mv: BlokusMove| {
        let (piece, (orientation, reference)) = (mv.piece()?, mv.orientation()?);
        let shape = (piece.index(), orientation);
        let number = shapes.iter().position(|&s| s == shape).unwrap_or_else(|| {
            shapes.push(shape);
            shapes.len() - 1
        });
        Some((number * 196 + reference.index()) as u16)
    };
    BlokusMove::all_placements().map(label).map(|label| label.unwrap_or(0)).collect()
});

pub(crate) fn blokus(mv: BlokusMove, turn: Color) -> usize {
    let seen = view(turn).mv(mv);
    PLACEMENTS.get(usize::from(seen.to_bits())).map_or(SHAPES * 196, |&label| usize::from(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 91 oriented pieces; no two placements share a label.
    #[test]
    fn placements_have_labels_of_their_own() {
        let mut labels = PLACEMENTS.clone();
        assert!(labels.iter().all(|&label| usize::from(label) < SHAPES * 196));
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), yomi_games::blokus::PLACEMENTS);
        assert_eq!(labels.last().map(|&label| usize::from(label) / 196), Some(SHAPES - 1));
    }
}
