//! Wide positions, mad evaluators, absurd parameters: a clear error or a sane answer.

use std::thread::ThreadId;

use super::common::{Hashed, METHODS, Wide, search, simulations, with};
use yomi_core::toy::{Branch, ConnectFour};
use yomi_core::{Answer, Evaluator, Position, Question, Want};
use yomi_eval::constant::Blind;
use yomi_search::Method;

/// The widest shogi position known has 593 moves.
#[test]
fn wide_positions_are_searched() {
    for method in METHODS {
        for threads in [1, 2] {
            let method = with(method, &format!("hash=64,threads={threads}"));
            let name = method.to_string();
            let verdict = search(method, Hashed, Wide::new(593, 6), &simulations(40, 1));
            assert_eq!(verdict.moves.len(), 593, "{name}");
            // Log-sum-exp gains T·ln 593 by width alone.
            assert!(verdict.best.is_some() && verdict.value.abs() <= 3.0, "{name}");
        }
    }
}

/// More children than the tree can hold at all: the first legal move, and the tree says that it is full.
#[test]
fn a_family_that_never_fits_leaves_a_legal_move() {
    for method in METHODS {
        let verdict = search(with(method, "hash=1"), Blind, Wide::new(60_000, 6), &simulations(20, 1));
        assert!(verdict.tree_full && verdict.nodes == 1 && verdict.best == Some(Branch(0)), "{method}");
        assert_eq!(verdict.moves.len(), 60_000);
    }
}

/// Answers whatever it likes.
struct Mad(f32);

impl<P: Position> Evaluator<P> for Mad {
    type Scratch = u32;

    fn scratch(&self, _: u64) -> u32 {
        0
    }

    fn win(&self) -> f32 {
        1.0
    }

    /// Too few answers, too many, or none at all.
    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, calls: &mut u32) {
        answer.value = self.0;
        answer.priors.resize(question.moves.len() / 2, self.0);
        if question.want.has(Want::CHILDREN) {
            *calls += 1;
            let n = [0, 1, question.moves.len(), question.moves.len() + 3][*calls as usize % 4];
            answer.priors.resize(n, self.0);
            (0..n).for_each(|_| answer.push_child(self.0, None));
        }
    }
}

#[test]
fn mad_evaluators_are_survived() {
    for method in METHODS {
        for answer in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, -0.0, f32::MIN_POSITIVE, 1e30] {
            let verdict =
                search(with(method, "hash=4,threads=2"), Mad(answer), ConnectFour::default(), &simulations(300, 1));
            assert!(verdict.best.is_some() && verdict.value.is_finite(), "{method} given {answer}: {}", verdict.value);
            let finite = |x: f32| x.is_finite();
            let sane = verdict
                .moves
                .iter()
                .all(|m| finite(m.value) && finite(m.selection) && finite(m.backup) && finite(m.prior));
            assert!(sane, "{method} given {answer}: {:?}", verdict.moves);
        }
    }
}

/// Fails in every thread but the caller's, which makes way: on a busy machine it could do all the work before another thread begins.
struct Frail(ThreadId);

impl<P: Position> Evaluator<P> for Frail {
    type Scratch = ();

    fn scratch(&self, _: u64) {}

    fn win(&self) -> f32 {
        1.0
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        assert_eq!(std::thread::current().id(), self.0, "the evaluator fails here, as it should");
        std::thread::yield_now();
        answer.by_value(question, 1.0, |_| 0.0);
    }
}

/// A caller who waits for a thread that is no more would wait for ever.
#[test]
fn a_thread_that_fails_is_heard_of() {
    let evaluator = Frail(std::thread::current().id());
    let searching =
        || search(with("uct", "hash=4,threads=2"), evaluator, ConnectFour::default(), &simulations(100_000, 1));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(searching)).is_err());
}

/// Every number a method takes, replaced by absurd ones: an error, or a search that ends with a legal move.
#[test]
fn absurd_parameters_give_an_error_or_an_answer() {
    let (mut errors, mut answers) = (0, 0);
    for method in METHODS {
        for absurd in ["0", "-1", "nan", "inf", "1e300", "1e-300", "1e38", "1e-38", "99999999999999999999", "x", ""] {
            for (start, _) in method.match_indices('=') {
                let rest = &method[start + 1..];
                let end = start + 1 + rest.find([',', ')']).unwrap_or(rest.len());
                if method[start + 1..end].contains('(') {
                    continue;
                }
                let text = format!("{}{absurd}{}", &method[..=start], &method[end..]);
                match text.parse::<Method>() {
                    Err(error) => {
                        assert!(!error.message.is_empty() && error.column > 0, "{text}: {error}");
                        errors += 1;
                    }
                    Ok(method) => {
                        let verdict = search(method, Hashed, Wide::new(9, 20), &simulations(60, 1));
                        assert!(verdict.best.is_some() && verdict.value.is_finite(), "{text}: {}", verdict.value);
                        answers += 1;
                    }
                }
            }
        }
    }
    assert!(errors > 200 && answers > 50, "{errors} errors, {answers} answers");
}
