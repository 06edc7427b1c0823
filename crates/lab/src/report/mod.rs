//! What a run directory says about its match: summary, report, plots, records, PGN. All of it is made from the ledger and can be made
//! again.

pub mod document;
mod match_report;
mod pgn;

use crate::arena::Arena;
use crate::directory::RunDirectory;
use crate::error::Result;
use crate::plan::Plan;
use crate::record::Title;
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
    let manifest: serde_json::Value =
        directory.read("manifest.json").ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    for row in rows.iter().filter(|row| row.counts()) {
        let stem = format!("records/{:0width$}", row.job);
        let players = [&row.first, &row.second].map(|name| known_as(name, &manifest));
        let title = Title { event: &plan.config.name, players: [&players[0], &players[1]] };
        for (ending, bytes) in arena.record(row, &title)? {
            let name = format!("{stem}.{ending}");
            if !directory.file(&name).exists() {
                directory.write(&name, &bytes)?;
            }
        }
    }
    Ok(())
}

/// The name of a player in records: what an engine calls itself, where the manifest tells it, with the name that the match has for it.
fn known_as(name: &str, manifest: &serde_json::Value) -> String {
    let players = manifest["players"].as_array().into_iter().flatten();
    let id = players.filter(|player| player["name"] == name).find_map(|player| player["id"].as_str());
    match id {
        Some(id) if id != name && !id.is_empty() => format!("{id} ({name})"),
        _ => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_called_by_their_names() {
        let manifest = serde_json::json!({ "players": [
            { "name": "usi:fairy-stockfish nodes=500", "id": "Fairy-Stockfish 11.1" }, { "name": "mcss", "id": "mcss" } ] });
        assert_eq!(
            known_as("usi:fairy-stockfish nodes=500", &manifest),
            "Fairy-Stockfish 11.1 (usi:fairy-stockfish nodes=500)"
        );
        assert_eq!(known_as("mcss", &manifest), "mcss");
        assert_eq!(known_as("uct", &serde_json::Value::Null), "uct");
    }
}
