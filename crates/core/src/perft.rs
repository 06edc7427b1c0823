//! Counting the leaves of the game tree: the standard proof of a move generator.

use crate::line::Line;
use crate::position::Position;

/// Number of lines of exactly `depth` moves; a finished game has none. Repetition and superko are not looked at.
pub fn perft<P: Position>(position: &P, depth: u32) -> u64 {
    let mut buffers = vec![Vec::new(); depth as usize + 1];
    count(position, depth, &mut buffers)
}

fn count<P: Position>(position: &P, depth: u32, buffers: &mut [Vec<P::Move>]) -> u64 {
    let Some((moves, rest)) = buffers.split_first_mut() else { return 1 };
    match depth {
        0 => 1,
        1 => position.count(moves),
        _ => {
            position.generate(moves);
            let mut total = 0;
            for &mv in moves.iter() {
                let mut child = position.clone();
                child.play(mv);
                total += count(&child, depth - 1, rest);
            }
            total
        }
    }
}

/// The same under the whole of the rules: repetition ends games and superko forbids moves.
pub fn perft_line<P: Position>(line: &Line<P>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    line.generate(&mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut total = 0;
    for mv in moves {
        let mut child = line.clone();
        child.play(mv);
        total += perft_line(&child, depth - 1);
    }
    total
}

/// [`perft`] split by the first move, in the order of generation.
pub fn divide<P: Position>(position: &P, depth: u32) -> Vec<(P::Move, u64)> {
    let mut moves = Vec::new();
    position.generate(&mut moves);
    let below = |mv| {
        let mut child = position.clone();
        child.play(mv);
        perft(&child, depth.saturating_sub(1))
    };
    if depth == 0 { Vec::new() } else { moves.into_iter().map(|mv| (mv, below(mv))).collect() }
}
