//! The shape of search trees: nodes at each depth, one curve a player (S0.6, figures 2 and 3).
//!
//! The procedure of the paper: take one game record at random; at every position of the side in question build the tree of each
//! player; add the node counts depth by depth; divide by the number of positions.

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Color, Line, Notation, TextError};
use yomi_games::draw::Draw;
use yomi_search::Limits;

use super::{Kind, TourChanges, distinct, scaled, with_budget};
use crate::experiment::claims;
use crate::experiment::findings::{Findings, measured};
use crate::experiment::known::FullRun;
use crate::experiment::published::Claim;
use crate::experiment::sample::Sample;
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::walk::record;
use crate::experiment::workshop::{Factory, Failure};
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::{number_text, short};
use crate::report::{Field, Scene, Section, Sheet};
use crate::statistics::Level;

/// Profiles of trees.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TreeProfile {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Game records at full size; the paper takes one.
    pub records: u64,
    /// Who played the records, against itself.
    pub recorded_by: String,
    /// Plies drawn at random before that.
    #[serde(default = "four")]
    pub random_plies: u32,
    /// At most this many positions of a record, evenly spaced; all of them if left out, as in the paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// The side in question: first or second.
    #[serde(default)]
    pub side: Side,
    /// What players may spend on a position who do not say it themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// Nodes by a logarithmic axis.
    #[serde(default)]
    pub log: bool,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// What the paper says about the order of mean depths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// A labelled player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// The player.
    pub player: String,
}

/// The curves and their players, for the fine print.
pub(crate) fn players<'a>(curves: &'a [Curve], budget: &'a str) -> impl Iterator<Item = (String, String)> + 'a {
    curves.iter().map(move |curve| (curve.label.clone(), with_budget(&curve.player, budget)))
}

/// One of the two players of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Who moves first.
    #[default]
    First,
    /// Who moves second.
    Second,
}

fn four() -> u32 {
    4
}

/// The trees of one player along one record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileTask {
    /// The game and its rules.
    pub game: String,
    /// Which record, from 0.
    pub record: u64,
    /// Who played it.
    pub recorded_by: String,
    /// Plies drawn at random before that.
    pub random_plies: u32,
    /// The side in question.
    pub side: Side,
    /// At most this many positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
    /// Whose trees.
    pub player: String,
}

/// What the trees looked like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProfileMeasurement {
    /// Nodes at each depth, the root first, summed over all positions.
    pub nodes: Vec<u64>,
    /// The mean depth of the nodes, one number per position.
    pub mean_depths: Vec<f64>,
    /// The record's moves.
    pub moves: Vec<String>,
}

/// Builds the trees.
pub fn measure<P: Notation + Draw>(
    task: &ProfileTask,
    start: P,
    factory: &dyn Factory<P>,
    job: &Job,
) -> Result<ProfileMeasurement, Failure> {
    let chance = job.shared("record", task.record);
    let moves = record(start.clone(), factory, &task.recorded_by, task.random_plies, None, chance)?;
    let color = match task.side {
        Side::First => Color::Black,
        Side::Second => Color::White,
    };
    let mut line = Line::new(start);
    let mut lines = Vec::new();
    let mut words = Vec::new();
    for mv in moves {
        if line.position().turn() == color {
            lines.push(line.clone());
        }
        words.push(line.position().move_text(mv));
        line.play(mv);
    }
    let (mut search, limits) = factory.search(&task.player, &mut |evaluator| evaluator)?;
    let mut measurement = ProfileMeasurement { nodes: Vec::new(), mean_depths: Vec::new(), moves: words };
    for (i, line) in evenly(&lines, task.positions).enumerate() {
        // Every tree is built from nothing.
        search.new_game();
        let limits = Limits { seed: job.chance().branch("position", i as u64), ..limits.clone() };
        let nodes = search.search(line, &limits, &mut ()).nodes_per_depth;
        measurement.nodes.resize(measurement.nodes.len().max(nodes.len()), 0);
        measurement.nodes.iter_mut().zip(&nodes).for_each(|(sum, n)| *sum += n);
        measurement.mean_depths.push(mean_depth(&nodes));
    }
    Ok(measurement)
}

/// `most` of the items, evenly spaced; all if that is not fewer.
fn evenly<T>(items: &[T], most: Option<u64>) -> impl Iterator<Item = &T> {
    let most = most.map_or(items.len(), |most| (most as usize).clamp(1, items.len().max(1))).min(items.len());
    (0..most).map(move |i| &items[i * items.len() / most])
}

fn mean_depth(nodes: &[u64]) -> f64 {
    let total: u64 = nodes.iter().sum();
    nodes.iter().enumerate().map(|(depth, &n)| depth as f64 * n as f64).sum::<f64>() / total.max(1) as f64
}

impl TreeProfile {
    /// What was observed of curve `c`, record by record.
    fn of_curve<'a>(&self, measurements: &'a [Option<Measurement>], c: usize) -> Vec<&'a ProfileMeasurement> {
        let mine = measurements.iter().skip(c).step_by(self.curves.len());
        let profile = |measurement: &'a Option<Measurement>| match measurement {
            Some(Measurement::Profile(measurement)) => Some(measurement),
            _ => None,
        };
        mine.filter_map(profile).collect()
    }
}

