//! How numbers change while something is learned: series from the JSON lines that a learner wrote (S1.4, figures 4, 5 and 7).

use std::io::{BufRead, BufReader, Read};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::TextError;

use super::curve_claim::{self, CurveClaim, Named};
use super::match_table::AxisText;
use super::{Kind, TourChanges, distinct};
use crate::experiment::known::FullRun;
use crate::experiment::task::{Measurement, Task};
use crate::experiment::workshop::Failure;
use crate::plots::{Axis, Chart, Point, Series};
use crate::report::text::{short, slug};
use crate::report::{Block, Field, Section, Sheet};

/// Curves of learning.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LearningCurve {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: AxisText,
    /// The vertical axis.
    pub y: AxisText,
    /// What the reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub note: Vec<String>,
    /// What a paper says about where they end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<CurveClaim>,
    /// The curves.
    pub series: Vec<Source>,
}

/// Where a curve comes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name.
    pub label: String,
    /// A file of JSON lines.
    pub file: String,
    /// Where the horizontal number stands in a line, as a JSON pointer: `/update`.
    pub x: String,
    /// Where the vertical number stands.
    pub y: String,
}

/// One curve to read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesTask {
    /// Where it comes from.
    pub source: Source,
}

/// A curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeriesMeasurement {
    /// Its points, thinned out if there are very many.
    pub points: Vec<[f64; 2]>,
    /// How many lines had both numbers.
    pub lines: u64,
}

/// A curve is drawn with at most this many points.
const MOST_POINTS: usize = 1000;
/// No line of a learner is longer.
const LONGEST_LINE: u64 = 1 << 20;

/// Reads a curve. Lines without the two numbers belong to something else and are passed over.
pub fn measure(task: &SeriesTask) -> Result<SeriesMeasurement, Failure> {
    let Source { file, x, y, .. } = &task.source;
    let wrong = |error: std::io::Error| TextError::new(format!("cannot read {file}: {error}"));
    let mut reader = BufReader::new(std::fs::File::open(file).map_err(wrong)?);
    let mut points: Vec<[f64; 2]> = Vec::new();
    let (mut line, mut lines, mut every) = (Vec::new(), 0u64, 1u64);
    for number in 1usize.. {
        line.clear();
        if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(wrong)? == 0 {
            break;
        }
        let value: Value = serde_json::from_slice(&line).map_err(|error| {
            TextError::in_line(number, &String::from_utf8_lossy(&line), format!("{file}: this is no JSON: {error}"))
        })?;
        let at = |pointer: &str| value.pointer(pointer).and_then(Value::as_f64);
        if let (Some(x), Some(y)) = (at(x), at(y)) {
            if lines % every == 0 {
                points.push([x, y]);
            }
            lines += 1;
            if points.len() > 2 * MOST_POINTS {
                // Every other one goes, so memory is bounded however long the file is.
                points = points.into_iter().step_by(2).collect();
                every *= 2;
            }
        }
    }
    if points.is_empty() {
        return Err(TextError::new(format!("{file}: no line has both {x} and {y}")).into());
    }
    Ok(SeriesMeasurement { points, lines })
}

impl LearningCurve {
    fn labels(&self) -> Vec<&str> {
        self.series.iter().map(|source| source.label.as_str()).collect()
    }
}

