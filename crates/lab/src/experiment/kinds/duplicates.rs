//! How often playouts pass through the same positions: the most repeated ones, one curve a method (S2.7, figure 5).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Answer, AnyEvaluator, Evaluator, Notation, Position, Question, TextError, Want};
use yomi_games::draw::Draw;
use yomi_search::Limits;

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
use crate::report::{Field, Scene, Section, Sheet};
use crate::statistics::Level;

/// Repeated positions of playouts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Duplicates {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// Where to search.
    pub place: Place,
    /// Searches of each method at full size.
    pub searches: u64,
    /// Plies of a playout that are looked at: M.
    pub plies: u32,
    /// How many of the most repeated positions are shown.
    #[serde(default = "fifty")]
    pub top: usize,
    /// What players may spend on the search who do not say it themselves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub budget: String,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// What the paper says about the order of repetitions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// The methods.
    pub curves: Vec<Curve>,
}

fn fifty() -> usize {
    50
}

/// One search whose playouts are looked at.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlayoutsTask {
    /// The game and its rules.
    pub game: String,
    /// Where to search.
    pub place: Place,
    /// Which of several places, and which repetition.
    pub repetition: u64,
    /// Who searches.
    pub player: String,
    /// Plies of a playout that are looked at.
    pub plies: u32,
    /// How many of the most repeated positions are listed.
    pub top: usize,
}

/// What its playouts did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlayoutsMeasurement {
    /// Playouts looked at.
    pub playouts: u64,
    /// Positions reached in the first plies of all playouts.
    pub reached: u64,
    /// Different ones among them.
    pub distinct: u64,
    /// How often each of the most repeated was reached.
    pub top: Vec<u64>,
    /// Candidates that were tabu; nothing if they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u64>,
    /// The moves that led to the position of the search.
    pub moves: Vec<String>,
}

/// Searches once and counts what the playouts did.
pub fn measure<P: Notation + Draw>(
    task: &PlayoutsTask,
    start: P,
    factory: &dyn Factory<P>,
    job: &Job,
) -> Result<PlayoutsMeasurement, Failure> {
    let found = task.place.find(start, factory, job.shared("place", task.repetition))?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (mut search, limits) = factory.search(&task.player, &mut |evaluator| {
        AnyEvaluator::new(Onlooker { inner: evaluator, plies: task.plies as usize, seen: Arc::clone(&seen) })
    })?;
    search.search(&found.line, &Limits { seed: job.chance(), ..limits }, &mut ());
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut counts: Vec<u64> = seen.positions.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    Ok(PlayoutsMeasurement {
        playouts: seen.playouts,
        reached: counts.iter().sum(),
        distinct: counts.len() as u64,
        top: counts.into_iter().take(task.top).collect(),
        candidates: seen.candidates,
        moves: found.words,
    })
}

/// The name under which tabu lists tell how many candidates they have turned away.
const TABU_CANDIDATES: &str = "tabu candidates";

/// What all threads of a search saw.
#[derive(Default)]
struct Seen {
    playouts: u64,
    positions: BTreeMap<u64, u64>,
    candidates: Option<u64>,
}

/// An evaluator that looks at its own playouts.
struct Onlooker<P: Position> {
    inner: AnyEvaluator<P>,
    plies: usize,
    seen: Arc<Mutex<Seen>>,
}

impl<P: Position> Evaluator<P> for Onlooker<P> {
    type Scratch = <AnyEvaluator<P> as Evaluator<P>>::Scratch;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch) {
        if !question.want.has(Want::VALUE) {
            return self.inner.judge(question, answer, scratch);
        }
        let want = question.want | Want::PLAYOUTS | Want::COUNTERS;
        self.inner.judge(&question.wanting(want), answer, scratch);
        // Counts are whole after every playout, even if a thread has panicked.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (moves, _) in answer.playouts.iter() {
            seen.playouts += 1;
            let mut position = question.position.clone();
            for &mv in moves.iter().take(self.plies) {
                position.play(mv);
                *seen.positions.entry(position.key()).or_default() += 1;
            }
        }
        if let Some(&(_, count)) = answer.counters.iter().find(|(name, _)| *name == TABU_CANDIDATES) {
            seen.candidates = Some(count);
        }
    }
}

/// What was measured for curve `c` of `curves`, search by search.
pub(crate) fn of_curve(measurements: &[Option<Measurement>], c: usize, curves: usize) -> Vec<&PlayoutsMeasurement> {
    measurements
        .iter()
        .skip(c)
        .step_by(curves)
        .filter_map(|measurement| match measurement {
            Some(Measurement::Playouts(measurement)) => Some(measurement),
            _ => None,
        })
        .collect()
}

