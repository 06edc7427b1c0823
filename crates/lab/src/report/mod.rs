//! What a run directory says about its match: summary, report, plots, records, PGN. All of it is made from the ledger and can be made
//! again.

pub mod document;
mod match_report;
mod pgn;

use crate::arena::Arena;
use crate::directory::RunDirectory;
use crate::error::Result;
use crate::plan::Plan;
use crate::row::GameRow;
use crate::summary::Summary;

pub use document::{Block, Document};
pub use match_report::match_report;
pub use pgn::headers_only;

/// Which games get a record file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Records {
    /// All of them.
    All,
    /// None.
    None,
}

/// Writes everything that follows from the ledger of a run, and says what it came to.
pub fn write(
    plan: &Plan,
    arena: &dyn Arena,
    directory: &RunDirectory,
    rows: &[GameRow],
    records: Records,
) -> Result<Summary> {
    let summary = Summary::of(plan, rows)?;
    let mut json = serde_json::to_string_pretty(&summary.json(plan)).unwrap_or_default();
    json.push('\n');
    directory.write("summary.json", json.as_bytes())?;
    let document = match_report(plan, arena, rows, &summary)?;
    write_document(directory, &document)?;
    directory.write("results.pgn", headers_only(plan, rows).as_bytes())?;
    if records == Records::All {
        write_records(plan, arena, directory, rows)?;
    }
    Ok(summary)
}

/// Writes a report as Markdown and as a page, with its pictures.
pub fn write_document(directory: &RunDirectory, document: &Document) -> Result<()> {
    for (file, svg) in document.figures() {
        directory.write(file, svg.as_bytes())?;
    }
    directory.write("report.md", document.markdown().as_bytes())?;
    directory.write("report.html", document.html().as_bytes())
}

/// Writes the records that are missing.
fn write_records(plan: &Plan, arena: &dyn Arena, directory: &RunDirectory, rows: &[GameRow]) -> Result<()> {
    let width = plan.len().to_string().len();
    for row in rows.iter().filter(|row| row.counts()) {
        let stem = format!("records/{:0width$}", row.job);
        for (ending, bytes) in arena.record(row, &plan.config.name)? {
            let name = format!("{stem}.{ending}");
            if !directory.file(&name).exists() {
                directory.write(&name, &bytes)?;
            }
        }
    }
    Ok(())
}
