//! What our own full runs came to, so that a small run can show what is known beside what it measured.
//!
//! The numbers are a file in the program, `experiments/full-runs.json`, made from the run directories under `results/` by
//! `cargo run -p yomi-lab --example full_runs > experiments/full-runs.json`; a test finds out when it is out of date.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use yomi_core::TextError;

use super::directory::Directory;
use super::library;
use super::report::Report;
use crate::error::{LabError, Result};
use crate::plots::Point;
use crate::report::page::count;
use crate::report::{Block, Field, Section};
use crate::statistics::Interval;

/// The file.
pub const EMBEDDED: &str = include_str!("../../../../experiments/full-runs.json");

/// What one part of an experiment came to in a full run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FullRun {
    /// How many jobs were done for it: games, or what else is counted.
    pub jobs: usize,
    /// How many published rows and statements agree, differ, and are undecided.
    pub verdicts: [usize; 3],
    /// What the numbers are measured in: `%`, or nothing.
    pub unit: String,
    /// The rows.
    pub rows: Vec<KnownRow>,
}

/// A row of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KnownRow {
    /// What the row is called.
    pub label: String,
    /// What was measured.
    pub value: f64,
    /// Its interval; open where nothing is known.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Number and interval as tables show them.
    pub shown: String,
}

static ALL: LazyLock<BTreeMap<String, FullRun>> = LazyLock::new(|| serde_json::from_str(EMBEDDED).unwrap_or_default());

/// What is known about a part, by its origin: `s0-table2/1`.
pub fn find(origin: &str) -> Option<&'static FullRun> {
    ALL.get(origin)
}

impl FullRun {
    /// A row.
    pub fn row(&self, label: &str) -> Option<&KnownRow> {
        self.rows.iter().find(|row| row.label == label)
    }

    /// A row on a chart.
    pub fn point(&self, label: &str, x: f64) -> Option<Point> {
        let row = self.row(label)?;
        let bar = row.low.zip(row.high).map(|(low, high)| Interval { low, high });
        Some(Point { x, y: row.value, bar })
    }

    /// What a section says, to be kept.
    fn of(section: &Section, jobs: usize) -> FullRun {
        let rows = section.summary["rows"].as_array().into_iter().flatten().filter_map(|row| {
            let (label, measured) = (row["label"].as_str()?, &row["measured"]);
            Some(KnownRow {
                label: label.to_string(),
                value: rounded(measured["value"].as_f64()?),
                low: measured["low"].as_f64().map(rounded),
                high: measured["high"].as_f64().map(rounded),
                shown: measured["shown"].as_str()?.to_string(),
            })
        });
        FullRun {
            jobs,
            verdicts: count(section.verdicts.iter()),
            unit: section.summary["unit"].as_str().unwrap_or_default().to_string(),
            rows: rows.collect(),
        }
    }

    /// Adds the column of the full run to the table of a section, beside what was published.
    pub(crate) fn column(&self, section: &mut Section) {
        let of_rows = |block: &&mut Block| match block {
            Block::Table(sheet) => {
                sheet.rows.iter().any(|row| row.first().is_some_and(|f| self.row(&f.text).is_some()))
            }
            _ => false,
        };
        let Some(Block::Table(sheet)) = section.blocks.iter_mut().find(of_rows) else { return };
        let place = sheet.head.iter().position(|head| head.starts_with("published")).unwrap_or(sheet.head.len());
        let unit = if self.unit.is_empty() { String::new() } else { format!(", {}", self.unit) };
        sheet.head.insert(place, format!("our full run{unit} [95 %]"));
        for row in &mut sheet.rows {
            let known = row.first().and_then(|field| self.row(&field.text));
            row.insert(place, known.map_or("–".into(), |known| Field::from(known.shown.as_str())));
        }
    }
}

/// Four decimals are more than any chart shows.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// The greatest number of a part, as its summary has it: in what was measured, or in what was published.
pub(crate) fn highest(rows: &Value, value: impl Fn(&Value) -> Option<f64>) -> Option<(&str, f64)> {
    let all = rows.as_array().into_iter().flatten();
    let all = all.filter_map(|row| Some((row["label"].as_str()?, value(row).filter(|value| value.is_finite())?)));
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// All that the run directories under `results` say about experiments that come with the program, as the file has it: one line per part.
pub fn collect(results: &Path) -> Result<String> {
    let mut parts: BTreeMap<String, FullRun> = BTreeMap::new();
    for name in library::names() {
        let path = results.join(name);
        if !path.join("config.toml").exists() {
            continue;
        }
        let (directory, plan, manifest) = Directory::open(&path)?;
        let report = Report::new(&plan, &manifest, &directory)?;
        for (i, (section, jobs)) in report.sections().enumerate() {
            parts.insert(format!("{name}/{}", i + 1), FullRun::of(section, jobs));
        }
    }
    let line = |(name, part): (&String, &FullRun)| {
        let json = serde_json::to_string(part).map_err(|error| LabError::Text(TextError::new(error.to_string())))?;
        Ok(format!("\"{name}\":{json}"))
    };
    let lines: Result<Vec<String>> = parts.iter().map(line).collect();
    Ok(format!("{{\n{}\n}}\n", lines?.join(",\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file in the program is what the run directories say. If this fails:
    /// `cargo run -p yomi-lab --example full_runs > experiments/full-runs.json`.
    #[test]
    fn the_embedded_numbers_are_those_of_the_runs() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
        assert!(collect(&results).unwrap() == EMBEDDED, "experiments/full-runs.json is out of date: see above");
        assert!(EMBEDDED.len() < 100_000, "too much for a program: {} bytes", EMBEDDED.len());
        assert!(find("s0-table2/1").unwrap().row("T'=40").is_some());
    }
}