impl Kind for TreeProfile {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.curves.iter().map(|curve| curve.label.as_str()))?;
        if self.records == 0 || self.positions == Some(0) {
            return Err(TextError::new("records and positions must be at least 1"));
        }
        claims::check(&self.claims, self.curves.iter().map(|curve| curve.label.as_str()))
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        // One record is the least; below that a smaller scale takes fewer of its positions.
        let records = scaled(self.records, scale);
        let share = (self.records as f64 * scale).min(1.0);
        let positions = match self.positions {
            Some(positions) => Some(scaled(positions, share).max(2)),
            None if share < 1.0 => Some(scaled(100, share).max(2)),
            None => None,
        };
        let task = |record: u64, curve: &Curve| ProfileTask {
            game: self.game.clone(),
            record,
            recorded_by: self.recorded_by.clone(),
            random_plies: self.random_plies,
            side: self.side,
            positions,
            player: with_budget(&curve.player, &self.budget),
        };
        (0..records).flat_map(|r| self.curves.iter().map(move |c| Task::Profile(task(r, c)))).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let mut sheet = Sheet::new(&[
            "player",
            "positions",
            "nodes per position",
            "mean depth [95 %]",
            "deepest",
            "widest at depth",
        ]);
        let (mut series, mut samples, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (c, curve) in self.curves.iter().enumerate() {
            let profiles = self.of_curve(measurements, c);
            let depths = Sample::new(profiles.iter().flat_map(|profile| profile.mean_depths.iter().copied()));
            let positions = depths.count().max(1) as f64;
            let deepest = profiles.iter().map(|profile| profile.nodes.len()).max().unwrap_or(0);
            let at = |depth: usize| profiles.iter().filter_map(|profile| profile.nodes.get(depth)).sum::<u64>() as f64;
            let nodes: Vec<f64> = (0..deepest).map(|depth| at(depth) / positions).collect();
            let widest = (0..deepest).max_by(|&a, &b| nodes[a].total_cmp(&nodes[b])).unwrap_or(0);
            let points = nodes.iter().enumerate().filter(|(_, n)| !self.log || **n > 0.0);
            let points = points.map(|(depth, &n)| Point::plain(depth as f64, n)).collect();
            series.push(Series { name: curve.label.clone(), points, joined: true, ..Series::default() });
            let mean = depths.mean().unwrap_or(f64::NAN);
            let fields: Vec<Field> = vec![
                Field::named(&curve.label, &with_budget(&curve.player, &self.budget)),
                depths.count().to_string().into(),
                short(nodes.iter().sum()).into(),
                number_text(mean, depths.interval(Level::P95)).into(),
                deepest.saturating_sub(1).to_string().into(),
                widest.to_string().into(),
            ];
            sheet.rows.push(fields);
            rows.push(json!({ "label": curve.label, "player": with_budget(&curve.player, &self.budget),
                "positions": depths.count(), "nodes_per_depth": nodes, "mean_depth": depths.mean(),
                "measured": measured(depths.mean(), depths.interval(Level::P95),
                    &number_text(mean, depths.interval(Level::P95))) }));
            samples.push((curve.label.as_str(), depths));
        }
        let (claimed, verdicts) = claims::judge(&self.claims, "mean depth", &samples);
        let chart = Chart {
            title: self.title.clone(),
            x: Axis::labelled("depth"),
            y: Axis { logarithmic: self.log, ..Axis::labelled("nodes per position") },
            series,
            marks: Vec::new(),
            ..Chart::default()
        };
        let board = measurements.iter().flatten().find_map(|measurement| match measurement {
            Measurement::Profile(measurement) => {
                let moves = measurement.moves.iter().take(measurement.moves.len() / 2).cloned().collect();
                let scene = Scene { game: self.game.clone(), position: None, moves };
                Some((scene, format!("The record of {} moves, in the middle", measurement.moves.len())))
            }
            _ => None,
        });
        let mut notes = self.note.clone();
        notes.push(
            "Procedure (S0.6): one game record at random; at every position of the side in question a tree of each player from \
             nothing; node counts added depth by depth and divided by the number of positions."
                .to_string(),
        );
        let conditions = [
            ("game".to_string(), self.game.clone()),
            (
                "record".to_string(),
                format!("{} against itself after {} random plies", self.recorded_by, self.random_plies),
            ),
        ];
        Section::from(Findings {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "tree-profile", "title": self.title, "game": self.game, "rows": rows,
                "claims": claims::summary(&self.claims, &samples) }),
            chart,
            table: sheet,
            claimed,
            board,
            notes,
            conditions: conditions.into_iter().chain(players(&self.curves, &self.budget)).collect(),
        })
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.curves.retain(|curve| smaller.keeps(&curve.label));
        self.positions = smaller.amount.or(self.positions);
        smaller.replace(&mut self.budget, &mut self.game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_evenly_spaced() {
        let items: Vec<u32> = (0..10).collect();
        assert_eq!(evenly(&items, Some(3)).copied().collect::<Vec<_>>(), [0, 3, 6]);
        assert_eq!(evenly(&items, None).count(), 10);
        assert_eq!(evenly(&items, Some(99)).count(), 10);
        assert_eq!(evenly(&[] as &[u32], Some(3)).count(), 0);
    }

    #[test]
    fn depths_are_weighted_by_nodes() {
        assert_eq!(mean_depth(&[1, 2, 1]), 1.0);
        assert_eq!(mean_depth(&[]), 0.0);
    }
}
