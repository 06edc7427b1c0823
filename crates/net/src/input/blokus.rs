//! Blokus Duo: squares, forbidden squares and attach points of both sides, pieces in hand.
//!
//! Packed: bytes 0..25 the squares of the viewer, one bit each, row by row from the top; 25..50 those of the opponent; 50..53 the viewer's
//! pieces in hand, one bit each in the order of their letters; 53..56 the opponent's; 56 bit 0 whether either start square may be begun
//! on. White sees the board turned by half a turn, so the viewer's own start square is always the same.

use yomi_core::Color;
use yomi_games::blokus::{BlokusDuo, BlokusMove, Cell, CellSet, Piece, START, Symmetry};

use super::{Encode, Layout, PackedPosition, Planes};
use crate::label;

const PIECES: usize = 21;
/// All planes: for each side, own first, squares, forbidden squares, attach points; pieces in hand of each side; the board.
pub(super) const PLANES: usize = 6 + 2 * PIECES + 1;
const HAND: usize = 6;
const BOARD: usize = PLANES - 1;

const OPPONENT_AT: usize = 25;
const HAND_AT: usize = 50;
const OPPONENT_HAND_AT: usize = 53;
const FLAGS_AT: usize = 56;
/// Bytes that are used.
pub(super) const PACKED: usize = FLAGS_AT + 1;

/// The symmetry under which a side looks at the board.
pub(crate) fn view(viewer: Color) -> Symmetry {
    if viewer == Color::White { Symmetry::Rotate } else { Symmetry::Identity }
}

pub(super) fn expand(packed: &PackedPosition, planes: &mut Planes) {
    let cells = |at: usize| Cell::all().filter(|cell| packed.bit(at, cell.index())).collect::<CellSet>();
    let occupied = [cells(0), cells(OPPONENT_AT)];
    let taken = occupied[0] | occupied[1];
    let free_start = packed.0[FLAGS_AT] & 1 != 0;
    for side in 0..2 {
        let own = occupied[side];
        let attach = match (own.is_empty(), free_start) {
            (false, _) => own.corner_neighbors(),
            (true, true) => START.into_iter().collect(),
            (true, false) => CellSet::of(START[side]),
        };
        let sets = [own, taken | own.edge_neighbors(), attach - taken];
        for (kind, set) in sets.into_iter().enumerate() {
            set.iter().for_each(|cell| planes.one(3 * side + kind, cell.index()));
        }
        for piece in (0..PIECES).filter(|&piece| packed.bit([HAND_AT, OPPONENT_HAND_AT][side], piece)) {
            planes.constant(HAND + PIECES * side + piece, 1.0);
        }
    }
    planes.constant(BOARD, 1.0);
}

impl Encode for BlokusDuo {
    fn layout(&self) -> Layout {
        Layout::BlokusDuo
    }

    fn pack(&self, viewer: Color) -> PackedPosition {
        let mut packed = PackedPosition::EMPTY;
        let symmetry = view(viewer);
        for (side, color) in [viewer, !viewer].into_iter().enumerate() {
            for cell in self.occupied(color).iter() {
                packed.set_bit(OPPONENT_AT * side, symmetry.cell(cell).index());
            }
            for piece in self.remaining(color).iter() {
                packed.set_bit([HAND_AT, OPPONENT_HAND_AT][side], piece.index());
            }
        }
        packed.0[FLAGS_AT] = u8::from(self.rules_in_force().free_start);
        packed
    }

    fn planes_slowly(&self, layout: Layout, viewer: Color) -> Option<Planes> {
        if layout != Layout::BlokusDuo {
            return None;
        }
        let mut planes = Planes::default();
        for (side, color) in [viewer, !viewer].into_iter().enumerate() {
            let sets = [self.occupied(color), self.forbidden(color), self.attach(color)];
            for (kind, set) in sets.into_iter().enumerate() {
                for cell in Cell::all().filter(|&cell| set.contains(cell)) {
                    planes.one(3 * side + kind, view(viewer).cell(cell).index());
                }
            }
            for piece in Piece::all().filter(|&piece| self.remaining(color).contains(piece)) {
                planes.constant(HAND + PIECES * side + piece.index(), 1.0);
            }
        }
        planes.constant(BOARD, 1.0);
        Some(planes)
    }

    fn label(&self, mv: BlokusMove) -> usize {
        label::blokus(mv, yomi_core::Position::turn(self))
    }
}
