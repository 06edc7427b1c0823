//! Moves.

use std::fmt;

use yomi_core::Move;

/// A disc on a square, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OthelloMove(u8);

impl OthelloMove {
    /// No disc, because none flips anything.
    pub const PASS: OthelloMove = OthelloMove(64);

    /// A disc on the square of this bit, 0 to 63.
    pub(super) const fn at(square: u8) -> OthelloMove {
        OthelloMove(square)
    }

    /// The square of the disc, 0 (a1) to 63 (h8); none for a pass.
    #[inline]
    pub const fn square(self) -> Option<u8> {
        if self.0 < 64 { Some(self.0) } else { None }
    }
}

impl Move for OthelloMove {
    fn to_bits(self) -> u16 {
        self.0.into()
    }

    fn from_bits(bits: u16) -> Self {
        OthelloMove(bits.min(255) as u8)
    }
}

/// `f5`, `pass`.
impl fmt::Display for OthelloMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.square() {
            Some(square) => write!(f, "{}{}", char::from(b'a' + square % 8), square / 8 + 1),
            None => f.write_str("pass"),
        }
    }
}

impl fmt::Debug for OthelloMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
