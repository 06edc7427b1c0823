//! What is learned from a game: its positions, each where it has come to rest.
//!
//! A position is judged at the end of its quiescence search, as a search would. That is looked for once per generation, with the
//! evaluation that the generation begins with; the fit then goes through the quiet positions many times.
//!
//! The target of a position comes from what the searches said later on, and in the end by the result: TD(λ) (Sutton 1988). The
//! result alone comes a hundred plies after the position and knows little of it, its own search knows nothing new.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Answer, Color, Evaluator, Outcome, Position, Question, Tactical};
use yomi_eval::Linear;
use yomi_games::shogi::{Shogi, ShogiMove, Variant};
use yomi_search::quiescence::QuietScratch;
use yomi_search::{Quiet, QuietOptions};

use crate::games::Game;

/// A quiet position and what became of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lesson<V: Variant> {
    /// Nothing is to be taken here.
    pub position: Shogi<V>,
    /// How the game ended for the side to move in it: 1, 0.5 or 0.
    pub result: f32,
    /// How probably the same side wins, as the rest of the game has it.
    pub target: f32,
}

/// How the targets of positions are computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Targets {
    /// The value at which a position is won with probability σ(1) = 0.73 (Shibaura MCSS uses 600).
    pub k: f32,
    /// How much of a target lies beyond the next search: 0 believes the search of the position itself, 1 the result alone.
    pub lambda: f32,
}

/// `1/(1 + e^-x)`.
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The target of every position of a game, for its side to move: `y = (1-λ)·σ(searched value/K) + λ·(1 - y')`, where y' is the target
/// of the next position, and of the last one the result. What was not searched passes on what comes after it.
pub(crate) fn targets(options: &Targets, game: &Game<ShogiMove>) -> Vec<f32> {
    let lambda = f64::from(options.lambda);
    let last = if game.moves.len().is_multiple_of(2) { Color::Black } else { Color::White };
    let mut next = f64::from(score(game.outcome, last));
    let mut found: Vec<f32> = Vec::with_capacity(game.values.len());
    for &searched in game.values.iter().rev() {
        next = 1.0 - next;
        if !searched.is_nan() {
            next = (1.0 - lambda) * sigmoid(f64::from(searched) / f64::from(options.k)) + lambda * next;
        }
        found.push(next as f32);
    }
    found.reverse();
    found
}

/// What an outcome is worth to a side: 1, 0.5 or 0.
pub(crate) fn score(outcome: Outcome, side: Color) -> f32 {
    0.5 + 0.5 * outcome.value_for(side, 1.0)
}

/// Finds the quiet positions of games.
struct QuietFinder<V: Variant> {
    quiet: Quiet<Linear<V>>,
    answer: Answer<ShogiMove>,
    scratch: QuietScratch<ShogiMove, <Linear<V> as Evaluator<Shogi<V>>>::Scratch>,
}

impl<V: Variant> QuietFinder<V> {
    fn new(evaluation: &Linear<V>) -> QuietFinder<V> {
        let quiet = Quiet::new(evaluation.clone(), QuietOptions { depth: 6, nodes: 200, ..QuietOptions::default() });
        let scratch = quiet.scratch(0);
        QuietFinder { quiet, answer: Answer::default(), scratch }
    }

    /// Every position of a game that says something: searched, not in check, no mate in sight.
    fn read(&mut self, options: &Targets, game: &Game<ShogiMove>) -> Vec<Lesson<V>> {
        let targets = targets(options, game);
        let mut lessons = Vec::new();
        let mut position = Shogi::<V>::default();
        for (ply, (&mv, &searched)) in game.moves.iter().zip(&game.values).enumerate() {
            if ply >= game.random && searched.abs() < 0.9 * self.quiet.win() && !position.in_check() {
                lessons.extend(self.lesson(&position, game.outcome, targets[ply]));
            }
            position.play(mv);
        }
        lessons
    }

    fn lesson(&mut self, position: &Shogi<V>, outcome: Outcome, target: f32) -> Option<Lesson<V>> {
        self.quiet.judge(&Question::of(position, &[]), &mut self.answer, &mut self.scratch);
        // A mate is no matter of the evaluation.
        if self.answer.value.abs() >= 0.9 * self.quiet.win() {
            return None;
        }
        let mut calm = *position;
        self.answer.line.iter().for_each(|&mv| calm.play(mv));
        let turn = calm.turn();
        let target = if turn == position.turn() { target } else { 1.0 - target };
        Some(Lesson { position: calm, result: score(outcome, turn), target })
    }
}

