//! Attacks as evaluations and pictures ask for them.

use yomi_core::Color;

use super::attacks::{KingZone, Watch, attacks};
use super::bits::Bits;
use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::square::Square;
use super::variant::Variant;

/// How many pieces of a side attack each square, by the index of the square.
pub type Effects = [u8; 81];

impl<V: Variant> Shogi<V> {
    /// The pieces of one side and kind.
    pub fn pieces_of(&self, color: Color, kind: Kind) -> V::Bits {
        let mut found = V::Bits::EMPTY;
        // Golds and the small promoted pieces share one set.
        self.board.of(color, kind.gait()).each(|square| {
            if self.board.piece(square) == Some(Piece { color, kind }) {
                found |= V::Bits::of(square);
            }
        });
        found
    }

    /// What the piece on a square attacks: own pieces (which it guards) and the first pieces in its way included.
    pub fn attacks_from(&self, square: Square) -> V::Bits {
        let attacked = |p: Piece| attacks::<V>(p.color, p.kind.gait(), square, self.board.occupied());
        self.piece_at(square).map_or(V::Bits::EMPTY, attacked)
    }

    /// What a piece would attack from a square, on the board as it stands.
    #[inline]
    pub fn reach(&self, color: Color, kind: Kind, square: Square) -> V::Bits {
        attacks::<V>(color, kind.gait(), square, self.board.occupied())
    }

    /// Whether what stands on a square may promote by moving to another.
    #[inline]
    pub fn may_promote(&self, from: Square, to: Square) -> bool {
        let Some(piece) = self.piece_at(from) else { return false };
        let zone = V::TABLES.zone[piece.color.index()][piece.kind.gait() as usize];
        zone.has(from) || zone.has(to)
    }

    /// The pieces of a side that attack a square of the board, pinned or not.
    pub fn attackers_to(&self, color: Color, square: Square) -> V::Bits {
        self.board.attackers(color, square, self.board.occupied())
    }

    /// How many pieces of a side attack each square, pinned or not.
    pub fn effects(&self, color: Color) -> Effects {
        let mut effects = [0; 81];
        let occupied = self.board.occupied();
        self.board.color(color).each(|from| {
            attacks::<V>(color, self.board.gait_at(from), from, occupied).each(|to| effects[to.index()] += 1);
        });
        effects
    }

    /// The squares whose contents differ between two positions: what an evaluation by difference asks.
    #[inline]
    pub fn differences(&self, other: &Self) -> V::Bits {
        self.board.differences(&other.board)
    }

    /// A side's hand by the index of the kind, for comparing hands at once.
    #[inline]
    pub fn in_hand(&self, color: Color) -> &[u8; 8] {
        self.board.in_hand(color)
    }

    /// The squares next to a side's king, and those of them that the other side attacks (the king itself hides none).
    #[inline]
    pub fn king_zone(&self, color: Color) -> Option<KingZone<V::Bits>> {
        self.board.around(color)
    }

    /// Whether the way from `before` to this position, which differ on the squares `changed`, may have changed what is known of the
    /// squares around the king of `color`.
    #[inline]
    pub fn king_zone_may_change(&self, before: &Self, changed: V::Bits, color: Color, watch: Watch<V::Bits>) -> bool {
        let (came, left) = (self.board.color(!color), before.board.color(!color));
        let enemies = (came | left) & watch.aimed_from | came & self.board.sliders();
        !(changed & (watch.crossed | enemies)).is_empty()
    }

    /// Everything a side attacks.
    pub fn attacked_by(&self, color: Color) -> V::Bits {
        let mut attacked = V::Bits::EMPTY;
        self.board.color(color).each(|from| attacked |= self.attacks_from(from));
        attacked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Minishogi, Setup, Shogi9};
    use yomi_core::{Position, Seed};

    /// The three views of attacks agree with each other in random positions.
    fn agree<V: Variant>(start: &Shogi<V>) {
        let mut rng = Seed::new(8).rng();
        let (mut position, mut moves, mut kept) = (*start, Vec::new(), 0);
        while position.number() < 150 && position.generate(&mut moves).is_none() {
            for color in Color::BOTH {
                let effects = position.effects(color);
                for square in Square::all::<V>() {
                    let attackers = position.attackers_to(color, square);
                    assert_eq!(u32::from(effects[square.index()]), attackers.len());
                    assert_eq!(position.attacked_by(color).has(square), effects[square.index()] > 0);
                    assert!(attackers.squares().all(|from| position.attacks_from(from).has(square)));
                }
                if let Some(KingZone { around, attacked, .. }) = position.king_zone(color) {
                    let king = position.king(color).expect("a king");
                    assert_eq!(around, position.attacks_from(king));
                    let mut without = Setup { turn: position.turn(), ..Setup::default() };
                    for square in Square::all::<V>().filter(|&square| square != king) {
                        without.cells[square.index()] = position.piece_at(square);
                    }
                    let without = without.position::<V>(position.choices()).expect("a position without a king");
                    let open = |square: &Square| !without.attackers_to(!color, *square).is_empty();
                    assert!(attacked.squares().eq(around.squares().filter(open)), "{position}");
                }
                let kinds = Kind::ALL.map(|kind| position.pieces_of(color, kind).len());
                assert_eq!(kinds.iter().sum::<u32>(), position.pieces(color).len());
            }
            let before = position;
            position.play(moves[rng.below(moves.len())]);
            for color in Color::BOTH {
                let (was, is) = (before.king_zone(color).expect("a king"), position.king_zone(color).expect("a king"));
                let may_change =
                    position.king_zone_may_change(&before, position.differences(&before), color, was.watch);
                let free = |p: &Shogi<V>, a: KingZone<V::Bits>| a.around.without(a.attacked).without(p.pieces(color));
                assert!(may_change || was == is && free(&before, was) == free(&position, is), "{before}\n{position}");
                kept += usize::from(!may_change);
            }
            let differ = |square: &Square| before.piece_at(*square) != position.piece_at(*square);
            assert!(position.differences(&before).squares().eq(Square::all::<V>().filter(differ)));
        }
        assert!(kept > 0, "some moves are far from the kings");
    }

    #[test]
    fn views_agree() {
        agree(&Shogi9::default());
        agree(&Minishogi::default());
    }

    /// dlshogi's planes of the start position: at least one, two, three attacks on 30, 12 and 6 squares (cshogi).
    #[test]
    fn effects_of_the_start() {
        for color in Color::BOTH {
            let effects = Shogi9::default().effects(color);
            let at_least = |n: u8| effects.iter().filter(|&&e| e >= n).count();
            assert_eq!([1, 2, 3].map(at_least), [30, 12, 6]);
        }
    }
}
