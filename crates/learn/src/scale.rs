//! The unit of a learned evaluation is made the one of the papers: a pawn is worth 87 (S0.6).
//!
//! What a single pawn is worth in a learned evaluation is spread over its square and all its relations. So the evaluation as a whole is
//! compared with material, whose unit is known: scaled by least squares, the two agree on the positions of games.

use yomi_core::{Evaluator, Position, Question};
use yomi_eval::Material;
use yomi_eval::linear::{Layout, value};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

use crate::games::Game;

/// The factor that brings the parameters closest to material, over every `step`-th position of the games; none while the evaluation has
/// nothing in common with material.
pub fn factor<V: Variant>(parameters: &[[f32; 2]], games: &[Game<ShogiMove>], step: usize) -> Option<f32> {
    let (mut own, mut shared) = (0.0, 0.0);
    for game in games {
        let mut position = Shogi::<V>::default();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if ply >= game.random && ply.is_multiple_of(step.max(1)) {
                let material = f64::from(Material.value(&Question::of(&position, &[]), &mut ()));
                let learned = value(Layout::of::<V>(), parameters, &position);
                own += learned * material;
                shared += material * material;
            }
            position.play(mv);
        }
    }
    let factor = (shared / own) as f32;
    (factor.is_normal() && factor > 0.0).then_some(factor)
}

/// Scales the parameters.
pub fn rescale(parameters: &mut [[f32; 2]], factor: Option<f32>) {
    if let Some(factor) = factor {
        parameters.as_flattened_mut().iter_mut().for_each(|x| *x *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Outcome, Seed};
    use yomi_games::shogi::{Five, Kind, Minishogi};

    #[test]
    fn half_of_material_is_doubled() {
        let layout = Layout::of::<Five>();
        let mut parameters = vec![[0.0; 2]; layout.len()];
        for kind in Kind::ALL {
            parameters[layout.piece(kind)][0] = 0.5 * Material::worth::<Five>(kind);
        }
        for kind in Kind::HAND {
            parameters[layout.hand(kind)][0] = 0.5 * Material::worth::<Five>(kind);
        }
        let mut rng = Seed::new(2).rng();
        let (mut position, mut moves, mut legal) = (Minishogi::default(), Vec::new(), Vec::new());
        while moves.len() < 40 && position.generate(&mut legal).is_none() {
            moves.push(legal[rng.below(legal.len())]);
            position.play(moves[moves.len() - 1]);
        }
        let values = vec![0.0; moves.len()];
        let games = [Game { moves, random: 0, values, outcome: Outcome::Draw }];
        let found = factor::<Five>(&parameters, &games, 1);
        assert!((found.unwrap() - 2.0).abs() < 1e-3, "{found:?}");
        rescale(&mut parameters, found);
        assert!((parameters[layout.piece(Kind::Pawn)][0] - 87.0).abs() < 0.1);
        let zero = vec![[0.0; 2]; layout.len()];
        assert_eq!(factor::<Five>(&zero, &games, 1), None);
        assert_eq!(factor::<Five>(&parameters, &[], 1), None);
    }
}
