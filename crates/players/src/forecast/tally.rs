//! The distribution of margins of many playouts, and what is concluded from it.

use std::f64::consts::FRAC_PI_2;

use yomi_core::Color;

/// Margins and owners of many finished games.
pub(super) struct Tally {
    /// How often each margin came, from the most negative one on.
    counts: Vec<u32>,
    /// Twice the points of the board: no margin counts for more.
    limit: i32,
    games: u32,
    sum: f64,
    squares: f64,
    /// By point: games that Black owned it in, less those that White did.
    owners: Vec<i32>,
}

impl Tally {
    /// Nothing yet, on a board of this many points.
    pub(super) fn new(points: usize) -> Tally {
        let limit = 2 * points as i32;
        let counts = vec![0; 2 * limit as usize + 1];
        Tally { counts, limit, games: 0, sum: 0.0, squares: 0.0, owners: vec![0; points] }
    }

    /// One more game: Black's margin on the board, komi apart, and 1 or -1 for each point that Black or White owned.
    pub(super) fn add(&mut self, margin: i32, owners: impl Iterator<Item = i32>) {
        let margin = margin.clamp(-self.limit, self.limit);
        self.counts[(margin + self.limit) as usize] += 1;
        self.games += 1;
        self.sum += f64::from(margin);
        self.squares += f64::from(margin * margin);
        self.owners.iter_mut().zip(owners).for_each(|(sum, owner)| *sum += owner);
    }

    pub(super) fn games(&self) -> u32 {
        self.games
    }

    /// The mean margin.
    pub(super) fn mean(&self) -> f64 {
        self.sum / f64::from(self.games.max(1))
    }

    /// The standard deviation of the margins.
    pub(super) fn spread(&self) -> f64 {
        let mean = self.mean();
        (self.squares / f64::from(self.games.max(1)) - mean * mean).max(0.0).sqrt()
    }

    /// The mean of the middle fifth of the margins. A group that dies in every tenth playout shifts the mean by a tenth of itself although it will
    /// live; the median does not care, and the middle fifth is a median that does not jump.
    pub(super) fn middle(&self) -> f64 {
        let games = f64::from(self.games);
        let (low, high) = (games * (0.5 - MIDDLE / 2.0), games * (0.5 + MIDDLE / 2.0));
        let (mut below, mut sum) = (0.0, 0.0);
        for (margin, &count) in (-self.limit..).zip(&self.counts) {
            let above = below + f64::from(count);
            sum += f64::from(margin) * (high.min(above) - low.max(below)).max(0.0);
            below = above;
        }
        if self.games == 0 { 0.0 } else { sum / (high - low) }
    }

    /// By point: from -1, White's in every game, to 1, Black's.
    pub(super) fn owner(&self, point: usize) -> f64 {
        f64::from(self.owners[point]) / f64::from(self.games.max(1))
    }
}

/// The part of the margins that counts as their middle.
const MIDDLE: f64 = 0.2;

/// The moves of a position differ by about this many points.
const MOVES_DIFFER: f64 = 5.0;

/// How much of what `games` playouts with this spread say about a move is to be believed, the rest being what is known of the
/// position: the shrinkage of a normal mean whose prior has the standard deviation [`MOVES_DIFFER`].
pub(super) fn credence(games: u32, spread: f64) -> f64 {
    let games = f64::from(games);
    let doubt = (spread / MOVES_DIFFER).powi(2);
    if games == 0.0 { 0.0 } else { games / (games + doubt) }
}

/// Playouts on an empty board make this much less of an advantage than good play does.
const LOSS_OF_EMPTY_BOARD: f64 = 0.15;

/// The margin that good play makes of what playouts come to. They squander an advantage the more, the more is left to play for: fitted
/// to finished games on 9x9 (`results/go-leads/README.md`) by least absolute distance: a few games that were decided by dead groups count
/// for no more than the others.
pub(super) fn unsquandered(margin: f64, empty_share: f64) -> f64 {
    margin * (1.0 + LOSS_OF_EMPTY_BOARD * empty_share * empty_share)
}

/// What a move on an empty board is worth: twice the komi that makes the game even, on every size.
const A_MOVE: f64 = 14.0;

