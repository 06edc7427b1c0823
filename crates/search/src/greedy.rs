//! Plays the move whose position the evaluator likes best: one ply, no search.

use yomi_core::{Evaluator, Family, Line, Outcome, Patience, Position, Siblings};

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
        let mut siblings = Siblings::default();
        let stopped = || watch.should_stop();
        let patience = Patience::until(&stopped);
        let family = Family { patience, ..Family::of(line.position(), line.plies(), &moves) };
        self.evaluator.evaluate_siblings(&family, &mut siblings, &mut scratch);
        // What was not judged because of a wish to stop is the last to play.
        let judged = siblings.values.len().min(moves.len());
        let broken_off = judged < moves.len() && patience.is_over();
        let unknown = if broken_off { -self.evaluator.win() } else { 0.0 };
        let mut moves: Vec<RootMove<P::Move>> = moves
            .iter()
            .enumerate()
            .map(|(i, &mv)| {
                let outcome = siblings.outcomes.get(i).copied().flatten();
                RootMove {
                    visits: 1,
                    value: siblings.values.get(i).copied().filter(|value| !value.is_nan()).unwrap_or(unknown),
                    prior: siblings.priors.get(i).copied().unwrap_or(0.0),
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
            ended: Some(if broken_off { Ended::Stopped } else { Ended::Exhausted }),
            moves,
            ..Verdict::empty()
        }
    }

    fn prepare(&mut self, line: &Line<P>) {
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
    use yomi_core::Leaf;
    use yomi_core::toy::{Nim, ToyTree};

    /// Answers what the tree says.
    struct Written;

    impl Evaluator<ToyTree> for Written {
        type Scratch = ();
        fn scratch(&self, _: u64) {}
        fn win(&self) -> f32 {
            100.0
        }
        fn evaluate(&self, leaf: &Leaf<'_, ToyTree>, _: &mut ()) -> f32 {
            let value = leaf.position.written_value() as f32;
            if leaf.position.turn() == yomi_core::Color::Black { value } else { -value }
        }
    }

    #[test]
    fn takes_the_best_child_and_looks_no_further() {
        let line = Line::new("(3:(-1 -1) 7:(-1) 7:(1) -5)".parse::<ToyTree>().unwrap());
        let verdict = Greedy::new(Written).search(&line, &Limits::infinite(), &mut ());
        assert_eq!((verdict.best.map(|b| b.0), verdict.value, verdict.evaluations), (Some(1), 7.0, 4));
        assert_eq!(verdict.moves.iter().map(|m| m.mv.0).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert_eq!(verdict.moves[3].proof, Some(Proof::Loss(1)));
        assert_eq!(verdict.proof, None);
    }

    #[test]
    fn wins_when_it_can() {
        let line = Line::new("(99:(-1 -1) 1)".parse::<ToyTree>().unwrap());
        let verdict = Greedy::new(Written).search(&line, &Limits::infinite(), &mut ());
        assert_eq!((verdict.best.map(|b| b.0), verdict.proof), (Some(1), Some(Proof::Win(1))));
        let over = Greedy::new(Written).search(&Line::new("-1".parse().unwrap()), &Limits::infinite(), &mut ());
        assert_eq!((over.best, over.value), (None, -100.0));
        assert_eq!(Line::new(Nim::new(1)).len(), 0);
    }
}
