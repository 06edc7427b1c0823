//! The legal moves, a set of destinations at a time.
//!
//! [`Shogi::walk`] hands every piece's destinations to a [`Sink`], which lists, counts, draws or looks for something. Pieces that
//! shield the king keep to the line of the pin, a check narrows all destinations to the squares that answer it, and kings avoid
//! what is attacked: nothing illegal is ever produced and nothing has to be taken back.

use yomi_core::Color;

use super::attacks::{attacks, line_through};
use super::bits::Bits;
use super::piece::{Gait, Kind};
use super::position::Shogi;
use super::square::Square;
use super::variant::Variant;

/// Takes moves, a set of destinations at a time, in increasing order of their origin.
pub(super) trait Sink<V: Variant> {
    /// A piece on `from` may go to `plain` and, promoting, to `promoting`.
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits);
    /// A piece in hand may be dropped on `to`.
    fn drops(&mut self, kind: Kind, to: V::Bits);
}

/// What restricts the side to move.
pub(super) struct Sight<V: Variant> {
    pub(super) us: Color,
    pub(super) king: Option<Square>,
    pub(super) occupied: V::Bits,
    /// Where pieces other than the king may go: not onto their own kind, and answering a check if there is one.
    pub(super) targets: V::Bits,
    /// Empty squares that a drop may use: all, or those between the king and the checking piece.
    pub(super) drops: V::Bits,
    pub(super) pinned: V::Bits,
}

impl<V: Variant> Shogi<V> {
    /// What restricts the side to move.
    #[inline]
    pub(super) fn sight(&self) -> Sight<V> {
        let us = self.turn;
        let occupied = self.board.occupied();
        let king = self.board.king(us);
        let empty = V::TABLES.board.without(occupied);
        let mut sight = Sight {
            us,
            king,
            occupied,
            targets: V::TABLES.board.without(self.board.color(us)),
            drops: empty,
            pinned: king.map_or(V::Bits::EMPTY, |king| self.board.pinned(us, king, occupied)),
        };
        if let (Some(king), Some(checker)) = (king, self.checkers.first()) {
            let between = V::TABLES.between[king.index()][checker.index()];
            let single = !self.checkers.is_many();
            sight.drops = if single { between } else { V::Bits::EMPTY };
            sight.targets = if single { between | self.checkers } else { V::Bits::EMPTY };
        }
        sight
    }

    /// Hands all legal moves of the pieces in `pieces` to the sink, then nothing else: drops are [`Shogi::walk_drops`].
    #[inline]
    pub(super) fn walk_board(&self, sight: &Sight<V>, pieces: V::Bits, sink: &mut impl Sink<V>) {
        let us = sight.us;
        pieces.each(|from| {
            let gait = self.board.gait_at(from);
            if gait == Gait::King {
                sink.moves(from, self.king_moves(sight, from), V::Bits::EMPTY);
                return;
            }
            let mut to = attacks::<V>(us, gait, from, sight.occupied) & sight.targets;
            if let (Some(king), true) = (sight.king, sight.pinned.has(from)) {
                to &= line_through::<V>(king, from);
            }
            let (plain, promoting) = split_promotions::<V>(us, gait, from, to);
            sink.moves(from, plain, promoting);
        });
    }

    /// Where the king may go.
    #[inline]
    pub(super) fn king_moves(&self, sight: &Sight<V>, king: Square) -> V::Bits {
        let us = sight.us;
        let around = V::TABLES.steps[us.index()][Gait::King as usize][king.index()].without(self.board.color(us));
        if around.is_empty() {
            return around;
        }
        let without_king = sight.occupied.without(V::Bits::of(king));
        around.without(self.board.danger(!us, king, without_king))
    }

    /// Hands all legal drops to the sink.
    #[inline]
    pub(super) fn walk_drops(&self, sight: &Sight<V>, sink: &mut impl Sink<V>) {
        if sight.drops.is_empty() {
            return;
        }
        let hand = self.board.in_hand(sight.us);
        if u64::from_le_bytes(*hand) == 0 {
            return;
        }
        for kind in Kind::HAND {
            if hand[kind.index()] == 0 {
                continue;
            }
            let mut to = sight.drops & V::TABLES.alive[sight.us.index()][kind.gait() as usize];
            if kind == Kind::Pawn {
                to = self.pawn_drops(sight, to);
            }
            sink.drops(kind, to);
        }
    }

    /// Takes out of `to` the files that have a pawn already and the drop that would mate.
    #[inline]
    fn pawn_drops(&self, sight: &Sight<V>, to: V::Bits) -> V::Bits {
        let to = to & self.board.of(sight.us, Gait::Pawn).free_files();
        let Some(king) = self.board.king(!sight.us) else { return to };
        let checking = V::TABLES.steps[(!sight.us).index()][Gait::Pawn as usize][king.index()] & to;
        match checking.first() {
            Some(head) if self.pawn_drop_mates(sight, king, head) => to.without(checking),
            _ => to,
        }
    }

    /// Whether a pawn dropped on `head`, in front of the enemy king on `king`, mates: forbidden (uchifuzume).
    ///
    /// All is judged with the pawn on the board: it may close the line of a piece that guarded a flight square or pinned a
    /// defender.
    fn pawn_drop_mates(&self, sight: &Sight<V>, king: Square, head: Square) -> bool {
        let (us, them) = (sight.us, !sight.us);
        let occupied = sight.occupied | V::Bits::of(head);
        let around = V::TABLES.steps[them.index()][Gait::King as usize][king.index()];
        let flights = around.without(self.board.color(them));
        let guarded = self.board.danger(us, king, occupied.without(V::Bits::of(king)));
        if !flights.without(guarded).is_empty() {
            return false;
        }
        let captors = self.board.attackers(them, head, occupied).without(V::Bits::of(king));
        let pinned = self.board.pinned(them, king, occupied);
        captors.squares().all(|from| pinned.has(from) && !line_through::<V>(king, from).has(head))
    }

    /// Hands all legal moves to the sink, in increasing order of their bits if the sink keeps the order within a set.
    #[inline]
    pub(super) fn walk(&self, sink: &mut impl Sink<V>) {
        let sight = self.sight();
        let ours = self.board.color(sight.us);
        let movers = if self.checkers.is_many() { ours & self.board.gait(Gait::King) } else { ours };
        self.walk_board(&sight, movers, sink);
        self.walk_drops(&sight, sink);
    }
}

/// Splits the destinations of a piece into those without promotion and those with it; one may be in both.
#[inline]
pub(super) fn split_promotions<V: Variant>(us: Color, gait: Gait, from: Square, to: V::Bits) -> (V::Bits, V::Bits) {
    let zone = V::TABLES.zone[us.index()][gait as usize];
    let promoting = if zone.has(from) { to } else { to & zone };
    (to & V::TABLES.alive[us.index()][gait as usize], promoting)
}
