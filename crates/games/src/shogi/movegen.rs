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

/// Takes moves, a set of destinations at a time.
pub(super) trait Sink<V: Variant> {
    /// A piece on `from` may go to `plain` and, promoting, to `promoting`.
    fn moves(&mut self, from: Square, plain: V::Bits, promoting: V::Bits);
    /// Pawns of `color` may step forward to `plain` and, promoting, to `promoting`.
    fn pawns(&mut self, color: Color, plain: V::Bits, promoting: V::Bits) {
        (plain | promoting).each(|to| {
            let to = V::Bits::of(to);
            if let Some(from) = to.forward(!color).first() {
                self.moves(from, plain & to, promoting & to);
            }
        });
    }
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

    /// Hands the legal moves of the pieces in `pieces` to the sink, in increasing order of their squares.
    #[inline]
    pub(super) fn walk_pieces(&self, sight: &Sight<V>, pieces: V::Bits, sink: &mut impl Sink<V>) {
        let others = self.board.gait(Gait::King) | self.board.sliders();
        pieces.each(|from| {
            let gait = self.board.gait_at(from);
            // Steps apart from the rest: one question that is easily guessed, and each way has its own branches to learn.
            if !others.has(from) {
                let to = V::TABLES.reach[sight.us.index()][gait as usize][from.index()];
                hand_over(sight, gait, from, to, sink);
            } else if gait == Gait::King {
                sink.moves(from, self.king_moves(sight, from), V::Bits::EMPTY);
            } else {
                let to = attacks::<V>(sight.us, gait, from, sight.occupied);
                hand_over(sight, gait, from, to, sink);
            }
        });
    }

    /// Hands the legal moves of the pieces on the board to the sink in whatever order is quickest: gait by gait, so that nothing
    /// has to be looked up or guessed, and all pawns at once.
    #[inline]
    pub(super) fn walk_gaits(&self, sight: &Sight<V>, sink: &mut impl Sink<V>) {
        let us = sight.us;
        let free = self.board.color(us).without(sight.pinned);
        let to = (free & self.board.gait(Gait::Pawn)).forward(us) & sight.targets;
        let zone = V::TABLES.zone[us.index()][Gait::Pawn as usize];
        sink.pawns(us, to & V::TABLES.alive[us.index()][Gait::Pawn as usize], to & zone);
        let mut walk = |gait: Gait| {
            (free & self.board.gait(gait)).each(|from| {
                let to = attacks::<V>(us, gait, from, sight.occupied) & sight.targets;
                let (plain, promoting) = split_promotions::<V>(us, gait, from, to);
                sink.moves(from, plain, promoting);
            });
        };
        walk(Gait::Lance);
        walk(Gait::Knight);
        walk(Gait::Silver);
        walk(Gait::Gold);
        walk(Gait::Bishop);
        walk(Gait::Rook);
        walk(Gait::Horse);
        walk(Gait::Dragon);
        self.walk_pieces(sight, sight.pinned, sink);
    }

    /// Where the king may go.
    #[inline]
    pub(super) fn king_moves(&self, sight: &Sight<V>, king: Square) -> V::Bits {
        let us = sight.us;
        let around = V::TABLES.reach[us.index()][Gait::King as usize][king.index()].without(self.board.color(us));
        if around.is_empty() {
            return around;
        }
        let without_king = sight.occupied.without(V::Bits::of(king));
        around.without(self.board.danger(!us, king, without_king))
    }

