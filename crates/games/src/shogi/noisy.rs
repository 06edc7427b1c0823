//! Captures and promotions, listed without looking at what the other moves would be.
//!
//! Gait by gait, so that nothing has to be looked up or guessed: a step that neither meets an enemy nor enters the promotion zone is
//! done with after one look, and all pawns go at once.

use super::attacks::{attacks, line_through};
use super::bits::Bits;
use super::moves::ShogiMove;
use super::piece::Gait;
use super::position::Shogi;
use super::square::Square;
use super::variant::Variant;

/// What a side that looks for captures and promotions has to know.
struct Hunt<'a, V: Variant> {
    position: &'a Shogi<V>,
    /// Pieces that no pin holds.
    free: V::Bits,
    enemies: V::Bits,
    occupied: V::Bits,
    zone: V::Bits,
    /// Where a piece wants to go that can promote.
    wanted: V::Bits,
    moves: &'a mut Vec<ShogiMove>,
}

/// All methods are inlined where the gait is a constant, so that only what concerns it remains.
impl<V: Variant> Hunt<'_, V> {
    #[inline(always)]
    fn list(&mut self, gait: Gait, from: Square, to: V::Bits, promoting: V::Bits) {
        let plain = to & self.enemies & V::TABLES.alive[self.position.turn.index()][gait as usize];
        plain.each(|to| self.moves.push(ShogiMove::new(from, to)));
        promoting.each(|to| self.moves.push(ShogiMove::promoting(from, to)));
    }

    #[inline(always)]
    fn attacks(&self, gait: Gait, from: Square) -> V::Bits {
        attacks::<V>(self.position.turn, gait, from, self.occupied)
    }

    #[inline(always)]
    fn pawns(&mut self) {
        let us = self.position.turn;
        let to = (self.free & self.position.board.gait(Gait::Pawn)).forward(us) & self.wanted;
        for to in to.squares().map(V::Bits::of) {
            if let Some(from) = to.forward(!us).first() {
                self.list(Gait::Pawn, from, to, to & self.zone);
            }
        }
    }

    #[inline(always)]
    fn promotable(&mut self, gait: Gait) {
        for from in (self.free & self.position.board.gait(gait)).squares() {
            let to = self.attacks(gait, from);
            if self.zone.has(from) {
                let to = to.without(self.position.board.color(self.position.turn));
                self.list(gait, from, to, to);
            } else if !(to & self.wanted).is_empty() {
                self.list(gait, from, to, to & self.wanted & self.zone);
            }
        }
    }

    #[inline(always)]
    fn settled(&mut self, gait: Gait) {
        for from in (self.free & self.position.board.gait(gait)).squares() {
            let to = self.attacks(gait, from) & self.enemies;
            to.each(|to| self.moves.push(ShogiMove::new(from, to)));
        }
    }
}

impl<V: Variant> Shogi<V> {
    /// Adds the legal captures and promotions of a side that is not in check, in whatever order is quickest.
    pub(super) fn list_noisy(&self, moves: &mut Vec<ShogiMove>) {
        let (us, board) = (self.turn, &self.board);
        let (ours, enemies, occupied) = (board.color(us), board.color(!us), board.occupied());
        let king = board.king(us);
        let pinned = king.map_or(V::Bits::EMPTY, |king| board.pinned(us, king, occupied));
        let zone = V::TABLES.zone[us.index()][Gait::Pawn as usize];
        let (free, wanted) = (ours.without(pinned), enemies | zone.without(ours));
        let mut hunt = Hunt { position: self, free, enemies, occupied, zone, wanted, moves };
        hunt.pawns();
        hunt.promotable(Gait::Lance);
        hunt.promotable(Gait::Knight);
        hunt.promotable(Gait::Silver);
        hunt.promotable(Gait::Bishop);
        hunt.promotable(Gait::Rook);
        hunt.settled(Gait::Gold);
        hunt.settled(Gait::Horse);
        hunt.settled(Gait::Dragon);

        let Some(king) = king else { return };
        let around = V::TABLES.reach[us.index()][Gait::King as usize][king.index()];
        let without_king = occupied.without(V::Bits::of(king));
        (around & enemies).each(|to| {
            if board.attackers(!us, to, without_king).is_empty() {
                moves.push(ShogiMove::new(king, to));
            }
        });
        pinned.each(|from| self.list_pinned(from, king, moves));
    }

    /// Adds the captures and promotions of the piece on `from`, which may not leave its line with the king.
    fn list_pinned(&self, from: Square, king: Square, moves: &mut Vec<ShogiMove>) {
        let (us, gait) = (self.turn, self.board.gait_at(from));
        let zone = V::TABLES.zone[us.index()][gait as usize];
        let to = attacks::<V>(us, gait, from, self.board.occupied()).without(self.board.color(us));
        let to = to & line_through::<V>(king, from);
        let plain = to & self.board.color(!us) & V::TABLES.alive[us.index()][gait as usize];
        let promoting = if zone.has(from) { to } else { to & zone };
        plain.each(|to| moves.push(ShogiMove::new(from, to)));
        promoting.each(|to| moves.push(ShogiMove::promoting(from, to)));
    }
}
