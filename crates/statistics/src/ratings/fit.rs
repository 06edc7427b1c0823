//! From games to a rating list.

use yomi_core::TextError;

use super::games::Pool;
use super::newton::{Pairing, Problem, Solution};
use crate::distributions::normal_cdf;
use crate::interval::{Estimate, Interval, Level};

/// One natural unit in Elo: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// How to rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Virtual draws of each player, more than 0. BayesElo takes 2.
    pub prior: f64,
    /// The advantage of moving first, in Elo; estimated if `None`.
    pub advantage: Option<f64>,
    /// The draw parameter in Elo. If `None` it is estimated where there are draws. At 0 draws are half a win and half a loss.
    pub draw: Option<f64>,
    /// How sure the intervals are.
    pub level: Level,
}

impl Default for Options {
    fn default() -> Options {
        Options { prior: 2.0, advantage: None, draw: None, level: Level::P95 }
    }
}

impl Options {
    fn check(&self) -> Result<(), TextError> {
        let bad = |name: &str, range: &str, value: f64| {
            Err(TextError::new(format!("{name} lies between {range}, not at {value}")))
        };
        if !(1e-3..=1000.0).contains(&self.prior) {
            return bad("the prior", "0.001 and 1000 virtual draws", self.prior);
        }
        if let Some(advantage) = self.advantage.filter(|a| !(-2000.0..=2000.0).contains(a)) {
            return bad("the advantage", "-2000 and 2000", advantage);
        }
        if let Some(draw) = self.draw.filter(|d| !(0.0..=2000.0).contains(d)) {
            return bad("the draw parameter", "0 and 2000", draw);
        }
        Ok(())
    }
}

/// A line of the rating list.
#[derive(Clone, PartialEq, Debug)]
pub struct Player {
    /// The name.
    pub name: String,
    /// The rating, relative to the mean of the pool.
    pub rating: Estimate,
    /// Which pool: 0 unless some players never met, directly or through others.
    pub pool: usize,
    /// Wins, draws and losses.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that were lost.
    pub losses: u64,
    /// The mean rating of the opponents met.
    pub opponents: f64,
    /// Where this player stands in the covariance.
    index: usize,
}

impl Player {
    /// How many games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points a game, a draw being half a point.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64
    }
}

/// A rating list.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    /// Pool by pool, the strongest first.
    pub players: Vec<Player>,
    /// How many pools that cannot be compared.
    pub pools: usize,
    /// What moving first is worth, in Elo.
    pub advantage: Estimate,
    /// The draw parameter in Elo.
    pub draw: Estimate,
    covariance: Vec<f64>,
}

impl Ratings {
    /// The difference in Elo between two lines of the list. `None` if their pools never met.
    pub fn difference(&self, a: usize, b: usize, level: Level) -> Option<Estimate> {
        let (a, b) = (self.players.get(a)?, self.players.get(b)?);
        let value = a.rating.value - b.rating.value;
        (a.pool == b.pool).then(|| Estimate { value, interval: Interval::around(value, level.z() * self.error(a, b)) })
    }

    /// The probability that the first of two lines is the stronger player. `None` if their pools never met.
    pub fn superiority(&self, a: usize, b: usize) -> Option<f64> {
        let (a, b) = (self.players.get(a)?, self.players.get(b)?);
        let error = self.error(a, b);
        let z = if error > 0.0 { (a.rating.value - b.rating.value) / error } else { 0.0 };
        (a.pool == b.pool).then(|| normal_cdf(z))
    }

    /// The standard error of a difference.
    fn error(&self, a: &Player, b: &Player) -> f64 {
        let n = self.players.len() + 2;
        let entry = |i: usize, j: usize| self.covariance[i * n + j];
        let variance = entry(a.index, a.index) + entry(b.index, b.index) - 2.0 * entry(a.index, b.index);
        variance.max(0.0).sqrt() * ELO
    }

    /// How often equal players draw, apart from the advantage: 1 - 2/(1 + 10^(draw/400)).
    pub fn draw_rate(&self) -> f64 {
        1.0 - 2.0 / (1.0 + 10f64.powf(self.draw.value / 400.0))
    }
}

