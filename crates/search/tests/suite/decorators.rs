//! No evaluator that asks another one forgets what was wanted.
#![cfg(not(loom))]

use std::sync::Arc;

use yomi_core::{Answer, AnyEvaluator, Cancel, Evaluator, Flight, Line, Move, Position, Question, Want};
use yomi_eval::go::{DynamicKomi, Model};
use yomi_eval::{Guided, WinInOne};
use yomi_games::go::{Go9, Rules};
use yomi_games::shogi::Minishogi;
use yomi_search::{Quiet, QuietOptions};

/// Answers everything that can be wanted, in a way that shows where it comes from. It likes batches.
struct Everything;

impl<P: Position> Evaluator<P> for Everything {
    type Scratch = u32;

    fn scratch(&self, seed: u64) -> u32 {
        seed as u32
    }

    fn win(&self) -> f32 {
        777.0
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, asked: &mut u32) {
        *asked += 1;
        answer.by_value(question, 777.0, |question| 10.0 + question.depth as f32);
        if question.want.has(Want::PRIORS) {
            answer.priors.clear();
            answer.priors.extend((0..question.moves.len()).map(|i| i as f32));
        }
        if question.want.has(Want::PLAYOUTS) {
            answer.playouts.play(P::Move::from_bits(7));
            answer.playouts.finish(0.5);
        }
        if question.want.has(Want::COUNTERS) {
            answer.count("questions", u64::from(*asked));
        }
        if question.want.has(Want::SCORE) {
            (answer.score, answer.owners) = (Some(3.5), vec![1.0]);
        }
        assert!(!question.cancel.is_cancelled(), "the token is handed on, and asked");
    }

    fn batch(&self) -> usize {
        5
    }
}

/// What a decorator may change.
struct Changes {
    priors: bool,
    /// Whether batches reach the evaluator inside.
    batches: bool,
}

fn forgets_nothing<P: Position, E: Evaluator<P, Scratch: 'static> + 'static>(
    name: &str,
    line: &Line<P>,
    decorator: E,
    changes: Changes,
) {
    let mut moves = Vec::new();
    assert!(line.generate(&mut moves).is_none());
    let everything = Want::VALUE | Want::PRIORS | Want::CHILDREN | Want::PLAYOUTS | Want::COUNTERS | Want::SCORE;
    assert_eq!(decorator.win(), 777.0, "{name}");
    let asked = std::sync::atomic::AtomicU32::new(0);
    let never = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == u32::MAX;
    let question = Question { cancel: Cancel::when(&never), want: everything, ..Question::at(line, &moves) };
    // Alone, in a batch, and behind an erased type.
    let any = AnyEvaluator::new(decorator);
    for batched in [false, true] {
        let (mut answer, mut scratch) = (Answer::default(), any.scratch(0));
        match batched {
            true => any.judge_all(&mut [Flight { question, answer: &mut answer }], &mut scratch),
            false => any.judge(&question, &mut answer, &mut scratch),
        }
        assert!((answer.value - 10.0).abs() < 9.0, "{name}: value {}", answer.value);
        assert_eq!((answer.values.len(), answer.outcomes.len()), (moves.len(), moves.len()), "{name}: children");
        assert!(answer.values.iter().all(|&value| value != 0.0), "{name}: children");
        assert_eq!(answer.priors.len(), moves.len(), "{name}: priors");
        if !changes.priors {
            assert!(answer.priors.iter().enumerate().all(|(i, &prior)| prior == i as f32), "{name}: priors");
        }
        assert_eq!(
            answer.playouts.iter().collect::<Vec<_>>(),
            [(&[P::Move::from_bits(7)][..], 0.5)],
            "{name}: playouts"
        );
        assert_eq!(answer.counters.len(), 1, "{name}: counters");
        assert_eq!((answer.score, &answer.owners[..]), (Some(3.5), &[1.0][..]), "{name}: score");
        assert!(asked.load(std::sync::atomic::Ordering::Relaxed) > 0, "{name}: cancellation");
        // Nothing that was not wanted.
        let mut answer = Answer::default();
        any.judge(&question.wanting(Want::VALUE), &mut answer, &mut scratch);
        assert!(answer.values.is_empty() && answer.priors.is_empty() && answer.playouts.is_empty(), "{name}");
        assert!(answer.counters.is_empty() && answer.score.is_none() && answer.owners.is_empty(), "{name}");
    }
    assert_eq!(any.batch(), if changes.batches { 5 } else { 1 }, "{name}: batches");
}

