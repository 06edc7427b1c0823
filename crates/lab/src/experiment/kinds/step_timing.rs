//! Where the time goes: the time of parts of a method relative to a baseline (S2.7, figure 6; S4.5, table 1).
//!
//! All methods search the same position one right after the other, so what slows the machine down slows all of them; the ratio to the
//! baseline is taken position by position, and its geometric mean gets Student's interval.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::clock::Stopwatch;
use yomi_core::{Answer, AnyEvaluator, Evaluator, Line, Notation, Question, TextError, Want};
use yomi_games::draw::Draw;
use yomi_search::Limits;

use super::steps::{self, Ratio};
use super::tree_profile::{Curve, players};
use super::{Kind, TourChanges, distinct, scaled, with_budget};
use crate::experiment::claims;
use crate::experiment::findings::{Findings, measured};
use crate::experiment::known::FullRun;
use crate::experiment::place::Place;
use crate::experiment::published::Claim;
use crate::experiment::sample::Sample;
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::workshop::{Factory, Failure};
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::{number_text, short};
use crate::report::{Block, Field, Scene, Section, Sheet};
use crate::statistics::{Estimate, Level};

/// Times of methods.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StepTiming {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Where to search.
    pub place: Place,
    /// Repetitions at full size.
    pub repetitions: u64,
    /// The label of the curve that counts as 1.
    pub baseline: String,
    /// What players may spend on the search who do not say it themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// Whether evaluations that count the time of their steps, `net(file=F,steps=packed)`, are asked for them. Times are then taken by the
    /// clock on the wall, for a device works while a thread waits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
    /// Ratios that the paper prints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<Ratio>,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// What the paper says about the order of times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The methods.
    pub curves: Vec<Curve>,
}

/// All methods at one position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimingTask {
    /// The game and its rules.
    pub game: String,
    /// Where to search.
    pub place: Place,
    /// Which repetition.
    pub repetition: u64,
    /// Who searches.
    pub players: Vec<String>,
    /// Whether steps are asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
}

/// What the searches took.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TimingMeasurement {
    /// Seconds of processor time of each player.
    pub seconds: Vec<f64>,
    /// Simulations of each player.
    pub simulations: Vec<u64>,
    /// Evaluated positions of each player.
    pub evaluations: Vec<u64>,
    /// The moves that led to the position.
    pub moves: Vec<String>,
    /// Seconds of the steps of each player's evaluation, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Vec<(String, f64)>>,
}

/// Searches with every player and takes the time.
pub fn measure<P: Notation + Draw>(
    task: &TimingTask,
    start: P,
    factory: &dyn Factory<P>,
    job: &Job,
) -> Result<TimingMeasurement, Failure> {
    let found = task.place.find(start, factory, job.shared("place", task.repetition))?;
    let n = task.players.len();
    let mut timing = TimingMeasurement {
        seconds: vec![0.0; n],
        simulations: vec![0; n],
        evaluations: vec![0; n],
        moves: found.words.clone(),
        steps: if task.steps { vec![Vec::new(); n] } else { Vec::new() },
    };
    // Every repetition begins with another player, so none is always the one that warms the memory.
    for i in (0..n).map(|i| (i + task.repetition as usize) % n) {
        // What a device makes at first use, as kernels, is not part of the time, and stays as long as a player has it.
        let mut first =
            if task.steps { Some(factory.search(&task.players[i], &mut |evaluator| evaluator)?.0) } else { None };
        if let Some(first) = &mut first {
            first.search(&found.line, &Limits::simulations(1), &mut ());
        }
        let mut shared = None;
        let (mut search, limits) = factory.search(&task.players[i], &mut |evaluator| match task.steps {
            true => AnyEvaluator::new(shared.insert(Arc::new(evaluator)).clone()),
            false => evaluator,
        })?;
        let limits = Limits { seed: job.chance(), ..limits };
        let before = shared.as_ref().map(|evaluator| counters(&**evaluator, &found.line)).unwrap_or_default();
        let watch = Stopwatch::start();
        let verdict = search.search(&found.line, &limits, &mut ());
        timing.seconds[i] = if task.steps { watch.elapsed() } else { watch.busy() }.as_secs_f64();
        if let Some(evaluator) = &shared {
            let since = |name: &str| before.iter().find(|(known, _)| *known == name).map_or(0, |&(_, count)| count);
            let after = counters(&**evaluator, &found.line);
            let seconds = |(name, count): (&str, u64)| (name.to_string(), (count - since(name)) as f64 / 1e9);
            timing.steps[i] = after.into_iter().map(seconds).collect();
        }
        timing.simulations[i] = verdict.simulations;
        timing.evaluations[i] = verdict.evaluations;
    }
    Ok(timing)
}

/// What an evaluator has counted: nanoseconds of its steps.
fn counters<P: Notation>(evaluator: &AnyEvaluator<P>, line: &Line<P>) -> Vec<(&'static str, u64)> {
    let mut answer = Answer::default();
    let question = Question::at(line, &[]).wanting(Want::COUNTERS);
    evaluator.judge(&question, &mut answer, &mut evaluator.scratch(0));
    answer.counters
}

impl StepTiming {
    fn labels(&self) -> Vec<&str> {
        self.curves.iter().map(|curve| curve.label.as_str()).collect()
    }