/// Black's lead on the board as stones alone tell it, komi apart: each that Black has more is a move more, and the side to move is half a
/// move ahead. Seven points on an empty board, 49 after four handicap stones.
pub(super) fn by_stones(black: u32, white: u32, turn: Color) -> f64 {
    let half = if turn == Color::Black { 0.5 } else { -0.5 };
    A_MOVE * (f64::from(black) - f64::from(white) + half)
}

/// By how much the variance of a lead between equal players grows with each stone: chosen on half of the games in `results/go-leads`.
const DRIFT: f64 = 3.0;

/// A lead of which playouts say `played`: the mean of a normal distribution whose prior is [`by_stones`], the less certain the more stones there are,
/// and whose evidence is a median of `games` margins with this spread. On large boards a few hundred playouts are off by more than the first moves can be worth.
pub(super) fn settled(played: f64, prior: f64, stones: u32, games: u32, spread: f64) -> f64 {
    let doubt = FRAC_PI_2 * spread * spread / f64::from(games.max(1));
    let drift = DRIFT * f64::from(stones);
    if doubt == 0.0 { played } else { prior + (played - prior) * drift / (drift + doubt) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(margins: &[i32]) -> Tally {
        let mut tally = Tally::new(9);
        margins.iter().for_each(|&margin| tally.add(margin, [1, -1, 0].into_iter()));
        tally
    }

    #[test]
    fn the_middle_is_a_steady_median() {
        // Nine games by two points, one in which a group died.
        assert!((tally(&[2, 2, 2, 2, -16, 2, 2, 2, 2, 2]).middle() - 2.0).abs() < 1e-9);
        // The median of these is 1 or 3; between them it moves by parts.
        assert!((tally(&[1, 1, 3, 3]).middle() - 2.0).abs() < 1e-9);
        let most = tally(&[1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3]).middle();
        assert!(most > 1.0 && most < 3.0, "{most}");
        assert_eq!((tally(&[]).middle(), tally(&[5]).middle()), (0.0, 5.0));
        assert_eq!(tally(&[-999]).middle(), -18.0, "no margin is wider than the board is worth");
    }

    #[test]
    fn moments_and_owners() {
        let tally = tally(&[1, 3]);
        assert_eq!((tally.games(), tally.mean(), tally.spread()), (2, 2.0, 1.0));
        assert_eq!([0, 1, 2, 3].map(|point| tally.owner(point)), [1.0, -1.0, 0.0, 0.0]);
    }

    #[test]
    fn few_playouts_say_little() {
        assert_eq!(credence(0, 30.0), 0.0);
        assert!(credence(5, 40.0) < 0.08 && credence(1000, 40.0) > 0.9);
        assert_eq!(credence(1, 0.0), 1.0, "where all playouts agree one is enough");
    }

    #[test]
    fn an_advantage_counts_for_more_the_earlier() {
        assert_eq!((unsquandered(8.0, 1.0), unsquandered(8.0, 0.0)), (9.2, 8.0));
        assert_eq!(unsquandered(-8.0, 0.5), -8.3);
    }

    #[test]
    fn stones_are_moves() {
        assert_eq!(by_stones(0, 0, Color::Black), 7.0);
        assert_eq!(by_stones(1, 0, Color::White), 7.0);
        assert_eq!(by_stones(4, 0, Color::White), 49.0, "four handicap stones are three and a half moves");
    }

    #[test]
    fn playouts_count_for_more_the_more_stones_and_games_there_are() {
        assert_eq!(settled(-5.0, 7.0, 0, 500, 70.0), 7.0, "an empty board is known");
        assert_eq!(settled(30.0, 7.0, 0, 500, 0.0), 30.0, "so is what all playouts agree on");
        let early = settled(27.0, 7.0, 5, 500, 70.0);
        let [more_stones, more_games] = [settled(27.0, 7.0, 50, 500, 70.0), settled(27.0, 7.0, 5, 5000, 70.0)];
        assert!(early > 12.0 && early < 18.0, "{early}");
        assert!(more_stones > 24.0 && more_games > 24.0, "{more_stones}, {more_games}");
    }
}
