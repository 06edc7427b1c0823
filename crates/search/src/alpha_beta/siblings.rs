//! All moves of a node judged at once, where the evaluation does that much faster than one by one.

use yomi_core::{Evaluator, Position, Question, Want};

use crate::alpha_beta::node::{Node, Tally, Worker};
use crate::alpha_beta::order::by_value;
use crate::ordering::{Guide, Scored};

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Asks for the values of all moves. The answer is read before anything else is asked.
    pub(super) fn judge_siblings(&mut self, node: &Node<'_, P>, moves: &[P::Move]) {
        let path = &self.memory.path;
        let question = Question {
            past: path.past(),
            plies: path.plies(),
            depth: node.ply as u32,
            ..Question::of(node.position, moves)
        };
        self.answer.clear();
        self.evaluator.judge(&question.wanting(Want::CHILDREN | Want::EXACT), &mut self.answer, &mut self.scratch);
        self.meter.judged_children(self.answer.values.len() as u64);
    }

    /// One ply before the leaves the values are the answer.
    pub(super) fn settle_siblings(&mut self, node: &Node<'_, P>, moves: &[P::Move], tally: &mut Tally<P::Move>) {
        self.memory.levels.cut_pv(node.ply + 1);
        let (turn, scale) = (node.position.turn(), self.scale);
        for (i, (&mv, &value)) in moves.iter().zip(&self.answer.values).enumerate() {
            let value = match self.answer.outcomes.get(i).copied().flatten() {
                Some(outcome) => scale.ended(outcome, turn, node.ply + 1),
                None => scale.opinion(value),
            };
            tally.tried += 1;
            if value > tally.best {
                tally.best = value;
                if value > tally.floor {
                    tally.floor = value;
                    tally.mv = Some(mv);
                    if !node.is_scout {
                        self.memory.levels.extend_pv(node.ply, mv);
                    }
                }
            }
        }
    }

    /// Elsewhere they say what to try first, after the move of the table and killers.
    pub(super) fn order_siblings(&self, scored: &mut [Scored<P::Move>]) {
        for (next, value) in scored.iter_mut().zip(&self.answer.values) {
            by_value(next, value / self.options.pawn);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ordering::{Forecast, Guide};
    use crate::{AlphaBeta, AlphaBetaOptions, Limits, Search};
    use yomi_core::{Line, Position, Seed};
    use yomi_eval::blokus::{Evaluation, Learned, Unit};
    use yomi_games::blokus::BlokusDuo;

    fn positions() -> Vec<BlokusDuo> {
        let mut found = Vec::new();
        for seed in 0..6 {
            let mut rng = Seed::new(seed).rng();
            let (mut position, mut moves) = (BlokusDuo::default(), Vec::new());
            for _ in 0..17 + seed {
                if position.generate(&mut moves).is_none() {
                    position.play(moves[rng.below(moves.len())]);
                }
            }
            if position.generate(&mut moves).is_none() {
                found.push(position);
            }
        }
        found
    }

    /// Gives fixed answers to questions about shallower searches.
    struct Oracle(Forecast);
    impl Guide<BlokusDuo> for Oracle {
        fn forecast(&self, _: &BlokusDuo, depth: i32) -> Option<Forecast> {
            (depth >= 3).then_some(self.0)
        }
    }

    /// ProbCut that is never sure changes nothing but the cost, one that is always sure believes the shallow search, and in between it
    /// saves nodes.
    #[test]
    fn probcut_saves_nodes_where_it_is_sure() {
        let learned = Learned::new(Evaluation::new(&Learned::embedded_weights()), Unit::Value, 20.0, "learned");
        let mut nodes = [0; 2];
        for position in positions() {
            let line = Line::new(position);
            let search = |probcut: f32, deviation: f32| {
                let oracle = Oracle(Forecast { less: 2, slope: 1.0, offset: 0.0, deviation });
                let options = AlphaBetaOptions {
                    siblings: true,
                    scout: true,
                    hash: 1,
                    probcut,
                    ..AlphaBetaOptions::full_width()
                };
                AlphaBeta::guided(learned.clone(), oracle, options).search(&line, &Limits::depth(4), &mut ())
            };
            let [off, never, sure] = [search(0.0, 1.0), search(1.5, 1e7), search(1.5, 8.0)];
            assert_eq!((off.value, off.best), (never.value, never.best), "{}", line.position());
            assert!(sure.best.is_some_and(|mv| line.is_legal(mv)));
            nodes[0] += off.nodes;
            nodes[1] += sure.nodes;
        }
        assert!(nodes[1] < nodes[0], "{nodes:?}");
    }

    /// Minimax to a fixed depth has the same value whether moves are judged one by one or together.
    #[test]
    fn values_do_not_depend_on_how_moves_are_judged() {
        let learned = Learned::new(Evaluation::new(&Learned::embedded_weights()), Unit::Value, 20.0, "learned");
        for position in positions() {
            let line = Line::new(position);
            for depth in 1..=3 {
                let value = |siblings: bool, scout: bool| {
                    let options = AlphaBetaOptions { siblings, scout, hash: 1, ..AlphaBetaOptions::full_width() };
                    let verdict =
                        AlphaBeta::new(learned.clone(), options).search(&line, &Limits::depth(depth), &mut ());
                    assert!(verdict.best.is_some_and(|mv| line.is_legal(mv)) && !verdict.pv.is_empty());
                    verdict.value
                };
                let plain = value(false, false);
                for scout in [false, true] {
                    let judged = value(true, scout);
                    assert!((plain - judged).abs() < 0.01, "{plain} {judged} {}", line.position());
                }
            }
        }
    }
}
