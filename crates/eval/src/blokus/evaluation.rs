//! The evaluation as a whole: weights ready for use.

use std::sync::Arc;

use yomi_core::{Color, Position};
use yomi_games::blokus::{BlokusDuo, BlokusMove};

use super::sums::Sums;
use super::tables::{SCALE, Tables};
use super::weights::{Weights, sigmoid};
use crate::rollout::Scorer;

/// The learned evaluation of Blokus Duo. A clone shares the tables.
#[derive(Clone)]
pub struct Evaluation {
    tables: Arc<Tables>,
}

impl Evaluation {
    /// The evaluation with these weights.
    pub fn new(weights: &Weights) -> Evaluation {
        Evaluation { tables: Arc::new(Tables::new(weights)) }
    }

    /// The tables at work.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What a position is worth to the side to move.
    pub fn value(&self, position: &BlokusDuo) -> f64 {
        let black = f64::from(self.tables.black(position)) / SCALE;
        if position.turn() == Color::Black { black } else { -black }
    }

    /// The probability that the side to move wins.
    pub fn win_probability(&self, position: &BlokusDuo) -> f64 {
        sigmoid(self.value(position))
    }

    /// Replaces `changes` by what each move of a position changes for the side to move, in small units ([`SCALE`] to one).
    pub fn changes(&self, position: &BlokusDuo, moves: &[BlokusMove], changes: &mut Vec<i32>) {
        let sums = Sums::of(&self.tables, position);
        let ready = sums.ready(&self.tables, position);
        changes.clear();
        changes.extend(moves.iter().map(|&mv| ready.change(mv)));
    }
}

/// What a playout remembers: the sums where it began and where it is.
pub struct Following {
    root: Option<Sums>,
    now: Option<Sums>,
    /// The move chosen last, who made it, and what it changes: played when the next question shows that it was.
    pending: Option<(Color, BlokusMove)>,
}

impl Evaluation {
    /// The sums of this position: those of the last move if it is the next, or from scratch.
    fn follow<'s>(&self, position: &BlokusDuo, following: &'s mut Following) -> &'s Sums {
        let Following { now, pending, .. } = following;
        let sums = now.get_or_insert_with(|| Sums::of(&self.tables, position));
        if !sums.is_of(position) {
            if let Some((color, mv)) = pending.take() {
                sums.lay(&self.tables, color, mv);
            }
            if !sums.is_of(position) {
                *sums = Sums::of(&self.tables, position);
            }
        }
        sums
    }
}

impl Scorer<BlokusDuo> for Evaluation {
    type Scratch = Following;

    fn scratch(&self) -> Following {
        Following { root: None, now: None, pending: None }
    }

    fn begin(&self, position: &BlokusDuo, following: &mut Following) {
        let Following { root, now, pending } = following;
        if !root.as_ref().is_some_and(|sums| sums.is_of(position)) {
            *root = Some(Sums::of(&self.tables, position));
        }
        now.clone_from(root);
        *pending = None;
    }

    #[inline]
    fn score(&self, position: &BlokusDuo, moves: &[BlokusMove], values: &mut Vec<f32>, following: &mut Following) {
        let ready = self.follow(position, following).ready(&self.tables, position);
        values.clear();
        values.extend(moves.iter().map(|&mv| (f64::from(ready.change(mv)) / SCALE) as f32));
    }

    #[inline]
    fn chosen(&self, position: &BlokusDuo, mv: BlokusMove, following: &mut Following) {
        if !mv.is_pass() {
            // A move chosen without a question, because there was no other, has to be followed as well.
            self.follow(position, following);
            following.pending = Some((position.turn(), mv));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::random_position;
    use super::super::weights::random_weights;
    use super::*;
    use crate::rollout::{Choice, Judged, Selective};
    use yomi_core::policy::play_out;
    use yomi_core::{Answer, Evaluator, Policy, Question, Seed};

    /// The same evaluation without any memory.
    struct Forgetful(Evaluation);
    impl Evaluator<BlokusDuo> for Forgetful {
        type Scratch = ();
        fn scratch(&self, _: u64) {}
        fn win(&self) -> f32 {
            // No more than an evaluation, so that ended games do not outweigh it.
            0.0
        }
        fn judge(&self, question: &Question<'_, BlokusDuo>, answer: &mut Answer<BlokusMove>, (): &mut ()) {
            answer.by_value(question, 0.0, |question| self.0.value(question.position) as f32);
        }
    }

    /// Playouts that follow the game by difference play what playouts that evaluate every position from scratch play, however one playout
    /// follows another.
    #[test]
    fn following_changes_no_playout() {
        let evaluation = Evaluation::new(&random_weights(5));
        for choice in [Choice::Best, Choice::Noise(3.0)] {
            let fast = Selective::new(5, choice, evaluation.clone());
            let slow = Selective::new(5, choice, Slow(evaluation.clone()));
            let mut fast_scratch = Policy::<BlokusDuo>::scratch(&fast);
            let mut slow_scratch = Policy::<BlokusDuo>::scratch(&slow);
            for (seed, plies) in (0..24).zip([0, 0, 7, 7, 20, 3].into_iter().cycle()) {
                let start = random_position(seed / 3, plies);
                let [mut fast_rng, mut slow_rng] = [0; 2].map(|_| Seed::new(seed).rng());
                let ends = [
                    play_out(&mut start.clone(), 0, &fast, &mut fast_rng, &mut fast_scratch),
                    play_out(&mut start.clone(), 0, &slow, &mut slow_rng, &mut slow_scratch),
                ];
                assert_eq!(ends[0], ends[1]);
                assert_eq!(fast_rng.next(), slow_rng.next(), "the same draws");
            }
        }
    }

    /// Scores every move from scratch.
    struct Slow(Evaluation);
    impl Scorer<BlokusDuo> for Slow {
        type Scratch = ();
        fn scratch(&self) {}
        fn score(&self, position: &BlokusDuo, moves: &[BlokusMove], values: &mut Vec<f32>, (): &mut ()) {
            values.clear();
            let before = self.0.value(position);
            values.extend(moves.iter().map(|&mv| {
                let mut child = position.clone();
                child.play(mv);
                (-self.0.value(&child) - before) as f32
            }));
        }
    }

    /// A question asked again, or about another line, is answered right.
    #[test]
    fn questions_may_come_again() {
        let evaluation = Evaluation::new(&random_weights(6));
        let mut following = evaluation.scratch();
        let (mut moves, mut values, mut again) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..20 {
            let position = random_position(seed, 10);
            if position.generate(&mut moves).is_some() {
                continue;
            }
            evaluation.score(&position, &moves, &mut values, &mut following);
            evaluation.chosen(&position, moves[0], &mut following);
            evaluation.score(&position, &moves, &mut again, &mut following);
            assert_eq!(values, again);
            evaluation.chosen(&position, moves[moves.len() - 1], &mut following);
            let judged = Judged(Forgetful(evaluation.clone()));
            let mut scratch = Scorer::<BlokusDuo>::scratch(&judged);
            judged.score(&position, &moves, &mut again, &mut scratch);
            let before = evaluation.value(&position) as f32;
            // Ended games count 0 there and are left out.
            let close = |(a, b): (&f32, &f32)| (a + before - b).abs() < 1e-2 || *b == 0.0;
            assert!(values.iter().zip(&again).all(close));
            let mut changes = Vec::new();
            evaluation.changes(&position, &moves, &mut changes);
            let scaled = changes.iter().map(|&change| (f64::from(change) / SCALE) as f32);
            assert!(scaled.eq(values.iter().copied()));
        }
    }
}