    /// Hands all legal drops of these kinds to the sink.
    #[inline]
    pub(super) fn walk_drops(&self, sight: &Sight<V>, kinds: &[Kind], sink: &mut impl Sink<V>) {
        if sight.drops.is_empty() {
            return;
        }
        let hand = self.board.in_hand(sight.us);
        if u64::from_le_bytes(*hand) == 0 {
            return;
        }
        for &kind in kinds {
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
        let checking = V::TABLES.reach[(!sight.us).index()][Gait::Pawn as usize][king.index()] & to;
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
        let around = V::TABLES.reach[them.index()][Gait::King as usize][king.index()];
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
    pub(super) fn walk_in_order(&self, sink: &mut impl Sink<V>) {
        let sight = self.sight();
        self.walk_pieces(&sight, self.movers(), sink);
        self.walk_drops(&sight, &Kind::HAND, sink);
    }

    /// Hands all legal moves to the sink, in no particular order.
    #[inline]
    pub(super) fn walk(&self, sink: &mut impl Sink<V>) {
        let sight = self.sight();
        if let Some(king) = sight.king {
            sink.moves(king, self.king_moves(&sight, king), V::Bits::EMPTY);
        }
        if !self.checkers.is_many() {
            self.walk_gaits(&sight, sink);
            self.walk_drops(&sight, &Kind::HAND, sink);
        }
    }

    /// The pieces that may have moves: only the king when two pieces give check.
    #[inline]
    pub(super) fn movers(&self) -> V::Bits {
        let ours = self.board.color(self.turn);
        if self.checkers.is_many() { ours & self.board.gait(Gait::King) } else { ours }
    }
}

/// Hands the legal ones of the attacked squares `to` to the sink. The piece is not the king.
#[inline(always)]
fn hand_over<V: Variant>(sight: &Sight<V>, gait: Gait, from: Square, to: V::Bits, sink: &mut impl Sink<V>) {
    let mut to = to & sight.targets;
    if let (Some(king), true) = (sight.king, sight.pinned.has(from)) {
        to &= line_through::<V>(king, from);
    }
    if ((to | V::Bits::of(from)) & V::TABLES.zone[sight.us.index()][gait as usize]).is_empty() {
        return sink.moves(from, to, V::Bits::EMPTY);
    }
    let (plain, promoting) = split_promotions::<V>(sight.us, gait, from, to);
    sink.moves(from, plain, promoting);
}

/// Splits the destinations of a piece into those without promotion and those with it; one may be in both.
#[inline(always)]
fn split_promotions<V: Variant>(us: Color, gait: Gait, from: Square, to: V::Bits) -> (V::Bits, V::Bits) {
    let zone = V::TABLES.zone[us.index()][gait as usize];
    let promoting = if zone.has(from) { to } else { to & zone };
    (to & V::TABLES.alive[us.index()][gait as usize], promoting)
}

#[cfg(test)]
mod tests {
    use crate::shogi::{Illegal, Kind, Minishogi, Nine, Shogi9, ShogiMove, Square};
    use yomi_core::{Notation, Position};

    /// Whether a pawn may be dropped on a square, by the generator and by the plain rules.
    fn may_drop(sfen: &str, square: &str) -> bool {
        let position = Shogi9::from_sfen(sfen).expect(sfen);
        let mut moves = Vec::new();
        position.generate(&mut moves);
        let text = format!("P*{square}");
        let listed = moves.iter().any(|&mv| position.move_text(mv) == text);
        let mv = ShogiMove::drop(Kind::Pawn, Square::parse::<Nine>(square).expect("square"));
        assert_eq!((listed, position.is_legal(mv)), (position.judge(mv).is_ok(), listed), "{sfen}");
        assert!(listed || position.judge(mv) == Err(Illegal::DropPawnMate), "{sfen}");
        listed
    }

    #[test]
    fn pawn_drops_that_mate() {
        assert!(!may_drop("8k/9/7+RG/9/9/9/9/9/4K4 b P 1", "1b"));
        // The same for White.
        assert!(!may_drop("4k4/9/9/9/9/9/7+rg/9/8K w p 1", "1h"));
        // A silver takes the pawn, unless a rook pins it to the king.
        assert!(may_drop("7sk/9/7+RG/9/9/9/9/9/4K4 b P 1", "1b"));
        assert!(!may_drop("R6sk/9/7+RG/9/9/9/9/9/4K4 b P 1", "1b"));
        // A rook pinned in the file takes the pawn along that file, which a pawn cannot.
        assert!(!may_drop("4k4/9/2NG1GN2/4p4/9/9/9/9/K3L4 b P 1", "5b"));
        assert!(may_drop("4k4/9/2NG1GN2/4r4/9/9/9/9/K3L4 b P 1", "5b"));
        // The pawn closes the rook's own line to 4b, unless a gold guards that, too.
        assert!(may_drop("3nkn3/R8/9/9/9/9/9/9/4K4 b P 1", "5b"));
        assert!(!may_drop("3nkn3/R8/5G3/9/9/9/9/9/4K4 b P 1", "5b"));
        // A pawn between one's own king and the checking rook, which is pinned; not pinned, it takes the pawn.
        assert!(!may_drop("2G1k4/3r2K2/4G4/9/B8/9/9/9/9 b P 1", "5b"));
        assert!(may_drop("2G1k4/3r2K2/4G4/9/9/9/9/9/9 b P 1", "5b"));
        // Without a king to mate, and without an own king.
        assert!(may_drop("9/9/7+RG/9/9/9/9/9/4K4 b P 1", "1b"));
        assert!(!may_drop("8k/9/7+RG/9/9/9/9/9/9 b P 1", "1b"));
    }

    #[test]
    fn kings_may_be_missing() {
        let count = |sfen: &str| Shogi9::from_sfen(sfen).expect(sfen).count(&mut Vec::new());
        assert_eq!(count("9/9/9/9/9/9/9/9/9 b R 1"), 81);
        assert_eq!(count("9/9/9/9/9/9/9/9/9 w - 1"), 0);
        assert_eq!(count("4k4/9/9/9/9/9/9/9/9 w - 1"), 5);
        assert_eq!(Minishogi::from_sfen("5/5/5/5/5 b P 1").expect("sfen").count(&mut Vec::new()), 20);
    }
}
