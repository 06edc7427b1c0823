//! TDMC(λ) (Osaki, Shibahara, Tajima and Kotani 2008): the static value moves towards how often random games from here and from later
//! positions are won, λ weighing the later ones, and in the end the result.

use yomi_core::{Color, Line, Outcome, Position, Rng};

use super::{Method, Note, Searched, score, win_probability};
use crate::model::Model;

/// TDMC(λ).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tdmc {
    /// λ.
    pub lambda: f64,
    /// K, where values become probabilities.
    pub k: f64,
    /// Random games per position.
    pub playouts: usize,
    /// A random game that lasts longer is drawn.
    pub longest: usize,
}

impl Tdmc {
    /// The mean score of random games for the side to move.
    fn random_games<P: Position>(&self, line: &Line<P>, rng: &mut Rng) -> f64 {
        let turn = line.position().turn();
        let (mut game, mut moves) = (line.clone(), Vec::new());
        let mut total = 0.0;
        for _ in 0..self.playouts {
            game.rewind_to(line);
            let outcome = (0..self.longest).find_map(|_| {
                let outcome = game.generate(&mut moves);
                if outcome.is_none() {
                    game.play(moves[rng.below(moves.len())]);
                }
                outcome
            });
            total += score(outcome.unwrap_or(Outcome::Draw), turn);
        }
        total / self.playouts.max(1) as f64
    }

    /// For every note the λ-return in probabilities that its side wins: `g_t = (1-λ)·p_t + λ·g_{t+1}`, the last g being the result.
    fn targets(&self, sampled: &[(Color, f64)], outcome: Outcome) -> Vec<f64> {
        let mut next = score(outcome, Color::Black);
        let mut targets = Vec::with_capacity(sampled.len());
        for &(turn, p) in sampled.iter().rev() {
            let black = |p: f64| if turn == Color::Black { p } else { 1.0 - p };
            next = (1.0 - self.lambda) * black(p) + self.lambda * next;
            targets.push(black(next));
        }
        targets.reverse();
        targets
    }
}

impl<P: Position, M: Model<P>> Method<P, M> for Tdmc {
    fn name(&self) -> &'static str {
        "tdmc"
    }

    /// The note keeps the static value, and the sampled probability as its loss until the targets are known.
    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let sampled = self.random_games(searched.line, &mut searched.seed.rng());
        let leaf = searched.resolver.resolve(searched.line.position());
        let sum = &mut *searched.sum;
        leaf.gradient(searched.model, searched.parameters, 1.0, &mut |index, x| sum.add(index, x));
        let value = leaf.value(searched.model, searched.parameters);
        searched.note(value, sampled)
    }

    fn credits(&self, notes: &[Note], outcome: Outcome, _: &[usize]) -> Vec<f64> {
        let sampled: Vec<(Color, f64)> = notes.iter().map(|note| (note.turn, note.loss)).collect();
        let credit = |(note, target): (&Note, f64)| (target - win_probability(note.value, self.k)) / self.k;
        notes.iter().zip(self.targets(&sampled, outcome)).map(credit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, λ = 1/4: White wins.
    #[test]
    fn targets_are_lambda_returns() {
        let method = Tdmc { lambda: 0.25, k: 600.0, playouts: 1, longest: 1 };
        let found = method.targets(&[(Color::Black, 0.8), (Color::White, 0.6)], Outcome::Win(Color::White));
        let white = 0.75 * 0.6 + 0.25 * 1.0;
        let black = 0.75 * 0.8 + 0.25 * (1.0 - white);
        assert!((found[1] - white).abs() < 1e-12 && (found[0] - black).abs() < 1e-12, "{found:?}");
    }
}
