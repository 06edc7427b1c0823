//! What was counted: games, or pairs of games with the same opening and swapped colours.

use std::fmt;

use yomi_core::TextError;
use yomi_core::text::counted;

/// No match is longer. Beyond it counts are taken for mistakes.
pub const MAX_GAMES: u64 = 1_000_000_000;

/// What a result that was never seen counts in likelihoods, so that no logarithm is taken of zero. As fishtest and fastchess do.
const UNSEEN: f64 = 1e-3;

/// The result of one game for the player the statistics are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Game {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl Game {
    /// Half points: 0, 1 or 2. The sum of two games is the result of their pair.
    pub fn half_points(self) -> usize {
        self as usize
    }

    /// The same game as the opponent sees it.
    pub fn swapped(self) -> Game {
        match self {
            Game::Loss => Game::Win,
            Game::Draw => Game::Draw,
            Game::Win => Game::Loss,
        }
    }
}

/// How often each result occurred. The results of a game are loss, draw, win; those of a pair are counted by its half points:
/// two losses, loss and draw, balance (two draws, or a win each), win and draw, two wins.
///
/// Games of a pair share their opening and are not independent; only counts of pairs give the right error bars then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tally {
    /// Single games: losses, draws, wins.
    Games([u64; 3]),
    /// Pairs by their half points, 0 to 4.
    Pairs([u64; 5]),
}

impl Tally {
    /// Single games.
    pub fn games(wins: u64, draws: u64, losses: u64) -> Result<Tally, TextError> {
        Tally::Games([losses, draws, wins]).checked()
    }

    /// Pairs: two losses, loss and draw, balance, win and draw, two wins.
    pub fn pairs(counts: [u64; 5]) -> Result<Tally, TextError> {
        Tally::Pairs(counts).checked()
    }

    fn checked(self) -> Result<Tally, TextError> {
        let sum = self.counts().iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
        let games = sum.and_then(|sum| sum.checked_mul(self.games_a_sample()));
        match games {
            Some(games) if games <= MAX_GAMES => Ok(self),
            _ => Err(TextError::new(format!("more than {MAX_GAMES} games are taken for a mistake"))),
        }
    }

    /// The counts, from the worst result to the best.
    pub fn counts(&self) -> &[u64] {
        match self {
            Tally::Games(counts) => counts,
            Tally::Pairs(counts) => counts,
        }
    }

    /// Counts one more game or pair by its half points: 0 to 2 for a game, 0 to 4 for a pair. More do not exist and are not counted.
    pub fn add(&mut self, half_points: usize) {
        let counts: &mut [u64] = match self {
            Tally::Games(counts) => counts,
            Tally::Pairs(counts) => counts,
        };
        if let Some(count) = counts.get_mut(half_points) {
            *count += 1;
        }
    }

    /// How many independent samples: games, or pairs.
    pub fn samples(&self) -> u64 {
        self.counts().iter().fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// One game, or the two of a pair.
    pub fn games_a_sample(&self) -> u64 {
        match self {
            Tally::Games(_) => 1,
            Tally::Pairs(_) => 2,
        }
    }

    /// How many games.
    pub fn len(&self) -> u64 {
        self.samples().saturating_mul(self.games_a_sample())
    }

    /// Whether nothing was counted yet.
    pub fn is_empty(&self) -> bool {
        self.samples() == 0
    }

    /// The same games as the opponent counts them.
    pub fn swapped(mut self) -> Tally {
        match &mut self {
            Tally::Games(counts) => counts.reverse(),
            Tally::Pairs(counts) => counts.reverse(),
        }
        self
    }

    /// The shares of the results as they were counted. All zero when nothing was.
    pub fn shares(&self) -> Distribution {
        Distribution::new(self.counts().iter().map(|&n| n as f64))
    }

    /// The shares with a trace of what was never seen: for likelihoods, which end at zero.
    pub fn softened(&self) -> Distribution {
        Distribution::new(self.counts().iter().map(|&n| if n == 0 { UNSEEN } else { n as f64 }))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tally::Games([losses, draws, wins]) => {
                let [won, drawn] = [counted(*wins, "win", "wins"), counted(*draws, "draw", "draws")];
                write!(f, "{won}, {drawn}, {}", counted(*losses, "loss", "losses"))
            }
            Tally::Pairs([ll, ld, even, wd, ww]) => write!(f, "pairs LL {ll}, LD {ld}, even {even}, WD {wd}, WW {ww}"),
        }
    }
}

/// Probabilities of three or five results, from the worst to the best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Distribution {
    shares: [f64; 5],
    results: usize,
    /// N: the sum of what was shared out.
    pub total: f64,
}

impl Distribution {
    /// Shares in proportion to `weights`; more than five are cut off.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Distribution {
        let (mut shares, mut results) = ([0.0; 5], 0);
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share = weight;
            results += 1;
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            shares.iter_mut().for_each(|share| *share /= total);
        }
        Distribution { shares, results, total }
    }

    /// The probabilities p_i.
    pub fn shares(&self) -> &[f64] {
        &self.shares[..self.results]
    }

    /// Each probability with the score a_i = i/(m-1) of its result.
    pub fn scored(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let last = (self.results - 1) as f64;
        self.shares().iter().enumerate().map(move |(i, &p)| (i as f64 / last, p))
    }

    /// The mean score μ = Σ a_i p_i.
    pub fn mean(&self) -> f64 {
        self.scored().map(|(a, p)| a * p).sum()
    }

    /// The variance of the score, v = Σ p_i (a_i - μ)².
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.scored().map(|(a, p)| p * (a - mean).powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let tally = Tally::games(3, 2, 5).unwrap();
        let shares = tally.shares();
        assert_eq!(tally.len(), 10);
        assert!((shares.mean() - 0.4).abs() < 1e-15);
        assert!((shares.variance() - (0.3 * 0.36 + 0.2 * 0.01 + 0.5 * 0.16)).abs() < 1e-15);
        assert!((tally.swapped().shares().mean() - 0.6).abs() < 1e-15);
        assert_eq!(Tally::pairs([0, 0, 0, 0, 4]).unwrap().shares().variance(), 0.0);
        assert_eq!(Tally::games(0, 0, 0).unwrap().shares().shares(), [0.0; 3]);
    }

    #[test]
    fn half_points_are_counted() {
        use Game::{Draw, Loss, Win};
        let (mut games, mut pairs) = (Tally::Games([0; 3]), Tally::Pairs([0; 5]));
        for (first, second) in
            [(Loss, Loss), (Draw, Loss), (Win, Loss), (Draw, Draw), (Draw, Win), (Win, Win), (Loss, Win)]
        {
            [first, second].iter().for_each(|game| games.add(game.half_points()));
            pairs.add(first.half_points() + second.half_points());
        }
        assert_eq!((games, pairs), (Tally::Games([5, 4, 5]), Tally::Pairs([1, 1, 3, 1, 1])));
        assert_eq!((pairs.samples(), pairs.len()), (7, 14));
        pairs.add(5);
        assert_eq!(pairs.samples(), 7);
    }

    #[test]
    fn absurd_counts_are_refused() {
        assert!(Tally::games(u64::MAX, u64::MAX, 1).is_err());
        assert!(Tally::games(MAX_GAMES, 1, 0).is_err());
        assert!(Tally::games(MAX_GAMES, 0, 0).is_ok());
        assert!(Tally::pairs([MAX_GAMES, 0, 0, 0, 0]).is_err());
    }
}