/// The lessons of games, in their order; any number of threads find the same.
pub fn lessons<V: Variant>(
    options: &Targets,
    evaluation: &Linear<V>,
    games: &[&Game<ShogiMove>],
    threads: usize,
) -> Vec<Lesson<V>> {
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Vec<Lesson<V>>>> = games.iter().map(|_| Mutex::new(Vec::new())).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut finder = QuietFinder::new(evaluation);
                loop {
                    // Relaxed: the number alone decides who does what.
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = found.get(index) else { return };
                    *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
                        finder.read(options, games[index]);
                }
            });
        }
    });
    found.into_iter().flat_map(|slot| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Move, Notation};
    use yomi_eval::linear::Weights;
    use yomi_games::shogi::{Five, Minishogi};

    use crate::prior::{Prior, Start};

    const TARGETS: Targets = Targets { k: 600.0, lambda: 0.5 };

    /// A bishop takes a pawn and is taken, a rook takes back with check and is taken: results and values are for the side to
    /// move in the quiet position.
    #[test]
    fn lessons_are_quiet_and_for_the_side_to_move() {
        let weights = Weights::round::<Five>(&Prior::new::<Five>(Start::Material).centre).unwrap();
        let evaluation = Linear::<Five>::new(&weights, "linear").unwrap();
        let quiet = Quiet::new(evaluation.clone(), QuietOptions::default());
        let mut position = Minishogi::default();
        let mut moves = Vec::new();
        for text in ["2e3d", "4a3b", "3d1b", "2a1b", "1e1b", "1a1b"] {
            moves.push(position.parse_move(text).unwrap());
            position.play(moves[moves.len() - 1]);
        }
        let values = vec![f32::NAN, 10.0, 20.0, 30.0, 40.0, 50.0];
        let game = Game { moves, random: 1, values, outcome: Outcome::Win(Color::Black) };
        let found = lessons(&TARGETS, &evaluation, &[&game], 2);
        // Ply 0 was random, at ply 5 White is in check.
        assert_eq!(found.len(), 4);
        let targets = targets(&TARGETS, &game);
        for (lesson, ply) in found.iter().zip(1..) {
            let turn = lesson.position.turn();
            assert_eq!(lesson.result, if turn == Color::Black { 1.0 } else { 0.0 });
            let same = turn == if ply % 2 == 0 { Color::Black } else { Color::White };
            assert_eq!(lesson.target, if same { targets[ply] } else { 1.0 - targets[ply] }, "{lesson:?}");
            let leaf = Question::of(&lesson.position, &[]);
            let still = evaluation.value(&leaf, &mut evaluation.scratch(0));
            assert_eq!(quiet.value(&leaf, &mut quiet.scratch(0)), still, "{}", lesson.position);
        }
        assert_eq!(
            found[2].position.turn(),
            Color::Black,
            "the bishop hangs at ply 3, and Black moves where it is gone"
        );
    }

    /// By hand, λ = 1/2: White wins after three plies, and the search of ply 1 thought that Black (to move at 0 and 2) was ahead.
    #[test]
    fn targets_come_from_later_searches() {
        let game = Game {
            moves: vec![ShogiMove::from_bits(0); 3],
            random: 1,
            values: vec![f32::NAN, -600.0, 0.0],
            outcome: Outcome::Win(Color::White),
        };
        // After three plies White is to move and has won: 1. Ply 2 is Black's: (1/2 + 0)/2.
        let last = 0.25;
        let middle = 0.5 * (1.0 / (1.0 + 1.0_f32.exp())) + 0.5 * (1.0 - last);
        let found = targets(&TARGETS, &game);
        for (found, wanted) in found.iter().zip([1.0 - middle, middle, last]) {
            assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }

    /// What was not searched, or is a mate, teaches nothing.
    #[test]
    fn what_was_not_searched_teaches_nothing() {
        let weights = Weights::round::<Five>(&Prior::new::<Five>(Start::Material).centre).unwrap();
        let evaluation = Linear::<Five>::new(&weights, "linear").unwrap();
        let mv = Minishogi::default().parse_move("3e3d").unwrap();
        for (value, count) in [(f32::NAN, 0), (32_000.0, 0), (12.0, 1)] {
            let game = Game { moves: vec![mv], random: 0, values: vec![value], outcome: Outcome::Draw };
            let found = lessons(&TARGETS, &evaluation, &[&game], 1);
            assert_eq!(found.len(), count);
            assert!(found.iter().all(|lesson| lesson.result == 0.5));
        }
    }
}
