//! Matches side by side: one row a player against an opponent, games in colour-swapped pairs (S0 tables 1 and 2, S2 table 2).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Seed, Spec, TextError};

use super::{Kind, TourChanges, distinct, row_error, scaled, with_budget};
use crate::arena::{Arena, Place};
use crate::conditions::{Conditions, ResignRule};
use crate::config::{MatchConfig, PlayerConfig};
use crate::experiment::findings::measured;
use crate::experiment::known::FullRun;
use crate::experiment::published::Published;
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::verdict::{Judgement, of_rates};
use crate::experiment::workshop::Failure;
use crate::opening::{Opening, OpeningSource};
use crate::plots::{Axis, Chart, Look, Point, Series};
use crate::report::games::{GameSet, Recorded};
use crate::report::text::{games_text, p_text, percent_text, record_text, short, short_names, slug};
use crate::report::{Block, Field, Scene, Section, Sheet};
use crate::row::{self, GameResult};
use crate::schedule::Schedule;
use crate::statistics::{Estimate, Level, Proportion};

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

fn default_opening() -> String {
    "random(4)".to_string()
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
    let opening = opening(task, arena, job.shared("opening", task.pair))?;
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
    Ok(GameMeasurement {
        score: if task.first { points } else { 1.0 - points },
        first: task.first,
        reason: played.reason.to_string(),
        detail: played.detail,
        start: played.position,
        moves: played.moves.split_whitespace().map(str::to_string).collect(),
        nodes: mine(played.nodes.map(|n| n as f64)).map(|n| n as u64),
        ms: mine(played.ms),
    })
}

/// The opening that a task describes: `start`, `random(plies)` or `pentomino` (S1.4).
fn opening(task: &GameTask, arena: &dyn Arena, chance: Seed) -> Result<Opening, TextError> {
    let spec = Spec::parse(&task.opening)?;
    let opening = match spec.name.as_str() {
        "start" => Opening::default(),
        "pentomino" => arena.random_opening(2, true, chance)?,
        "random" => {
            let plies = spec.positional(0).ok_or_else(|| spec.error("say how many plies: random(4)"))?;
            arena.random_opening(plies.value()?, false, chance)?
        }
        _ => return Err(spec.error("an opening is start, random(plies) or pentomino")),
    };
    spec.reject_unused()?;
    Ok(opening)
}

/// The results of one row.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Of the games won, those with the first move.
    pub wins_first: u64,
    /// Games with the first move.
    pub games_first: u64,
    /// Moves of either side after the opening, roughly: half of all.
    pub moves: u64,
    /// Milliseconds of the player and of its opponent.
    pub ms: [f64; 2],
}

