//! What a report says, before it is Markdown, a web page or JSON.

use serde_json::Value;

use super::verdict::{Judgement, Verdict};
use super::workshop::Scene;
use crate::plots::Chart;
use crate::statistics::Interval;

/// What one part of an experiment came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    /// What it is about.
    pub title: String,
    /// What is shown, in order.
    pub blocks: Vec<Block>,
    /// The verdicts in it.
    pub verdicts: Vec<Verdict>,
    /// The same for programs.
    pub summary: Value,
}

/// What the kinds with one chart find: they differ in what they measure, not in how they show it.
pub(crate) struct Findings {
    pub(crate) title: String,
    pub(crate) chart: Chart,
    pub(crate) table: Sheet,
    /// What the paper says in words, and whether it holds.
    pub(crate) claimed: Sheet,
    pub(crate) board: Option<(Scene, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) conditions: Vec<(String, String)>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) summary: Value,
}

impl From<Findings> for Section {
    fn from(found: Findings) -> Section {
        Section {
            blocks: vec![
                Block::Figure(slug(&found.title), found.chart),
                Block::Table(found.table),
                Block::Table(found.claimed),
                Block::Boards(found.board.into_iter().collect()),
                Block::Notes(found.notes),
                Block::Conditions(found.conditions),
            ],
            title: found.title,
            verdicts: found.verdicts,
            summary: found.summary,
        }
    }
}

/// A piece of a report.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Remarks, one a line.
    Notes(Vec<String>),
    /// A table.
    Table(Sheet),
    /// A chart; the name of its file under `plots/`, without extension.
    Figure(String, Chart),
    /// Positions to be drawn side by side, each with a caption.
    Boards(Vec<(Scene, String)>),
    /// The fine print: what and how, folded away.
    Conditions(Vec<(String, String)>),
}

/// A table. The first column is text, the others are numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sheet {
    /// What stands above the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Field>>,
}

/// A field of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Field {
    /// What stands there.
    pub text: String,
    /// What it means, if it is a verdict.
    pub verdict: Option<Verdict>,
}

impl From<String> for Field {
    fn from(text: String) -> Field {
        Field { text, verdict: None }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field::from(text.to_string())
    }
}

impl Field {
    /// A verdict with its corrected p-value; empty where nothing was published.
    pub fn judged(judgement: Option<&Judgement>) -> Field {
        judgement.map_or(Field::default(), |judgement| Field {
            text: format!("{} (p = {})", judgement.verdict.words(), p_text(judgement.corrected)),
            verdict: Some(judgement.verdict),
        })
    }
}

/// A p-value for people.
pub fn p_text(p: f64) -> String {
    if p < 0.001 { "<0.001".to_string() } else { format!("{p:.3}") }
}

/// A rate with its interval, in percent.
pub fn percent_text(rate: Option<f64>, interval: Interval) -> String {
    match rate {
        Some(rate) => {
            format!("{:.1} % [{:.1}, {:.1}]", 100.0 * rate, 100.0 * interval.low, 100.0 * interval.high)
        }
        None => "no games".to_string(),
    }
}

/// A number with its interval.
pub fn number_text(value: f64, interval: Interval) -> String {
    if interval.low.is_finite() && interval.high.is_finite() {
        format!("{} [{}, {}]", short(value), short(interval.low), short(interval.high))
    } else {
        short(value)
    }
}

/// A number with about four digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        x if !x.is_finite() => "?".to_string(),
        x if x >= 1000.0 || x == 0.0 => format!("{value:.0}"),
        x if x >= 100.0 => format!("{value:.1}"),
        x if x >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// A word for file names: letters, digits and dashes only.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(p_text(0.0004), "<0.001");
        assert_eq!(short(1234.5), "1234");
        assert_eq!(short(0.2625), "0.2625");
        assert_eq!(number_text(2.0, Interval { low: f64::NEG_INFINITY, high: 3.0 }), "2.00");
        assert_eq!(slug("S0.6, Table 1: T = 80"), "s0-6-table-1-t-80");
    }
}
