//! The linear evaluation.

use yomi_core::{Answer, Differentiable, Evaluator, Position, Question, Seed, Tactical, Want};
use yomi_eval::Linear;
use yomi_eval::linear::{Layout, Weights, value};
use yomi_games::shogi::{Five, Nine, Shogi, Shogi9, Square, Variant};

use super::common::{ODD_POSITIONS, image, leaf, mirror};

/// Weights that make no sense, but all are different.
fn random_weights<V: Variant>() -> Weights {
    let mut rng = Seed::new(5).rng();
    let mut number = || (rng.unit() - 0.5) * 20.0;
    let parameters: Vec<[f32; 2]> = (0..Layout::of::<V>().len()).map(|_| [number(), number()]).collect();
    Weights::round::<V>(&parameters).expect("as many as there are")
}

fn random_game<V: Variant>(seed: u64, plies: usize) -> Vec<Shogi<V>> {
    super::common::random_game(&Seed::new(seed).branch("linear", 0), plies)
}

/// From nothing, without the memory of a thread.
fn fresh<V: Variant>(linear: &Linear<V>, position: &Shogi<V>) -> f32 {
    linear.tables().value(position, &linear.tables().sum(position))
}

/// Sums by difference along lines, from whatever was judged before, and from nothing are the sum over the features.
fn every_way_gives_the_definition<V: Variant>() {
    let weights = random_weights::<V>();
    let (layout, parameters) = (Layout::of::<V>(), weights.parameters());
    let linear = Linear::<V>::new(&weights, "linear").expect("weights of this game");
    let mut scratch = linear.scratch(0);
    let (mut out, mut moves) = (Answer::default(), Vec::new());
    let mut rng = Seed::new(3).rng();
    for seed in 0..6 {
        for (ply, position) in random_game::<V>(seed, 120).iter().enumerate() {
            let slow = value(layout, &parameters, position) as f32;
            let fresh = fresh(&linear, position);
            assert!((fresh - slow).abs() < 0.01, "{fresh} {slow}\n{position}");
            // Depths as a search has them, and as it never has them.
            let depth = if rng.chance(0.8) { ply as u32 % 20 } else { rng.next() as u32 };
            assert_eq!(linear.value(&leaf(position, depth), &mut scratch), fresh, "{position}");
            if position.generate(&mut moves).is_some() || ply % 4 > 0 {
                continue;
            }
            let question = Question { depth, want: Want::CHILDREN, ..Question::of(position, &moves) };
            out.clear();
            linear.judge(&question, &mut out, &mut scratch);
            for (&mv, (&judged, outcome)) in moves.iter().zip(out.values.iter().zip(&out.outcomes)) {
                let mut child = *position;
                child.play(mv);
                assert_eq!(*outcome, child.generate(&mut Vec::new()), "{child}");
                if outcome.is_none() {
                    let slow = -value(layout, &parameters, &child) as f32;
                    assert!((judged - slow).abs() < 0.01, "{judged} {slow}\n{child}");
                }
            }
        }
    }
}

#[test]
fn shogi_by_difference_is_shogi_by_definition() {
    every_way_gives_the_definition::<Nine>();
}

#[test]
fn minishogi_by_difference_is_minishogi_by_definition() {
    every_way_gives_the_definition::<Five>();
}

/// The same position has the same value from every view: mirrored, and with the sides exchanged. To have the move changes it.
fn symmetric<V: Variant>() {
    let linear = Linear::<V>::new(&random_weights::<V>(), "linear").expect("weights of this game");
    let mut with_the_move = 0;
    for seed in 10..16 {
        for position in random_game::<V>(seed, 100) {
            let here = fresh(&linear, &position);
            assert_eq!(fresh(&linear, &image(&position, false, mirror::<V>)), here, "{position}");
            assert_eq!(fresh(&linear, &image(&position, true, Square::turned::<V>)), here, "{position}");
            with_the_move += usize::from(position.pass().is_some_and(|passed| fresh(&linear, &passed) != -here));
        }
    }
    assert!(with_the_move > 100, "{with_the_move}");
}

#[test]
fn images_of_a_position_are_worth_the_same() {
    symmetric::<Nine>();
    symmetric::<Five>();
}

/// Positions without a king or with crowded hands are judged like any other.
#[test]
fn odd_positions_are_judged() {
    let weights = random_weights::<Nine>();
    let linear = Linear::<Nine>::new(&weights, "linear").expect("weights of this game");
    let mut scratch = linear.scratch(0);
    for sfen in ODD_POSITIONS {
        let position = Shogi9::from_sfen(sfen).expect(sfen);
        let slow = value(Layout::of::<Nine>(), &weights.parameters(), &position) as f32;
        assert!((linear.value(&leaf(&position, 1), &mut scratch) - slow).abs() < 0.01, "{sfen}");
    }
    assert!(Linear::<Five>::new(&weights, "linear").is_err(), "weights of another game");
}

/// The gradient is what a change of the parameters changes: finite differences of the definition, along random directions.
fn gradient_is_the_change<V: Variant>() {
    let weights = random_weights::<V>();
    let (layout, parameters) = (Layout::of::<V>(), weights.parameters());
    let linear = Linear::<V>::new(&weights, "linear").expect("weights of this game");
    let mut scratch = linear.scratch(0);
    assert_eq!(linear.parameters(), 2 * parameters.len());
    let mut rng = Seed::new(12).rng();
    for position in random_game::<V>(4, 80).iter().step_by(7) {
        let direction: Vec<[f32; 2]> = parameters.iter().map(|_| [rng.unit() - 0.5, rng.unit() - 0.5]).collect();
        let moved = |h: f32| -> Vec<[f32; 2]> {
            let step = |(p, d): (&[f32; 2], &[f32; 2])| [p[0] + h * d[0], p[1] + h * d[1]];
            parameters.iter().zip(&direction).map(step).collect()
        };
        let difference = (value(layout, &moved(0.5), position) - value(layout, &moved(-0.5), position)) as f32;
        let mut along = 0.0;
        let mut sink = |i: usize, x: f32| along += x * direction[i / 2][i % 2];
        linear.gradient(&leaf(position, 0), 3.0, &mut sink, &mut scratch);
        assert!((along - 3.0 * difference).abs() < 0.01 * (1.0 + along.abs()), "{along} {difference}\n{position}");
    }
}

#[test]
fn gradients_are_finite_differences() {
    gradient_is_the_change::<Nine>();
    gradient_is_the_change::<Five>();
}

/// A thread that jumps about in the tree gets the same values as one that does not.
#[test]
fn memory_never_shows() {
    let linear = Linear::<Five>::new(&random_weights::<Five>(), "linear").expect("weights of this game");
    let games: Vec<_> = (0..5).map(|seed| random_game::<Five>(seed, 60)).collect();
    let mut rng = Seed::new(9).rng();
    let mut scratch = linear.scratch(0);
    for _ in 0..20_000 {
        let game = &games[rng.below(games.len())];
        let position = &game[rng.below(game.len())];
        let value = linear.value(&leaf(position, rng.below(6) as u32), &mut scratch);
        assert_eq!(value, fresh(&linear, position));
    }
}

/// The weights in the program are whole, of their games, and small.
#[test]
fn embedded_weights_are_read() {
    fn check<V: Variant>() {
        let linear = Linear::<V>::embedded();
        assert_eq!(linear.to_string(), "linear");
        assert!(fresh(&linear, &Shogi::<V>::default()).abs() < 500.0);
    }
    check::<Nine>();
    check::<Five>();
}
