//! The laws every game obeys.
//!
//! A game proves itself by `conformance::check` on its start positions: thousands of random positions are visited and every
//! answer of the fast code is compared with a slow twin that was written for nothing but to be obviously right.

use std::fmt::Debug;

use crate::line::Line;
use crate::notation::Notation;
use crate::policy::{Simulate, Uniform, play_out};
use crate::position::{Move, Position};
use crate::rng::Seed;

/// The slow twin: the same questions, answered in the plainest way.
pub trait Twin: Position {
    /// Whether `mv` is legal, found without the fast generator. It must answer for any sixteen bits.
    fn slow_legal(&self, mv: Self::Move) -> bool;

    /// The key computed from nothing but what stands on the board.
    fn slow_key(&self) -> u64;
}

/// How far a check goes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Random games from each start position.
    pub games: u64,
    /// Where a game is cut off; games of this length must have ended if `ends` is set.
    pub max_plies: usize,
    /// Whether every random game must end within `max_plies`.
    pub ends: bool,
    /// Every n-th position is compared with the brute force over all encodings, which is dear.
    pub brute_force_every: usize,
}

/// Checks all laws on random games from `start`. Panics with the law, the game and the ply where one is broken.
pub fn check<P>(start: &P, effort: Effort, seed: u64)
where
    P: Position + Notation + Simulate + Twin,
{
    let mut brute_force_in = 1;
    for game in 0..effort.games {
        let mut rng = Seed::new(seed).branch("conformance", game).rng();
        let mut line = Line::new(start.clone());
        let mut moves = Vec::new();
        loop {
            let here = || format!("{} game {game} ply {}:\n{}", P::NAME, line.len(), line.position());
            let outcome = line.generate(&mut moves);
            laws_of_position(line.position(), &here);
            brute_force_in -= 1;
            if brute_force_in == 0 {
                brute_force_in = effort.brute_force_every;
                brute_force(line.position(), &here);
            }
            if outcome.is_some() {
                assert!(moves.is_empty(), "a finished game has no moves: {}", here());
                break;
            }
            assert!(!moves.is_empty(), "a running game has moves: {}", here());
            if line.len() == effort.max_plies {
                assert!(!effort.ends, "games end: {}", here());
                break;
            }
            let mv = moves[rng.below(moves.len())];
            let turn = line.position().turn();
            let expected = line.position().key_after(mv);
            line.play(mv);
            assert_eq!(line.position().turn(), !turn, "turns alternate: {mv:?} {}", here_of(&line));
            assert_eq!(line.position().key(), expected, "key_after gives the key: {mv:?} {}", here_of(&line));
        }
    }
    playouts_end(start, seed);
}

fn here_of<P: Position>(line: &Line<P>) -> String {
    format!("{} ply {}:\n{}", P::NAME, line.len(), line.position())
}

/// What must hold of every single position.
fn laws_of_position<P: Position + Notation + Twin>(position: &P, here: &dyn Fn() -> String) {
    let mut moves = Vec::new();
    let outcome = position.generate(&mut moves);
    let bits: Vec<u16> = moves.iter().map(|m| m.to_bits()).collect();
    assert!(bits.is_sorted_by(|a, b| a < b), "moves are unique and sorted: {bits:?} {}", here());
    assert_eq!(outcome.is_some(), moves.is_empty(), "moves or an outcome, not both: {}", here());
    assert_eq!(position.count(&mut Vec::new()), moves.len() as u64, "count counts the moves: {}", here());
    assert_eq!(position.ended(&mut Vec::new()), outcome, "ended says how the game ended: {}", here());
    equal(position.key(), position.slow_key(), "the incremental key is the key from scratch", here);
    for &mv in &moves {
        equal(P::Move::from_bits(mv.to_bits()), mv, "bits round trip", here);
        let text = position.move_text(mv);
        equal(position.parse_move(&text), Ok(mv), "a move's text gives the move", here);
    }
    let text = position.position_text();
    match position.parse_position(&text) {
        Ok(read) => {
            equal(read.key(), position.key(), "a position's text gives the position", here);
            equal(read.position_text(), text, "a position's text is stable", here);
        }
        Err(error) => panic!("a position's text can be read: {error}\n{}", here()),
    }
}

/// The generated set is the set of all encodings that the slow twin allows.
fn brute_force<P: Position + Twin>(position: &P, here: &dyn Fn() -> String) {
    let mut moves = Vec::new();
    position.generate(&mut moves);
    let slow: Vec<P::Move> = (0..=u16::MAX).map(P::Move::from_bits).filter(|&mv| position.slow_legal(mv)).collect();
    let mut slow_bits: Vec<u16> = slow.iter().map(|m| m.to_bits()).collect();
    slow_bits.sort_unstable();
    slow_bits.dedup();
    let fast_bits: Vec<u16> = moves.iter().map(|m| m.to_bits()).collect();
    if fast_bits != slow_bits {
        let missing: Vec<P::Move> = slow.into_iter().filter(|m| !moves.contains(m)).collect();
        let extra: Vec<&P::Move> = moves.iter().filter(|m| !slow_bits.contains(&m.to_bits())).collect();
        panic!("exactly the legal moves are generated: missing {missing:?}, not legal {extra:?}\n{}", here());
    }
}

/// Simulated games end within their horizon or are adjudicated, and play legal moves only.
fn playouts_end<P: Simulate>(start: &P, seed: u64) {
    let mut rng = Seed::new(seed).branch("playouts", 0).rng();
    let mut sampler = P::Sampler::default();
    for _ in 0..20 {
        let mut position = start.clone();
        position.begin(&mut sampler);
        for _ in 0..position.horizon().min(300) {
            match position.draw(&mut sampler, &mut rng) {
                std::ops::ControlFlow::Break(outcome) => {
                    let mut moves = Vec::new();
                    let generated = position.generate(&mut moves);
                    assert_eq!(generated, Some(outcome), "a playout ends when the game does:\n{position}");
                    break;
                }
                std::ops::ControlFlow::Continue(mv) => {
                    assert!(position.is_legal(mv), "simulated moves are legal: {mv:?}\n{position}");
                    position.play(mv);
                }
            }
        }
        let mut position = start.clone();
        let horizon = position.horizon();
        let (outcome, plies) = play_out(&mut position, 0, &Uniform, &mut rng, &mut sampler);
        assert!(plies <= horizon, "playouts stop at their horizon:\n{position}");
        let generated = position.generate(&mut Vec::new());
        assert_eq!(
            outcome,
            generated.unwrap_or_else(|| position.adjudicate()),
            "playouts end in the outcome:\n{position}"
        );
    }
}

fn equal<T: PartialEq + Debug>(fast: T, slow: T, law: &str, here: &dyn Fn() -> String) {
    assert!(fast == slow, "{law}: {fast:?} against {slow:?} in {}", here());
}
