//! Features of moves of Go (S3.1): those of the pattern model (Coulom 2007).
//!
//! There a move is as probable as the product of its features' strengths, which is `exp(Σ ln strength)`: the simulation policy with a weight
//! for every value of every group. The tens of thousands of larger patterns would never be learned from a few games, so each kind of them is
//! one feature, the logarithm of the strength that the embedded model gives to the largest one it knows. The embedded policy is that model.

use yomi_core::Position;
use yomi_games::go::{Go, GoMove};

use super::MoveFeatures;
use crate::go::features::{Group, Scene};
use crate::go::{Ladders, Model};

/// A strength of 0 has no logarithm.
const WEAKEST: f32 = 1e-6;

/// The weight of a move that fills an eye of its own side: the pattern model never plays there.
const EYE: f32 = -20.0;

/// Groups whose values have weights of their own.
fn groups() -> impl Iterator<Item = Group> {
    Group::ALL.into_iter().filter(|group| group.book().is_none())
}

/// The weight that says what a strength says.
fn weight(strength: f32) -> f32 {
    strength.max(WEAKEST).ln()
}

impl<const LEN: usize> MoveFeatures for Go<LEN> {
    type Scratch = Ladders<LEN>;

    fn feature_names() -> Vec<String> {
        let values = groups().flat_map(|group| (1..group.values()).map(move |value| group.value_name(value)));
        let books = Group::BOOKS.iter().map(|group| group.name().to_string());
        values.chain(books).chain(["eye".to_string()]).collect()
    }

    fn move_features(
        &self,
        _: Option<GoMove>,
        moves: &[GoMove],
        ladders: &mut Ladders<LEN>,
        sink: &mut dyn FnMut(usize, usize, f32),
    ) {
        let (model, scene) = (Model::embedded(), Scene::new(self, ladders));
        for (i, &mv) in moves.iter().enumerate() {
            let values = model.values(&scene, mv);
            let mut first = 0;
            for group in groups() {
                let value = usize::from(values[group as usize]);
                if value > 0 {
                    sink(i, first + value - 1, 1.0);
                }
                first += group.values() - 1;
            }
            for group in Group::BOOKS {
                let known = model.strengths[group as usize].get(usize::from(values[group as usize]));
                let x = known.map_or(0.0, |&strength| weight(strength));
                if x != 0.0 {
                    sink(i, first, x);
                }
                first += 1;
            }
            if mv.vertex().is_some_and(|v| self.is_eye(v, self.turn())) {
                sink(i, first, 1.0);
            }
        }
    }

    fn embedded_policy() -> Vec<f32> {
        let strengths = &Model::embedded().strengths;
        let values = groups().flat_map(|group| strengths[group as usize][1..].iter().map(|&strength| weight(strength)));
        values.chain(Group::BOOKS.map(|_| 1.0)).chain([EYE]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimulationPolicy;
    use yomi_core::Seed;
    use yomi_games::go::{Go9, Rules};

    /// The embedded policy is the pattern model, in every position of random games.
    #[test]
    fn the_embedded_policy_is_the_pattern_model() {
        let policy = SimulationPolicy::<Go9>::embedded();
        let (mut moves, mut found, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        let mut ladders = Ladders::default();
        for seed in 0..4 {
            let mut rng = Seed::new(seed).rng();
            let (mut go, mut last) = (Go9::new(9, Rules::default()).unwrap(), None);
            while go.generate(&mut moves).is_none() {
                policy.probabilities(&go, last, &moves, &mut ladders, &mut found);
                Model::embedded().probabilities(&go, &moves, &mut ladders, &mut wanted);
                let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * b.max(1e-2);
                assert!(found.iter().zip(&wanted).all(close), "{found:?} {wanted:?}");
                let mv = moves[rng.below(moves.len())];
                go.play(mv);
                last = Some(mv);
            }
        }
    }
}
