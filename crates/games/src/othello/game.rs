//! Othello as a game that is played, matched and recorded.

use super::moves::OthelloMove;
use super::position::Othello;
use super::symmetry::Symmetry;
use crate::game::Game;

impl Game for Othello {
    const MOVE_EXAMPLES: &'static str = "a square such as f5, or pass";

    fn is_pass(mv: OthelloMove) -> bool {
        mv == OthelloMove::PASS
    }

    fn pass_note(&self) -> String {
        "Passing is forced in Othello: no disc flipped anything. The other side plays on.".to_string()
    }

    /// Both diagonals and the half turn, for games from the start position.
    fn images(&self, moves: &[OthelloMove]) -> Vec<Vec<OthelloMove>> {
        if *self != Othello::default() {
            return vec![moves.to_vec()];
        }
        Symmetry::ALL.map(|symmetry: Symmetry| moves.iter().map(|&mv| symmetry.apply(mv)).collect()).to_vec()
    }
}
