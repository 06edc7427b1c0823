//! The pieces, counted: the simplest sensible evaluation of shogi and minishogi.

use std::fmt;

use yomi_core::{Answer, Color, Differentiable, Evaluator, Position, Question};
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

    #[inline(always)]
    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, (): &mut ()) {
        answer.by_value(question, WIN, |question| {
            let us = question.position.turn();
            (count(question.position, us) - count(question.position, !us)) as f32 * (PAWN / PAWN_AS_WRITTEN)
        });
    }
}

/// The parameters are what the kinds of pieces are worth ([`Material::worth`]), by their index.
impl<V: Variant> Differentiable<Shogi<V>> for Material {
    fn parameters(&self) -> usize {
        NINE.len()
    }

    fn gradient(
        &self,
        question: &Question<'_, Shogi<V>>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        (): &mut (),
    ) {
        let position = question.position;
        for color in Color::BOTH {
            let part = if color == position.turn() { coefficient } else { -coefficient };
            position.pieces(color).each(|square| {
                if let Some(piece) = position.piece_at(square) {
                    sink(piece.kind.index(), part);
                }
            });
            for kind in Kind::HAND {
                sink(kind.index(), part * f32::from(position.hand(color, kind)));
            }
        }
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

    /// The value is linear in what the pieces are worth, so it is the sum of worths and derivatives; and the derivative by a kind is what
    /// one more such piece makes.
    #[test]
    fn the_gradient_counts_pieces() {
        for sfen in ["4k4/9/9/4+B4/9/9/9/9/4K4 b r2P 1", "lnsgkgsnl/1r5b1/p1ppppppp/9/9/9/9/1B5R1/4K4 w 3Pgn 1"] {
            let position = Shogi9::from_sfen(sfen).unwrap();
            let mut gradient = [0.0f32; 14];
            let question = Question::of(&position, &[]);
            Material.gradient(&question, 2.0, &mut |i, x| gradient[i] += x, &mut ());
            let sum: f32 = Kind::ALL.iter().map(|&kind| gradient[kind.index()] * Material::worth::<Nine>(kind)).sum();
            assert!((sum - 2.0 * evaluate(&position)).abs() < 0.1, "{sum}");
        }
        let with = |hand: &str| Shogi9::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b {hand} 1")).unwrap();
        let change = evaluate(&with("2G")) - evaluate(&with("G"));
        let mut derivative = 0.0;
        Material.gradient(
            &Question::of(&with("G"), &[]),
            1.0,
            &mut |i, x| derivative += x * f32::from(i == 6),
            &mut (),
        );
        assert!((change - derivative * Material::worth::<Nine>(Kind::Gold)).abs() < 0.1);
    }

    #[test]
    fn a_win_is_worth_more_than_everything() {
        let all: f32 = Kind::HAND.iter().map(|&k| Material::worth::<Nine>(k) * f32::from(Nine::SET[k.index()])).sum();
        assert!(2.0 * all < WIN);
        assert_eq!(Material::worth::<Five>(Kind::Pawn), PAWN);
    }
}
