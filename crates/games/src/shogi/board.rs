//! Pieces on the board and in hand, with their key.
//!
//! Only the methods of this file change a board, and each of them keeps the bitboards, the cells, the hands and the key in step,
//! so they cannot disagree.

use yomi_core::{Color, zobrist};

use super::bits::Bits;
use super::moves::ShogiMove;
use super::piece::{Gait, Kind, Piece};
use super::square::Square;
use super::variant::Variant;

/// Keys of a piece of a colour and kind on a square. Both boards draw from the same table.
static PIECE_KEYS: [[[u64; 81]; 14]; 2] = {
    let flat: [u64; 2 * 14 * 81] = zobrist::table(0x5348_4f47_4901);
    let mut keys = [[[0; 81]; 14]; 2];
    let mut i = 0;
    while i < flat.len() {
        keys[i / (14 * 81)][i / 81 % 14][i % 81] = flat[i];
        i += 1;
    }
    keys
};

/// Keys of a colour's hand: by kind and number of pieces; none in hand is 0.
static HAND_KEYS: [[[u64; 20]; 7]; 2] = {
    let flat: [u64; 2 * 7 * 20] = zobrist::table(0x5348_4f47_4902);
    let mut keys = [[[0; 20]; 7]; 2];
    let mut i = 0;
    while i < flat.len() {
        if i % 20 != 0 {
            keys[i / 140][i / 20 % 7][i % 20] = flat[i];
        }
        i += 1;
    }
    keys
};

/// Key of White to move.
pub(super) const TURN_KEY: u64 = zobrist::mix(0x5348_4f47_4903);

/// Pieces on the board and in hand, with their key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board<V: Variant> {
    /// The pieces of each side.
    colors: [V::Bits; 2],
    /// The pieces of each gait.
    gaits: [V::Bits; Gait::COUNT],
    cells: V::Cells,
    hands: [[u8; 8]; 2],
    key: u64,
}

impl<V: Variant> Board<V> {
    pub(super) fn empty() -> Self {
        let none = V::Bits::EMPTY;
        Board { colors: [none; 2], gaits: [none; Gait::COUNT], cells: V::NO_CELLS, hands: [[0; 8]; 2], key: 0 }
    }

