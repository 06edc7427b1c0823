//! A batch on the CPU that is cancelled: it ends within one group of positions, and what was evaluated by then counts. Counted in looks at the token.

use crate::common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{network, start};
use yomi_core::question::Flight;
use yomi_core::{Answer, Cancel, Evaluator, Line, Question, Seed, Want};
use yomi_games::go::{Go9, GoMove};
use yomi_net::backend::{Answers, Backend, CpuBackend, Request};
use yomi_net::cache::Cached;
use yomi_net::cpu::Cpu;
use yomi_net::input::Layout;
use yomi_net::sample::Sample;
use yomi_net::{Architecture, NetEvaluator};

/// Calls `ask` with a token that is cancelled when it has been looked at this often; returns how often it was looked at.
fn looked_at(looks: usize, ask: impl FnOnce(Cancel<'_>)) -> usize {
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) + 1 >= looks;
    ask(Cancel::when(&cancelled));
    asked.into_inner()
}

fn backend(threads: usize) -> CpuBackend {
    CpuBackend::new(&network(Architecture::new(Layout::Go(9), 1, 8), 4), threads)
}

/// How many positions are evaluated together.
fn group() -> usize {
    Cpu::new(&network(Architecture::new(Layout::Go(9), 1, 8), 4)).preferred_batch()
}

fn evaluated(backend: &dyn Backend, request: Request<'_>) -> Answers {
    let mut answers = Answers::default();
    backend.evaluate(request, &mut answers).unwrap();
    answers
}

/// What is answered is the beginning of the whole answer, to the last bit.
fn is_the_beginning(cut: &Answers, whole: &Answers, sample: &Sample) {
    let positions = cut.value.len();
    assert_eq!(cut.value, whole.value[..positions]);
    assert_eq!(cut.score, whole.score[..positions.min(whole.score.len())]);
    let labels: usize = (0..positions).map(|i| sample.labels_of(i).len()).sum();
    assert_eq!(cut.policy, whole.policy[..labels]);
}

#[test]
fn a_cancelled_batch_ends_after_the_group_at_hand() {
    let (backend, group) = (backend(1), group());
    let sample = Sample::of(Layout::Go(9), 50, Seed::new(1)).unwrap();
    let whole = evaluated(&backend, sample.request());
    for looks in [1, 2, 4] {
        let asked = looked_at(looks, |cancel| {
            let cut = evaluated(&backend, Request { cancel, ..sample.request() });
            assert_eq!(cut.value.len(), looks * group);
            is_the_beginning(&cut, &whole, &sample);
        });
        assert_eq!(asked, looks, "it does not ask again");
    }
    looked_at(usize::MAX, |cancel| assert_eq!(evaluated(&backend, Request { cancel, ..sample.request() }), whole));
}

/// Every thread ends after the group that it has at hand, and gaps between their answers do not count.
#[test]
fn every_thread_hears_it() {
    let (backend, group) = (backend(2), group());
    let sample = Sample::of(Layout::Go(9), 8 * group, Seed::new(2)).unwrap();
    let whole = evaluated(&backend, sample.request());
    let asked = looked_at(1, |cancel| {
        let cut = evaluated(&backend, Request { cancel, ..sample.request() });
        assert_eq!(cut.value.len(), group);
        is_the_beginning(&cut, &whole, &sample);
    });
    assert_eq!(asked, 2);
}

/// Answers that are known already count as far as there is no gap before them.
#[test]
fn a_cache_keeps_what_was_evaluated() {
    let group = group();
    let sample = Sample::of(Layout::Go(9), 6 * group, Seed::new(3)).unwrap();
    let cached = Cached::new(Box::new(backend(1)), 16);
    let whole = evaluated(&backend(1), sample.request());
    for round in 1..=6 {
        looked_at(1, |cancel| {
            let cut = evaluated(&cached, Request { cancel, ..sample.request() });
            assert!(cut.value.len() >= round * group, "{} in round {round}", cut.value.len());
            is_the_beginning(&cut, &whole, &sample);
        });
    }
    assert_eq!(evaluated(&cached, sample.request()), whole);
}

fn moves_of(line: &Line<Go9>) -> Vec<GoMove> {
    let mut moves = Vec::new();
    assert!(line.generate(&mut moves).is_none());
    moves
}

/// The question about the children.
fn family<'a>(line: &'a Line<Go9>, moves: &'a [GoMove], cancel: Cancel<'a>) -> Question<'a, Go9> {
    Question { want: Want::CHILDREN, cancel, ..Question::at(line, moves) }
}

/// Of a family those children count that were evaluated. Gathering looks at the token before every child, too.
#[test]
fn of_a_family_those_judged_so_far_count() {
    let (net, line) = (NetEvaluator::new(Box::new(backend(1))), Line::new(start::<Go9>("go9")));
    let moves = moves_of(&line);
    let mut scratch = Evaluator::<Go9>::scratch(&net, 0);
    let mut whole = Answer::default();
    net.judge(&family(&line, &moves, Cancel::NEVER), &mut whole, &mut scratch);
    let before = net.counts().0;
    looked_at(moves.len() + 2, |cancel| {
        let mut cut = Answer::default();
        net.judge(&family(&line, &moves, cancel), &mut cut, &mut scratch);
        assert_eq!((cut.values.len(), cut.outcomes.len(), cut.abandoned), (2 * group(), 2 * group(), false));
        assert_eq!(cut.values, whole.values[..2 * group()]);
    });
    assert_eq!(net.counts().0 - before, 2 * group() as u64, "nothing else was evaluated");
}

/// Of many samples those that were not evaluated are abandoned.
#[test]
fn samples_without_an_answer_are_abandoned() {
    let (net, line) = (NetEvaluator::new(Box::new(backend(1))), Line::new(start::<Go9>("go9")));
    let moves = moves_of(&line);
    let children: Vec<Line<Go9>> = moves[..40]
        .iter()
        .map(|&mv| {
            let mut child = line.clone();
            child.play(mv);
            child
        })
        .collect();
    let lists: Vec<_> = children.iter().map(moves_of).collect();
    let mut scratch = Evaluator::<Go9>::scratch(&net, 0);
    looked_at(3, |cancel| {
        let mut answers: Vec<Answer<GoMove>> = children.iter().map(|_| Answer::default()).collect();
        let want = Want::VALUE | Want::PRIORS;
        let questions =
            children.iter().zip(&lists).map(|(line, moves)| Question { cancel, want, ..Question::at(line, moves) });
        let mut flights: Vec<_> =
            questions.zip(&mut answers).map(|(question, answer)| Flight { question, answer }).collect();
        net.judge_all(&mut flights, &mut scratch);
        for (i, (answer, moves)) in answers.iter().zip(&lists).enumerate() {
            assert_eq!(answer.abandoned, i >= 3 * group(), "sample {i}");
            assert_eq!(answer.priors.len(), if answer.abandoned { 0 } else { moves.len() });
        }
    });
    assert_eq!(net.counts().0, 3 * group() as u64);
}
