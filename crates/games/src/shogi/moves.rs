//! Moves in sixteen bits.

use std::fmt;

use yomi_core::Move;

use super::piece::Kind;
use super::square::Square;

/// A move: a piece on the board goes somewhere, perhaps promoting, or a piece in hand is dropped.
///
/// ```text
///  bit 15   14 ........ 8     7         6 ...... 0
///      0    from square    promotes     to square
///      0    96 + kind         0         to square     (drops)
/// ```
///
/// In increasing order of bits: the moves of each square in turn, those without promotion first; then the drops, kind by kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShogiMove(u16);

/// Where the origins of drops begin.
const DROPS: u16 = 96;
const PROMOTES: u16 = 1 << 7;

impl ShogiMove {
    /// A move on the board without promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> ShogiMove {
        ShogiMove((from.index() as u16) << 8 | to.index() as u16)
    }

    /// A move on the board with promotion.
    #[inline]
    pub const fn promoting(from: Square, to: Square) -> ShogiMove {
        ShogiMove(ShogiMove::new(from, to).0 | PROMOTES)
    }

    /// A drop; a promoted kind is dropped as its plain one.
    #[inline]
    pub const fn drop(kind: Kind, to: Square) -> ShogiMove {
        ShogiMove((DROPS + kind.plain() as u16) << 8 | to.index() as u16)
    }

    /// Where the piece came from; none for a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        let origin = self.0 >> 8;
        if origin < DROPS { Some(Square::from_index(origin as usize)) } else { None }
    }

    /// What was dropped; none for a move on the board.
    #[inline]
    pub const fn dropped(self) -> Option<Kind> {
        match (self.0 >> 8).checked_sub(DROPS) {
            Some(kind) if kind < 7 => Some(Kind::HAND[kind as usize]),
            _ => None,
        }
    }

    /// Where the piece goes.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 & 127) as usize)
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn promotes(self) -> bool {
        self.0 & PROMOTES != 0
    }
}

impl Move for ShogiMove {
    #[inline]
    fn to_bits(self) -> u16 {
        self.0
    }
    #[inline]
    fn from_bits(bits: u16) -> Self {
        ShogiMove(bits)
    }
}

/// Squares are shown by their indices, for a move does not know its board: `#60-59`, `P*40`.
impl fmt::Debug for ShogiMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to = self.to().index();
        match (self.from(), self.dropped()) {
            (Some(from), _) => write!(f, "#{}-{to}{}", from.index(), if self.promotes() { "+" } else { "" }),
            (_, Some(kind)) => write!(f, "{}*{to}", kind.letter()),
            _ => write!(f, "?{:#06x}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let (a, b) = (Square::from_index(3), Square::from_index(80));
        let mv = ShogiMove::promoting(a, b);
        assert_eq!((mv.from(), mv.dropped(), mv.to(), mv.promotes()), (Some(a), None, b, true));
        let mv = ShogiMove::new(b, a);
        assert_eq!((mv.from(), mv.dropped(), mv.to(), mv.promotes()), (Some(b), None, a, false));
        for kind in Kind::HAND {
            let mv = ShogiMove::drop(kind, b);
            assert_eq!((mv.from(), mv.dropped(), mv.to(), mv.promotes()), (None, Some(kind), b, false));
        }
        assert!(ShogiMove::promoting(b, b) < ShogiMove::drop(Kind::Pawn, a));
    }
}
