//! What a match came to: everything that tables, pages and programs say about it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use yomi_core::TextError;

use crate::plan::MatchPlan;
use crate::row::GameRow;
use crate::standing::{Pairing, Standing};
use crate::statistics::elo::{elo, likelihood_of_superiority, normalized_elo};
use crate::statistics::ratings::{Options, Pool, Ratings, fit};
use crate::statistics::score::{decisive, score};
use crate::statistics::{Estimate, Interval, Level, Tally};

/// A match, counted.
pub struct Summary {
    /// The counts of each pairing.
    pub standing: Standing,
    /// What each player spent, in the order of the configuration.
    pub players: Vec<Spent>,
    /// The rating list, where more than two players met.
    pub ratings: Option<Ratings>,
    /// What a reader should know before believing anything.
    pub warnings: Vec<String>,
    /// Mean number of plies of a game.
    pub mean_plies: f64,
}

/// What a player spent on its moves.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Spent {
    /// Its name.
    pub name: String,
    /// Games that count.
    pub games: u64,
    /// Its own moves in them.
    pub moves: u64,
    /// Simulations.
    pub sims: u64,
    /// Nodes.
    pub nodes: u64,
    /// Evaluated positions; 0 where they are not known.
    pub evals: u64,
    /// Milliseconds.
    pub ms: f64,
    /// CPU milliseconds; 0 where they are not known.
    pub cpu_ms: f64,
    /// Milliseconds per move of each game, in increasing order.
    pace: Vec<f64>,
    /// The slowest move in milliseconds.
    pub slowest_ms: f64,
    depth: f64,
}

impl Spent {
    /// A total, per move.
    pub fn per_move(&self, total: f64) -> f64 {
        if self.moves == 0 { 0.0 } else { total / self.moves as f64 }
    }

    /// Mean depth of its moves.
    pub fn depth(&self) -> f64 {
        self.per_move(self.depth)
    }

    /// The pace in milliseconds per move that this share of its games did not exceed: 0.5 is the median.
    pub fn pace(&self, share: f64) -> f64 {
        let last = self.pace.len().saturating_sub(1);
        self.pace.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
    }

    fn add(&mut self, row: &GameRow, side: usize) {
        let moves = u64::from(row.made[side]);
        self.games += 1;
        self.moves += moves;
        self.sims = self.sims.saturating_add(row.sims[side]);
        self.nodes = self.nodes.saturating_add(row.nodes[side]);
        self.evals = self.evals.saturating_add(row.evals[side]);
        self.ms += row.ms[side];
        self.cpu_ms += row.cpu_ms[side];
        self.slowest_ms = self.slowest_ms.max(row.slowest_ms[side]);
        self.depth += f64::from(row.depth[side]) * moves as f64;
        if moves > 0 {
            self.pace.push(row.ms[side] / moves as f64);
        }
    }
}

impl Summary {
    /// Counts the rows of a match.
    pub fn of(plan: &MatchPlan, rows: &[GameRow]) -> Result<Summary, TextError> {
        let standing = Standing::of(plan, rows)?;
        let name = |player: &crate::config::PlayerConfig| Spent { name: player.name.clone(), ..Spent::default() };
        let mut players: Vec<Spent> = plan.config.players.iter().map(name).collect();
        let places: BTreeMap<String, usize> = players.iter().enumerate().map(|(i, p)| (p.name.clone(), i)).collect();
        let mut pool = Pool::new();
        let counting = || rows.iter().filter(|row| row.counts());
        for row in counting() {
            for (side, name) in [&row.first, &row.second].into_iter().enumerate() {
                if let Some(&place) = places.get(name) {
                    players[place].add(row, side);
                }
            }
            if let Some(game) = row.result.game() {
                pool.add(&row.first, &row.second, game)?;
            }
        }
        players.iter_mut().for_each(|player| player.pace.sort_by(f64::total_cmp));
        let ratings = if players.len() > 2 && standing.games > 0 { fit(&pool, &Options::default()).ok() } else { None };
        let plies: u64 = counting().map(|row| u64::from(row.plies)).sum();
        let mean_plies = if standing.games == 0 { 0.0 } else { plies as f64 / standing.games as f64 };
        let warnings = [warnings(plan, &standing), remarks(rows)].concat();
        Ok(Summary { standing, players, ratings, warnings, mean_plies })
    }

    /// How many games whose moves, or a symmetric image of them, did not occur before.
    pub fn unique(&self) -> u64 {
        self.standing.pairings.iter().map(|pairing| pairing.unique).sum()
    }

    /// The summary for programs.
    pub fn json(&self, plan: &MatchPlan) -> Value {
        let config = &plan.config;
        let players: Vec<Value> = self.players.iter().map(spent_json).collect();
        let pairings: Vec<Value> = self.standing.pairings.iter().map(pairing_json).collect();
        let ratings = self.ratings.as_ref().map(|ratings| {
            let row = |player: &crate::statistics::ratings::Player| {
                json!({ "name": player.name, "elo": estimate_json(Some(player.rating)), "games": player.games(), "score": player.score() })
            };
            ratings.players.iter().map(row).collect::<Vec<Value>>()
        });
        json!({ "type": "summary", "name": config.name, "hash": plan.hash, "game": config.game, "schedule": config.schedule,
            "reproducible": config.reproducible, "games": self.standing.games, "scheduled": self.standing.scheduled,
            "unique": self.unique(), "voids": self.standing.voids, "mean_plies": self.mean_plies, "pairings": pairings,
            "players": players, "ratings": ratings, "warnings": self.warnings })
    }
}

/// So large a share of repeated games is worth a warning.
const TOO_MANY_REPEATED: f64 = 0.1;

