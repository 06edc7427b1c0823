//! The gate: a match of the newest weights against the best so far, from the same openings with colours exchanged.

use std::ops::Range;
use std::sync::Arc;

use yomi_core::{Color, Evaluator, Line, Outcome, Position, Seed};
use yomi_search::{Limits, Method as SearchMethod, Proof, Search, TreeSearch};

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

/// Pairs in a round, wherever they are played.
const ROUND: u64 = 8;

/// A match that is under way.
#[derive(Clone, Default, Debug)]
pub(super) struct Contest {
    /// Pairs by half points of the first player.
    pub(super) counts: [u64; 5],
}

impl Contest {
    /// The games of the next round, if there have been fewer pairs than `most`.
    pub(super) fn next(&self, most: u64) -> Option<Range<u64>> {
        let pairs: u64 = self.counts.iter().sum();
        (pairs < most).then(|| 2 * pairs..2 * (pairs + ROUND).min(most))
    }

    /// Adds a round: the half points of its games, in order.
    pub(super) fn add(&mut self, points: &[u8]) {
        for two in points.as_chunks::<2>().0 {
            self.counts[usize::from(two[0] + two[1])] += 1;
        }
    }
}

/// The half points of the first player in the game with this number: 0, 1 or 2. Two games are a pair: the same opening, the colours
/// exchanged.
pub(super) fn half_points<P: Position, E: Evaluator<P> + 'static>(
    terms: &Terms<'_, P>,
    players: (&Arc<E>, &Arc<E>),
    number: u64,
    seed: Seed,
) -> u8 {
    let colour = Color::from_index((number % 2) as usize);
    game(terms, players, colour, seed.branch("pair", number / 2)) as u8
}

/// The half points of the first player as this colour: 0, 1 or 2.
fn game<P: Position, E: Evaluator<P> + 'static>(
    terms: &Terms<'_, P>,
    (first, second): (&Arc<E>, &Arc<E>),
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
