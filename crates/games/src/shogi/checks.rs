//! Moves that give check, and those that mate at once.

use yomi_core::{Color, Position};

use super::attacks::{attacks, line_through};
use super::bits::Bits;
use super::movegen::Sink;
use super::moves::ShogiMove;
use super::piece::{Gait, Kind};
use super::position::Shogi;
use super::square::Square;
use super::variant::Variant;

impl<V: Variant> Shogi<V> {
    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, mv: ShogiMove) -> bool {
        let (us, to) = (self.turn, mv.to());
        let Some(king) = self.board.king(!us) else { return false };
        let left = mv.from().map_or(V::Bits::EMPTY, V::Bits::of);
        let occupied = self.board.occupied().without(left) | V::Bits::of(to);
        let gait = self.landed(mv).gait();
        let sees_king = V::TABLES.reach[us.index()][gait as usize][to.index()].has(king)
            && (V::TABLES.between[to.index()][king.index()] & occupied).is_empty();
        sees_king
            || !(self.king_lines(king) & left).is_empty()
                && !self.board.slider_attackers(us, king, occupied).without(left).is_empty()
    }

    /// A move that mates at once, if there is one.
    pub fn mate_in_one(&self) -> Option<ShogiMove> {
        let (us, them) = (self.turn, !self.turn);
        let king = self.board.king(them)?;
        if self.tried().is_some() {
            return None;
        }
        let occupied = self.board.occupied();
        let without_king = occupied.without(V::Bits::of(king));
        let around = V::TABLES.reach[them.index()][Gait::King as usize][king.index()];
        let sight = self.sight();
        let mut mates = Mates {
            position: self,
            king,
            without_king,
            aims: self.aims(king, occupied),
            shields: self.board.shields(us, king, us, occupied),
            flights: around.without(self.board.color(them) | self.board.danger(us, king, without_king)),
            found: None,
        };
        // Kings mate by uncovering another piece only.
        if let Some(own) = sight.king.filter(|&own| mates.shields.has(own)) {
            mates.moves(own, self.king_moves(&sight, own), V::Bits::EMPTY);
        }
        if !self.checkers.is_many() {
            self.walk_gaits(&sight, &mut mates);
            self.walk_drops(&sight, &Kind::HAND[1..], &mut mates);
        }
        mates.found
    }

    /// From where a piece of ours of each gait would attack the enemy king.
    #[inline]
    fn aims(&self, king: Square, occupied: V::Bits) -> [V::Bits; Gait::COUNT] {
        let mut aims = Gait::ALL.map(|gait| V::TABLES.reach[(!self.turn).index()][gait as usize][king.index()]);
        let (bishop, rook) = (V::Bits::bishop(king, occupied), V::Bits::rook(king, occupied));
        let around = aims[Gait::King as usize];
        aims[Gait::Lance as usize] &= rook;
        aims[Gait::Bishop as usize] = bishop;
        aims[Gait::Rook as usize] = rook;
        aims[Gait::Horse as usize] = bishop | around;
        aims[Gait::Dragon as usize] = rook | around;
        aims
    }
}

/// Looks for a move that mates.
struct Mates<'a, V: Variant> {
    position: &'a Shogi<V>,
    /// The enemy king.
    king: Square,
    without_king: V::Bits,
    /// From where a piece of ours of each gait would attack the king.
    aims: [V::Bits; Gait::COUNT],
    /// Our own pieces that stand between a sliding piece of ours and the king.
    shields: V::Bits,
    /// Where the king could go now.
    flights: V::Bits,
    found: Option<ShogiMove>,
}

impl<V: Variant> Mates<'_, V> {
    /// Plays the moves to these squares out, unless the king keeps a flight for certain: a piece takes flights only by attacking
    /// them from its new square, unless its leaving `from` lets another one through.
    fn attempt(&mut self, from: Option<Square>, gait: Gait, to: V::Bits, mv: impl Fn(Square) -> ShogiMove) {
        let us = self.position.turn;
        let board = &self.position.board;
        let left = from.map_or(V::Bits::EMPTY, V::Bits::of);
        let lets_through = from.is_some_and(|from| !board.slider_attackers(us, from, board.occupied()).is_empty());
        to.each(|to| {
            let taken = || attacks::<V>(us, gait, to, self.without_king.without(left));
            if self.found.is_some() || !lets_through && !self.flights.without(taken()).is_empty() {
                return;
            }
            let mut child = *self.position;
            child.play(mv(to));
            if !child.can_move() {
                self.found = Some(mv(to));
            }
        });
    }

    /// Attempts the checks among the moves of the piece on `from`, which will then be a `kind`.
    fn checks(&mut self, from: Square, kind: Kind, to: V::Bits, mv: impl Fn(Square) -> ShogiMove) {
        let gait = kind.gait();
        let mut checking = to & self.aims[gait as usize];
        if self.shields.has(from) {
            checking |= to.without(line_through::<V>(self.king, from));
        }
        if !checking.is_empty() {
            self.attempt(Some(from), gait, checking, mv);
        }
    }
}

