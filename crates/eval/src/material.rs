//! The pieces, counted: the simplest sensible evaluation of shogi and minishogi.

use std::fmt;

use yomi_core::{Answer, Color, Evaluator, Position, Question};
use yomi_games::shogi::{Bits, Kind, Shogi, ShogiMove, Variant};

/// What the pieces of both sides are worth, on the board and in hand.
///
/// The unit is the one of the papers: a pawn is worth [`PAWN`] = 87 (Bonanza 6.0), so a temperature of 80 is 0.92 of a pawn (S0.6).
/// The proportions are those in common use: on nine by nine as in Apery and YaneuraOu, on five by five as in Shibaura Shosho, both
/// written there with a pawn of 90.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Material;

/// What a pawn is worth.
pub const PAWN: f32 = 87.0;
/// What a won game is worth: more than all pieces together.
pub const WIN: f32 = 32_768.0;

/// Values by the index of the kind, a pawn being 90. In hand a piece is worth what it is on the board.
const PAWN_AS_WRITTEN: f32 = 90.0;
type Values = [i32; 14];
//                      P    L    N    S    B    R    G  K   +P   +L   +N   +S   +B    +R
const NINE: Values = [90, 315, 405, 495, 855, 990, 540, 0, 540, 540, 540, 540, 945, 1395];
const FIVE: Values = [90, 0, 0, 360, 630, 630, 450, 0, 540, 0, 0, 495, 810, 900];

const fn values<V: Variant>() -> &'static Values {
    if V::SIZE == 5 { &FIVE } else { &NINE }
}

impl Material {
    /// What a piece of this kind is worth.
    pub fn worth<V: Variant>(kind: Kind) -> f32 {
        values::<V>()[kind.index()] as f32 * (PAWN / PAWN_AS_WRITTEN)
    }
}

/// What a side has.
#[inline]
fn count<V: Variant>(position: &Shogi<V>, color: Color) -> i32 {
    let values = values::<V>();
    let mut sum = 0;
    position.pieces(color).each(|square| {
        sum += position.piece_at(square).map_or(0, |piece| values[piece.kind.index()]);
    });
    sum + Kind::HAND.iter().map(|&kind| values[kind.index()] * i32::from(position.hand(color, kind))).sum::<i32>()
}

impl<V: Variant> Evaluator<Shogi<V>> for Material {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        WIN
    }

    #[inline]
    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, (): &mut ()) {
        answer.by_value(question, WIN, |question| {
            let us = question.position.turn();
            (count(question.position, us) - count(question.position, !us)) as f32 * (PAWN / PAWN_AS_WRITTEN)
        });
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "material")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_games::shogi::{Five, Minishogi, Nine, Shogi9};

    fn evaluate<V: Variant>(position: &Shogi<V>) -> f32 {
        Material.value(&Question::of(position, &[]), &mut ())
    }

    #[test]
    fn equal_at_the_start() {
        assert_eq!(evaluate(&Shogi9::default()), 0.0);
        assert_eq!(evaluate(&Minishogi::default()), 0.0);
    }

    #[test]
    fn counts_board_and_hand_for_the_side_to_move() {
        let near = |a: f32, b: f32| (a - b).abs() < 0.01;
        let ahead = "4k4/9/9/9/9/9/9/9/4K4 b 2P 1";
        assert!(near(evaluate(&Shogi9::from_sfen(ahead).unwrap()), 2.0 * PAWN));
        assert!(near(evaluate(&Shogi9::from_sfen(&ahead.replace('b', "w")).unwrap()), -2.0 * PAWN));
        let horse = Shogi9::from_sfen("4k4/9/9/4+B4/9/9/9/9/4K4 b r 1").unwrap();
        assert!(near(evaluate(&horse), (945.0 - 990.0) * 87.0 / 90.0));
        let silver = Minishogi::from_sfen("4k/5/2+S2/5/K4 w g 1").unwrap();
        assert!(near(evaluate(&silver), (450.0 - 495.0) * 87.0 / 90.0));
    }

    #[test]
    fn a_win_is_worth_more_than_everything() {
        let all: f32 = Kind::HAND.iter().map(|&k| Material::worth::<Nine>(k) * f32::from(Nine::SET[k.index()])).sum();
        assert!(2.0 * all < WIN);
        assert_eq!(Material::worth::<Five>(Kind::Pawn), PAWN);
    }
}
