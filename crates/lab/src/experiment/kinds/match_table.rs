//! Matches side by side: one row a player against an opponent, games in colour-swapped pairs (S0 tables 1 and 2, S2 table 2).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Seed, TextError};

pub use super::counts::{Counts, Draws, Spent};
use super::{Kind, TourChanges, distinct, row_error, scaled, with_budget};
use crate::arena::{Arena, Place};
use crate::conditions::{Conditions, ResignRule};
use crate::config::{MatchConfig, PlayerConfig};
use crate::experiment::findings::measured;
use crate::experiment::known::FullRun;
use crate::experiment::published::Published;
use crate::experiment::statement::{self, Statement};
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::verdict::{Judgement, Verdict, of_rates};
use crate::experiment::workshop::Failure;
use crate::opening::OpeningSource;
use crate::plots::{Axis, Chart, Look, Point, Series};
use crate::report::games::{GameSet, Recorded};
use crate::report::text::{games_text, p_text, percent_text, record_text, short_names, signed_text, slug};
use crate::report::{Block, Field, Scene, Section, Sheet};
use crate::row::{self, GameResult, no_time, nothing};
use crate::schedule::Schedule;
use crate::statistics::elo::{elo, normalized_elo};
use crate::statistics::isotonic::draw;
use crate::statistics::{Estimate, Interval, Level, Proportion};
use crate::summary::estimate_json;

/// A table of matches.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchTable {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Games a row at full size.
    pub games: u64,
    /// Who the rows play against, where they name nobody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// What players may spend on a move who do not say it themselves: `evals=20000`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// How games begin: plies drawn at random, or the name of a file of openings.
    #[serde(default = "default_opening")]
    pub opening: String,
    /// After so many moves a game is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// When a game is given up on behalf of a player who says that it is losing, as [`ResignRule`] reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<String>,
    /// What a draw counts.
    #[serde(default)]
    pub draws: Draws,
    /// A difference of rates that matters.
    #[serde(default = "default_margin")]
    pub margin: f64,
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

pub(crate) fn default_margin() -> f64 {
    0.1
}

/// A game to play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GameTask {
    /// The game and its rules.
    pub game: String,
    /// Who plays: the player of the row, then the opponent.
    pub players: [String; 2],
    /// Whether the player of the row moves first.
    pub first: bool,
    /// Games of one pair have the same opening.
    pub pair: u64,
    /// How it begins.
    pub opening: String,
    /// After so many moves it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// When it is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<String>,
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GameMeasurement {
    /// The points of the player of the row: 1, 0.5 or 0.
    pub score: f64,
    /// Whether that player moved first.
    pub first: bool,
    /// Why it ended: normal, resign, illegal, timeout, crash, adjudicated, move-limit.
    pub reason: String,
    /// The same in words.
    pub detail: String,
    /// The position before the first move, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// All moves, the opening included.
    pub moves: Vec<String>,
    /// Nodes of the player of the row and of its opponent.
    pub nodes: [u64; 2],
    /// Milliseconds of the player of the row and of its opponent.
    pub ms: [f64; 2],
    /// Moves that each of them chose; old ledgers do not tell, nor what follows.
    #[serde(default, skip_serializing_if = "nothing")]
    pub made: [u64; 2],
    /// Simulations of each.
    #[serde(default, skip_serializing_if = "nothing")]
    pub sims: [u64; 2],
    /// Positions that the evaluation of each judged.
    #[serde(default, skip_serializing_if = "nothing")]
    pub evals: [u64; 2],
    /// CPU milliseconds of the thread that asked each: all of a search on one thread, nothing of a program's.
    #[serde(default, skip_serializing_if = "no_time")]
    pub cpu_ms: [f64; 2],
    /// A name for the sequence of moves that rotated or reflected games share.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub identity: String,
}

impl GameMeasurement {
    /// The game, to be drawn or looked through.
    pub fn scene(&self, game: &str) -> Scene {
        Scene { game: game.to_string(), position: self.start.clone(), moves: self.moves.clone() }
    }

