//! Exact play near the end of games that are decided by points: who wins, and then by how much.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use yomi_core::{Color, Line, Move, Position};

use crate::search::{Ended, Limits, Proof, RootMove, Search, Verdict, Watch};

/// What a solver must know of a game that is decided by points.
pub struct Points<P: Position> {
    /// Black's points minus White's.
    pub margin: fn(&P) -> i32,
    /// The most points that a side can still gain.
    pub gain: fn(&P, Color) -> i32,
    /// How many points a move makes: the larger, the earlier it is tried.
    pub size: fn(P::Move) -> i32,
}

/// The best margin for the side to move, and how it is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved<M> {
    /// The margin for the side to move with best play of both.
    pub margin: i32,
    /// Whether that is exact; if not, only its sign is: the side to move wins, loses or draws.
    pub exact: bool,
    /// A move that reaches it.
    pub mv: Option<M>,
    /// Positions looked at.
    pub nodes: u64,
}

/// What is known of a position: bounds of its margin for the side to move, and the best move.
#[derive(Clone, Copy)]
struct Known {
    lower: i32,
    upper: i32,
    mv: u16,
}

/// More points than any game has.
const MOST: i32 = 10_000;

/// Alpha-beta on margins with a table of everything seen.
pub struct Solver<'a, P: Position> {
    points: &'a Points<P>,
    known: BTreeMap<u64, Known>,
    nodes: u64,
    limit: u64,
}

impl<'a, P: Position> Solver<'a, P> {
    /// Solves a position within a limit of nodes: first who wins, then by how much. None if that was too little, or if the game is over.
    pub fn solve(points: &'a Points<P>, position: &P, limit: u64) -> Option<Solved<P::Move>> {
        let mut solver = Solver { points, known: BTreeMap::new(), nodes: 0, limit };
        let sign = solver.node(position, -1, 1)?;
        let mut solved = Solved { margin: sign.signum(), exact: sign == 0, mv: solver.best(position), nodes: 0 };
        let [alpha, beta] = match sign.signum() {
            1 => [0, MOST],
            -1 => [-MOST, 0],
            _ => [-1, 1],
        };
        if let Some(margin) = solver.node(position, alpha, beta) {
            solved = Solved { margin, exact: true, mv: solver.best(position), nodes: 0 };
        }
        solved.nodes = solver.nodes;
        solved.mv.is_some().then_some(solved)
    }

    fn best(&self, position: &P) -> Option<P::Move> {
        self.known.get(&position.key()).map(|known| P::Move::from_bits(known.mv))
    }

    /// Fail-soft; none when the nodes are spent.
    fn node(&mut self, position: &P, mut alpha: i32, mut beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.nodes > self.limit {
            return None;
        }
        let turn = position.turn();
        let margin = (self.points.margin)(position) * if turn == Color::Black { 1 } else { -1 };
        let most = margin + (self.points.gain)(position, turn);
        let least = margin - (self.points.gain)(position, !turn);
        if most <= alpha {
            return Some(most);
        }
        if least >= beta {
            return Some(least);
        }
        let known = self.known.get(&position.key()).copied();
        if let Some(Known { lower, upper, .. }) = known {
            if lower >= beta || lower == upper {
                return Some(lower);
            }
            if upper <= alpha {
                return Some(upper);
            }
            (alpha, beta) = (alpha.max(lower), beta.min(upper));
        }
        let mut moves = Vec::new();
        if position.generate(&mut moves).is_some() {
            return Some(margin);
        }
        moves.sort_by_key(|&mv| {
            let first = known.is_some_and(|known| known.mv == mv.to_bits());
            std::cmp::Reverse((first, (self.points.size)(mv)))
        });
        let (mut best, mut best_move, mut floor) = (-MOST, moves[0], alpha);
        for &mv in &moves {
            let mut child = position.clone();
            child.play(mv);
            let value = -self.node(&child, -beta, -floor)?;
            if value > best {
                (best, best_move) = (value, mv);
            }
            floor = floor.max(best);
            if best >= beta {
                break;
            }
        }
        let entry = self.known.entry(position.key()).or_insert(Known { lower: -MOST, upper: MOST, mv: 0 });
        if best > alpha {
            entry.lower = entry.lower.max(best);
        }
        if best < beta {
            entry.upper = entry.upper.min(best);
        }
        if best > alpha || entry.lower == -MOST {
            entry.mv = best_move.to_bits();
        }
        Some(best)
    }
}

/// Solves what can be solved within a limit of nodes, and asks the search inside about the rest.
pub struct EndgameFirst<P: Position> {
    points: Points<P>,
    nodes: u64,
    /// Positions with more moves are not tried.
    moves: usize,
    /// What a won game is worth.
    win: f32,
    inner: Box<dyn Search<P>>,
}

impl<P: Position> EndgameFirst<P> {
    /// Spends up to `nodes` positions where at most `moves` moves are legal.
    pub fn new(inner: Box<dyn Search<P>>, points: Points<P>, nodes: u64, moves: usize, win: f32) -> EndgameFirst<P> {
        EndgameFirst { points, nodes, moves, win, inner }
    }

