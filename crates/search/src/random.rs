//! Plays any legal move: the player every other must beat.

use yomi_core::{Line, Position};

use crate::finished::over;
use crate::search::{Ended, Limits, RootMove, Search, Verdict, Watch};

/// Draws uniformly from the legal moves, by the seed of the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlayer;

impl<P: Position> Search<P> for RandomPlayer {
    fn search(&mut self, line: &Line<P>, limits: &Limits, _watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let mut moves = Vec::new();
        if let Some(outcome) = line.generate(&mut moves) {
            return over(line.position(), outcome, 1.0);
        }
        let mut rng = limits.seed.branch("random", line.len() as u64).rng();
        let best = moves[rng.below(moves.len())];
        let prior = 1.0 / moves.len() as f32;
        let moves = moves.iter().map(|&mv| RootMove { prior, ..RootMove::new(mv) }).collect();
        Verdict { best: Some(best), pv: vec![best], moves, ended: Some(Ended::Exhausted), ..Verdict::empty() }
    }
}

impl std::fmt::Display for RandomPlayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "random")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;
    use yomi_core::toy::{Nim, TicTacToe};

    #[test]
    fn draws_every_move_equally_often() {
        let line = Line::new(TicTacToe::default());
        let mut counts = [0u32; 9];
        for seed in 0..9_000 {
            let limits = Limits::infinite().seeded(Seed::new(seed));
            let verdict = RandomPlayer.search(&line, &limits, &mut ());
            assert_eq!(verdict, RandomPlayer.search(&line, &limits, &mut ()), "the same seed, the same move");
            counts[usize::from(verdict.best.unwrap().0)] += 1;
        }
        // χ² with 8 degrees of freedom; 40 is beyond the 1 - 1e-5 quantile, and the seeds are fixed.
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 40.0, "{counts:?}");
    }

    #[test]
    fn a_finished_game_has_no_move() {
        let verdict = RandomPlayer.search(&Line::new(Nim::new(0)), &Limits::infinite(), &mut ());
        assert_eq!((verdict.best, verdict.ended), (None, Some(Ended::GameOver)));
    }
}
