//! Matches side by side: one row per player and opponent, games in colour-swapped pairs (S0 tables 1 and 2, S2 table 2).

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Seed, TextError};

mod game;
mod show;

pub use super::counts::{Counts, Draws, Spent};
pub use game::{GameMeasurement, GameTask, measure};

use super::{Kind, TourChanges, distinct, row_error, scaled, with_budget};
use crate::conditions::ResignRule;
use crate::experiment::findings::measured;
use crate::experiment::known::FullRun;
use crate::experiment::published::Published;
use crate::experiment::statement::{self, Statement};
use crate::experiment::task::{Measurement, Task};
use crate::experiment::verdict::{Judgement, Verdict, of_rates};
use crate::opening::OpeningSource;
use crate::report::text::{percent_text, slug};
use crate::report::{Block, Section};
use crate::statistics::elo::{elo, normalized_elo};
use crate::statistics::isotonic::draw;
use crate::statistics::{Level, Proportion};
use crate::summary::estimate_json;

/// A table of matches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchTable {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Games per row at full size.
    pub games: u64,
    /// Who the rows play against, where they name no opponent of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// What players may spend per move if they do not say so themselves: `evals=20000`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// How games begin: plies drawn at random, or the name of a file of openings.
    #[serde(default = "default_opening")]
    pub opening: String,
    /// After this many moves a game is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// When a game is given up on behalf of a player who says that it is losing, as [`ResignRule`] reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<String>,
    /// What a draw counts.
    #[serde(default)]
    pub draws: Draws,
    /// A difference of rates that matters; if left out, [`crate::experiment::verdict::level_margin`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the level of the rows can agree.
    #[serde(default, skip_serializing_if = "is_judged")]
    pub level: LevelClaim,
    /// What is claimed about the shape of the table and the effects in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Statement>,
    /// The horizontal axis of the chart, if rows have an `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<AxisText>,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// The rows.
    pub rows: Vec<MatchRow>,
}

/// An axis of a chart.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisText {
    /// What it measures.
    pub label: String,
    /// Whether equal ratios are equally long.
    #[serde(default)]
    pub log: bool,
}

/// One row of a match table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchRow {
    /// The name of the row.
    pub label: String,
    /// Who plays.
    pub player: String,
    /// Against whom, if not the opponent of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// What this player may spend on a move, if not what all may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// Where it stands on the horizontal axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The curve it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// What the paper printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
}

/// Whether the rates of the rows can be those of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LevelClaim {
    /// They can: each row is compared with what was published.
    #[default]
    Judged,
    /// They cannot: how strong the opponent is, is ours to set. Only claims about shapes and effects are judged.
    Open,
}

fn default_opening() -> String {
    "random(4)".to_string()
}

pub(crate) fn is_judged(level: &LevelClaim) -> bool {
    *level == LevelClaim::Judged
}

impl MatchTable {
    /// The two players of a row, with their budgets.
    fn players(&self, row: &MatchRow) -> [String; 2] {
        let opponent = row.opponent.as_deref().or(self.opponent.as_deref()).unwrap_or_default();
        let budget = row.budget.as_deref().unwrap_or(&self.budget);
        [with_budget(&row.player, budget), with_budget(opponent, &self.budget)]
    }

    /// The task of a game: `index` counts game by game through all rows, so that a broken run has all rows equally.
    fn task(&self, index: u64) -> Task {
        let rows = self.rows.len() as u64;
        let (row, game) = (&self.rows[(index % rows) as usize], index / rows);
        Task::Game(GameTask {
            game: self.game.clone(),
            players: self.players(row),
            first: game % 2 == 0,
            pair: game / 2,
            opening: self.opening.clone(),
            move_limit: self.move_limit,
            resign: self.resign.clone(),
        })
    }

    /// How many moves of a game both sides were given.
    fn given(&self) -> usize {
        match OpeningSource::parse(&self.opening) {
            Ok(OpeningSource::Random { plies } | OpeningSource::Balanced { plies, .. }) => plies as usize,
            Ok(OpeningSource::Pentomino) => 2,
            _ => 0,
        }
    }

    /// The counts of each row.
    pub fn counts(&self, measurements: &[Option<Measurement>]) -> Vec<Counts> {
        let (rows, given) = (self.rows.len(), self.given());
        let mut counts = vec![Counts::default(); rows];
        for (index, measurement) in measurements.iter().enumerate() {
            if let Some(Measurement::Game(game)) = measurement {
                counts[index % rows].add(game, (index / rows / 2) as u64, given, self.draws);
            }
        }
        counts
    }

