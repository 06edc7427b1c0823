//! What is believed of the parameters before any game: where each lies, and how far from there it may well be.
//!
//! Sixty thousand relations cannot be known from a few ten thousand games. A ridge regression asks of each how often it was seen:
//! what is rare stays where it was, whatever the games it happened to be in.

use yomi_core::{Rng, TextError};
use yomi_eval::linear::{Layout, Weights};
use yomi_eval::{Linear, Material};
use yomi_games::shogi::{Kind, Variant};

/// How far the parameters of a group lie from their centre: a standard deviation in thousandths of K, the value that wins a game with
/// probability 0.73. The order is the one of [`Layout::groups`]: piece values, pieces in hand, numbers in hand, squares, squares from a king, pairs, pairs near a king, freedom
/// of a king, turn.
const SPREAD: [f32; 9] = [40.0, 40.0, 10.0, 30.0, 24.0, 16.0, 10.0, 40.0, 80.0];
/// The groups that are perturbed: squares, squares from a king.
const WHIMS: std::ops::Range<usize> = 3..5;
/// What a parameter counts for the side to move is smaller than what it counts for its owner.
const MOVER: f32 = 0.5;

/// Where a run begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// All parameters are 0: nothing is known but the rules.
    Nothing,
    /// Pieces are worth what [`Material`] says.
    Material,
    /// The weights that come with the program.
    Embedded,
}

/// A normal distribution of every parameter.
#[derive(Clone, Debug)]
pub struct Prior {
    /// The middle.
    pub centre: Vec<[f32; 2]>,
    /// The deviation, in thousandths of K.
    spread: Vec<[f32; 2]>,
}

impl Prior {
    /// Before the first game.
    pub fn new<V: Variant>(start: Start) -> Prior {
        let layout = Layout::of::<V>();
        let mut centre = vec![[0.0; 2]; layout.len()];
        if start == Start::Embedded {
            centre = Linear::<V>::embedded_weights().parameters();
        }
        if start == Start::Material {
            Kind::ALL.iter().for_each(|&kind| centre[layout.piece(kind)][0] = Material::worth::<V>(kind));
            Kind::HAND.iter().for_each(|&kind| centre[layout.hand(kind)][0] = Material::worth::<V>(kind));
        }
        let of_group = |((_, indices), deviation): ((_, std::ops::Range<usize>), f32)| {
            indices.map(move |_| [deviation, MOVER * deviation])
        };
        let mut spread: Vec<[f32; 2]> = layout.groups().zip(SPREAD).flat_map(of_group).collect();
        spread[layout.turn()][1] = SPREAD[8];
        Prior { centre, spread }
    }

    /// The deviation of every parameter in units of value, given K.
    pub fn deviations(&self, k: f32) -> Vec<[f32; 2]> {
        self.spread.iter().map(|pair| pair.map(|spread| spread * k / 1000.0)).collect()
    }
}

/// A perturbed evaluation: to every square, as such and as seen from the kings, a random number of this standard deviation is added.
/// Two such players play sound games that differ, and what they differ in shows in the results.
pub fn perturbed<V: Variant>(
    parameters: &[[f32; 2]],
    perturbation: f32,
    rng: &mut Rng,
) -> Result<Linear<V>, TextError> {
    Linear::new(&Weights::round::<V>(&perturb::<V>(parameters, perturbation, rng))?, "linear")
}

fn perturb<V: Variant>(parameters: &[[f32; 2]], perturbation: f32, rng: &mut Rng) -> Vec<[f32; 2]> {
    let mut own = parameters.to_vec();
    for (_, indices) in Layout::of::<V>().groups().skip(WHIMS.start).take(WHIMS.len()) {
        own[indices].iter_mut().for_each(|[owner, _]| *owner += perturbation * normal(rng));
    }
    own
}

/// Nearly normal, of deviation 1: the sum of twelve even numbers.
fn normal(rng: &mut Rng) -> f32 {
    (0..12).map(|_| rng.unit()).sum::<f32>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;
    use yomi_games::shogi::{Five, Nine};

    #[test]
    fn a_run_starts_from_material_or_from_nothing() {
        let layout = Layout::of::<Nine>();
        let nothing = Prior::new::<Nine>(Start::Nothing);
        assert!(nothing.centre.iter().all(|&pair| pair == [0.0; 2]) && nothing.centre.len() == layout.len());
        let material = Prior::new::<Nine>(Start::Material).centre;
        assert_eq!(material[layout.piece(Kind::Rook)], [957.0, 0.0]);
        assert_eq!(material[layout.hand(Kind::Pawn)], [87.0, 0.0]);
        assert_eq!(material.iter().filter(|&&pair| pair != [0.0; 2]).count(), 13 + 7);
        let deviations = nothing.deviations(500.0);
        assert_eq!(deviations.len(), layout.len());
        assert_eq!((deviations[layout.piece(Kind::Gold)], deviations[layout.turn()]), ([20.0, 10.0], [40.0, 40.0]));
    }

    /// Squares change, by about as much as was asked, and nothing else does.
    #[test]
    fn whims_are_about_squares() {
        let plain = Prior::new::<Five>(Start::Material).centre;
        let weights = |perturbation: f32| {
            let mut rng = Seed::new(6).rng();
            perturb::<Five>(&plain, perturbation, &mut rng)
        };
        assert_eq!(weights(0.0), plain);
        let own = weights(5.0);
        assert_ne!(own, weights(4.0));
        for (name, indices) in Layout::of::<Five>().groups() {
            let changes: Vec<f32> = indices.map(|index| own[index][0] - plain[index][0]).collect();
            let deviation = (changes.iter().map(|x| x * x).sum::<f32>() / changes.len() as f32).sqrt();
            let wanted = if name.starts_with("squares") { 4.0..6.0 } else { 0.0..0.001 };
            assert!(wanted.contains(&deviation), "{name} {deviation}");
        }
    }
}