fn warnings(plan: &MatchPlan, standing: &Standing) -> Vec<String> {
    let mut warnings = Vec::new();
    for pairing in &standing.pairings {
        let games = pairing.games.len();
        let repeated = games - pairing.unique;
        if games > 0 && repeated as f64 > games as f64 * TOO_MANY_REPEATED {
            warnings.push(format!(
                "{} – {}: only {} of {games} games are unique; repeated games prove nothing. Use --openings, or players that draw lots",
                pairing.player, pairing.opponent, pairing.unique
            ));
        }
        if let Some(why) = &pairing.given_up {
            warnings.push(format!("{} – {} was given up after void games: {why}", pairing.player, pairing.opponent));
        }
    }
    if !plan.config.reproducible {
        warnings.push(
            "reproducible=false: time, threads on one tree or engines of other people decide these games too".into(),
        );
    }
    warnings
}

/// What players say about games that are over: the first remark of each, and in how many games it made one.
fn remarks(rows: &[GameRow]) -> Vec<String> {
    let mut first: Vec<(&str, u64, &str, u64)> = Vec::new();
    for row in rows {
        for (name, remark) in [&row.first, &row.second].into_iter().zip(&row.remarks) {
            let Some(remark) = remark else { continue };
            match first.iter_mut().find(|(other, ..)| other == name) {
                Some((.., games)) => *games += 1,
                None => first.push((name, row.job, remark, 1)),
            }
        }
    }
    let line = |(name, job, remark, games): (&str, u64, &str, u64)| {
        let more = if games > 1 { format!(" ({games} games in all)") } else { String::new() };
        format!("{name}, game {}: {remark}{more}", job + 1)
    };
    first.into_iter().map(line).collect()
}

fn pairing_json(pairing: &Pairing) -> Value {
    let tally = pairing.tally();
    let [losses, draws, wins] = pairing.counts();
    let pairs = match pairing.pairs {
        Some(Tally::Pairs(counts)) => Some(counts),
        _ => None,
    };
    let sprt = pairing.sequence.as_ref().map(|sequence| {
        let stop = sequence.stop().map(|stop| json!({ "games": stop.tally.len(), "llr": stop.ratio }));
        json!({ "llr": sequence.ratio(), "decision": sequence.decision().to_string(), "prefix": sequence.tally().len(),
            "stopped_at": stop })
    });
    let reasons: BTreeMap<String, [u64; 3]> =
        pairing.reasons.iter().map(|(reason, n)| (reason.to_string(), *n)).collect();
    let decisive = decisive(&pairing.games).filter(|wins| wins.trials() > 0).map(|wins| {
        let interval = wins.wilson(Level::P95);
        json!({ "value": wins.rate(), "interval": [interval.low, interval.high], "p": wins.exact_test(0.5) })
    });
    let clusters = &pairing.clusters;
    let rate = clusters.estimate(Level::P95);
    let interval = rate.map_or(Interval::UNIT, |rate| rate.interval);
    let by_opening = json!({ "openings": clusters.len(), "design_effect": clusters.design_effect(),
        "independent_games": clusters.effective().trials(), "value": rate.map(|rate| rate.value),
        "interval": [interval.low, interval.high] });
    json!({ "player": pairing.player, "opponent": pairing.opponent, "games": pairing.games.len(), "unique": pairing.unique,
        "wins": wins, "draws": draws, "losses": losses, "pairs": pairs, "by_color": pairing.by_color,
        "score": estimate_json(score(&tally, Level::P95)), "decisive": decisive, "by_opening": by_opening, "elo": estimate_json(elo(&tally, Level::P95)),
        "nelo": estimate_json(normalized_elo(&tally, Level::P95)), "los": likelihood_of_superiority(&tally), "sprt": sprt,
        "reasons": reasons, "given_up": pairing.given_up })
}

fn spent_json(spent: &Spent) -> Value {
    json!({ "name": spent.name, "games": spent.games, "moves": spent.moves, "sims": spent.sims, "nodes": spent.nodes, "evals": spent.evals, "cpu_ms": spent.cpu_ms,
        "depth": spent.depth(), "ms": spent.ms, "median_ms_a_move": spent.pace(0.5), "p95_ms_a_move": spent.pace(0.95),
        "slowest_ms": spent.slowest_ms })
}

/// An estimate for programs; what is infinite becomes null.
pub(crate) fn estimate_json(estimate: Option<Estimate>) -> Value {
    estimate.map_or(Value::Null, |e| json!({ "value": e.value, "interval": [e.interval.low, e.interval.high] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of a ledger in which White made a remark, or neither side, as ledgers without remarks have it.
    fn row(job: u64, remark: Option<&str>) -> GameRow {
        let mut row = json!({ "job": job, "pairing": 0, "round": 0, "first": "a", "second": "b", "result": "1-0",
            "reason": "normal", "detail": "B+1.5", "seed": 1, "plies": 2, "opening": 0, "moves": "pass pass",
            "made": [1, 1], "sims": [0, 0], "nodes": [0, 0], "depth": [0.0, 0.0], "identity": "0", "ms": [0.0, 0.0],
            "slowest_ms": [0.0, 0.0], "worker": 0 });
        if let Some(remark) = remark {
            row["remarks"] = json!([null, remark]);
        }
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn remarks_are_printed_once_per_player() {
        let rows = [row(0, None), row(4, Some("counts W+3.5")), row(6, Some("counts W+0.5"))];
        assert_eq!(remarks(&rows), ["b, game 5: counts W+3.5 (2 games in all)"]);
        assert!(remarks(&rows[..1]).is_empty());
    }
}
