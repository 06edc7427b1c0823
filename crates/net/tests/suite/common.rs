//! Networks and positions to test with.
#![allow(dead_code, reason = "each test program uses some of it")]

use yomi_core::{Notation, Seed, Spec};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Go13, Go19};
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::input::{Encode, Layout, PackedPosition};
use yomi_net::{Architecture, Evaluations, Network};

/// A random network whose batch norms are not those of the start of training.
pub(crate) fn network(architecture: Architecture, seed: u64) -> Network {
    let mut tensors = Network::random(architecture.clone(), Seed::new(seed)).unwrap().tensors().clone();
    let mut rng = Seed::new(seed).branch("norms", 0).rng();
    for (name, tensor) in &mut tensors {
        let (least, most) = match name.rsplit('.').next() {
            Some("running_var") => (0.5, 2.0),
            Some("weight") if name.contains("norm") => (0.5, 1.5),
            Some("bias" | "running_mean" | "label_bias") => (-0.2, 0.2),
            _ => continue,
        };
        tensor.data.iter_mut().for_each(|x| *x = least + (most - least) * rng.unit());
    }
    Network::new(architecture, tensors).unwrap()
}

/// Positions of random games, for the side to move.
pub(crate) fn packed<P: Encode>(start: &P, count: usize) -> Vec<PackedPosition> {
    let mut rng = Seed::new(9).rng();
    let (mut position, mut moves, mut list) = (start.clone(), Vec::new(), Vec::new());
    while list.len() < count {
        if position.generate(&mut moves).is_some() {
            position = start.clone();
            continue;
        }
        list.push(position.pack(position.turn()));
        position.play(moves[rng.below(moves.len())]);
    }
    list
}

pub(crate) fn start<P: Notation>(text: &str) -> P {
    P::start(&Spec::parse(text).unwrap()).unwrap()
}

/// Positions of a layout's game.
pub(crate) fn positions(layout: Layout, count: usize) -> Vec<PackedPosition> {
    match layout {
        Layout::Shogi | Layout::Dlshogi => packed(&Shogi9::default(), count),
        Layout::Minishogi => packed(&Minishogi::default(), count),
        Layout::Go(size @ 2..=9) => packed(&start::<Go9>(&format!("go{size}")), count),
        Layout::Go(size @ 10..=13) => packed(&start::<Go13>(&format!("go{size}")), count),
        Layout::Go(size) => packed(&start::<Go19>(&format!("go{size}")), count),
        Layout::BlokusDuo => packed(&start::<BlokusDuo>("blokus-duo"), count),
    }
}

/// The greatest difference between two sets of answers, relative to the size of the numbers.
pub(crate) fn difference(a: &Evaluations, b: &Evaluations) -> f32 {
    assert_eq!((a.len(), a.labels, a.policy.len()), (b.len(), b.labels, b.policy.len()));
    assert_eq!((a.score.len(), a.ownership.len()), (b.score.len(), b.ownership.len()));
    let worst = |a: &[f32], b: &[f32]| {
        let size = b.iter().fold(1.0f32, |most, x| most.max(x.abs()));
        a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f32::max)
    };
    let parts = [
        worst(&a.policy, &b.policy),
        worst(a.value.as_flattened(), b.value.as_flattened()),
        worst(&a.score, &b.score),
        worst(&a.ownership, &b.ownership),
    ];
    // A NaN is a difference, too.
    parts.into_iter().fold(0.0, |most, x| if x <= most { most } else { x })
}