impl Counts {
    fn add(&mut self, game: &GameMeasurement) {
        let (won, drawn) = (game.score > 0.75, (0.25..=0.75).contains(&game.score));
        self.wins += u64::from(won);
        self.draws += u64::from(drawn);
        self.losses += u64::from(!won && !drawn);
        self.games_first += u64::from(game.first);
        self.wins_first += u64::from(game.first && won);
        self.moves += game.moves.len() as u64 / 2;
        self.ms = [self.ms[0] + game.ms[0], self.ms[1] + game.ms[1]];
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Milliseconds per move, the player's and its opponent's.
    fn time_text(&self) -> String {
        let each = self.ms.map(|ms| short(ms / self.moves.max(1) as f64));
        format!("{} / {}", each[0], each[1])
    }

    /// The rate as successes out of trials. Half a draw too many is dropped, so intervals are never too short.
    pub fn proportion(&self, draws: Draws) -> Proportion {
        let (successes, trials) = match draws {
            Draws::Drop => (self.wins, self.wins + self.losses),
            Draws::Half => (self.wins + self.draws / 2, self.games()),
        };
        Proportion::new(successes, trials).unwrap_or_default()
    }
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

    /// The counts of each row.
    pub fn counts(&self, told: &[Option<Measurement>]) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); self.rows.len()];
        for (index, told) in told.iter().enumerate() {
            if let Some(Measurement::Game(game)) = told {
                counts[index % self.rows.len()].add(game);
            }
        }
        counts
    }

    /// How each row stands to what was published.
    pub fn judge(&self, counts: &[Counts]) -> Vec<Option<Judgement>> {
        let pairs: Vec<Option<(Proportion, Proportion)>> = self
            .rows
            .iter()
            .zip(counts)
            .map(|(row, counts)| Some((row.published.as_ref()?.proportion()?, counts.proportion(self.draws))))
            .collect();
        of_rates(&pairs, self.margin)
    }

    fn sheet(&self, counts: &[Counts], judged: &[Option<Judgement>]) -> Sheet {
        let published = self.rows.iter().any(|row| row.published.is_some());
        let mut head = vec!["player", "W-D-L", "measured, % [95 %]"];
        head.extend(published.then_some(["published, %", "verdict"]).into_iter().flatten());
        head.extend(["p vs 50 %", "ms per move"]);
        let mut sheet = Sheet::new(&head);
        sheet.rows = self
            .rows
            .iter()
            .zip(counts)
            .zip(judged)
            .map(|((row, counts), judged)| {
                let rate = counts.proportion(self.draws);
                let even = if rate.trials() == 0 { "–".to_string() } else { p_text(rate.exact_test(0.5)) };
                let mut fields: Vec<Field> = vec![
                    Field::named(&row.label, &self.players(row).join(" against ")),
                    record_text(counts.wins, counts.draws, counts.losses).into(),
                    percent_text(rate.rate(), rate.clopper_pearson(Level::P95)).into(),
                ];
                if published {
                    let flag = |p: &Published| if p.misprint().is_some() { " †" } else { "" };
                    let print = row.published.as_ref().map_or(String::new(), |p| format!("{}{}", p.text(), flag(p)));
                    fields.extend([print.into(), Field::judged(judged.as_ref())]);
                }
                fields.extend([even.into(), counts.time_text().into()]);
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
                            Look::Solid => point(at, counts.proportion(self.draws)),
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
    fn remarks(&self, told: &[Option<Measurement>], counts: &[Counts]) -> Vec<String> {
        let mut remarks = self.note.clone();
        for row in &self.rows {
            if let Some(misprint) = row.published.as_ref().and_then(Published::misprint) {
                remarks.push(format!("† {}: {misprint}.", row.label));
            }
        }
        let games: u64 = counts.iter().map(Counts::games).sum();
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        let mut unique = std::collections::BTreeSet::new();
        for (index, told) in told.iter().enumerate() {
            if let Some(Measurement::Game(game)) = told {
                *reasons.entry(&game.reason).or_default() += 1;
                unique.insert((index % self.rows.len(), &game.moves));
            }
        }
        let reasons: Vec<String> = reasons.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
        remarks.push(format!(
            "{} ({}), {} of them different from all others of their row. Smallest row: {}.",
            games_text(games),
            reasons.join(", "),
            unique.len(),
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

    fn conclude(&self, told: &[Option<Measurement>], known: Option<&FullRun>) -> Section {
        let counts = self.counts(told);
        let judged = self.judge(&counts);
        let rows: Vec<_> = self
            .rows
            .iter()
            .zip(&counts)
            .zip(&judged)
            .map(|((row, counts), judged)| {
                let rate = counts.proportion(self.draws);
                let interval = rate.clopper_pearson(Level::P95);
                json!({ "label": row.label, "players": self.players(row), "wins": counts.wins, "draws": counts.draws,
                    "losses": counts.losses, "rate": rate.rate(), "interval": [interval.low, interval.high],
                    "wins_moving_first": counts.wins_first, "games_moving_first": counts.games_first,
                    "published": row.published, "judgement": judged,
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
            verdicts: judged.iter().flatten().map(|judgement| judgement.verdict).collect(),
            summary: json!({ "kind": "match-table", "title": self.title, "game": self.game, "unit": "%", "rows": rows }),
            games: Some(self.games(told)),
            blocks: vec![
                Block::Table(self.sheet(&counts, &judged)),
                Block::Figure(slug(&self.title), self.chart(&counts, known)),
                Block::Boards(self.boards(told)),
                Block::Notes(self.remarks(told, &counts)),
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
