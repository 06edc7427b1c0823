//! Plays the move whose position the evaluator likes best: one ply, no search.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use yomi_core::{Answer, Cancel, Evaluator, Line, Outcome, Position, Question, Want};

use crate::finished::over;
use crate::search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};
use crate::warm_up::warm_up;

/// A player that looks one ply ahead.
#[derive(Clone, Copy, Debug)]
pub struct Greedy<E> {
    evaluator: E,
}

impl<E> Greedy<E> {
    /// Plays by this evaluator.
    pub fn new(evaluator: E) -> Greedy<E> {
        Greedy { evaluator }
    }
}

impl<P: Position, E: Evaluator<P>> Search<P> for Greedy<E> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        let turn = line.position().turn();
        if let Some(outcome) = line.generate(&mut moves) {
            return over(line.position(), outcome, self.evaluator.win());
        }
        let mut scratch = self.evaluator.scratch(limits.seed.branch("greedy", 0).number());
        let mut answer = Answer::default();
        let watch = Mutex::new(watch);
        let stopped = || watch.lock().unwrap_or_else(PoisonError::into_inner).should_stop();
        let cancel = Cancel::when(&stopped);
        let question = Question { cancel, want: Want::CHILDREN | Want::PRIORS, ..Question::at(line, &moves) };
        self.evaluator.judge(&question, &mut answer, &mut scratch);
        // What was not judged because the search was stopped is the last to play.
        let judged = answer.values.len().min(moves.len());
        let cancelled = judged < moves.len() && cancel.is_cancelled();
        let unknown = if cancelled { -self.evaluator.win() } else { 0.0 };
        let mut moves: Vec<RootMove<P::Move>> = moves
            .iter()
            .enumerate()
            .map(|(i, &mv)| {
                let outcome = answer.outcomes.get(i).copied().flatten();
                RootMove {
                    visits: 1,
                    value: answer.values.get(i).copied().filter(|value| !value.is_nan()).unwrap_or(unknown),
                    prior: answer.priors.get(i).copied().unwrap_or(0.0),
                    proof: outcome.map(|outcome| match outcome {
                        Outcome::Draw => Proof::Draw,
                        Outcome::Win(side) if side == turn => Proof::Win(1),
                        Outcome::Win(_) => Proof::Loss(1),
                    }),
                    depth: 1.0,
                    ..RootMove::new(mv)
                }
            })
            .collect();
        // Stable: of equal moves the first is played.
        moves.sort_by(|a, b| b.value.total_cmp(&a.value));
        moves[0].backup = 1.0;
        let best = &moves[0];
        Verdict {
            best: Some(best.mv),
            value: best.value,
            proof: best.proof.filter(|proof| matches!(proof, Proof::Win(_)) || moves.len() == 1),
            pv: vec![best.mv],
            evaluations: judged as u64,
            nodes: moves.len() as u64,
            depth: 1,
            selective_depth: 1,
            ended: Some(if cancelled { Ended::Stopped } else { Ended::Exhausted }),
            moves,
            ..Verdict::empty()
        }
    }

    fn prepare(&mut self, line: &Line<P>, _stop: &AtomicBool) {
        warm_up(&self.evaluator, line);
    }
}

impl<E: std::fmt::Display> std::fmt::Display for Greedy<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "greedy({})", self.evaluator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::toy::{Branch, Nim, ToyTree};

    /// Answers what the tree says.
    struct TreeValues;

    impl Evaluator<ToyTree> for TreeValues {
        type Scratch = ();
        fn scratch(&self, _: u64) {}
        fn win(&self) -> f32 {
            100.0
        }
        fn judge(&self, question: &Question<'_, ToyTree>, answer: &mut Answer<Branch>, (): &mut ()) {
            answer.by_value(question, 100.0, |question| {
                let value = question.position.written_value() as f32;
                if question.position.turn() == yomi_core::Color::Black { value } else { -value }
            });
        }
    }

    #[test]
    fn takes_the_best_child_and_looks_no_further() {
        let line = Line::new("(3:(-1 -1) 7:(-1) 7:(1) -5)".parse::<ToyTree>().unwrap());
        let verdict = Greedy::new(TreeValues).search(&line, &Limits::infinite(), &mut ());
        assert_eq!((verdict.best.map(|b| b.0), verdict.value, verdict.evaluations), (Some(1), 7.0, 4));
        assert_eq!(verdict.moves.iter().map(|m| m.mv.0).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert_eq!(verdict.moves[3].proof, Some(Proof::Loss(1)));
        assert_eq!(verdict.proof, None);
    }

    #[test]
    fn wins_when_it_can() {
        let line = Line::new("(99:(-1 -1) 1)".parse::<ToyTree>().unwrap());
        let verdict = Greedy::new(TreeValues).search(&line, &Limits::infinite(), &mut ());
        assert_eq!((verdict.best.map(|b| b.0), verdict.proof), (Some(1), Some(Proof::Win(1))));
        let over = Greedy::new(TreeValues).search(&Line::new("-1".parse().unwrap()), &Limits::infinite(), &mut ());
        assert_eq!((over.best, over.value), (None, -100.0));
        assert_eq!(Line::new(Nim::new(1)).len(), 0);
    }
}