/// Rates all players of a pool of games.
pub fn fit(pool: &Pool, options: &Options) -> Result<Ratings, TextError> {
    options.check()?;
    if pool.games().is_empty() {
        return Err(TextError::new("there are no finished games to rate"));
    }
    let draws: u64 = pool.games().values().map(|[_, draws, _]| draws).sum();
    let draw = options.draw.or(if draws == 0 { Some(0.0) } else { None });
    let pools = pools(pool);
    let mut pairings: Vec<Pairing> = pool.games().iter().map(pairing).collect();
    pairings.extend(virtual_draws(pool, options.prior));
    let fixed = [options.advantage, draw].map(|elo| elo.map(|elo| elo / ELO));
    let problem = Problem { pairings: &pairings, players: pool.names().len(), pools: &pools, fixed };
    Ok(list(pool, &pools, problem.solve()?, options.level))
}

fn pairing((&(first, second), &[losses, draws, wins]): (&(usize, usize), &[u64; 3])) -> Pairing {
    Pairing { first, second, wins: wins as f64, draws: draws as f64, losses: losses as f64 }
}

/// The virtual draws: each player brings half of `prior`, spread over the opponents in proportion to the games against them, and on either
/// side of the board. As every player has opponents, each takes part in about `prior`.
fn virtual_draws(pool: &Pool, prior: f64) -> Vec<Pairing> {
    let mut games = vec![0.0; pool.names().len()];
    let count = |counts: &[u64; 3]| counts.iter().sum::<u64>() as f64;
    for (&(first, second), counts) in pool.games() {
        games[first] += count(counts);
        games[second] += count(counts);
    }
    let share = |(&(first, second), counts): (&(usize, usize), &[u64; 3])| {
        // Half on either side of the board: half of this pairing's share goes to its mirror image.
        let draws = prior / 4.0 * count(counts) * (1.0 / games[first] + 1.0 / games[second]);
        let one = Pairing { first, second, wins: 0.0, draws, losses: 0.0 };
        [one, Pairing { first: second, second: first, ..one }]
    };
    pool.games().iter().flat_map(share).collect()
}

/// For each player the number of the connected pool, counted by first appearance.
fn pools(pool: &Pool) -> Vec<usize> {
    let mut neighbours = vec![Vec::new(); pool.names().len()];
    for &(first, second) in pool.games().keys() {
        neighbours[first].push(second);
        neighbours[second].push(first);
    }
    let mut pools = vec![usize::MAX; neighbours.len()];
    let mut count = 0;
    for start in 0..pools.len() {
        if pools[start] != usize::MAX {
            continue;
        }
        let mut todo = vec![start];
        pools[start] = count;
        while let Some(player) = todo.pop() {
            for &next in &neighbours[player] {
                if pools[next] == usize::MAX {
                    pools[next] = count;
                    todo.push(next);
                }
            }
        }
        count += 1;
    }
    pools
}

fn list(pool: &Pool, pools: &[usize], solution: Solution, level: Level) -> Ratings {
    let Solution { parameters, covariance } = solution;
    let size = parameters.len();
    let estimate = |i: usize| {
        let error = covariance[i * size + i].max(0.0).sqrt();
        let value = parameters[i] * ELO;
        Estimate { value, interval: Interval::around(value, level.z() * error * ELO) }
    };
    let mut players: Vec<Player> = (pool.names().iter().enumerate())
        .map(|(i, name)| Player {
            name: name.clone(),
            rating: estimate(i),
            pool: pools[i],
            wins: 0,
            draws: 0,
            losses: 0,
            opponents: 0.0,
            index: i,
        })
        .collect();
    for (&(first, second), &[losses, draws, wins]) in pool.games() {
        for (me, other, wins, losses) in [(first, second, wins, losses), (second, first, losses, wins)] {
            let player = &mut players[me];
            player.wins += wins;
            player.draws += draws;
            player.losses += losses;
            player.opponents += parameters[other] * ELO * (wins + draws + losses) as f64;
        }
    }
    players.iter_mut().for_each(|player| player.opponents /= player.games() as f64);
    players.sort_by(|a, b| a.pool.cmp(&b.pool).then(b.rating.value.total_cmp(&a.rating.value)));
    let (advantage, draw) = (estimate(size - 2), estimate(size - 1));
    let pools = pools.iter().max().map_or(0, |&last| last + 1);
    Ratings { players, pools, advantage, draw, covariance }
}