    fn solved(&self, line: &Line<P>, limits: &Limits) -> Option<Solved<P::Move>> {
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() || moves.len() > self.moves {
            return None;
        }
        let nodes = limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes));
        Solver::solve(&self.points, line.position(), nodes)
            .filter(|solved| solved.mv.is_some_and(|mv| line.is_legal(mv)))
    }
}

impl<P: Position> Search<P> for EndgameFirst<P> {
    fn search(&mut self, line: &Line<P>, limits: &Limits, watch: &mut dyn Watch<P::Move>) -> Verdict<P::Move> {
        let Some(Solved { margin, mv: Some(mv), nodes, .. }) = self.solved(line, limits) else {
            return self.inner.search(line, limits, watch);
        };
        // How long the line lasts was not asked; no game has more plies than positions were looked at.
        let plies = u32::try_from(nodes).unwrap_or(u32::MAX);
        let proof = match margin.signum() {
            1 => Proof::Win(plies),
            -1 => Proof::Loss(plies),
            _ => Proof::Draw,
        };
        let value = self.win * margin.signum() as f32;
        let root = RootMove {
            visits: nodes,
            value,
            proof: Some(proof),
            selection: 1.0,
            realization: 1.0,
            backup: 1.0,
            ..RootMove::new(mv)
        };
        Verdict {
            best: Some(mv),
            value,
            proof: Some(proof),
            moves: vec![root],
            pv: vec![mv],
            nodes,
            ended: Some(Ended::Solved),
            ..Verdict::empty()
        }
    }

    fn played(&mut self, mv: P::Move) {
        self.inner.played(mv);
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }

    fn prepare(&mut self, line: &Line<P>, stop: &AtomicBool) {
        self.inner.prepare(line, stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;
    use yomi_games::blokus::{BlokusDuo, BlokusMove};

    fn points() -> Points<BlokusDuo> {
        Points {
            margin: |p| p.score(Color::Black) - p.score(Color::White),
            gain: BlokusDuo::points_left,
            size: |mv| mv.piece().map_or(0, |piece| piece.size() as i32),
        }
    }

    fn minimax(position: &BlokusDuo) -> i32 {
        let mut moves = Vec::new();
        let sign = if position.turn() == Color::Black { 1 } else { -1 };
        if position.generate(&mut moves).is_some() {
            return sign * (position.score(Color::Black) - position.score(Color::White));
        }
        let after = |mv: &BlokusMove| {
            let mut child = position.clone();
            child.play(*mv);
            -minimax(&child)
        };
        moves.iter().map(after).max().unwrap_or(0)
    }

    /// A game of the literature with exact values from three other programs, after 21 plies and after each one more.
    #[test]
    fn a_known_endgame() {
        let game = "55t3 bbt0 25m7 d9u0 68r1 b7d3 7bq0 85k1 5cs0 a4o5 98b2 e5e0 73o4 c2r0 2ai1 9di3 32d2 den2 28f7 c5a0 4ee2 \
                    7eg6 47a0 91b2";
        let mut position = BlokusDuo::default();
        for (ply, code) in (0..).zip(game.split_ascii_whitespace()) {
            let expected = match ply {
                21 => Some(24),
                22 => Some(-22),
                23 => Some(27),
                _ => None,
            };
            if let Some(margin) = expected {
                let solved = Solver::solve(&points(), &position, 1_000_000).unwrap();
                assert_eq!((solved.margin, solved.exact), (margin, true), "after {ply} plies");
            }
            position.play(BlokusMove::from_code(code).unwrap());
        }
        let solved = Solver::solve(&points(), &position, 1_000_000).unwrap();
        assert_eq!((solved.margin, minimax(&position)), (-19, -19));
    }

    /// Random endgames against plain minimax; the move reaches what was promised, and too few nodes promise nothing.
    #[test]
    fn brute_force_agrees() {
        let mut solved_some = 0;
        for seed in 0..40 {
            let mut rng = Seed::new(seed).rng();
            let (mut position, mut moves) = (BlokusDuo::default(), Vec::new());
            loop {
                if position.generate(&mut moves).is_some() {
                    break;
                }
                let total = moves.len() as u64 + position.count(&mut Vec::new());
                let mut other = position.clone();
                let replies = moves.first().map_or(0, |&mv| {
                    other.play(mv);
                    other.count(&mut Vec::new())
                });
                if total <= 12 && replies <= 6 {
                    let expected = minimax(&position);
                    let solved = Solver::solve(&points(), &position, 1_000_000).unwrap();
                    assert_eq!((solved.margin, solved.exact), (expected, true), "{position}");
                    let mut child = position.clone();
                    child.play(solved.mv.unwrap());
                    assert_eq!(-minimax(&child), expected);
                    solved_some += 1;
                    break;
                }
                position.play(moves[rng.below(moves.len())]);
            }
            assert_eq!(Solver::solve(&points(), &BlokusDuo::default(), 50), None);
        }
        assert!(solved_some >= 30, "{solved_some}");
    }
}
