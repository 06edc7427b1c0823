//! The gate: a match of the newest weights against the best so far, from the same openings with colours exchanged.

use std::sync::Arc;

use yomi_core::{Color, Evaluator, Line, Outcome, Position, Seed};
use yomi_search::{Limits, Method as SearchMethod, Proof, Search, TreeSearch};

use super::parallel::in_order;

/// Looks at pairs by the half points that the first player made in each (0 to 4): whether it is better, if that is decided.
pub type Decide<'a> = &'a (dyn Fn(&[u64; 5]) -> Option<bool> + Sync);

/// How the games of a match are played.
pub struct Terms<'a, P> {
    /// The search of both.
    pub search: &'a SearchMethod,
    /// Its limits.
    pub limits: Limits,
    /// Where games begin.
    pub start: &'a P,
    /// Random moves at the beginning.
    pub random: usize,
    /// A game that lasts longer is drawn.
    pub plies: usize,
}

/// Pairs are played in rounds of this many, whatever the number of threads.
const ROUND: u64 = 8;

/// Plays pairs until `decide` decides or there have been `most`; the counts of pairs by half points, and what was decided.
pub fn contest<P: Position, E: Evaluator<P> + 'static, F: Evaluator<P> + 'static>(
    terms: &Terms<'_, P>,
    players: (&Arc<E>, &Arc<F>),
    most: u64,
    threads: usize,
    seed: Seed,
    decide: Decide<'_>,
) -> ([u64; 5], Option<bool>) {
    let mut counts = [0; 5];
    let mut pair = 0;
    while pair < most {
        let round = ROUND.min(most - pair);
        let games = in_order(
            2 * round as usize,
            threads,
            || (),
            |(), index| {
                let seed = seed.branch("pair", pair + index as u64 / 2);
                game(terms, players, Color::from_index(index % 2), seed)
            },
        );
        for two in games.chunks_exact(2) {
            counts[two[0] + two[1]] += 1;
        }
        pair += round;
        if let Some(better) = decide(&counts) {
            return (counts, Some(better));
        }
    }
    (counts, None)
}

/// The half points of the first player as this colour: 0, 1 or 2.
fn game<P: Position, E: Evaluator<P> + 'static, F: Evaluator<P> + 'static>(
    terms: &Terms<'_, P>,
    (first, second): (&Arc<E>, &Arc<F>),
    colour: Color,
    seed: Seed,
) -> usize {
    let mut own = TreeSearch::new(terms.search.clone(), Arc::clone(first));
    let mut other = TreeSearch::new(terms.search.clone(), Arc::clone(second));
    let mut rng = seed.branch("opening", 0).rng();
    let mut line = Line::new(terms.start.clone());
    let mut legal = Vec::new();
    let points = |outcome: Outcome| match outcome {
        Outcome::Draw => 1,
        Outcome::Win(winner) => 2 * usize::from(winner == colour),
    };
    while line.len() < terms.plies {
        if let Some(outcome) = line.generate(&mut legal) {
            return points(outcome);
        }
        let turn = line.position().turn();
        let mv = if line.len() < terms.random {
            legal[rng.below(legal.len())]
        } else {
            let limits = terms.limits.clone().seeded(seed.branch("move", line.len() as u64));
            let verdict = if turn == colour {
                own.search(&line, &limits, &mut ())
            } else {
                other.search(&line, &limits, &mut ())
            };
            match verdict.proof {
                Some(Proof::Win(_)) => return points(Outcome::Win(turn)),
                Some(Proof::Loss(_)) => return points(Outcome::Win(!turn)),
                _ => verdict.best.unwrap_or(legal[0]),
            }
        };
        line.play(mv);
    }
    1
}

/// The Elo difference of a mean score, kept within ±800.
pub fn elo(counts: &[u64; 5]) -> f64 {
    let pairs: u64 = counts.iter().sum();
    let points: u64 = counts.iter().zip(0..).map(|(n, points)| n * points).sum();
    let score = (points as f64 / (4 * pairs.max(1)) as f64).clamp(0.01, 0.99);
    -400.0 * (1.0 / score - 1.0).log10()
}
