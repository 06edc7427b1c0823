//! What a run directory says about its match or experiment: summary, report, plots, games, records, PGN. All of it is made from the ledger
//! and can be made again.
//!
//! `page` is what a report says; `html` and `markdown` write it; `games` and `film` are the games that can be replayed in it.

mod film;
pub mod games;
mod html;
mod markdown;
mod match_report;
pub mod page;
pub mod papers;
mod pgn;
pub mod text;

use crate::arena::Arena;
use crate::directory::RunDirectory;
use crate::error::{LabError, Result};
use crate::plan::MatchPlan;
use crate::record::Title;
use crate::row::GameRow;
use crate::summary::Summary;

pub use film::Film;
pub(crate) use film::film;
use games::{Reel, Replays};
pub use match_report::match_page;
pub use page::{Block, Drawing, Field, Page, Scene, Section, Sheet};
pub use pgn::headers_only;

/// Which games get a record file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Records {
    /// All of them.
    All,
    /// None.
    None,
}

/// Writes everything that follows from the ledger of a match, and says what it came to. `build` is the program that writes it.
pub fn write(
    plan: &MatchPlan,
    arena: &dyn Arena,
    directory: &RunDirectory,
    rows: &[GameRow],
    records: Records,
    build: &str,
) -> Result<Summary> {
    let summary = Summary::of(plan, rows)?;
    let mut json = serde_json::to_string_pretty(&summary.json(plan)).unwrap_or_default();
    json.push('\n');
    directory.write("summary.json", json.as_bytes())?;
    let manifest = directory.read("manifest.json").ok().and_then(|text| serde_json::from_str(&text).ok());
    let page = match_page(plan, rows, &summary, &manifest.unwrap_or_default(), build)?;
    write_page(&page, directory, &|_| Some(arena))?;
    directory.write("results.pgn", headers_only(plan, rows).as_bytes())?;
    if records == Records::All {
        write_records(plan, arena, directory, rows)?;
    }
    Ok(summary)
}

/// Writes a report as Markdown and as a page, with its pictures and its games. `arena_of` finds the arena of a game.
pub fn write_page<'a>(
    page: &Page,
    directory: &RunDirectory,
    arena_of: &dyn Fn(&str) -> Option<&'a dyn Arena>,
) -> Result<()> {
    // Reports are the largest files, so a run that was killed over its report is the one with leftovers.
    directory.clean();
    for (name, chart) in page.charts() {
        directory.write(&format!("plots/{name}.svg"), chart.svg().as_bytes())?;
    }
    let mut boards = Vec::new();
    for (i, (scene, _)) in page.boards().enumerate() {
        let drawn = arena_of(&scene.game).and_then(|arena| arena.draw(scene).ok());
        if let Some(drawn) = &drawn {
            directory.write(&format!("plots/board-{}.svg", i + 1), drawn.svg.as_bytes())?;
        }
        boards.push(drawn);
    }
    let reel = |section: &Section| {
        let set = section.games.as_ref().filter(|set| !set.games.is_empty())?;
        Some(Reel::new(set, arena_of(&set.game)?))
    };
    let replays = Replays { reels: page.sections.iter().map(reel).collect() };
    let pages = replays.pages();
    for (name, section, data) in &pages {
        directory.write(name, html::game_page(page, &replays, *section, data).as_bytes())?;
    }
    remove_others(directory, &pages.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>())?;
    directory.write("report.md", markdown::text(page, &boards).as_bytes())?;
    directory.write("report.html", html::text(page, &boards, &replays).as_bytes())
}

/// Removes pages of games that an earlier report left: nothing links to them any more.
fn remove_others(directory: &RunDirectory, wanted: &[&str]) -> Result<()> {
    let path = directory.file("games");
    let Ok(entries) = std::fs::read_dir(&path) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let ours = name.starts_with("part-") && name.ends_with(".html");
        if ours && !wanted.contains(&format!("games/{name}").as_str()) {
            std::fs::remove_file(entry.path()).map_err(LabError::file("cannot remove", &entry.path()))?;
        }
    }
    Ok(())
}

/// Writes the records that are missing.
fn write_records(plan: &MatchPlan, arena: &dyn Arena, directory: &RunDirectory, rows: &[GameRow]) -> Result<()> {
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
