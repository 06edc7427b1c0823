//! Declaring a win by entering king.

use yomi_core::{Color, Position, Tactical};

use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::rules::Entering;
use super::square::Square;
use super::variant::Variant;

/// What the side to move may declare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Declaration {
    /// It wins.
    Win,
    /// Nobody wins.
    Draw,
}

/// What a piece counts for an entering king.
pub fn points(kind: Kind) -> u32 {
    match kind.plain() {
        Kind::Rook | Kind::Bishop => 5,
        Kind::King => 0,
        _ => 1,
    }
}

/// How many pieces must have entered beside the king.
const ENTERED: u32 = 10;

impl<V: Variant> Shogi<V> {
    /// What the side to move may declare under the rules in force: its king has entered the enemy camp and stands in no check,
    /// ten other pieces have entered, and those and the ones in hand have the points. Under the try rule nothing is declared; the
    /// game ends by itself.
    pub fn declaration(&self) -> Option<Declaration> {
        let (us, rule) = (self.turn(), self.choices().entering);
        let entered = |square: Square| match us {
            Color::Black => square.rank::<V>() <= V::CAMP,
            Color::White => square.rank::<V>() > V::SIZE - V::CAMP,
        };
        if !rule.counts_points() || self.in_check() || !self.king(us).is_some_and(entered) {
            return None;
        }
        let pieces = || Square::all::<V>().filter(|&sq| entered(sq)).filter_map(|sq| self.piece_at(sq));
        let camp = || pieces().filter(|&piece| piece.color == us && piece.kind != Kind::King);
        if (camp().count() as u32) < ENTERED {
            return None;
        }
        let odds = matches!(rule, Entering::Points27Odds | Entering::Points24Odds) && us == Color::White;
        let mine = camp().map(|piece| points(piece.kind)).sum::<u32>()
            + self.points_in_hand(us)
            + if odds { self.missing_points() } else { 0 };
        let (win, draw) = match rule {
            Entering::Points24 | Entering::Points24Odds => (31, 24),
            _ if us == Color::Black => (28, 28),
            _ => (27, 27),
        };
        match mine {
            n if n >= win => Some(Declaration::Win),
            n if n >= draw => Some(Declaration::Draw),
            _ => None,
        }
    }

    fn points_in_hand(&self, color: Color) -> u32 {
        Kind::HAND.iter().map(|&kind| u32::from(self.hand(color, kind)) * points(kind)).sum()
    }

    /// The points of the pieces that a full set has and this position has not: the odds that were given.
    fn missing_points(&self) -> u32 {
        let set: u32 = Kind::HAND.iter().map(|&kind| u32::from(V::SET[kind.index()]) * points(kind)).sum();
        let pieces = Square::all::<V>().filter_map(|sq| self.piece_at(sq));
        let board: u32 = pieces.map(|Piece { kind, .. }| points(kind)).sum();
        set.saturating_sub(board + self.points_in_hand(Color::Black) + self.points_in_hand(Color::White))
    }
}
