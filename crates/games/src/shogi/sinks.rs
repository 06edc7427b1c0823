//! What can be done with the moves of a position: list them, count them, look for one.

use yomi_core::Color;

use super::bits::Bits;
use super::movegen::Sink;
use super::moves::ShogiMove;
use super::piece::Kind;
use super::square::Square;
use super::variant::Variant;

/// Lists all moves.
pub(super) struct List<'a>(pub(super) &'a mut Vec<ShogiMove>);

impl<V: Variant> Sink<V> for List<'_> {
    #[inline]
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits) {
        plain.each(|to| self.0.push(ShogiMove::new(from, to)));
        if !promoting.is_empty() {
            promoting.each(|to| self.0.push(ShogiMove::promoting(from, to)));
        }
    }
    #[inline]
    fn drops(&mut self, kind: Kind, to: V::Bits) {
        to.each(|to| self.0.push(ShogiMove::drop(kind, to)));
    }
}

/// Counts all moves.
#[derive(Default)]
pub(super) struct Count(pub(super) u64);

impl<V: Variant> Sink<V> for Count {
    #[inline]
    fn moves(&mut self, _from: Square, plain: V::Bits, promoting: V::Bits) {
        self.0 += u64::from(plain.len() + promoting.len());
    }
    #[inline]
    fn pawns(&mut self, _color: Color, plain: V::Bits, promoting: V::Bits) {
        self.0 += u64::from(plain.len() + promoting.len());
    }
    #[inline]
    fn drops(&mut self, _kind: Kind, to: V::Bits) {
        self.0 += u64::from(to.len());
    }
}

/// Looks for one move.
pub(super) struct Find<B> {
    pub(super) mv: ShogiMove,
    /// Its destination.
    pub(super) to: B,
    pub(super) found: bool,
}

impl<V: Variant> Sink<V> for Find<V::Bits> {
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits) {
        let to = if self.mv.promotes() { promoting } else { plain };
        let (a, b) = (ShogiMove::new(from, self.mv.to()), ShogiMove::promoting(from, self.mv.to()));
        self.found |= (self.mv == a || self.mv == b) && !(to & self.to).is_empty();
    }
    fn drops(&mut self, kind: Kind, to: V::Bits) {
        self.found |= self.mv == ShogiMove::drop(kind, self.mv.to()) && !(to & self.to).is_empty();
    }
}
