//! The games of one row of a table, counted: results, colours, openings, what both sides spent.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::match_table::GameMeasurement;
use crate::report::text::{record_text, short, step_time_text};
use crate::statistics::clusters::Clusters;
use crate::statistics::{Interval, Level, Proportion, Tally};

/// What a draw counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Draws {
    /// Nothing: the rate is wins out of decided games (S0).
    #[default]
    Drop,
    /// Half a win (S1).
    Half,
}

/// The results of one row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counts {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Losses, draws and wins with the first move and without.
    pub by_color: [[u64; 3]; 2],
    /// What both sides spent: the player of the row, then its opponent.
    pub spent: [Spent; 2],
    /// How many games ended how.
    pub reasons: BTreeMap<String, u64>,
    /// The results by opening, draws counting as the table says.
    pub clusters: Clusters,
    /// The games by their names: equal games have one.
    different: BTreeSet<String>,
    /// Half points of the games of each pair, and how many of them were played.
    pairs: BTreeMap<u64, (usize, u8)>,
}

/// What one side spent on all its moves.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// Its moves, the opening apart.
    pub moves: u64,
    /// Milliseconds.
    pub ms: f64,
    /// CPU milliseconds; 0 where they are not known.
    pub cpu_ms: f64,
    /// Nodes; 0 where they are not known, like the others.
    pub nodes: u64,
    /// Simulations.
    pub sims: u64,
    /// Evaluated positions.
    pub evals: u64,
}

impl Spent {
    fn add(&mut self, game: &GameMeasurement, side: usize) {
        // Ledgers of older versions do not tell the moves of each side.
        let made = if game.made == [0; 2] { game.moves.len() as u64 / 2 } else { game.made[side] };
        self.moves += made;
        self.ms += game.ms[side];
        self.cpu_ms += game.cpu_ms[side];
        self.nodes += game.nodes[side];
        self.sims += game.sims[side];
        self.evals += game.evals[side];
    }

    /// CPU microseconds per simulation, or what counts in its place; a dash where nothing is known.
    pub fn step_time(&self) -> String {
        step_time_text(self.cpu_ms, [self.sims, self.nodes, self.evals])
    }

    /// So much of it per move; a dash where nothing is known.
    pub fn per_move(&self, total: f64) -> String {
        if total > 0.0 && self.moves > 0 { short(total / self.moves as f64) } else { "–".to_string() }
    }
}

impl Counts {
    /// Counts a game of pair number `pair`, whose first `opening` moves both sides were given.
    pub fn add(&mut self, game: &GameMeasurement, pair: u64, opening: usize, draws: Draws) {
        let given = if opening == 0 { &game.moves[..] } else { &game.moves[..opening.min(game.moves.len())] };
        let cluster = format!("{} {}", game.start.as_deref().unwrap_or_default(), given.join(" "));
        self.add_of_cluster(game, pair, &cluster, draws);
    }

