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
    /// A draw.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Shogi9;
    use yomi_core::{Notation, Outcome, Spec};

    fn declared(rule: &str, sfen: &str) -> Option<Declaration> {
        let start = Shogi9::start(&Spec::parse(&format!("shogi(declaration={rule})")).expect("spec")).expect("start");
        start.parse_position(sfen).expect(sfen).declaration()
    }

    /// King and ten pieces in the camp, two dragons (10) and eight pawns (8), and a hand.
    fn black_18_and(hand: &str) -> String {
        format!("+R+R2K4/PPPPPPPP1/9/9/9/9/9/9/4k4 b {hand} 1")
    }

    #[test]
    fn twenty_seven_points() {
        assert_eq!(declared("csa27", &black_18_and("2B")), Some(Declaration::Win));
        assert_eq!(declared("csa27", &black_18_and("B4G")), None);
        // White needs one point less.
        let white_27 = "4K4/9/9/9/9/9/9/1pppppppp/4k2+r+r w b4g 1";
        assert_eq!(declared("csa27", white_27), Some(Declaration::Win));
        assert_eq!(declared("csa27", &white_27.replace("b4g", "b3g")), None);
        assert_eq!(declared("none", white_27), None);
        assert_eq!(declared("try", white_27), None);
    }

    #[test]
    fn twenty_four_points() {
        assert_eq!(declared("csa24", &black_18_and("2B3G")), Some(Declaration::Win));
        assert_eq!(declared("csa24", &black_18_and("2B2G")), Some(Declaration::Draw));
        assert_eq!(declared("csa24", &black_18_and("BG")), Some(Declaration::Draw));
        assert_eq!(declared("csa24", &black_18_and("B")), None);
    }

    #[test]
    fn what_else_is_needed() {
        // Nine pieces in the camp are too few, whatever the points.
        assert_eq!(declared("csa27", "+R+R2K4/PPPPPPP2/9/9/9/9/9/9/4k4 b 2B4G 1"), None);
        // The king must have entered; Black's pieces behind the camp do not count.
        assert_eq!(declared("csa27", "+R+R7/PPPPPPPPP/9/4K4/9/9/9/9/4k4 b 2B4G 1"), None);
        assert_eq!(declared("csa27", "+R3K4/PPPPPPPPP/9/+R8/9/9/9/9/4k4 b B4G3S 1"), None);
        // Nor may it stand in check.
        assert_eq!(declared("csa27", "+R+R2Kg3/PPPPPPPP1/9/9/9/9/9/9/4k4 b 2B3G 1"), None);
        // A side without a king cannot declare.
        assert_eq!(declared("csa27", "+R+R7/PPPPPPPPP/9/9/9/9/9/9/4k4 b 2B4G 1"), None);
    }

    /// White has given a rook and a bishop, ten points, and has 19 without them.
    #[test]
    fn odds_count_for_white() {
        let odds = "K8/9/9/9/9/9/9/1pppppppp/4k2+r+b w 4G4S3N4L10Pn 1";
        let position = Shogi9::from_sfen(odds).expect(odds);
        assert_eq!(position.missing_points(), 10);
        assert_eq!(declared("csa27", odds), None);
        assert_eq!(declared("csa27h", odds), Some(Declaration::Win));
        assert_eq!(declared("csa24h", odds), Some(Declaration::Draw));
    }

    #[test]
    fn a_king_on_the_goal_ends_the_game() {
        let start = Shogi9::start(&Spec::parse("shogi(declaration=try)").expect("spec")).expect("start");
        let position = start.parse_position("9/4K4/9/9/9/9/9/9/k8 b - 1").expect("sfen");
        let mut tried = position;
        tried.play(position.parse_move("5b5a").expect("legal"));
        assert_eq!(tried.generate(&mut Vec::new()), Some(Outcome::Win(Color::Black)));
        assert_eq!(tried.count(&mut Vec::new()), 0);
        assert!(tried.parse_move("9i9h").expect_err("over").message.contains("over"));
        // Not onto an attacked square, and not under other rules.
        assert!(start.parse_position("r8/4K4/9/9/9/9/9/9/k8 b - 1").expect("sfen").parse_move("5b5a").is_err());
        let mut plain = Shogi9::from_sfen("9/4K4/9/9/9/9/9/9/k8 b - 1").expect("sfen");
        plain.play(plain.parse_move("5b5a").expect("legal"));
        assert_eq!(plain.generate(&mut Vec::new()), None);
    }
}
