//! Pieces and attacks: material, and what each attack is worth by its distance to the kings. Everything can be computed by hand.
//!
//! The idea is the third step of YaneuraOu's ladder of hand-made evaluations (its author's notes put it 200 Elo above material): an
//! attack on a square counts the more the nearer the square is to a king, more against the enemy's king than around one's own.

use std::fmt;

use yomi_core::{Answer, Color, Evaluator, Position, Question};
use yomi_games::shogi::{Shogi, ShogiMove, Square, Variant};

use crate::material::{Material, PAWN, WIN};

/// Material, and attacks near the kings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effect;

/// What an attack on the enemy king's own square would be worth, in hundredths of a pawn.
const AGAINST_THEIR_KING: f32 = 96.0;
/// What an attack on one's own king's square is worth.
const AROUND_OUR_KING: f32 = 68.0;
/// A piece on the board is worth so much of what it is worth in hand: it can be attacked.
const ON_BOARD: f32 = 1.0 - 104.0 / 1024.0;
/// The second attack on a square adds less than the first, the third less again.
const DIMINISHING: f32 = 0.8525;

/// Files or ranks between two squares, whichever are more.
fn distance<V: Variant>(a: Square, b: Square) -> u8 {
    a.file::<V>().abs_diff(b.file::<V>()).max(a.rank::<V>().abs_diff(b.rank::<V>()))
}

/// What `attacks` attacks on one square count together: 1, then less and less more.
pub fn together(attacks: u8) -> f32 {
    (1.0 - DIMINISHING.powi(i32::from(attacks))) / (1.0 - DIMINISHING)
}

/// What a side's attacks are worth: `Σ together(attacks on s)·(96/(1 + distance of s to their king) + 68/(1 + distance to ours))`,
/// scaled so that 1024 makes what a pawn's hundred does in the notes above.
fn attacks<V: Variant>(position: &Shogi<V>, side: Color) -> f32 {
    let effects = position.effects(side);
    let near = |king: Option<Square>, square: Square, weight: f32| {
        king.map_or(0.0, |king| weight / (1.0 + f32::from(distance::<V>(king, square))))
    };
    let (ours, theirs) = (position.king(side), position.king(!side));
    let worth = |square: Square| {
        let weight = near(theirs, square, AGAINST_THEIR_KING) + near(ours, square, AROUND_OUR_KING);
        together(effects[square.index()]) * weight
    };
    Square::all::<V>().filter(|square| effects[square.index()] > 0).map(worth).sum::<f32>() * PAWN / 1024.0
}

fn pieces<V: Variant>(position: &Shogi<V>, side: Color) -> f32 {
    let on_board =
        Square::all::<V>().filter_map(|square| position.piece_at(square)).filter(|piece| piece.color == side);
    let hand = yomi_games::shogi::Kind::HAND;
    on_board.map(|piece| ON_BOARD * Material::worth::<V>(piece.kind)).sum::<f32>()
        + hand.iter().map(|&kind| f32::from(position.hand(side, kind)) * Material::worth::<V>(kind)).sum::<f32>()
}

impl<V: Variant> Evaluator<Shogi<V>> for Effect {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        WIN
    }

    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, (): &mut ()) {
        answer.by_value(question, WIN, |question| {
            let (position, us) = (question.position, question.position.turn());
            let worth = |side: Color| pieces(position, side) + attacks(position, side);
            worth(us) - worth(!us)
        });
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "effect")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_games::shogi::{Minishogi, Shogi9};

    fn evaluate<V: Variant>(position: &Shogi<V>) -> f32 {
        Effect.value(&Question::of(position, &[]), &mut ())
    }

    #[test]
    fn the_start_is_even() {
        assert!(evaluate(&Shogi9::default()).abs() < 1e-3);
        assert!(evaluate(&Minishogi::default()).abs() < 1e-3);
    }

    /// By hand: bare kings on 5a and 5i and a black gold on 5b, White to move. White's king attacks five squares at distance 1 of itself;
    /// Black's the same, and the gold six squares: 5a (distance 0 from the white king), 4a, 6a, 4b, 6b (1) and 5c (2); from the black
    /// king 8, 8, 8, 7, 7, 6. The kings see each other's squares from far away, both alike.
    #[test]
    fn computed_by_hand() {
        let with = evaluate(&Shogi9::from_sfen("4k4/4G4/9/9/9/9/9/9/4K4 w - 1").unwrap());
        let without = evaluate(&Shogi9::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 1").unwrap());
        let theirs = 96.0 * (1.0 + 4.0 / 2.0 + 1.0 / 3.0);
        let ours = 68.0 * (3.0 / 9.0 + 2.0 / 8.0 + 1.0 / 7.0);
        let gold = Material::worth::<yomi_games::shogi::Nine>(yomi_games::shogi::Kind::Gold) * (1.0 - 104.0 / 1024.0);
        let expected = -(gold + (theirs + ours) * PAWN / 1024.0);
        assert!((with - without - expected).abs() < 0.01, "{with} {without} {expected}");
    }

    #[test]
    fn further_attacks_add_less() {
        assert_eq!([together(0), together(1)], [0.0, 1.0]);
        assert!((together(2) - 1.8525).abs() < 1e-4 && (together(3) - 2.579_256).abs() < 1e-4);
    }
}