    /// Counts a game of a cluster that has this name.
    pub fn add_of_cluster(&mut self, game: &GameMeasurement, pair: u64, cluster: &str, draws: Draws) {
        let (won, drawn) = (game.score > 0.75, (0.25..=0.75).contains(&game.score));
        self.wins += u64::from(won);
        self.draws += u64::from(drawn);
        self.losses += u64::from(!won && !drawn);
        let half_points = if won { 2 } else { usize::from(drawn) };
        self.by_color[usize::from(!game.first)][half_points] += 1;
        (0..2).for_each(|side| self.spent[side].add(game, side));
        *self.reasons.entry(game.reason.clone()).or_default() += 1;
        let whole = game.moves.join(" ");
        if draws == Draws::Half || !drawn {
            self.clusters.add(cluster, game.score, 1.0);
        }
        self.different.insert(if game.identity.is_empty() { whole } else { game.identity.clone() });
        let entry = self.pairs.entry(pair).or_default();
        *entry = (entry.0 + half_points, entry.1 + 1);
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// How many games are different from all others of the row.
    pub fn different(&self) -> u64 {
        self.different.len() as u64
    }

    /// Wins, draws and losses, with the first move (0) or without (1).
    pub fn color_text(&self, color: usize) -> String {
        let [losses, draws, wins] = self.by_color[color];
        record_text(wins, draws, losses)
    }

    /// Something of both sides per move: the player's and its opponent's.
    pub fn both(&self, what: impl Fn(&Spent) -> f64) -> String {
        both(self.spent.map(|spent| spent.per_move(what(&spent))))
    }

    /// CPU microseconds per simulation of both sides.
    pub fn step_times(&self) -> String {
        both(self.spent.map(|spent| spent.step_time()))
    }

    /// The rate, every game counting: points out of games, or wins out of decided games. None without games.
    pub fn rate(&self, draws: Draws) -> Option<f64> {
        let (points, games) = match draws {
            Draws::Drop => (self.wins as f64, self.wins + self.losses),
            Draws::Half => (self.wins as f64 + 0.5 * self.draws as f64, self.games()),
        };
        (games > 0).then(|| points / games as f64)
    }

    /// The 95 % interval of the rate, games of one opening counting for less.
    pub fn interval(&self) -> Interval {
        self.clusters.estimate(Level::P95).map_or(Interval::UNIT, |estimate| estimate.interval)
    }

    /// The games as a number of independent ones, in whole successes: games of one opening, and copies of a game, count for less. Intervals
    /// and tests are made from this.
    pub fn effective(&self) -> Proportion {
        self.clusters.effective()
    }

    /// What Elo is computed from: the results of pairs if every game has its partner, else those of games.
    pub fn tally(&self) -> Tally {
        let games = Tally::Games([self.losses, self.draws, self.wins]);
        if self.pairs.is_empty() || self.pairs.values().any(|&(_, played)| played != 2) {
            return games;
        }
        let mut five = [0; 5];
        self.pairs.values().for_each(|&(half_points, _)| five[half_points.min(4)] += 1);
        Tally::Pairs(five)
    }
}

/// The player's and its opponent's; one dash where neither is known.
fn both([mine, other]: [String; 2]) -> String {
    if mine == "–" && other == "–" { mine } else { format!("{mine} / {other}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::percent_text;

    fn game(score: f64, first: bool, moves: &str) -> GameMeasurement {
        let measurement = serde_json::json!({ "score": score, "first": first, "reason": "normal", "detail": "", "nodes": [4, 8], "ms": [1.0, 2.0],
            "moves": moves.split_whitespace().collect::<Vec<_>>() });
        serde_json::from_value(measurement).unwrap()
    }

    #[test]
    fn copies_and_openings_are_found() {
        let mut counts = Counts::default();
        // Two openings; the first is played four times alike, as deterministic players do.
        for pair in 0..2 {
            counts.add(&game(1.0, true, "a b x y"), pair, 2, Draws::Drop);
            counts.add(&game(0.0, false, "a b z y"), pair, 2, Draws::Drop);
        }
        counts.add(&game(1.0, true, "c d x y"), 2, 2, Draws::Drop);
        counts.add(&game(0.5, false, "c d q y"), 2, 2, Draws::Drop);
        assert_eq!((counts.games(), counts.different(), counts.clusters.len()), (6, 4, 2));
        assert_eq!(counts.tally(), Tally::Pairs([0, 0, 2, 1, 0]));
        assert_eq!((counts.rate(Draws::Drop), counts.rate(Draws::Half)), (Some(3.0 / 5.0), Some(3.5 / 6.0)));
        assert_eq!((counts.color_text(0), counts.color_text(1)), ("3-0-0".to_string(), "0-1-2".to_string()));
        assert_eq!(counts.both(|spent| spent.nodes as f64), "2.00 / 4.00");
        assert_eq!(counts.both(|spent| spent.evals as f64), "–");
    }

    /// 100 simulations in 2 CPU ms are 20 µs each; what makes none counts in nodes; what has no CPU time has a dash.
    #[test]
    fn steps_have_their_time() {
        let mut counts = Counts::default();
        let mut played = game(1.0, true, "a b");
        (played.sims, played.nodes, played.evals) = ([100, 0], [400, 500], [800, 600]);
        counts.add(&played, 0, 0, Draws::Drop);
        assert_eq!(counts.step_times(), "–");
        let mut counts = Counts::default();
        played.cpu_ms = [2.0, 1.0];
        counts.add(&played, 0, 0, Draws::Drop);
        assert_eq!(counts.step_times(), "20.00 / 2.00 per node");
        assert_eq!(step_time_text(3.0, [0, 0, 6]), "500.0 per evaluation");
        assert_eq!(step_time_text(3.0, [0, 0, 0]), "–");
    }

    /// Half a point is not dropped where the draws are odd: 285-29-186 is 299.5 out of 500.
    #[test]
    fn odd_draws_count_half_a_game_each() {
        let mut counts = Counts::default();
        for number in 0..500 {
            let score = if number < 285 { 1.0 } else { f64::from(u8::from(number < 314)) / 2.0 };
            counts.add(&game(score, true, &format!("m{number} x")), number, 1, Draws::Half);
        }
        assert_eq!((counts.wins, counts.draws, counts.losses), (285, 29, 186));
        let (rate, interval) = (counts.rate(Draws::Half), counts.interval());
        assert_eq!(rate, Some(0.599));
        assert!(percent_text(rate, interval).starts_with("59.9 ["));
        let whole = |points| Proportion::new(points, 500).unwrap().clopper_pearson(Level::P95);
        assert!(whole(299).low < interval.low && interval.low < whole(300).low);
        assert!(whole(299).high < interval.high && interval.high < whole(300).high);
        assert_eq!(Counts::default().rate(Draws::Half), None);
    }

    #[test]
    fn without_an_opening_equal_games_are_one() {
        let mut counts = Counts::default();
        for pair in 0..10 {
            counts.add(&game(1.0, true, "a b"), pair, 0, Draws::Drop);
            counts.add(&game(0.0, false, "b a"), pair, 0, Draws::Drop);
        }
        assert_eq!((counts.different(), counts.effective().trials()), (2, 1));
    }
}