/// The position of the first search whose playouts were recorded.
pub(crate) fn position_of(measurements: &[Option<Measurement>], game: &str) -> Option<(Scene, String)> {
    measurements.iter().flatten().find_map(|measurement| match measurement {
        Measurement::Playouts(measurement) => {
            let scene = Scene { game: game.to_string(), position: None, moves: measurement.moves.clone() };
            Some((scene, format!("The position of the search, after {} moves", measurement.moves.len())))
        }
        _ => None,
    })
}

impl Kind for Duplicates {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.curves.iter().map(|curve| curve.label.as_str()))?;
        if self.searches == 0 || self.plies == 0 || self.top == 0 {
            return Err(TextError::new("searches, plies and top must be at least 1"));
        }
        if self.plies > 1000 || self.top > 10_000 {
            return Err(TextError::new("more than 1000 plies or 10000 positions are taken for a mistake"));
        }
        claims::check(&self.claims, self.curves.iter().map(|curve| curve.label.as_str()))
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        let task = |repetition: u64, curve: &Curve| PlayoutsTask {
            game: self.game.clone(),
            place: self.place.clone(),
            repetition,
            player: with_budget(&curve.player, &self.budget),
            plies: self.plies,
            top: self.top,
        };
        let searches = scaled(self.searches, scale);
        (0..searches).flat_map(|r| self.curves.iter().map(move |c| Task::Playouts(task(r, c)))).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let head = ["method", "searches", "playouts", "different positions", "reached again [95 %]", "most repeated"];
        let mut sheet = Sheet::new(&head);
        let (mut series, mut samples, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (c, curve) in self.curves.iter().enumerate() {
            let searches = of_curve(measurements, c, self.curves.len());
            let sample = |f: &dyn Fn(&PlayoutsMeasurement) -> f64| {
                Sample::new(searches.iter().map(|measurement| f(measurement)))
            };
            let again = sample(&|measurement| measurement.top.iter().sum::<u64>() as f64);
            let rank = |r: usize| {
                sample(&|measurement| measurement.top.get(r).copied().unwrap_or(0) as f64).mean().unwrap_or(0.0)
            };
            let ranks: Vec<f64> = (0..self.top).map(rank).collect();
            let points = ranks.iter().enumerate().map(|(r, &n)| Point::plain((r + 1) as f64, n)).collect();
            series.push(Series { name: curve.label.clone(), points, joined: true, ..Series::default() });
            let mean = |sample: Sample| short(sample.mean().unwrap_or(f64::NAN));
            let fields: Vec<Field> = vec![
                Field::named(&curve.label, &with_budget(&curve.player, &self.budget)),
                searches.len().to_string().into(),
                mean(sample(&|measurement| measurement.playouts as f64)).into(),
                mean(sample(&|measurement| measurement.distinct as f64)).into(),
                number_text(again.mean().unwrap_or(f64::NAN), again.interval(Level::P95)).into(),
                short(ranks.first().copied().unwrap_or(f64::NAN)).into(),
            ];
            sheet.rows.push(fields);
            rows.push(json!({ "label": curve.label, "player": with_budget(&curve.player, &self.budget),
                "searches": searches.len(), "top": ranks, "reached_top": again.mean(),
                "measured": measured(again.mean(), again.interval(Level::P95),
                    &number_text(again.mean().unwrap_or(f64::NAN), again.interval(Level::P95))) }));
            samples.push((curve.label.as_str(), again));
        }
        sheet.head[4] = format!("reached, top {} [95 %]", self.top);
        let (claimed, verdicts) = claims::judge(&self.claims, "reached", &samples);
        let chart = Chart {
            title: self.title.clone(),
            x: Axis::labelled("rank of the position"),
            y: Axis::labelled("times reached"),
            series,
            marks: Vec::new(),
            ..Chart::default()
        };
        let conditions = [("game".to_string(), self.game.clone()), ("position".to_string(), self.place.to_string())];
        Section::from(Findings {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "duplicates", "title": self.title, "game": self.game, "rows": rows,
                "claims": claims::summary(&self.claims, &samples) }),
            chart,
            table: sheet,
            claimed,
            board: position_of(measurements, &self.game),
            notes: self.note.clone(),
            conditions: conditions.into_iter().chain(players(&self.curves, &self.budget)).collect(),
        })
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.curves.retain(|curve| smaller.keeps(&curve.label));
        self.searches = smaller.amount.unwrap_or(self.searches);
        smaller.replace(&mut self.budget, &mut self.game);
        smaller.move_to(&mut self.place);
    }
}