/// Every decorator there is. One that is missing here is not tested; one that forgets something fails.
#[test]
fn decorators_forget_nothing() {
    let handicap = Go9::new(7, Rules { handicap: 2, ..Rules::default() }).unwrap();
    let even = Go9::new(7, Rules::default()).unwrap();
    let (go, even, shogi) = (Line::new(handicap), Line::new(even), Line::new(Minishogi::default()));
    let plain = || Changes { priors: false, batches: true };
    let single = || Changes { priors: false, batches: false };
    forgets_nothing("none", &go, Everything, plain());
    forgets_nothing("shared", &go, Arc::new(Everything), plain());
    forgets_nothing("erased", &go, AnyEvaluator::new(Everything), plain());
    forgets_nothing("guided", &go, Guided::new(Everything, Model::embedded()), Changes { priors: true, ..plain() });
    forgets_nothing("dynamic komi", &go, DynamicKomi::new(Everything, 8.0), single());
    forgets_nothing("dynamic komi, even", &even, DynamicKomi::new(Everything, 8.0), single());
    forgets_nothing("win-in-one", &shogi, WinInOne::new(Everything), plain());
    forgets_nothing("quiet", &shogi, Quiet::new(Everything, QuietOptions::default()), single());
    let nested = WinInOne::new(Quiet::new(AnyEvaluator::new(Everything), QuietOptions::default()));
    forgets_nothing("all of them", &shogi, nested, single());
}

/// The position that a quiescence search took its value from comes through any decorator.
#[test]
fn the_quiet_position_is_known_through_decorators() {
    // A rook hangs to a pawn.
    let position = Minishogi::from_sfen("4k/5/2r2/2P2/K4 b - 1").unwrap();
    let quiet = Quiet::new(yomi_eval::Material, QuietOptions { depth: 4, ..QuietOptions::default() });
    let any = AnyEvaluator::new(WinInOne::new(AnyEvaluator::new(quiet)));
    let mut answer = Answer::default();
    any.judge(&Question::of(&position, &[]), &mut answer, &mut any.scratch(0));
    let mut end = position;
    assert_eq!(answer.line.len(), 1, "takes the rook");
    answer.line.iter().for_each(|&mv| end.play(mv));
    assert_eq!(answer.value, -yomi_eval::Material.value(&Question::of(&end, &[]), &mut ()));
}

/// Value and priors of a quiet leaf: the evaluator inside is asked about the leaf itself once.
#[test]
fn quiet_asks_once_for_value_and_priors() {
    let line = Line::new(Minishogi::default());
    let mut moves = Vec::new();
    line.generate(&mut moves);
    let quiet = Quiet::new(Everything, QuietOptions { depth: 0, ..QuietOptions::default() });
    let mut answer = Answer::default();
    let mut scratch = Evaluator::<Minishogi>::scratch(&quiet, 0);
    let want = Want::VALUE | Want::PRIORS | Want::COUNTERS;
    quiet.judge(&Question::at(&line, &moves).wanting(want), &mut answer, &mut scratch);
    assert_eq!(answer.counters, [("questions", 1)]);
    answer.clear();
    quiet.judge(&Question::at(&line, &moves).wanting(want), &mut answer, &mut scratch);
    assert_eq!(answer.counters, [("questions", 2)]);
}
