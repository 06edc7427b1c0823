//! Realization-probability search: the depth of a line is how improbable its moves are (S0.5, S3.2, S3.4 deterministic).
//!
//! A move of probability π' under the simulation policy costs `ln π'/ln p` plies, p being the probability that costs one. Iteration n then
//! grows every branch whose cumulative selection probability is above `K = p^n`, and no other: probable lines are searched deeper,
//! improbable ones less deeply. Siblings share their parent's probability, so they compete.

use yomi_core::{Evaluator, Move, Position, Question, Want};

use crate::alpha_beta::node::{Node, Worker};
use crate::ordering::Guide;

/// A line that nothing shortens is searched at most this many times as deep as the iteration says.
const DEEPEST: usize = 2;
/// No move costs more plies: the least expected move may still be a mate.
const DEAREST: f32 = 4.0;

/// Plies that a move of this probability costs, if one of probability `ply` costs one.
pub(super) fn cost(probability: f32, ply: f32) -> f32 {
    (probability.max(1e-9).ln() / ply.ln()).clamp(0.0, DEAREST)
}

impl<P: Position, E: Evaluator<P>, G: Guide<P>> Worker<'_, P, E, G> {
    /// Whether depth is measured in probabilities.
    pub(super) fn is_by_probability(&self) -> bool {
        self.options.realization > 0.0
    }

    /// Asks for the probabilities of all moves at a ply. Next to the leaves every move costs a ply.
    pub(super) fn weigh_moves(&mut self, position: &P, ply: usize, depth: i32) {
        let mut costs = std::mem::take(&mut self.memory.levels.at(ply).costs);
        costs.clear();
        if depth > 1 {
            let mut moves = std::mem::take(&mut self.memory.levels.at(ply).all);
            position.generate(&mut moves);
            let last = self.memory.levels.at(ply).last;
            let question = Question { last, depth: ply as u32, ..Question::of(position, &moves) };
            self.answer.clear();
            self.evaluator.judge(&question.wanting(Want::PRIORS), &mut self.answer, &mut self.scratch);
            let even = 1.0 / moves.len().max(1) as f32;
            self.answer.priors.resize(moves.len(), even);
            let weighed = moves.iter().zip(&self.answer.priors);
            costs.extend(weighed.map(|(mv, &p)| (mv.to_bits(), cost(p, self.options.realization))));
            self.memory.levels.at(ply).all = moves;
        }
        self.memory.levels.at(ply).costs = costs;
    }

    /// How many plies a move at this ply takes from the depth; fractions are carried to the next ply.
    pub(super) fn plies_of(&mut self, ply: usize, mv: P::Move) -> i32 {
        let level = self.memory.levels.at(ply);
        let cost = level.costs.iter().find(|(bits, _)| *bits == mv.to_bits()).map_or(1.0, |(_, cost)| *cost);
        let total = level.spent + cost;
        let least = i32::from(ply + 1 >= DEEPEST * self.iteration);
        let whole = (total as i32).max(least);
        let next = self.memory.levels.at(ply + 1);
        next.spent = (total - whole as f32).max(0.0);
        next.last = Some(mv);
        whole
    }

    /// The same for a move of a node; one ply where depth is not measured in probabilities.
    #[inline]
    pub(super) fn plies_below(&mut self, node: &Node<'_, P>, mv: P::Move) -> i32 {
        if self.is_by_probability() { self.plies_of(node.ply, mv) } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AlphaBeta, AlphaBetaOptions, Limits, Search};
    use yomi_core::Line;
    use yomi_eval::{Guided, Material, SimulationPolicy};
    use yomi_games::shogi::Minishogi;

    #[test]
    fn improbable_moves_are_dear() {
        assert!((cost(0.25, 0.25) - 1.0).abs() < 1e-6 && (cost(0.0625, 0.25) - 2.0).abs() < 1e-6);
        assert_eq!((cost(1.0, 0.25), cost(0.0, 0.25)), (0.0, DEAREST));
    }

    /// Where all moves are equally probable and cost one ply, it is the search without probabilities; and with a policy it is another.
    #[test]
    fn even_probabilities_of_one_ply_change_nothing() {
        /// One move in this many has the probability that costs a ply.
        struct Even;
        impl yomi_eval::Priors<Minishogi> for Even {
            type Scratch = ();

            fn priors(&self, question: &Question<'_, Minishogi>, (): &mut (), out: &mut Vec<f32>) {
                out.clear();
                out.resize(question.moves.len(), 0.25);
            }
        }
        let line = Line::new(Minishogi::default());
        let search = |realization: f32, even: bool| {
            let options = AlphaBetaOptions { realization, hash: 1, ..AlphaBetaOptions::default() };
            let limits = Limits::depth(5);
            let verdict = if even {
                AlphaBeta::tactical(Guided::new(Material, Even), options).search(&line, &limits, &mut ())
            } else {
                let policy = SimulationPolicy::<Minishogi>::read("gain 2\ncheck 1\nloses-exchange -2\n").unwrap();
                AlphaBeta::tactical(Guided::new(Material, policy), options).search(&line, &limits, &mut ())
            };
            (verdict.best, verdict.value, verdict.nodes)
        };
        assert_eq!(search(0.25, true), search(0.0, true));
        assert_ne!(search(0.25, false).2, search(0.0, false).2);
    }
}
