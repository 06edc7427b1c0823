//! How well evaluators predict playouts: mean |r − V| by ply on random positions (S1.4, figure 9).

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::{Evaluator, Notation, Question, TextError};
use yomi_games::draw::Draw;

use super::{Kind, TourChanges, distinct, scaled};
use crate::experiment::claims;
use crate::experiment::findings::Findings;
use crate::experiment::known::FullRun;
use crate::experiment::published::{Claim, PublishedNumber};
use crate::experiment::sample::Sample;
use crate::experiment::task::{Job, Measurement, Task};
use crate::experiment::verdict::of_numbers;
use crate::experiment::walk::random_line;
use crate::experiment::workshop::{Factory, Failure};
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::number_text;
use crate::report::{Field, Scene, Section, Sheet};
use crate::statistics::Level;

/// Errors of predictions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PredictionError {
    /// What it shows.
    pub title: String,
    /// The game and its rules.
    pub game: String,
    /// The first and the last ply.
    pub plies: [u32; 2],
    /// Random positions of each ply at full size.
    pub positions: u64,
    /// What is predicted: an evaluator by playouts, `rollout(n=10000)`.
    pub reference: String,
    /// A part of the published number that matters.
    #[serde(default = "half")]
    pub margin: f64,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// What the paper says about the order of errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Mean errors that a paper printed, by the label of the curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedNumber>,
    /// Who predicts.
    pub curves: Vec<Predictor>,
}

fn half() -> f64 {
    0.5
}

/// An evaluator that predicts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predictor {
    /// Its name.
    pub label: String,
    /// The evaluator.
    pub evaluator: String,
    /// k of V = 1/(1+exp(−k·v)) (S1.2); without it V = (1 + v/win)/2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
}

/// Some positions of one ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PredictionTask {
    /// The game and its rules.
    pub game: String,
    /// How many random plies lead to the positions.
    pub ply: u32,
    /// How many positions.
    pub positions: u64,
    /// What is predicted.
    pub reference: String,
    /// Who predicts.
    pub predictors: Vec<Predictor>,
}

/// How far predictions were off.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PredictionMeasurement {
    /// Of each predictor the error at each position.
    pub errors: Vec<Vec<f64>>,
    /// The moves that led to the last position.
    pub moves: Vec<String>,
}

/// How many positions a job looks at.
const A_JOB: u64 = 10;

/// S1.2: the probability of winning that a value stands for.
fn probability(value: f32, win: f32, gain: Option<f64>) -> f64 {
    match gain {
        Some(k) => 1.0 / (1.0 + (-k * f64::from(value)).exp()),
        None => ((1.0 + f64::from(value / win)) / 2.0).clamp(0.0, 1.0),
    }
}

/// Compares predictions with playouts.
pub fn measure<P: Notation + Draw>(
    task: &PredictionTask,
    start: P,
    factory: &dyn Factory<P>,
    job: &Job,
) -> Result<PredictionMeasurement, Failure> {
    let reference = factory.evaluator(&task.reference)?;
    let predictors: Vec<_> =
        task.predictors.iter().map(|p| factory.evaluator(&p.evaluator)).collect::<Result<_, TextError>>()?;
    let mut measurement = PredictionMeasurement { errors: vec![Vec::new(); predictors.len()], moves: Vec::new() };
    for number in 0..task.positions {
        let chance = job.chance().branch("position", number);
        let (line, played) = random_line(start.clone(), task.ply, &mut chance.rng());
        let mut moves = Vec::new();
        if line.generate(&mut moves).is_some() {
            continue;
        }
        let question = Question::at(&line, &moves);
        let seed = |n: u64| chance.branch("evaluator", n).number();
        let mut scratch = reference.scratch(seed(0));
        let truth = probability(reference.value(&question, &mut scratch), reference.win(), None);
        for (i, (evaluator, predictor)) in predictors.iter().zip(&task.predictors).enumerate() {
            let mut scratch = evaluator.scratch(seed(i as u64 + 1));
            let value = evaluator.value(&question, &mut scratch);
            measurement.errors[i].push((probability(value, evaluator.win(), predictor.gain) - truth).abs());
        }
        let mut at = start.clone();
        measurement.moves.clear();
        for mv in played {
            measurement.moves.push(at.move_text(mv));
            at.play(mv);
        }
    }
    Ok(measurement)
}

impl PredictionError {
    /// The plies, one after the other, as often as jobs are needed: (ply, positions).
    fn jobs(&self, scale: f64) -> Vec<(u32, u64)> {
        let positions = scaled(self.positions, scale);
        let rounds = positions.div_ceil(A_JOB);
        let size = |round: u64| (positions - round * A_JOB).min(A_JOB);
        (0..rounds).flat_map(|r| (self.plies[0]..=self.plies[1]).map(move |ply| (ply, size(r)))).collect()
    }

    /// The errors of predictor `c` at the `i`-th ply.
    fn errors(&self, measurements: &[Option<Measurement>], c: usize, i: usize) -> Vec<f64> {
        let plies = (self.plies[1] - self.plies[0] + 1) as usize;
        let of_ply = measurements.iter().skip(i).step_by(plies);
        let errors = of_ply.filter_map(|measurement| match measurement {
            Some(Measurement::Prediction(measurement)) => measurement.errors.get(c),
            _ => None,
        });
        errors.flatten().copied().collect()
    }
}

