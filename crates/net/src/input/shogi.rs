//! Shogi and minishogi: pieces on the board and in hand.
//!
//! Packed, with `n` squares: bytes `0..n` what stands on each square as the viewer sees it (0 nothing, 1 to 14 an own piece by the index of
//! its kind, 15 to 28 one of the opponent), `n..n+7` the own hand by the index of the kind, `n+7..n+14` the opponent's. Squares are counted
//! file by file as [`Square`] does; White sees the board turned by half a turn.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Five, Kind, Nine, Shogi, ShogiMove, Square, Variant};

use super::dlshogi;
use super::{Changes, Encode, Layout, PackedPosition, Planes};
use crate::label;

/// Where the planes of a variant lie: for each side, own first, a plane for each kind that exists, in the order of the indices, then for
/// each kind that can be held as many constant planes as there are pieces of it, the first k of them ones where k are held.
pub(super) struct PieceHand {
    squares: usize,
    /// The plane of a kind on the board within a side's planes; those that do not exist get none.
    kinds: [Option<u8>; 14],
    /// The first plane of a kind in hand within a side's planes, and how many there are.
    hand: [(u8, u8); 7],
    side: usize,
}

/// [`PieceHand`] as tables of bytes, for devices.
#[cfg(any(target_os = "linux", target_os = "windows"))]
pub(crate) struct PieceHandTables {
    pub(crate) plane_of_code: [u8; 32],
    pub(crate) hands: [(u8, u8); 14],
}

pub(super) const NINE: PieceHand = PieceHand::new::<Nine>();
pub(super) const FIVE: PieceHand = PieceHand::new::<Five>();

impl PieceHand {
    const fn new<V: Variant>() -> PieceHand {
        let mut kinds = [None; 14];
        let mut i = 0;
        while i < V::KINDS.len() {
            kinds[V::KINDS[i].index()] = Some(i as u8);
            i += 1;
        }
        let mut next = V::KINDS.len() as u8;
        let mut hand = [(0, 0); 7];
        let mut kind = 0;
        while kind < 7 {
            hand[kind] = (next, V::SET[kind]);
            next += V::SET[kind];
            kind += 1;
        }
        PieceHand { squares: V::SIZE as usize * V::SIZE as usize, kinds, hand, side: next as usize }
    }

    pub(super) const fn planes(&self) -> usize {
        2 * self.side
    }

    /// The tables that an expansion elsewhere needs: one more than the plane of each packed byte below 32 (0 for none), and for the fourteen
    /// bytes of hands the first plane and how many there are.
    #[cfg(any(target_os = "linux", target_os = "windows"))]
    pub(super) fn tables(&self) -> PieceHandTables {
        PieceHandTables {
            plane_of_code: std::array::from_fn(|code| {
                self.plane_of_code(code as u8).map_or(0, |plane| plane as u8 + 1)
            }),
            hands: std::array::from_fn(|i| {
                let (first, most) = self.hand[i % 7];
                ((i / 7 * self.side) as u8 + first, most)
            }),
        }
    }

    /// The plane of a piece on the board, by its packed byte.
    fn plane_of_code(&self, code: u8) -> Option<usize> {
        let index = usize::from(code).checked_sub(1)?;
        let kind = *self.kinds.get(index % 14)?;
        (index < 28).then_some(())?;
        Some(index / 14 * self.side + usize::from(kind?))
    }

    pub(super) fn expand(&self, packed: &PackedPosition, planes: &mut Planes) {
        for (square, &code) in packed.0[..self.squares].iter().enumerate() {
            if let Some(plane) = self.plane_of_code(code) {
                planes.one(plane, square);
            }
        }
        for (i, &held) in packed.0[self.squares..self.squares + 14].iter().enumerate() {
            let (first, most) = self.hand[i % 7];
            for k in 0..held.min(most) {
                planes.constant(i / 7 * self.side + usize::from(first + k), 1.0);
            }
        }
    }
}

/// The square as `viewer` sees it.
pub(crate) fn seen<V: Variant>(square: Square, viewer: Color) -> usize {
    match viewer {
        Color::Black => square.index(),
        Color::White => square.turned::<V>().index(),
    }
}

