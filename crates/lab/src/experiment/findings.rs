//! What the kinds with one chart find: they differ in what they measure, not in how they show it.

use serde_json::{Value, json};

use super::verdict::Verdict;
use crate::plots::Chart;
use crate::report::text::slug;
use crate::report::{Block, Scene, Section, Sheet};
use crate::statistics::Interval;

/// What was measured of a row, for programs and for later reports: the number, its interval, and how tables show both.
pub(crate) fn measured(value: Option<f64>, interval: Interval, shown: &str) -> Value {
    json!({ "value": value, "low": interval.low, "high": interval.high, "shown": shown })
}

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
            games: None,
        }
    }
}
