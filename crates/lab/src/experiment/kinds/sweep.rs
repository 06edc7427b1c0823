//! A grid of parameters against one opponent: the curve, and where its optimum lies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::TextError;

use super::match_table::{AxisText, Counts, Draws, LevelClaim, MatchRow, MatchTable, is_judged};
use super::{Kind, TourChanges};
use crate::experiment::known::FullRun;
use crate::experiment::optimum::{Optimum, optimum};
use crate::experiment::published::Published;
use crate::experiment::statement::Statement;
use crate::experiment::task::{Measurement, Task};
use crate::report::text::{percent_text, short};
use crate::report::{Block, Section};
use crate::statistics::holm::holm;
use crate::statistics::proportions::compare;
use crate::statistics::{Estimate, Proportion};

/// A sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sweep {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Games per point at full size.
    pub games: u64,
    /// Who plays; `{t}` stands for the value of the axis `t`.
    pub player: String,
    /// Against whom; values of axes may stand here too.
    pub opponent: String,
    /// What players may spend per move if they do not say so themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// How games begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<String>,
    /// After this many moves a game is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// What a draw counts.
    #[serde(default)]
    pub draws: Draws,
    /// A difference of rates that matters, as in a table of matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the level of the points can agree.
    #[serde(default, skip_serializing_if = "is_judged")]
    pub level: LevelClaim,
    /// What is claimed about the shape of the curve: points are called `t=20`, or `t=20, n=5`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Statement>,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// The parameters. The first is the horizontal axis, the others make curves.
    pub axes: Vec<Parameter>,
    /// What a paper printed for some points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedPoint>,
}

/// A parameter of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What stands in braces.
    pub name: String,
    /// Its values, from the least to the greatest.
    pub values: Vec<f64>,
    /// What it measures.
    #[serde(default)]
    pub label: String,
    /// Whether equal ratios are equally long.
    #[serde(default)]
    pub log: bool,
}

/// A point that a paper printed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPoint {
    /// The value of each axis.
    pub at: BTreeMap<String, f64>,
    /// The result.
    pub result: Published,
}

/// No sweep has more points: each is a match.
const MOST_POINTS: usize = 10_000;

impl Sweep {
    /// All points of the grid, the first axis running quickest.
    fn points(&self) -> Vec<BTreeMap<String, f64>> {
        let mut points = vec![BTreeMap::new()];
        for axis in self.axes.iter().rev() {
            points = points
                .iter()
                .flat_map(|point| {
                    axis.values.iter().map(|&value| {
                        let mut point: BTreeMap<String, f64> = point.clone();
                        point.insert(axis.name.clone(), value);
                        point
                    })
                })
                .collect();
        }
        points
    }

    /// The curve that a point belongs to: all but the first axis.
    fn series(&self, point: &BTreeMap<String, f64>) -> String {
        let others = self.axes.iter().skip(1).map(|axis| format!("{}={}", axis.name, point[&axis.name]));
        others.collect::<Vec<String>>().join(", ")
    }