impl Kind for LearningCurve {
    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self) -> Result<(), TextError> {
        let labels = self.labels();
        distinct(labels.iter().copied())?;
        self.claims.iter().try_for_each(|claim| claim.check(&labels))?;
        match self.series.iter().flat_map(|source| [&source.x, &source.y]).find(|pointer| !pointer.starts_with('/')) {
            Some(pointer) => Err(TextError::new(format!("{pointer} is no JSON pointer: it begins with a slash"))),
            None => Ok(()),
        }
    }

    fn tasks(&self, _scale: f64) -> Vec<Task> {
        self.series.iter().map(|source| Task::Series(SeriesTask { source: source.clone() })).collect()
    }

    fn conclude(&self, measurements: &[Option<Measurement>], _known: Option<&FullRun>) -> Section {
        let head = ["series", "lines", "first", "last", "smallest", "greatest"];
        let mut sheet = Sheet::new(&head);
        let (mut series, mut rows) = (Vec::new(), Vec::new());
        for (source, measurement) in self.series.iter().zip(measurements) {
            let Some(Measurement::Series(measurement)) = measurement else { continue };
            let ys = || measurement.points.iter().map(|point| point[1]);
            let end = |y: Option<f64>| short(y.unwrap_or(f64::NAN));
            let fields: Vec<Field> = vec![
                source.label.as_str().into(),
                measurement.lines.to_string().into(),
                end(ys().next()).into(),
                end(ys().next_back()).into(),
                short(ys().fold(f64::INFINITY, f64::min)).into(),
                short(ys().fold(f64::NEG_INFINITY, f64::max)).into(),
            ];
            sheet.rows.push(fields);
            rows.push(json!({ "label": source.label, "lines": measurement.lines, "last": ys().next_back() }));
            let points = measurement.points.iter().map(|&[x, y]| Point::plain(x, y)).collect();
            series.push(Series { name: source.label.clone(), points, joined: true, ..Series::default() });
        }
        let curves: Vec<Named> = (self.labels().into_iter().zip(measurements))
            .map(|(label, measurement)| match measurement {
                Some(Measurement::Series(measurement)) => (label, measurement.points.as_slice()),
                _ => (label, [].as_slice()),
            })
            .collect();
        let (claimed, verdicts) = curve_claim::judge(&self.claims, &curves);
        let axis = |text: &AxisText| Axis { logarithmic: text.log, ..Axis::labelled(&text.label) };
        let chart = Chart { title: self.title.clone(), x: axis(&self.x), y: axis(&self.y), series, ..Chart::default() };
        let files = self.series.iter().map(|s| (s.label.clone(), format!("{} over {} of {}", s.y, s.x, s.file)));
        Section {
            title: self.title.clone(),
            verdicts,
            summary: json!({ "kind": "learning-curve", "title": self.title, "rows": rows,
                "claims": curve_claim::summary(&self.claims, &curves) }),
            games: None,
            blocks: vec![
                Block::Figure(slug(&self.title), chart),
                Block::Table(sheet),
                Block::Table(claimed),
                Block::Notes(self.note.clone()),
                Block::Conditions(files.collect()),
            ],
        }
    }

    fn reduce(&mut self, smaller: &TourChanges) {
        self.series.retain(|source| smaller.keeps(&source.label));
        let labels: Vec<&str> = self.series.iter().map(|source| source.label.as_str()).collect();
        self.claims.retain(|claim| claim.check(&labels).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &str = "title = \"t\"\nx = { label = \"x\" }\ny = { label = \"y\" }\n\
        claims = [{ says = \"a\", greatest = \"a\" }, { says = \"b\", ratio = [\"a\", \"b\"], published = 2 }]\n\
        series = [{ label = \"a\", file = \"f\", x = \"/x\", y = \"/y\" }, { label = \"b\", file = \"f\", x = \"/x\", y = \"/z\" }]\n";

    fn read(text: &str) -> Result<LearningCurve, String> {
        let part: LearningCurve = toml::from_str(text).map_err(|error| error.to_string())?;
        part.check().map_err(|error| error.message)?;
        Ok(part)
    }

    #[test]
    fn bad_claims_are_refused() {
        read(PART).unwrap();
        for (from, to, says) in [
            ("greatest = \"a\"", "greatest = \"c\"", "no curve “c”"),
            ("greatest = \"a\"", "greatest = \"a\", below = 1", "give greatest"),
            ("greatest = \"a\"", "increasing = [\"a\"]", "unknown field"),
            ("published = 2", "published = 0", "above 0"),
        ] {
            let error = read(&PART.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(says), "{to}: {error}");
        }
    }

    /// A claim about a curve that a tour leaves out goes with it.
    #[test]
    fn a_smaller_experiment_keeps_the_claims_that_it_can_judge() {
        let mut part = read(PART).unwrap();
        part.reduce(&TourChanges { only: vec!["a".to_string()], ..TourChanges::default() });
        assert_eq!((part.series.len(), part.claims.len()), (1, 1));
    }
}