    /// The result for whoever moved first.
    pub fn result(&self) -> GameResult {
        match if self.first { self.score } else { 1.0 - self.score } {
            score if score > 0.75 => GameResult::First,
            score if score < 0.25 => GameResult::Second,
            _ => GameResult::Draw,
        }
    }
}

/// Plays a game in an arena, where the rules are ours whoever plays.
pub fn measure(
    task: &GameTask,
    arena: &dyn Arena,
    players: [PlayerConfig; 2],
    job: &Job,
    stop: &Arc<AtomicBool>,
) -> Result<GameMeasurement, Failure> {
    let opening = arena.draw_opening(&OpeningSource::parse(&task.opening)?, job.shared("opening", task.pair))?;
    let conditions = Conditions {
        move_limit: task.move_limit.unwrap_or_else(|| arena.move_limit()),
        time: None,
        resign: task.resign.as_deref().map(ResignRule::parse).transpose()?,
        draw: None,
    };
    let [mut player, mut opponent] = players;
    // Two of the same player may meet; a match tells them apart by name.
    (player.name, opponent.name) = ("player".to_string(), "opponent".to_string());
    let config = MatchConfig {
        name: job.experiment.clone(),
        game: task.game.clone(),
        seed: job.seed,
        games: 1,
        pairs: false,
        schedule: Schedule::Pair,
        reproducible: true,
        openings: OpeningSource::Start,
        conditions,
        sprt: None,
        players: vec![player, opponent],
    };
    let (first, second) = if task.first { (0, 1) } else { (1, 0) };
    // Readers of JSON that know only floating-point numbers hold 53 bits.
    let seed = job.chance().number() >> 11;
    let game = row::Job { index: job.index, pairing: 0, round: task.pair, first, second, opening, seed };
    let played = arena.table(&config, Place::default())?.play(&game, stop).ok_or(Failure::Stopped)?;
    let points = match played.result {
        GameResult::First => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Second => 0.0,
        GameResult::None => return Err(Failure::Void(played.detail)),
    };
    // Lists of two are ordered by who moved first.
    let mine = |two: [f64; 2]| if task.first { two } else { [two[1], two[0]] };
    let count = |two: [u64; 2]| if task.first { two } else { [two[1], two[0]] };
    Ok(GameMeasurement {
        score: if task.first { points } else { 1.0 - points },
        first: task.first,
        reason: played.reason.to_string(),
        detail: played.detail,
        start: played.position,
        moves: played.moves.split_whitespace().map(str::to_string).collect(),
        nodes: count(played.nodes),
        ms: mine(played.ms),
        made: count(played.made.map(u64::from)),
        sims: count(played.sims),
        evals: count(played.evals),
        cpu_ms: mine(played.cpu_ms),
        identity: played.identity,
    })
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
    pub fn counts(&self, told: &[Option<Measurement>]) -> Vec<Counts> {
        let (rows, given) = (self.rows.len(), self.given());
        let mut counts = vec![Counts::default(); rows];
        for (index, told) in told.iter().enumerate() {
            if let Some(Measurement::Game(game)) = told {
                counts[index % rows].add(game, (index / rows / 2) as u64, given, self.draws);
            }
        }
        counts
    }

    /// How each row stands to what was published, in every reading of it; nothing where the level cannot agree.
    pub fn judge(&self, counts: &[Counts]) -> Vec<Option<RowVerdict>> {
        if self.level == LevelClaim::Open {
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

    fn sheet(&self, counts: &[Counts], judged: &[Option<RowVerdict>]) -> Sheet {
        let published = self.rows.iter().any(|row| row.published.is_some());
        let level = published && self.level == LevelClaim::Judged;
        let mut head = vec!["player", "W-D-L", "different", "measured, % [95 %]"];
        head.extend(published.then_some("published, %"));
        head.extend(level.then_some("verdict"));
        head.extend(["p vs 50 %", "Elo [95 %]", "nElo [95 %]"]);
        let mut sheet = Sheet::new(&head);
        sheet.rows = self
            .rows
            .iter()
            .zip(counts)
            .zip(judged)
            .enumerate()
            .map(|(place, ((row, counts), judged))| {
                let (rate, sure) = (counts.proportion(self.draws), counts.effective());
                let even = if sure.trials() == 0 { "–".to_string() } else { p_text(sure.exact_test(0.5)) };
                let mut fields: Vec<Field> = vec![
                    Field::named(&row.label, &self.players(row).join(" against ")),
                    Field::of_games(record_text(counts.wins, counts.draws, counts.losses), place),
                    counts.different().to_string().into(),
                    percent_text(rate.rate(), interval(rate, sure)).into(),
                ];
                if published {
                    let flag = |p: &Published| if p.misprint().is_some() { " †" } else { "" };
                    let print = row.published.as_ref().map_or(String::new(), |p| format!("{}{}", p.text(), flag(p)));
                    fields.push(print.into());
                }
                fields.extend(level.then(|| judged.as_ref().map_or(Field::default(), RowVerdict::field)));
                let tally = counts.tally();
                fields.extend([
                    even.into(),
                    signed_text(elo(&tally, Level::P95)).into(),
                    signed_text(normalized_elo(&tally, Level::P95)).into(),
                ]);
                fields
            })
            .collect();
        sheet
    }

    /// Colours, openings, endings, and what both sides spent per move.
    fn details(&self, counts: &[Counts]) -> Sheet {
        let mut reasons: Vec<&String> = counts.iter().flat_map(|counts| counts.reasons.keys()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let mut head = vec!["player", "moving first, W-D-L", "moving second", "openings", "design effect"];
        head.extend(reasons.iter().map(|reason| reason.as_str()));
        head.extend(["ms per move", "CPU ms", "nodes", "simulations", "evaluations"]);
        let mut sheet = Sheet::new(&head);
        sheet.rows = self
            .rows
            .iter()
            .zip(counts)
            .map(|(row, counts)| {
                let mut fields: Vec<Field> = vec![
                    Field::named(&row.label, &self.players(row).join(" against ")),
                    counts.color_text(0).into(),
                    counts.color_text(1).into(),
                    counts.clusters.len().to_string().into(),
                    format!("{:.2}", counts.clusters.design_effect()).into(),
                ];
                fields.extend(
                    reasons.iter().map(|r| Field::from(counts.reasons.get(*r).copied().unwrap_or(0).to_string())),
                );
                fields.extend([
                    counts.both(|spent| spent.ms).into(),
                    counts.both(|spent| spent.cpu_ms).into(),
                    counts.both(|spent| spent.nodes as f64).into(),
                    counts.both(|spent| spent.sims as f64).into(),
                    counts.both(|spent| spent.evals as f64).into(),
                ]);
                fields
            })
            .collect();
        sheet
    }

    fn chart(&self, counts: &[Counts], known: Option<&FullRun>) -> Chart {
        // Rows that have no place on an axis of numbers stand in the table only.
        let by_number = self.rows.iter().filter(|row| row.x.is_some()).count() > 1;
        let mut curves: Vec<&str> = self.rows.iter().map(|row| row.series.as_str()).collect();
        curves.sort_unstable();
        curves.dedup();
        let mut series = Vec::new();
        // What was measured, known and published of one curve has one colour and different marks, side by side.
        let drawn = |curve: &&str| !by_number || self.rows.iter().any(|row| row.series == *curve && row.x.is_some());
        for (colour, curve) in curves.into_iter().filter(drawn).enumerate() {
            for (what, look) in [("measured", Look::Solid), ("our full run", Look::Known), ("published", Look::Hollow)]
            {
                let rows = self.rows.iter().zip(counts).enumerate().filter(|(_, (row, _))| row.series == curve);
                let mut points: Vec<Point> = rows
                    .filter_map(|(i, (row, counts))| {
                        let at = if by_number { row.x? } else { i as f64 };
                        match look {
                            Look::Solid => {
                                let rate = counts.proportion(self.draws);
                                let estimate =
                                    Estimate { value: rate.rate()?, interval: interval(rate, counts.effective()) };
                                Some(Point::percent(at, estimate))
                            }
                            Look::Known => known?.point(&row.label, at),
                            Look::Hollow => point(at, row.published.as_ref()?.proportion()?),
                        }
                    })
                    .collect();
                points.sort_by(|a, b| a.x.total_cmp(&b.x));
                let name = if curve.is_empty() { what.to_string() } else { format!("{what}, {curve}") };
                series.push(Series { name, points, joined: by_number, look, colour: Some(colour) });
            }
        }
        series.retain(|series| !series.points.is_empty());
        let axis = self.axis.clone().unwrap_or_default();
        let names = if by_number { Vec::new() } else { self.rows.iter().map(|row| row.label.clone()).collect() };
        Chart {
            title: self.title.clone(),
            x: Axis { label: axis.label, logarithmic: axis.log && by_number, names, ..Axis::default() },
            y: Axis::percent("win rate"),
            series,
            marks: vec![50.0],
            apart: true,
        }
    }

    /// All games, to be replayed.
    fn games(&self, told: &[Option<Measurement>]) -> GameSet {
        let players: Vec<[String; 2]> = self.rows.iter().map(|row| self.players(row)).collect();
        let mut opponents: Vec<&str> = players.iter().map(|[_, opponent]| opponent.as_str()).collect();
        opponents.sort_unstable();
        opponents.dedup();
        let short = short_names(&opponents);
        let name =
            |opponent: &str| opponents.iter().position(|o| *o == opponent).map_or("", |i| &*short[i]).to_string();
        let rows = self.rows.iter().zip(&players).map(|(row, [_, opponent])| [row.label.clone(), name(opponent)]);
        let games = told.iter().enumerate().filter_map(|(index, told)| match told {
            Some(Measurement::Game(game)) => Some(Recorded {
                row: index % self.rows.len(),
                number: index as u64,
                half_points: (2.0 * game.score).round() as u8,
                first: game.first,
                detail: game.detail.clone(),
                position: game.start.clone(),
                moves: game.moves.clone(),
            }),
            _ => None,
        });
        GameSet { game: self.game.clone(), rows: rows.collect(), games: games.collect() }
    }

    /// The last positions of some games: the first game of the first, the middle and the last row.
    fn boards(&self, told: &[Option<Measurement>]) -> Vec<(Scene, String)> {
        let mut rows = vec![0, self.rows.len() / 2, self.rows.len().saturating_sub(1)];
        rows.dedup();
        let mut boards = Vec::new();
        for row in rows {
            let of_row = told.iter().skip(row).step_by(self.rows.len());
            let found = of_row.flatten().find_map(|told| match told {
                Measurement::Game(game) if !game.moves.is_empty() => Some(game),
                _ => None,
            });
            let Some(game) = found else { continue };
            let scene = game.scene(&self.game);
            let result = match game.score {
                score if score > 0.75 => "wins",
                score if score < 0.25 => "loses",
                _ => "draws",
            };
            let side = if game.first { "first" } else { "second" };
            let caption = format!(
                "{}, moving {side}, {result} after {} moves ({})",
                self.rows[row].label,
                game.moves.len(),
                game.detail
            );
            boards.push((scene, caption));
        }
        boards
    }

    /// What readers should know: remarks of the file, contradictions in print, games that are equal, games that ended oddly.
    fn remarks(&self, counts: &[Counts]) -> Vec<String> {
        let mut remarks = self.note.clone();
        for row in &self.rows {
            if let Some(misprint) = row.published.as_ref().and_then(Published::misprint) {
                remarks.push(format!("† {}: {misprint}.", row.label));
            }
        }
        if self.level == LevelClaim::Open && self.rows.iter().any(|row| row.published.is_some()) {
            remarks.push(
                "How strong the opponent is, is ours to set: the level of these rows cannot agree with the published one and is not \
                 judged. The claims about their shape and their differences are."
                    .to_string(),
            );
        }
        let games: u64 = counts.iter().map(Counts::games).sum();
        let different: u64 = counts.iter().map(Counts::different).sum();
        remarks.push(format!(
            "{}, {different} of them different from all others of their row ({:.1} % are repeated). Smallest row: {}.",
            games_text(games),
            100.0 * (games - different) as f64 / games.max(1) as f64,
            games_text(counts.iter().map(Counts::games).min().unwrap_or(0))
        ));
        if counts.iter().any(|counts| counts.games() < 50) {
            remarks.push(
                "Fewer than 50 games per row: the intervals are wide, and only gross differences could show."
                    .to_string(),
            );
        }
        remarks
    }
}

/// How often a row would be found to agree with what was published if that were its true rate, on average over the rows.
fn level_power(rows: &[statement::Row], rates: &[Option<f64>], games: u64, margin: f64) -> Option<f64> {
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

/// The interval of a measured rate: Clopper and Pearson's for as many independent games as the games are worth, around the rate of all games.
fn interval(rate: Proportion, sure: Proportion) -> Interval {
    let exact = sure.clopper_pearson(Level::P95);
    let shift = rate.rate().zip(sure.rate()).map_or(0.0, |(all, sure)| all - sure);
    exact.map(|end| end + shift).within_unit()
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

    fn field(&self) -> Field {
        let field = Field::judged(Some(&self.judgement));
        match &self.readings {
            Some(readings) => Field { text: format!("{} ({readings})", self.judgement.verdict.words()), ..field },
            None => field,
        }
    }
}

/// A rate on a chart, in percent as in the table.
fn point(x: f64, rate: Proportion) -> Option<Point> {
    Some(Point::percent(x, Estimate { value: rate.rate()?, interval: rate.clopper_pearson(Level::P95) }))
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
        if !(0.0..=1.0).contains(&self.margin) {
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
        let mut told: Vec<_> = self.claims.iter().map(|claim| claim.says.clone()).zip(power).collect();
        if self.level == LevelClaim::Judged && rates.iter().any(Option::is_some) {
            told.push((
                "the level of a row, on average".to_string(),
                level_power(&rows, &rates, games[0], self.margin),
            ));
        }
        told
    }

    fn conclude(&self, told: &[Option<Measurement>], known: Option<&FullRun>) -> Section {
        let counts = self.counts(told);
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
                let rate = counts.proportion(self.draws);
                let sure = counts.effective();
                let interval = interval(rate, sure);
                let tally = counts.tally();
                let spent = |spent: &Spent| json!({ "moves": spent.moves, "ms": spent.ms, "cpu_ms": spent.cpu_ms, "nodes": spent.nodes,
                    "sims": spent.sims, "evals": spent.evals });
                json!({ "label": row.label, "players": self.players(row), "wins": counts.wins, "draws": counts.draws,
                    "losses": counts.losses, "rate": rate.rate(), "interval": [interval.low, interval.high],
                    "different": counts.different(), "openings": counts.clusters.len(), "design_effect": counts.clusters.design_effect(),
                    "independent_games": sure.trials(), "by_color": counts.by_color, "reasons": counts.reasons,
                    "elo": estimate_json(elo(&tally, Level::P95)), "nelo": estimate_json(normalized_elo(&tally, Level::P95)),
                    "spent": counts.spent.each_ref().map(spent),
                    "published": row.published, "judgement": judged.as_ref().map(|judged| judged.judgement),
                    "readings": judged.as_ref().and_then(|judged| judged.readings.clone()),
                    "measured": measured(rate.rate().map(|rate| 100.0 * rate), interval.map(|end| 100.0 * end),
                        &percent_text(rate.rate(), interval)),
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
            ("margin".to_string(), format!("{:.0} points", 100.0 * self.margin)),
        ];
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
            games: Some(self.games(told)),
            blocks: vec![
                Block::Table(self.sheet(&counts, &judged)),
                Block::Table(statement::sheet(&self.claims, &claims, &power)),
                Block::Figure(slug(&self.title), self.chart(&counts, known)),
                Block::Table(self.details(&counts)),
                Block::Boards(self.boards(told)),
                Block::Notes(self.remarks(&counts)),
                Block::Conditions(
                    [("game".to_string(), self.game.clone())]
                        .into_iter()
                        .chain(conditions)
                        .chain(more)
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