    /// How each row stands to what was published, in every reading of it; nothing where the level cannot agree.
    pub fn judge(&self, counts: &[Counts]) -> Vec<Option<RowVerdict>> {
        if !self.is_judged() {
            return vec![None; self.rows.len()];
        }
        let readings: Vec<_> =
            self.rows.iter().map(|row| row.published.as_ref().map_or(Vec::new(), Published::readings)).collect();
        let reading = |number: usize| {
            let pair = |(readings, counts): (&Vec<(&'static str, Proportion)>, &Counts)| {
                let (_, published) = readings.get(number).or(readings.first())?;
                Some((*published, counts.effective()))
            };
            of_rates(&readings.iter().zip(counts).map(pair).collect::<Vec<_>>(), self.margin)
        };
        let [first, second] = [reading(0), reading(1)];
        let both = first.into_iter().zip(second).zip(&readings);
        both.map(|((first, second), readings)| RowVerdict::of(first?, second?, readings)).collect()
    }

    /// Whether rows are compared with what was published of them.
    fn is_judged(&self) -> bool {
        self.level == LevelClaim::Judged && self.rows.iter().any(|row| row.published.is_some())
    }

    fn margin_text(&self) -> String {
        match self.margin {
            Some(margin) => format!("{:.0} points", 100.0 * margin),
            None => "half of the published distance from 50 %, at least 2 and at most 10 points".to_string(),
        }
    }

    /// The rows as claims see them.
    fn claimed_rows(&self, counts: &[Counts]) -> Vec<statement::Row> {
        let row = |(row, counts): (&MatchRow, &Counts)| statement::Row {
            label: row.label.clone(),
            measured: counts.effective(),
            published: row
                .published
                .as_ref()
                .map_or(Vec::new(), |p| p.readings().into_iter().map(|(_, p)| p).collect()),
        };
        self.rows.iter().zip(counts).map(row).collect()
    }
}

/// How often a row would be found to agree with what was published if that were its true rate, on average over the rows.
fn level_power(rows: &[statement::Row], rates: &[Option<f64>], games: u64, margin: Option<f64>) -> Option<f64> {
    const TABLES: u32 = 100;
    let mut rng = Seed::new(1).branch("level power", 0).rng();
    let mut agreed = 0;
    for _ in 0..TABLES {
        let pair = |(row, rate): (&statement::Row, &Option<f64>)| {
            Some((*row.published.first()?, draw(games, (*rate)?, &mut rng)))
        };
        let pairs: Vec<_> = rows.iter().zip(rates).map(pair).collect();
        agreed += of_rates(&pairs, margin).iter().flatten().filter(|row| row.verdict == Verdict::Agrees).count();
    }
    let known = rates.iter().flatten().count();
    (known > 0).then(|| agreed as f64 / (f64::from(TABLES) * known as f64))
}

/// How a row stands to what was published.
#[derive(Clone, PartialEq, Debug)]
pub struct RowVerdict {
    /// The verdict and its numbers: those of the first reading.
    pub judgement: Judgement,
    /// What each reading of a contradictory print would give.
    pub readings: Option<String>,
}

impl RowVerdict {
    fn of(first: Judgement, second: Judgement, readings: &[(&'static str, Proportion)]) -> Option<RowVerdict> {
        let readings = match readings {
            [(one, _), (other, _)] => {
                Some(format!("{one}: {}, {other}: {}", first.verdict.words(), second.verdict.words()))
            }
            _ => None,
        };
        // Where the print contradicts itself and so do the verdicts, nothing is known.
        let verdict = if first.verdict == second.verdict { first.verdict } else { Verdict::NotSignificant };
        Some(RowVerdict { judgement: Judgement { verdict, ..first }, readings })
    }
}

impl Kind for MatchTable {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.rows.iter().map(|row| row.label.as_str()))?;
        if self.games == 0 {
            return Err(TextError::new("games must be at least 1"));
        }
        if self.margin.is_some_and(|margin| !(0.0..=1.0).contains(&margin)) {
            return Err(TextError::new("margin is a difference of rates: 0 to 1"));
        }
        self.resign.as_deref().map(ResignRule::parse).transpose()?;
        OpeningSource::parse(&self.opening)?;
        let labels: Vec<&str> = self.rows.iter().map(|row| row.label.as_str()).collect();
        self.claims.iter().try_for_each(|claim| claim.check(&labels))?;
        for row in &self.rows {
            if row.opponent.is_none() && self.opponent.is_none() {
                return Err(row_error(&row.label, "there is no opponent"));
            }
            row.published.as_ref().map_or(Ok(()), Published::check).map_err(|e| row_error(&row.label, &e.message))?;
        }
        Ok(())
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        // Whole pairs: an opening is played with both colours.
        let games = scaled(self.games, scale).next_multiple_of(2);
        (0..games * self.rows.len() as u64).map(|index| self.task(index)).collect()
    }

    fn power(&self, scale: f64) -> Vec<(String, Option<f64>)> {
        let nothing = vec![Counts::default(); self.rows.len()];
        let rows = self.claimed_rows(&nothing);
        let games = vec![scaled(self.games, scale).next_multiple_of(2); rows.len()];
        let rates = statement::at_measured_level(&rows);
        let power = statement::power(&self.claims, &rows, &rates, &games);
        let mut powers: Vec<_> = self.claims.iter().map(|claim| claim.says.clone()).zip(power).collect();
        if self.level == LevelClaim::Judged && rates.iter().any(Option::is_some) {
            powers.push((
                "the level of a row, on average".to_string(),
                level_power(&rows, &rates, games[0], self.margin),
            ));
        }
        powers
    }