    /// Key of pieces and hands, the turn apart.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    pub(super) fn color(&self, color: Color) -> V::Bits {
        self.colors[color.index()]
    }

    #[inline]
    pub(super) fn gait(&self, gait: Gait) -> V::Bits {
        self.gaits[gait as usize]
    }

    /// The pieces of one side that move alike.
    #[inline]
    pub(super) fn of(&self, color: Color, gait: Gait) -> V::Bits {
        self.colors[color.index()] & self.gaits[gait as usize]
    }

    #[inline]
    pub(super) fn occupied(&self) -> V::Bits {
        self.colors[0] | self.colors[1]
    }

    #[inline]
    pub(super) fn cells(&self) -> &[u8] {
        self.cells.as_ref()
    }

    #[inline]
    pub(super) fn cell(&self, square: Square) -> u8 {
        self.cells.as_ref()[square.index()]
    }

    /// The squares whose contents differ.
    #[inline]
    pub(super) fn differences(&self, other: &Self) -> V::Bits {
        // Eight cells at a time and without a branch: a cell is below 32, so adding 127 to a difference sets the highest bit of its
        // byte unless it is none, and a multiplication moves these bits side by side.
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        let (words, tail) = self.cells.as_ref().as_chunks::<8>();
        let (other_words, other_tail) = other.cells.as_ref().as_chunks::<8>();
        let mut found = 0;
        for (i, (ours, theirs)) in words.iter().zip(other_words).enumerate() {
            let differing = u64::from_le_bytes(*ours) ^ u64::from_le_bytes(*theirs);
            let bits = (differing + 127 * ONES) >> 7 & ONES;
            found |= u128::from(bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        for (i, (ours, theirs)) in tail.iter().zip(other_tail).enumerate() {
            found |= u128::from(ours != theirs) << (8 * words.len() + i);
        }
        V::Bits::of_indices(found)
    }

    #[inline]
    pub(super) fn piece(&self, square: Square) -> Option<Piece> {
        Piece::from_cell(self.cell(square))
    }

    /// The gait of the piece on a square that has one.
    #[inline]
    pub(super) fn gait_at(&self, square: Square) -> Gait {
        const GAITS: [Gait; 16] = {
            let mut gaits = [Gait::King; 16];
            let mut i = 0;
            while i < Kind::ALL.len() {
                gaits[i + 1] = Kind::ALL[i].gait();
                i += 1;
            }
            gaits
        };
        GAITS[usize::from(self.cell(square) & 15)]
    }

    #[inline]
    pub(super) fn hand(&self, color: Color, kind: Kind) -> u8 {
        self.hands[color.index()][kind.index() & 7]
    }

    /// All of a hand, by the index of the kind.
    #[inline]
    pub(super) fn in_hand(&self, color: Color) -> &[u8; 8] {
        &self.hands[color.index()]
    }

    #[inline]
    pub(super) fn king(&self, color: Color) -> Option<Square> {
        self.of(color, Gait::King).first()
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        self.toggle(square, piece);
        self.cells.as_mut()[square.index()] = piece.to_cell();
    }

    /// Takes a piece off its square.
    #[inline]
    fn lift(&mut self, square: Square, piece: Piece) {
        self.toggle(square, piece);
        self.cells.as_mut()[square.index()] = 0;
    }

    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let bit = V::Bits::of(square);
        self.colors[piece.color.index()] ^= bit;
        self.gaits[piece.kind.gait() as usize] ^= bit;
        self.key ^= piece_key(square, piece);
    }

    /// Sets how many pieces of a kind a hand holds.
    #[inline]
    pub(super) fn set_hand(&mut self, color: Color, kind: Kind, count: u8) {
        let slot = &mut self.hands[color.index()][kind.index() & 7];
        self.key ^= hand_key(color, kind, *slot) ^ hand_key(color, kind, count);
        *slot = count;
    }

    /// Plays a legal move of `color`, and gives the piece that now stands on its destination.
    #[inline]
    pub(super) fn play(&mut self, color: Color, mv: ShogiMove) -> Piece {
        let to = mv.to();
        let piece = if let Some(from) = mv.from() {
            if let Some(taken) = self.piece(to) {
                self.lift(to, taken);
                let kind = taken.kind.plain();
                self.set_hand(color, kind, self.hand(color, kind) + 1);
            }
            let piece = self.piece(from).unwrap_or(Piece { color, kind: Kind::Pawn });
            self.lift(from, piece);
            if mv.promotes() { promoted(piece) } else { piece }
        } else {
            let kind = mv.dropped().unwrap_or(Kind::Pawn);
            self.set_hand(color, kind, self.hand(color, kind).wrapping_sub(1));
            Piece { color, kind }
        };
        self.put(to, piece);
        piece
    }

    /// The key after a legal move of `color`.
    #[inline]
    pub(super) fn key_after(&self, color: Color, mv: ShogiMove) -> u64 {
        let to = mv.to();
        let hand_change = |kind: Kind, now: u8| {
            let before = self.hand(color, kind);
            hand_key(color, kind, before) ^ hand_key(color, kind, now)
        };
        let Some(from) = mv.from() else {
            let kind = mv.dropped().unwrap_or(Kind::Pawn);
            let held = self.hand(color, kind);
            return self.key ^ hand_change(kind, held.wrapping_sub(1)) ^ piece_key(to, Piece { color, kind });
        };
        let piece = self.piece(from).unwrap_or(Piece { color, kind: Kind::Pawn });
        let landed = if mv.promotes() { promoted(piece) } else { piece };
        let capture = self.piece(to).map_or(0, |taken| {
            let kind = taken.kind.plain();
            piece_key(to, taken) ^ hand_change(kind, self.hand(color, kind) + 1)
        });
        self.key ^ piece_key(from, piece) ^ piece_key(to, landed) ^ capture
    }
}

#[inline]
fn promoted(piece: Piece) -> Piece {
    Piece { kind: piece.kind.promoted().unwrap_or(piece.kind), ..piece }
}

#[inline]
fn piece_key(square: Square, piece: Piece) -> u64 {
    PIECE_KEYS[piece.color.index()][piece.kind.index()][square.index()]
}

#[inline]
fn hand_key(color: Color, kind: Kind, count: u8) -> u64 {
    HAND_KEYS[color.index()][kind.index()][usize::from(count).min(19)]
}
