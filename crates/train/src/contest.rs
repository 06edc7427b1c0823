//! A match of two networks: pairs of games from the same openings with colours exchanged, many at a time.

use serde::{Deserialize, Serialize};
use yomi_core::{AnyEvaluator, Cancel, Color, Line, Outcome, Seed};
use yomi_net::NetEvaluator;
use yomi_search::{Limits, Method, Pool, Proof, TreeSearch};

use crate::game::Trainable;

/// How the games of a match are played.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The search of each side.
    pub methods: [Method; 2],
    /// What each may spend per move.
    pub limits: [Limits; 2],
    /// Random moves at the beginning.
    pub random: usize,
}

/// The pairs between two generations of a run: a line of `pairs.jsonl`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pairing {
    /// The older one.
    pub first: u64,
    /// The newer one.
    pub second: u64,
    /// The half points, of four, that the older one made in each pair.
    pub half_points: Vec<usize>,
}

/// The game of a pair in which the first player is Black or White, and its half points there.
#[derive(Clone, Copy, Debug)]
struct Scored {
    pair: usize,
    half_points: usize,
}

/// Plays pairs; for each the half points that the first player made in its two games, 0 to 4.
pub fn pairs<P: Trainable>(
    start: &P,
    terms: &Terms,
    players: [&NetEvaluator; 2],
    count: usize,
    threads: usize,
    seed: &Seed,
) -> Vec<usize> {
    let threads = threads.clamp(1, count.max(1));
    let part = |thread: usize| {
        let games: Vec<(usize, Color)> =
            (thread..count).step_by(threads).flat_map(|pair| [(pair, Color::Black), (pair, Color::White)]).collect();
        Match::new(start, terms, players, seed, &games).play()
    };
    let mut points = vec![0; count];
    std::thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        for scored in parts.into_iter().filter_map(|part| part.join().ok()).flatten() {
            points[scored.pair] += scored.half_points;
        }
    });
    points
}

/// The games of one thread.
struct Match<P: Trainable> {
    pools: [Pool<P, AnyEvaluator<P>>; 2],
    games: Vec<Game<P>>,
    limits: [Limits; 2],
}

struct Game<P: Trainable> {
    pair: usize,
    /// The colour of the first player.
    colour: Color,
    line: Line<P>,
    seed: Seed,
    over: Option<Outcome>,
}

impl<P: Trainable> Match<P> {
    fn new(start: &P, terms: &Terms, players: [&NetEvaluator; 2], seed: &Seed, games: &[(usize, Color)]) -> Self {
        let pool = |side: usize| {
            let mut method = terms.methods[side].clone();
            (method.options.threads, method.options.flights) = (1, 1);
            method.options.hash = method.options.hash.min(16);
            let search = |_| TreeSearch::new(method.clone(), AnyEvaluator::new(players[side].clone()));
            Pool::new(games.iter().map(search))
        };
        let game = |&(pair, colour): &(usize, Color)| {
            let seed = seed.branch("pair", pair as u64);
            Game { pair, colour, line: opening(start, terms.random, &seed), seed, over: None }
        };
        Match { pools: [pool(0), pool(1)], games: games.iter().map(game).collect(), limits: terms.limits.clone() }
    }

    fn play(mut self) -> Vec<Scored> {
        let mut running = true;
        while running {
            running = false;
            for seat in 0..self.games.len() {
                if self.pools.iter().all(|pool| !pool.is_running(seat)) {
                    self.go_on(seat);
                }
            }
            // The device has the questions of both players before the answers to either are waited for.
            for pool in &mut self.pools {
                pool.launch(Cancel::NEVER);
            }
            for pool in &mut self.pools {
                running |= pool.land(Cancel::NEVER) > 0;
            }
            running |= self.games.iter().any(|game| game.over.is_none());
        }
        let score = |game: &Game<P>| Scored {
            pair: game.pair,
            half_points: match game.over {
                Some(Outcome::Win(winner)) => 2 * usize::from(winner == game.colour),
                _ => 1,
            },
        };
        self.games.iter().map(score).collect()
    }

    /// Plays the move of a search that has ended and begins the next.
    fn go_on(&mut self, seat: usize) {
        let Match { pools, games, limits } = self;
        let game = &mut games[seat];
        if game.over.is_some() {
            return;
        }
        let side = |line: &Line<P>| usize::from(line.position().turn() != game.colour);
        let mover = side(&game.line);
        if let Some(verdict) = pools[mover].take_verdict(seat) {
            let turn = game.line.position().turn();
            match verdict.proof {
                Some(Proof::Win(_)) => game.over = Some(Outcome::Win(turn)),
                Some(Proof::Loss(_)) => game.over = Some(Outcome::Win(!turn)),
                _ => verdict.best.into_iter().for_each(|mv| game.line.play(mv)),
            }
        }
        let position = game.line.position();
        let ended = game.line.ended(&mut Vec::new());
        let cut = || (game.line.len() >= position.longest_game()).then(|| position.broken_off());
        game.over = game.over.or(ended).or_else(cut);
        if game.over.is_none() {
            let mover = side(&game.line);
            let limits = limits[mover].clone().seeded(game.seed.branch("move", game.line.len() as u64));
            pools[mover].begin(seat, &game.line, &limits);
        }
    }
}

/// A game after some random moves, which is not over.
fn opening<P: Trainable>(start: &P, random: usize, seed: &Seed) -> Line<P> {
    let (mut moves, mut rng) = (Vec::new(), seed.branch("opening", 0).rng());
    for _ in 0..100 {
        let mut line = Line::new(start.clone());
        for _ in 0..random {
            if line.generate(&mut moves).is_some() {
                break;
            }
            line.play(moves[rng.below(moves.len())]);
        }
        if line.generate(&mut moves).is_none() {
            return line;
        }
    }
    Line::new(start.clone())
}