impl Kind for PredictionError {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        distinct(self.curves.iter().map(|curve| curve.label.as_str()))?;
        if self.positions == 0 || self.plies[0] > self.plies[1] || self.plies[1] > 1000 {
            return Err(TextError::new("plies run from the first to the last, at most 1000; positions are at least 1"));
        }
        let labels = || self.curves.iter().map(|curve| curve.label.as_str());
        if let Some(lost) = self.published.iter().find(|print| labels().all(|label| label != print.label)) {
            return Err(TextError::new(format!("published: there is no curve “{}”", lost.label)));
        }
        claims::check(&self.claims, labels())
    }

    fn tasks(&self, scale: f64) -> Vec<Task> {
        let task = |(ply, positions): (u32, u64)| PredictionTask {
            game: self.game.clone(),
            ply,
            positions,
            reference: self.reference.clone(),
            predictors: self.curves.clone(),
        };
        self.jobs(scale).into_iter().map(|job| Task::Prediction(task(job))).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let (mut series, mut samples, mut rows, mut means) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (c, curve) in self.curves.iter().enumerate() {
            let mut all = Vec::new();
            let mut points = Vec::new();
            for (i, ply) in (self.plies[0]..=self.plies[1]).enumerate() {
                let errors = self.errors(measurements, c, i);
                let sample = Sample::new(errors.iter().copied());
                let interval = sample.interval(Level::P95);
                let bar = interval.low.is_finite().then_some(interval);
                points.extend(sample.mean().map(|y| Point { x: f64::from(ply), y, bar }));
                all.extend(errors);
            }
            rows.push(json!({ "label": curve.label, "evaluator": curve.evaluator, "by_ply":
                points.iter().map(|p| json!([p.x, p.y])).collect::<Vec<_>>(), "positions": all.len() }));
            series.push(Series { name: curve.label.clone(), points, joined: true, ..Series::default() });
            let sample = Sample::new(all);
            let print = self.published.iter().find(|print| print.label == curve.label);
            means.push(print.map(|print| (print.value, print.of, sample.clone())));
            samples.push((curve.label.as_str(), sample));
        }
        let judged = of_numbers(&means, self.margin);
        let head = ["predictor", "positions", "mean |r − V| [95 %]", "published", "verdict"];
        let fields = samples.iter().zip(&means).zip(&judged).map(|(((label, sample), print), judged)| -> Vec<Field> {
            vec![
                (*label).into(),
                sample.count().to_string().into(),
                number_text(sample.mean().unwrap_or(f64::NAN), sample.interval(Level::P95)).into(),
                print.as_ref().map_or(String::new(), |(value, ..)| value.to_string()).into(),
                Field::judged(judged.as_ref()),
            ]
        });
        let sheet = Sheet { rows: fields.collect(), ..Sheet::new(&head) };
        let (claimed, mut verdicts) = claims::judge(&self.claims, "mean |r − V|", &samples);
        verdicts.extend(judged.iter().flatten().map(|judgement| judgement.verdict));
        let chart = Chart {
            title: self.title.clone(),
            x: Axis::labelled("ply"),
            y: Axis::labelled("mean |r − V|"),
            series,
            marks: Vec::new(),
            ..Chart::default()
        };
        let board = measurements.iter().flatten().filter_map(|measurement| match measurement {
            Measurement::Prediction(measurement) if !measurement.moves.is_empty() => Some(measurement.moves.clone()),
            _ => None,
        });
        let board = board.max_by_key(Vec::len).map(|moves| {
            let caption = format!("One of the positions, after {} random plies", moves.len());
            (Scene { game: self.game.clone(), position: None, moves }, caption)
        });
        let players = self.curves.iter().map(|c| {
            let gain = c.gain.map_or("V = (1 + v/win)/2".to_string(), |k| format!("V = 1/(1+exp(−{k}·v))"));
            (c.label.clone(), format!("{}, {gain}", c.evaluator))
        });
        let conditions = [("game".to_string(), self.game.clone()), ("r".to_string(), self.reference.clone())];
        Section::from(Findings {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "prediction-error", "title": self.title, "game": self.game, "rows": rows,
                "claims": claims::summary(&self.claims, &samples) }),
            chart,
            table: sheet,
            claimed,
            board,
            notes: self.note.clone(),
            conditions: conditions.into_iter().chain(players).collect(),
        })
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.curves.retain(|curve| smaller.keeps(&curve.label));
        self.positions = smaller.amount.unwrap_or(self.positions);
        // What is spent here is the number of playouts of the reference.
        smaller.replace(&mut self.reference, &mut self.game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_probabilities() {
        assert_eq!(probability(0.0, 1.0, None), 0.5);
        assert_eq!(probability(-1.0, 1.0, None), 0.0);
        assert!((probability(50.0, 1e6, Some(0.02)) - 0.731_058_6).abs() < 1e-6);
    }
}