    /// The same as a table of matches, one row a point.
    fn table(&self) -> MatchTable {
        let filled = |text: &str, point: &BTreeMap<String, f64>| {
            point
                .iter()
                .fold(text.to_string(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
        };
        let first = &self.axes[0];
        let rows = self.points().into_iter().map(|point| {
            let label = self.axes.iter().map(|axis| format!("{}={}", axis.name, point[&axis.name]));
            MatchRow {
                label: label.collect::<Vec<String>>().join(", "),
                player: filled(&self.player, &point),
                opponent: Some(filled(&self.opponent, &point)),
                budget: None,
                x: Some(point[&first.name]),
                series: self.series(&point),
                published: self.published.iter().find(|print| print.at == point).map(|print| print.result.clone()),
            }
        });
        let label = if first.label.is_empty() { first.name.clone() } else { first.label.clone() };
        MatchTable {
            title: self.title.clone(),
            game: self.game.clone(),
            games: self.games,
            opponent: None,
            budget: self.budget.clone(),
            opening: self.opening.clone().unwrap_or_else(|| "random(4)".to_string()),
            move_limit: self.move_limit,
            resign: None,
            draws: self.draws,
            margin: self.margin,
            level: self.level,
            claims: self.claims.clone(),
            axis: Some(AxisText { label, log: first.log }),
            note: self.note.clone(),
            rows: rows.collect(),
        }
    }

    /// What can be said about the best value on each curve.
    fn best(&self, table: &MatchTable, counts: &[Counts]) -> Vec<Best> {
        let mut curves: BTreeMap<&str, Vec<(f64, &Counts)>> = BTreeMap::new();
        for (row, counts) in table.rows.iter().zip(counts) {
            curves.entry(&row.series).or_default().push((row.x.unwrap_or(0.0), counts));
        }
        let best = |(series, points): (&str, Vec<_>)| Best::of(series, &points, self.draws, self.axes[0].log);
        curves.into_iter().filter_map(best).collect()
    }
}

/// The best value of a curve.
struct Best {
    series: String,
    /// The value that won most.
    x: f64,
    rate: Estimate,
    /// The values that are not significantly worse.
    rivals: Vec<f64>,
    /// The top of a smooth curve through all points.
    optimum: Option<Optimum>,
}

impl Best {
    fn of(series: &str, points: &[(f64, &Counts)], draws: Draws, log: bool) -> Option<Best> {
        let value = |counts: &Counts| counts.rate(draws).unwrap_or(-1.0);
        let &(x, best) = points.iter().max_by(|a, b| value(a.1).total_cmp(&value(b.1)))?;
        let rate = Estimate { value: best.rate(draws)?, interval: best.interval() };
        let others: Vec<&(f64, &Counts)> = points.iter().filter(|point| point.0 != x).collect();
        let p: Vec<f64> =
            others.iter().map(|(_, other)| compare(best.effective(), other.effective(), false).p).collect();
        let rivals = others.iter().zip(holm(&p)).filter(|(_, p)| *p >= 0.05).map(|(point, _)| point.0).collect();
        let sure: Vec<(f64, Proportion)> = points.iter().map(|&(x, counts)| (x, counts.effective())).collect();
        Some(Best { series: series.to_string(), x, rate, rivals, optimum: optimum(&sure, log) })
    }

    fn text(&self, name: &str) -> String {
        let on = if self.series.is_empty() { String::new() } else { format!(" on the curve {}", self.series) };
        let rivals: Vec<String> = self.rivals.iter().map(f64::to_string).collect();
        let rivals = if rivals.is_empty() {
            "all other values are significantly worse".to_string()
        } else {
            format!("not significantly worse: {}", rivals.join(", "))
        };
        let rate = percent_text(Some(self.rate.value), self.rate.interval);
        let smooth = match &self.optimum {
            Some(top) if top.inside => format!(
                " A parabola through the log-odds has its top at {name} = {} [{}, {}].",
                short(top.x),
                short(top.interval.low),
                short(top.interval.high)
            ),
            Some(_) => " A parabola through the log-odds has no top inside the range.".to_string(),
            None => String::new(),
        };
        format!("Best value measured{on}: {name} = {} with {rate} %; {rivals} (Holm).{smooth}", self.x)
    }
}

impl Kind for Sweep {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        let count = self.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
        match count {
            Some(0) => return Err(TextError::new("every axis needs values")),
            Some(n) if n <= MOST_POINTS && !self.axes.is_empty() => {}
            _ => return Err(TextError::new(format!("a sweep has at least one axis and at most {MOST_POINTS} points"))),
        }
        for axis in &self.axes {
            let braces = format!("{{{}}}", axis.name);
            if !self.player.contains(&braces) && !self.opponent.contains(&braces) {
                return Err(TextError::new(format!("axis {}: no player uses {braces}", axis.name)));
            }
            let positive = |x: &f64| x.is_finite() && (!axis.log || *x > 0.0);
            if !axis.values.iter().all(positive) {
                return Err(TextError::new(format!("axis {}: a value that cannot be drawn", axis.name)));
            }
        }
        let points = self.points();
        if let Some(lost) = self.published.iter().find(|print| !points.contains(&print.at)) {
            return Err(TextError::new(format!("published: {:?} is no point of the sweep", lost.at)));
        }
        self.table().check()
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        self.table().tasks(scale)
    }

    fn power(&self, scale: f64) -> Vec<(String, Option<f64>)> {
        self.table().power(scale)
    }

    fn conclude(&self, measurements: &[Option<Measurement>], known: Option<&FullRun>) -> Section {
        let table = self.table();
        let best = self.best(&table, &table.counts(measurements));
        let mut section = table.conclude(measurements, known);
        let name = &self.axes[0].name;
        section.blocks.insert(0, Block::Text(best.iter().map(|b| b.text(name)).collect::<Vec<String>>().join(" ")));
        section.summary["kind"] = json!("sweep");
        section.summary["best"] = best
            .iter()
            .map(|b| {
                let top = b.optimum.as_ref().filter(|top| top.inside);
                json!({ "curve": b.series, "parameter": name, "best": b.x, "not_significantly_worse": b.rivals,
                    "optimum": top.map(|top| top.x), "interval": top.map(|top| [top.interval.low, top.interval.high]) })
            })
            .collect();
        section
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.games = smaller.amount.unwrap_or(self.games);
        smaller.replace(&mut self.budget, &mut self.game);
        if let Some(opponent) = &smaller.opponent {
            self.opponent.clone_from(opponent);
        }
    }
}