    fn conclude(&self, measurements: &[Option<Measurement>], known: Option<&FullRun>) -> Section {
        let counts = self.counts(measurements);
        let judged = self.judge(&counts);
        let claimed_rows = self.claimed_rows(&counts);
        let claims = statement::judge(&self.claims, &claimed_rows);
        let games: Vec<u64> = claimed_rows.iter().map(|row| row.measured.trials()).collect();
        let power = statement::power(&self.claims, &claimed_rows, &statement::at_measured_level(&claimed_rows), &games);
        let rows: Vec<_> = self
            .rows
            .iter()
            .zip(&counts)
            .zip(&judged)
            .map(|((row, counts), judged)| {
                let (rate, interval) = (counts.rate(self.draws), counts.interval());
                let tally = counts.tally();
                let spent = |spent: &Spent| json!({ "moves": spent.moves, "ms": spent.ms, "cpu_ms": spent.cpu_ms, "nodes": spent.nodes,
                    "sims": spent.sims, "evals": spent.evals });
                json!({ "label": row.label, "players": self.players(row), "wins": counts.wins, "draws": counts.draws,
                    "losses": counts.losses, "rate": rate, "interval": [interval.low, interval.high],
                    "different": counts.different(), "openings": counts.clusters.len(), "design_effect": counts.clusters.design_effect(),
                    "independent_games": counts.effective().trials(), "by_color": counts.by_color, "reasons": counts.reasons,
                    "elo": estimate_json(elo(&tally, Level::P95)), "nelo": estimate_json(normalized_elo(&tally, Level::P95)),
                    "spent": counts.spent.each_ref().map(spent),
                    "published": row.published, "judgement": judged.as_ref().map(|judged| judged.judgement),
                    "readings": judged.as_ref().and_then(|judged| judged.readings.clone()),
                    "measured": measured(rate.map(|rate| 100.0 * rate), interval.map(|end| 100.0 * end),
                        &percent_text(rate, interval)),
                    "printed": row.published.as_ref().and_then(|p| Some(100.0 * p.proportion()?.rate()?)) })
            })
            .collect();
        let conditions = self.rows.iter().map(|row| (row.label.clone(), self.players(row).join("  against  ")));
        let more = [
            ("opening".to_string(), self.opening.clone()),
            (
                "draws".to_string(),
                match self.draws {
                    Draws::Drop => "dropped: the rate is wins out of decided games".to_string(),
                    Draws::Half => "half a win".to_string(),
                },
            ),
        ];
        let margin = self.is_judged().then(|| ("margin".to_string(), self.margin_text()));
        let given_up = self.resign.iter().map(|rule| ("given up".to_string(), rule.clone()));
        Section {
            title: self.title.clone(),
            verdicts: judged
                .iter()
                .flatten()
                .map(|judged| judged.judgement.verdict)
                .chain(claims.iter().flatten().map(|claim| claim.verdict))
                .collect(),
            summary: json!({ "kind": "match-table", "title": self.title, "game": self.game, "unit": "%", "rows": rows,
                "level": self.level, "claims": statement::summary(&self.claims, &claims, &power) }),
            games: Some(self.games(measurements)),
            blocks: vec![
                Block::Table(self.sheet(&counts, &judged)),
                Block::Table(statement::sheet(&self.claims, &claims, &power)),
                Block::Figure(slug(&self.title), self.chart(&counts, known)),
                Block::Table(self.details(&counts)),
                Block::Boards(self.boards(measurements)),
                Block::Notes(self.remarks(&counts)),
                Block::Conditions(
                    [("game".to_string(), self.game.clone())]
                        .into_iter()
                        .chain(conditions)
                        .chain(more)
                        .chain(margin)
                        .chain(given_up)
                        .collect(),
                ),
            ],
        }
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.rows.retain(|row| smaller.keeps(&row.label));
        let labels: Vec<&str> = self.rows.iter().map(|row| row.label.as_str()).collect();
        self.claims.retain(|claim| claim.check(&labels).is_ok());
        self.games = smaller.amount.unwrap_or(self.games);
        smaller.replace(&mut self.budget, &mut self.game);
        if let Some(opponent) = &smaller.opponent {
            self.opponent = Some(opponent.clone());
            self.rows.iter_mut().for_each(|row| row.opponent = None);
        }
        if smaller.budget.is_some() {
            self.rows.iter_mut().for_each(|row| row.budget = None);
        }
        for row in &mut self.rows {
            if let Some(budget) = smaller.budgets.get(&row.label) {
                row.budget = Some(budget.clone());
            }
        }
    }
}