    fn base(&self) -> usize {
        self.curves.iter().position(|curve| curve.label == self.baseline).unwrap_or(0)
    }
}

impl Kind for StepTiming {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.curves.iter().map(|curve| curve.label.as_str()))?;
        if self.repetitions == 0 {
            return Err(TextError::new("repetitions must be at least 1"));
        }
        if self.curves.iter().all(|curve| curve.label != self.baseline) {
            return Err(TextError::new(format!("baseline: there is no curve “{}”", self.baseline)));
        }
        steps::check(&self.ratios, &self.labels())?;
        if !self.steps && !self.ratios.is_empty() {
            return Err(TextError::new("ratios are of steps: steps = true"));
        }
        claims::check(&self.claims, self.curves.iter().map(|curve| curve.label.as_str()))
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        let players: Vec<String> = self.curves.iter().map(|c| with_budget(&c.player, &self.budget)).collect();
        let task = |repetition: u64| TimingTask {
            game: self.game.clone(),
            place: self.place.clone(),
            repetition,
            players: players.clone(),
            steps: self.steps,
        };
        (0..scaled(self.repetitions, scale).max(2)).map(|r| Task::Timing(task(r))).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let timings: Vec<&TimingMeasurement> = measurements
            .iter()
            .filter_map(|timing| match timing {
                Some(Measurement::Timing(timing)) if timing.seconds.len() == self.curves.len() => Some(timing),
                _ => None,
            })
            .collect();
        let base = self.base();
        let head = ["method", "repetitions", "mean seconds", "sims/s", "relative time [95 %]"];
        let mut sheet = Sheet::new(&head);
        let (mut points, mut samples, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (i, curve) in self.curves.iter().enumerate() {
            let seconds = Sample::new(timings.iter().map(|timing| timing.seconds[i]));
            let logs = Sample::new(timings.iter().map(|timing| (timing.seconds[i] / timing.seconds[base]).ln()));
            let ratio = Estimate { value: logs.mean().unwrap_or(f64::NAN), interval: logs.interval(Level::P95) };
            let ratio = ratio.map(f64::exp);
            let speed = Sample::new(timings.iter().map(|timing| timing.simulations[i] as f64 / timing.seconds[i]));
            let bar = (ratio.interval.high.is_finite() && i != base).then_some(ratio.interval);
            points.push(Point { x: i as f64, y: ratio.value, bar });
            let shown = if i == base { "1 (baseline)".to_string() } else { number_text(ratio.value, ratio.interval) };
            let fields: Vec<Field> = vec![
                Field::named(&curve.label, &with_budget(&curve.player, &self.budget)),
                seconds.count().to_string().into(),
                short(seconds.mean().unwrap_or(f64::NAN)).into(),
                short(speed.mean().unwrap_or(f64::NAN)).into(),
                shown.clone().into(),
            ];
            sheet.rows.push(fields);
            rows.push(json!({ "label": curve.label, "player": with_budget(&curve.player, &self.budget),
                "seconds": seconds.mean(), "relative": ratio.value,
                "interval": [ratio.interval.low, ratio.interval.high],
                "measured": measured(Some(ratio.value), ratio.interval, &shown) }));
            samples.push((curve.label.as_str(), logs));
        }
        let (claimed, verdicts) = claims::judge(&self.claims, "time", &samples);
        let chart = Chart {
            title: self.title.clone(),
            x: Axis { names: self.curves.iter().map(|c| c.label.clone()).collect(), ..Axis::default() },
            y: Axis::labelled(&format!("time relative to {}", self.baseline)),
            series: vec![Series { name: String::new(), points, joined: false, ..Series::default() }],
            marks: vec![1.0],
            ..Chart::default()
        };
        let mut notes = self.note.clone();
        let clock = if self.steps { "Time by the clock on the wall" } else { "Processor time of one thread" };
        notes.push(format!(
            "{clock}; every repetition runs all methods one right after the other, and nothing else of this program at the same time. \
             Times are never reproducible exactly."
        ));
        let board = timings.first().map(|timing| {
            let scene = Scene { game: self.game.clone(), position: None, moves: timing.moves.clone() };
            (scene, format!("The position of the searches, after {} moves", timing.moves.len()))
        });
        let conditions = [("game".to_string(), self.game.clone()), ("position".to_string(), self.place.to_string())];
        let labels = self.labels();
        let (ratio_sheet, ratio_summary) = steps::ratios(&self.ratios, &timings, &labels);
        let mut section = Section::from(Findings {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "step-timing", "title": self.title, "game": self.game, "rows": rows,
                "claims": claims::summary(&self.claims, &samples), "ratios": ratio_summary, "reproducible": false }),
            chart,
            table: sheet,
            claimed,
            board,
            notes,
            conditions: conditions.into_iter().chain(players(&self.curves, &self.budget)).collect(),
        });
        if self.steps {
            let tables = [steps::table(&timings, &labels), ratio_sheet].map(Block::Table);
            section.blocks.splice(2..2, tables);
        }
        section
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        let baseline = self.baseline.clone();
        self.curves.retain(|curve| smaller.keeps(&curve.label) || curve.label == baseline);
        self.repetitions = smaller.amount.unwrap_or(self.repetitions);
        smaller.replace(&mut self.budget, &mut self.game);
        smaller.move_to(&mut self.place);
    }
}
