//! What a network sees of a position.
//!
//! A position is *packed* into at most 128 bytes ([`PackedPosition`]); that is what queues hold and what crosses the bus to a device.
//! A [`Layout`] says how a packed position expands into planes: the squares that hold a one ([`Planes::ones`]) and the planes that have the
//! same value everywhere ([`Planes::constants`]). Planes are never stored densely: inputs have a few dozen ones among thousands of zeros.
//!
//! Everything is seen by one side, the *viewer*: its pieces are "own". Evaluations are asked for the side to move. The children of a
//! position all have the same viewer, the opponent of the side to move, so the parent packed for *that* viewer is the base that they
//! differ from in few places ([`Changes`], S4.4).

mod blokus;
mod changes;
mod dlshogi;
mod go;
mod layout;
mod planes;
mod shogi;

pub use changes::{Change, Changes};
pub use layout::Layout;
pub use planes::Planes;

pub(crate) use blokus::view;
pub(crate) use shogi::seen;

use yomi_core::{Color, Position};

/// How many bytes a packed position has, whatever the game.
pub const PACKED_BYTES: usize = 128;

/// A position as a network is asked about it: see [`Layout`] for what the bytes mean in each game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub struct PackedPosition(pub [u8; PACKED_BYTES]);

impl PackedPosition {
    /// All bytes zero.
    pub const EMPTY: PackedPosition = PackedPosition([0; PACKED_BYTES]);

    fn u16_at(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn set_u16(&mut self, at: usize, value: u16) {
        self.0[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    /// Bit `index` of the field that begins at byte `at`.
    fn bit(&self, at: usize, index: usize) -> bool {
        self.0[at + index / 8] >> (index % 8) & 1 != 0
    }

    fn set_bit(&mut self, at: usize, index: usize) {
        self.0[at + index / 8] |= 1 << (index % 8);
    }
}

/// A game that networks can be asked about.
pub trait Encode: Position {
    /// The layout that networks of this project use for this position's board.
    fn layout(&self) -> Layout;

    /// The position as `viewer` sees it.
    fn pack(&self, viewer: Color) -> PackedPosition;

    /// The planes of `layout` written down from the position itself, without packing: slow, and obviously right. `None` for a layout of
    /// another game.
    fn planes_slowly(&self, layout: Layout, viewer: Color) -> Option<Planes>;

    /// How the planes of the child after `mv` differ from those of this position, both seen by the child's side to move (S4.4).
    fn changes(&self, layout: Layout, mv: Self::Move, changes: &mut Changes) {
        let viewer = !self.turn();
        let mut child = self.clone();
        child.play(mv);
        changes.between(layout, &self.pack(viewer), &child.pack(viewer));
    }

    /// The number of `mv`, a legal move of the side to move, among the outputs of the policy head: see [`crate::label`].
    fn label(&self, mv: Self::Move) -> usize;
}
