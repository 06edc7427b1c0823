//! What every search answers in a finished game.

use yomi_core::{Outcome, Position};

use crate::search::{Ended, Proof, Verdict};

/// The answer in a game that has ended so.
pub(crate) fn over<P: Position>(position: &P, outcome: Outcome, win: f32) -> Verdict<P::Move> {
    let proof = match outcome {
        Outcome::Draw => Proof::Draw,
        Outcome::Win(side) if side == position.turn() => Proof::Win(0),
        Outcome::Win(_) => Proof::Loss(0),
    };
    let value = outcome.value_for(position.turn(), win);
    Verdict { value, proof: Some(proof), ended: Some(Ended::GameOver), ..Verdict::empty() }
}
