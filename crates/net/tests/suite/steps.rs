//! The timed evaluation against the plain one: whatever the input, the answers are the same.

use crate::common;

use common::{network, start};
use yomi_core::question::Flight;
use yomi_core::{Answer, Evaluator, Line, Notation, Position, Question, Seed, Want};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go9;
use yomi_games::shogi::{Minishogi, Shogi9};
use yomi_net::backend::CpuBackend;
use yomi_net::input::{Changes, Encode, Layout, Planes};
use yomi_net::steps::{Features, STEPS, TimedNet};
use yomi_net::{Architecture, NetEvaluator};

fn lines<P: Encode + Notation>(from: &P) -> Vec<Line<P>> {
    let (mut rng, mut moves, mut list) = (Seed::new(6).rng(), Vec::new(), Vec::new());
    let mut line = Line::new(from.clone());
    while list.len() < 5 {
        for _ in 0..7 {
            if line.generate(&mut moves).is_some() {
                line = Line::new(from.clone());
            } else {
                line.play(moves[rng.below(moves.len())]);
            }
        }
        if line.generate(&mut moves).is_none() {
            list.push(line.clone());
        }
    }
    list
}

fn compare<P: Encode + Notation>(layout: Layout, from: &P) {
    let network = network(Architecture::new(layout, 1, 8), 4);
    let net = NetEvaluator::new(Box::new(CpuBackend::new(&network, 1)));
    let lines = lines(from);
    let moves: Vec<Vec<P::Move>> = lines
        .iter()
        .map(|line| {
            let mut moves = Vec::new();
            line.generate(&mut moves);
            moves
        })
        .collect();
    let wants =
        [Want::VALUE, Want::VALUE | Want::PRIORS, Want::CHILDREN, Want::CHILDREN | Want::PRIORS, Want::COUNTERS];
    let questions =
        || lines.iter().zip(&moves).zip(wants).map(|((line, moves), want)| Question::at(line, moves).wanting(want));
    let answers = |evaluator: &dyn Fn(&mut [Flight<'_, P>])| {
        let mut answers: Vec<Answer<P::Move>> = wants.iter().map(|_| Answer::default()).collect();
        let mut flights: Vec<Flight<'_, P>> =
            questions().zip(&mut answers).map(|(question, answer)| Flight { question, answer }).collect();
        evaluator(&mut flights);
        answers
    };
    let plain = answers(&|flights| net.judge_all(flights, &mut Evaluator::<P>::scratch(&net, 0)));
    for features in [Features::Packed, Features::Planes, Features::Difference] {
        let timed = TimedNet::new(net.clone(), features);
        let with_timer = answers(&|flights| timed.judge_all(flights, &mut Evaluator::<P>::scratch(&timed, 0)));
        let near = |a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{layout:?} {features:?}: {a} {b}"));
        };
        for (a, b) in with_timer.iter().zip(&plain) {
            near(&[a.value], &[b.value]);
            near(&a.priors, &b.priors);
            near(&a.values, &b.values);
            assert_eq!(a.outcomes, b.outcomes);
        }
        assert!(timed.failure().is_none());
        // Which of the steps took time depends on the clock; that they are counted does not.
        let counted: Vec<&str> = with_timer[4].counters.iter().map(|&(name, _)| name).collect();
        assert_eq!(counted, STEPS);
    }
}

#[test]
fn timed_answers_are_the_plain_ones() {
    compare(Layout::Shogi, &Shogi9::default());
    compare(Layout::Dlshogi, &Shogi9::default());
    compare(Layout::Minishogi, &Minishogi::default());
    compare(Layout::Go(9), &start::<Go9>("go9"));
    compare(Layout::BlokusDuo, &start::<BlokusDuo>("blokus-duo"));
}

/// Planes that are written out come back; those of a child are its parent's with the changes (S4.4).
#[test]
fn written_out_planes_are_the_sparse_ones() {
    for line in lines(&Shogi9::default()) {
        let (layout, position) = (Layout::Shogi, line.position());
        let viewer = !position.turn();
        let (mut planes, mut moves, mut changes) = (Planes::default(), Vec::new(), Changes::default());
        layout.expand(&position.pack(viewer), &mut planes);
        let parent = planes.dense(layout.planes(), 81);
        assert_eq!(Planes::from_dense(&parent, 81).sorted(), planes.sorted());
        position.generate(&mut moves);
        for &mv in &moves {
            let mut child = *position;
            child.play(mv);
            let mut expected = Planes::default();
            layout.expand(&child.pack(viewer), &mut expected);
            let mut dense = parent.clone();
            position.changes(layout, mv, &mut changes);
            changes.apply_dense(81, &mut dense);
            assert_eq!(dense, expected.dense(layout.planes(), 81));
        }
    }
}
