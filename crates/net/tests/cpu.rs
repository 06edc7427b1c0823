//! The fast kernels against the reference, on every game and every vector unit of this machine.

#[path = "suite/common.rs"]
mod common;

use common::{difference, network, positions, start};
use yomi_core::{Position, Seed};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go9;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::architecture::Activation;
use yomi_net::cpu::{Cpu, Unit, Workspace, reference};
use yomi_net::fold::Folded;
use yomi_net::input::{Changes, Encode, Layout};
use yomi_net::{Architecture, Evaluations};

/// Numbers of f32 accumulate in another order, and Winograd's constants amplify their rounding a little.
const TOLERANCE: f32 = 2e-5;

#[test]
fn fast_kernels_agree_with_the_reference() {
    let swish = |layout| Architecture { activation: Activation::Swish, ..Architecture::new(layout, 1, 8) };
    let architectures = [
        (Architecture::new(Layout::Shogi, 2, 24), 11),
        (Architecture::new(Layout::Dlshogi, 1, 16), 9),
        (swish(Layout::Shogi), 3),
        (Architecture::new(Layout::Minishogi, 3, 20), 40),
        (Architecture::new(Layout::Go(9), 2, 16), 10),
        (Architecture::new(Layout::Go(13), 1, 8), 3),
        (Architecture::new(Layout::Go(19), 1, 16), 2),
        (Architecture::new(Layout::BlokusDuo, 1, 16), 4),
        (Architecture::new(Layout::Shogi, 0, 8), 2),
    ];
    for (architecture, count) in architectures {
        let (layout, _) = architecture.check().unwrap();
        let network = network(architecture.clone(), 7);
        let positions = positions(layout, count);
        let expected = reference::evaluate(&Folded::new(&network), &positions);
        assert!(expected.policy.iter().any(|x| x.abs() > 0.1), "{architecture:?} says nothing");
        for unit in Unit::available() {
            let cpu = Cpu::with_unit(&network, unit);
            let (mut work, mut found) = (Workspace::default(), Evaluations::default());
            cpu.evaluate(&positions, 1, &mut work, &mut found);
            let worst = difference(&found, &expected);
            assert!(worst < TOLERANCE, "{unit:?} {architecture:?}: {worst}");
            let alone = found.clone();
            for threads in [2, 3, 16] {
                cpu.evaluate(&positions, threads, &mut work, &mut found);
                assert_eq!(found, alone, "{threads} threads");
            }
        }
    }
}

/// All children of positions of random games, by difference and by themselves.
fn check_children<P: Encode>(start: &P, layout: Layout) {
    let cpu = Cpu::new(&network(Architecture::new(layout, 1, 16), 3));
    let (mut work, mut by_difference, mut alone) =
        (Workspace::default(), Evaluations::default(), Evaluations::default());
    let mut rng = Seed::new(2).rng();
    let (mut position, mut moves) = (start.clone(), Vec::new());
    for _ in 0..6 {
        for _ in 0..7 {
            if position.generate(&mut moves).is_some() {
                position = start.clone();
                position.generate(&mut moves);
            }
            position.play(moves[rng.below(moves.len())]);
        }
        if position.generate(&mut moves).is_some() {
            continue;
        }
        let mut changes = vec![Changes::default(); moves.len().min(40)];
        let mut children = Vec::new();
        for (changes, &mv) in changes.iter_mut().zip(&moves) {
            position.changes(layout, mv, changes);
            let mut child = position.clone();
            child.play(mv);
            children.push(child.pack(child.turn()));
        }
        cpu.evaluate_children(&position.pack(!position.turn()), &changes, 2, &mut work, &mut by_difference);
        cpu.evaluate(&children, 1, &mut work, &mut alone);
        let worst = difference(&by_difference, &alone);
        assert!(worst < TOLERANCE, "{layout:?}: {worst}\n{position}");
    }
}

#[test]
fn children_by_difference() {
    check_children(&Shogi9::default(), Layout::Shogi);
    check_children(&Shogi9::default(), Layout::Dlshogi);
    check_children(&Minishogi::default(), Layout::Minishogi);
    check_children(&start::<Go9>("go9"), Layout::Go(9));
    check_children(&start::<BlokusDuo>("blokus-duo"), Layout::BlokusDuo);
}

#[test]
fn nothing_is_asked() {
    let cpu = Cpu::new(&network(Architecture::new(Layout::Minishogi, 1, 8), 3));
    let mut answers = Evaluations::default();
    cpu.evaluate(&[], 4, &mut Workspace::default(), &mut answers);
    assert!(answers.is_empty() && answers.policy.is_empty());
}

#[test]
fn priors_are_of_legal_moves() {
    let position = Minishogi::default();
    let cpu = Cpu::new(&network(Architecture::new(Layout::Minishogi, 1, 8), 3));
    let mut answers = Evaluations::default();
    cpu.evaluate(&[position.pack(position.turn())], 1, &mut Workspace::default(), &mut answers);
    let (mut moves, mut priors) = (Vec::new(), Vec::new());
    position.generate(&mut moves);
    answers.priors(0, moves.iter().map(|&mv| position.label(mv)), &mut priors);
    assert_eq!(priors.len(), moves.len());
    assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5 && priors.iter().all(|&p| p > 0.0));
    let [win, draw, loss] = answers.value[0];
    assert!((win + draw + loss - 1.0).abs() < 1e-5);
    assert_eq!(answers.expectation(0), win - loss);
}
