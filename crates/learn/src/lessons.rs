//! What is learnt from a game: its positions, each where it has come to rest.
//!
//! A position is judged at the end of its quiescence search, as a search would. That is looked for once a generation, with the
//! evaluation that the generation begins with; the fit then goes through the quiet positions many times.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Evaluator, Leaf, Outcome, Position, Tactical};
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
    /// What the search of the game said, for the same side.
    pub searched: f32,
}

/// Finds the quiet positions of games.
struct Reader<V: Variant> {
    quiet: Quiet<Linear<V>>,
    scratch: QuietScratch<ShogiMove, <Linear<V> as Evaluator<Shogi<V>>>::Scratch>,
}

impl<V: Variant> Reader<V> {
    fn new(evaluation: &Linear<V>) -> Reader<V> {
        let quiet = Quiet::new(evaluation.clone(), QuietOptions { depth: 6, nodes: 200, ..QuietOptions::default() });
        let scratch = quiet.scratch(0);
        Reader { quiet, scratch }
    }

    /// Every position of a game that says something: searched, not in check, no mate in sight.
    fn read(&mut self, game: &Game<ShogiMove>) -> Vec<Lesson<V>> {
        let mut lessons = Vec::new();
        let mut position = Shogi::<V>::default();
        for (ply, (&mv, &searched)) in game.moves.iter().zip(&game.values).enumerate() {
            if ply >= game.random && searched.abs() < 0.9 * self.quiet.win() && !position.in_check() {
                lessons.extend(self.lesson(&position, game.outcome, searched));
            }
            position.play(mv);
        }
        lessons
    }

    fn lesson(&mut self, position: &Shogi<V>, outcome: Outcome, searched: f32) -> Option<Lesson<V>> {
        let leaf = Leaf { position, past: &[], moves: &[], node: 0, depth: 0 };
        let (value, moves) = self.quiet.resolve(&leaf, &mut self.scratch);
        // A mate is no matter of the evaluation.
        if value.abs() >= 0.9 * self.quiet.win() {
            return None;
        }
        let mut calm = *position;
        moves.iter().for_each(|&mv| calm.play(mv));
        let turn = calm.turn();
        let searched = if turn == position.turn() { searched } else { -searched };
        Some(Lesson { position: calm, result: 0.5 + 0.5 * outcome.value_for(turn, 1.0), searched })
    }
}

/// The lessons of games, in their order; any number of threads find the same.
pub fn lessons<V: Variant>(evaluation: &Linear<V>, games: &[&Game<ShogiMove>], threads: usize) -> Vec<Lesson<V>> {
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Vec<Lesson<V>>>> = games.iter().map(|_| Mutex::new(Vec::new())).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut reader = Reader::new(evaluation);
                loop {
                    // Relaxed: the number alone decides who does what.
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = found.get(index) else { return };
                    *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = reader.read(games[index]);
                }
            });
        }
    });
    found.into_iter().flat_map(|slot| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Color, Notation};
    use yomi_eval::linear::Weights;
    use yomi_games::shogi::{Five, Minishogi};

    use crate::prior::{Prior, Start};

    /// A bishop takes a pawn and is taken, a rook takes back with check and is taken: results and values are for whoever moves where it
    /// is quiet.
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
        let found = lessons(&evaluation, &[&game], 2);
        // Ply 0 was random, at ply 5 White is in check.
        assert_eq!(found.iter().map(|lesson| lesson.searched.abs()).collect::<Vec<_>>(), [10.0, 20.0, 30.0, 40.0]);
        for lesson in &found {
            let turn = lesson.position.turn();
            assert_eq!(lesson.result, if turn == Color::Black { 1.0 } else { 0.0 });
            let searched_by = if lesson.searched.abs() % 20.0 == 10.0 { Color::White } else { Color::Black };
            assert_eq!(lesson.searched > 0.0, turn == searched_by, "{lesson:?}");
            let leaf = Leaf { position: &lesson.position, past: &[], moves: &[], node: 0, depth: 0 };
            let still = evaluation.evaluate(&leaf, &mut evaluation.scratch(0));
            assert_eq!(quiet.evaluate(&leaf, &mut quiet.scratch(0)), still, "{}", lesson.position);
        }
        assert!(found[2].searched < 0.0, "the bishop hangs at ply 3, and Black moves where it is gone");
    }

    /// What was not searched, or is a mate, teaches nothing.
    #[test]
    fn what_was_not_searched_teaches_nothing() {
        let weights = Weights::round::<Five>(&Prior::new::<Five>(Start::Material).centre).unwrap();
        let evaluation = Linear::<Five>::new(&weights, "linear").unwrap();
        let mv = Minishogi::default().parse_move("3e3d").unwrap();
        for (value, count) in [(f32::NAN, 0), (32_000.0, 0), (12.0, 1)] {
            let game = Game { moves: vec![mv], random: 0, values: vec![value], outcome: Outcome::Draw };
            let found = lessons(&evaluation, &[&game], 1);
            assert_eq!(found.len(), count);
            assert!(found.iter().all(|lesson| lesson.result == 0.5 && lesson.searched == 12.0));
        }
    }
}