impl<V: Variant> Sink<V> for Mates<'_, V> {
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits) {
        let Some(piece) = self.position.board.piece(from) else { return };
        self.checks(from, piece.kind, plain, |to| ShogiMove::new(from, to));
        if let Some(kind) = piece.kind.promoted() {
            self.checks(from, kind, promoting, |to| ShogiMove::promoting(from, to));
        }
    }

    fn pawns(&mut self, color: Color, plain: V::Bits, promoting: V::Bits) {
        let uncovering = (self.shields & self.position.board.gait(Gait::Pawn)).forward(color);
        let checking = self.aims[Gait::Pawn as usize] | self.aims[Gait::Gold as usize] | uncovering;
        ((plain | promoting) & checking).each(|to| {
            let to = V::Bits::of(to);
            if let Some(from) = to.forward(!color).first() {
                self.moves(from, plain & to, promoting & to);
            }
        });
    }

    fn drops(&mut self, kind: Kind, to: V::Bits) {
        let gait = kind.gait();
        self.attempt(None, gait, to & self.aims[gait as usize], |to| ShogiMove::drop(kind, to));
    }
}

impl<V: Variant> Shogi<V> {
    /// Whether the side to move has a legal move.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        self.count(&mut Vec::new()) > 0
    }

    /// All squares in line with a square.
    #[inline]
    pub(super) fn king_lines(&self, king: Square) -> V::Bits {
        let reach = &V::TABLES.reach[Color::Black.index()];
        reach[Gait::Rook as usize][king.index()] | reach[Gait::Bishop as usize][king.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Minishogi, Shogi9};
    use yomi_core::{Notation, Seed, Tactical};

    /// Compares with playing every move, in random games.
    fn compare<V: Variant>(start: &Shogi<V>, games: u64) -> (usize, usize) {
        let (mut checks, mut mates) = (0, 0);
        for game in 0..games {
            let mut rng = Seed::new(3).branch("checks", game).rng();
            let mut position = *start;
            let (mut moves, mut replies) = (Vec::new(), Vec::new());
            for _ in 0..200 {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                let mut exists = false;
                for &mv in &moves {
                    let mut child = position;
                    child.play(mv);
                    assert_eq!(position.gives_check(mv), child.in_check(), "{mv:?} in\n{position}");
                    checks += usize::from(child.in_check());
                    exists |= child.generate(&mut replies).is_some() && child.in_check();
                }
                let found = position.mate_in_one();
                assert_eq!(found.is_some(), exists, "in\n{position}");
                if let Some(mv) = found {
                    assert!(moves.contains(&mv));
                    let mut child = position;
                    child.play(mv);
                    assert!(child.in_check() && child.generate(&mut replies).is_some(), "{mv:?} in\n{position}");
                    mates += 1;
                }
                position.play(moves[rng.below(moves.len())]);
            }
        }
        (checks, mates)
    }

    #[test]
    fn agrees_with_playing_the_moves() {
        let (checks, mates) = compare(&Shogi9::default(), 60);
        assert!(checks > 1000 && mates > 50, "{checks} {mates}");
        let (checks, mates) = compare(&Minishogi::default(), 100);
        assert!(checks > 1000 && mates > 50, "{checks} {mates}");
    }

    #[test]
    fn a_dropped_pawn_does_not_mate() {
        let position = Shogi9::from_sfen("8k/9/7+RG/9/9/9/9/9/4K4 b P 1").expect("sfen");
        let mate = position.mate_in_one().expect("a mate");
        assert_ne!(position.move_text(mate), "P*1b");
        assert!(Shogi9::from_sfen("8k/9/9/9/9/9/9/9/4K4 b P 1").expect("sfen").mate_in_one().is_none());
    }

    /// A problem without a king of the mating side.
    #[test]
    fn mates_without_an_own_king() {
        let position = Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").expect("sfen");
        assert_eq!(position.mate_in_one().map(|mv| position.move_text(mv)), Some("G*5b".to_string()));
        assert!(Shogi9::from_sfen("9/9/9/9/9/9/9/9/4K4 b G 1").expect("sfen").mate_in_one().is_none());
    }
}