/// The byte of a piece.
pub(super) fn code(kind: Kind, own: bool) -> u8 {
    kind.index() as u8 + if own { 1 } else { 15 }
}

impl<V: Variant> Encode for Shogi<V>
where
    Shogi<V>: Position<Move = ShogiMove>,
{
    fn layout(&self) -> Layout {
        if V::SIZE == 9 { Layout::Shogi } else { Layout::Minishogi }
    }

    fn pack(&self, viewer: Color) -> PackedPosition {
        let mut packed = PackedPosition::EMPTY;
        let squares = self.cells().len();
        for (index, &cell) in self.cells().iter().enumerate().filter(|&(_, &cell)| cell != 0) {
            let own = (cell >= 16) == (viewer == Color::White);
            packed.0[seen::<V>(Square::from_index(index), viewer)] = (cell & 15) + if own { 0 } else { 14 };
        }
        for (side, color) in [viewer, !viewer].into_iter().enumerate() {
            packed.0[squares + 7 * side..][..7].copy_from_slice(&self.in_hand(color)[..7]);
        }
        packed
    }

    fn planes_slowly(&self, layout: Layout, viewer: Color) -> Option<Planes> {
        let mut planes = Planes::default();
        if layout == Layout::Dlshogi && V::SIZE == 9 {
            dlshogi::planes_slowly(self, viewer, &mut planes);
            return Some(planes);
        }
        if layout != self.layout() {
            return None;
        }
        let mut plane = 0;
        for color in [viewer, !viewer] {
            for &kind in V::KINDS {
                for square in Square::all::<V>() {
                    if self.piece_at(square).is_some_and(|piece| piece.kind == kind && piece.color == color) {
                        planes.one(plane, seen::<V>(square, viewer));
                    }
                }
                plane += 1;
            }
            for kind in Kind::HAND {
                for count in 1..=V::SET[kind.index()] {
                    planes.constant(plane, f32::from(u8::from(self.hand(color, kind) >= count)));
                    plane += 1;
                }
            }
        }
        Some(planes)
    }

    /// At most two squares leave, one comes, and one plane of a hand changes.
    fn changes(&self, layout: Layout, mv: ShogiMove, changes: &mut Changes) {
        let viewer = !self.turn();
        if layout != self.layout() {
            let mut child = *self;
            child.play(mv);
            changes.between(layout, &self.pack(viewer), &child.pack(viewer));
            return;
        }
        changes.clear();
        let planes = if V::SIZE == 9 { &NINE } else { &FIVE };
        // The mover is the opponent of the viewer.
        let hand = |kind: Kind| planes.side + usize::from(planes.hand[kind.index()].0);
        let mut square = |kind: Kind, own: bool, at: Square, appears: bool| {
            if let Some(plane) = planes.plane_of_code(code(kind, own)) {
                changes.square(plane, seen::<V>(at, viewer), appears);
            }
        };
        let held = |kind: Kind| usize::from(self.hand(self.turn(), kind));
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                let Some(piece) = self.piece_at(from) else { return };
                square(piece.kind, false, from, false);
                let taken = self.piece_at(mv.to());
                if let Some(taken) = taken {
                    square(taken.kind, true, mv.to(), false);
                }
                let promoted = piece.kind.promoted().filter(|_| mv.promotes());
                square(promoted.unwrap_or(piece.kind), false, mv.to(), true);
                if let Some(kind) = taken.map(|taken| taken.kind.plain()).filter(|kind| kind.index() < 7) {
                    changes.constant(hand(kind) + held(kind), 1.0);
                }
            }
            (None, Some(kind)) => {
                square(kind, false, mv.to(), true);
                if let Some(last) = held(kind).checked_sub(1) {
                    changes.constant(hand(kind) + last, -1.0);
                }
            }
            (None, None) => {}
        }
    }

    fn label(&self, mv: ShogiMove) -> usize {
        label::shogi::<V>(mv, self.turn())
    }
}
