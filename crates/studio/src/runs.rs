//! The run directories: what lies in the folders, what each came to, and its games.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::any_run::AnyRun;
use yomi_lab::experiment::report::Report;
use yomi_lab::report::games::{GameSet, Recorded};
use yomi_lab::report::{Block, Section};
use yomi_lab::row::{GameResult, GameRow};
use yomi_lab::summary::Summary;

/// A run directory.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its folder and its own name, as lists show it.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The experiment it is a run of; none for a match.
    pub(crate) experiment: Option<String>,
}

/// No folder has more runs that a page could show.
const MOST_RUNS: usize = 500;
/// Games of one row in an answer.
const MOST_GAMES: usize = 300;

/// How lists call a directory.
pub(crate) fn name_of(path: &Path) -> String {
    let word = |part: Option<&std::ffi::OsStr>| part.map_or(String::new(), |part| part.to_string_lossy().into_owned());
    let folder = path.parent().map_or(String::new(), |folder| word(folder.file_name()));
    let own = word(path.file_name());
    if folder.is_empty() { own } else { format!("{folder}/{own}") }
}

impl Found {
    pub(crate) fn at(path: &Path) -> Found {
        let manifest = std::fs::read_to_string(path.join("manifest.json")).unwrap_or_default();
        let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
        // The manifest of a match calls its hash by the same key, and has no parts.
        let experiment = manifest["experiment"].as_str().filter(|_| manifest.get("parts").is_some());
        Found { name: name_of(path), path: path.to_path_buf(), experiment: experiment.map(str::to_string) }
    }
}

/// The run directories of all folders, in order of their names.
pub(crate) fn scan(folders: &[PathBuf]) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let runs = entries.map(|entry| entry.path()).filter(|path| path.join("config.toml").is_file());
        found.extend(runs.take(MOST_RUNS).map(|path| Found::at(&path)));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// A line of the list.
pub(crate) fn line(found: &Found) -> Value {
    json!({ "name": found.name, "experiment": found.experiment })
}

/// The sections of a run, and the summary for programs.
pub(crate) fn open(found: &Found) -> Result<(Vec<Section>, Value), TextError> {
    let text = |error: yomi_lab::error::LabError| TextError::new(error.to_string());
    match AnyRun::open(&found.path).map_err(text)? {
        AnyRun::Experiment(directory, plan, manifest) => {
            let report = Report::new(&plan, &manifest, &directory).map_err(text)?;
            let sections = report.sections().map(|(section, _)| named(section.clone())).collect();
            let mut summary = report.summary();
            summary["sentence"] = report.sentence().into();
            summary["command"] =
                format!("yomi experiment run {} --scale {} --seed {}", plan.experiment.name, plan.scale, plan.seed)
                    .into();
            Ok((sections, summary))
        }
        // Its games are those of its matches; `yomi tune` shows what it found.
        AnyRun::Tuning(_) => Ok((Vec::new(), json!({ "type": "tuning" }))),
        AnyRun::Match(directory, plan) => {
            let rows = directory.rows().map_err(text)?;
            let mut summary = Summary::of(&plan, &rows)?.json(&plan);
            let players = plan.config.players.iter().map(|player| format!("'{}'", player.spec));
            let command = ["yomi match --game".to_string(), format!("'{}'", plan.config.game)];
            summary["command"] = command.into_iter().chain(players).collect::<Vec<_>>().join(" ").into();
            let pairings = summary["pairings"].as_array().cloned().unwrap_or_default();
            let section = |(number, pairing): (usize, &Value)| {
                let name = |key: &str| pairing[key].as_str().unwrap_or_default().to_string();
                let rows = rows.iter().filter(|row| row.pairing == number && row.counts());
                let title = format!("{} – {}", name("player"), name("opponent"));
                let names = [name("player"), name("opponent")];
                let games = rows.map(|row| recorded(row, &names[0])).collect();
                let games = GameSet { game: plan.config.game.clone(), rows: vec![names], games };
                Section { title, games: Some(games), summary: pairing.clone(), ..Section::default() }
            };
            Ok((pairings.iter().enumerate().map(section).collect(), summary))
        }
    }
}

/// A section whose games name the players themselves: reports call a row by its label, under which the same player plays in several.
fn named(mut section: Section) -> Section {
    let rows = section.summary["rows"].as_array().cloned().unwrap_or_default();
    if let Some(set) = section.games.as_mut().filter(|set| set.rows.len() == rows.len()) {
        for (names, row) in set.rows.iter_mut().zip(&rows) {
            if let (Some(player), Some(opponent)) = (row["players"][0].as_str(), row["players"][1].as_str()) {
                *names = [player.to_string(), opponent.to_string()];
            }
        }
    }
    section
}

/// A game of a match as reports keep it.
fn recorded(row: &GameRow, player: &str) -> Recorded {
    let first = row.first == player;
    let half_points = match (row.result, first) {
        (GameResult::First, true) | (GameResult::Second, false) => 2,
        (GameResult::Draw | GameResult::None, _) => 1,
        _ => 0,
    };
    Recorded {
        row: 0,
        number: row.job,
        half_points,
        first,
        detail: row.detail.clone(),
        position: row.position.clone(),
        moves: row.moves.split_whitespace().map(str::to_string).collect(),
    }
}

/// A run with its tables and charts.
pub(crate) fn describe(found: &Found) -> Result<Value, TextError> {
    let (sections, summary) = open(found)?;
    let section = |section: &Section| {
        json!({ "title": section.title, "blocks": section.blocks.iter().filter_map(block).collect::<Vec<_>>(),
            "summary": section.summary, "games": section.games.as_ref().map_or(0, |set| set.games.len()),
            "game": section.games.as_ref().map(|set| &set.game) })
    };
    Ok(json!({ "type": "run", "name": found.name, "experiment": found.experiment, "summary": summary,
        "sections": sections.iter().map(section).collect::<Vec<_>>() }))
}

/// A piece of a report; pictures of boards are left to the page.
fn block(block: &Block) -> Option<Value> {
    Some(match block {
        Block::Text(text) => json!({ "text": text }),
        Block::Notes(notes) => json!({ "notes": notes }),
        Block::Table(sheet) => {
            let rows: Vec<Vec<String>> =
                sheet.rows.iter().map(|row| row.iter().map(|field| field.text.clone()).collect()).collect();
            json!({ "head": sheet.head, "rows": rows, "words": sheet.words })
        }
        Block::Figure(name, chart) => json!({ "figure": name, "svg": chart.svg() }),
        Block::Conditions(facts) => json!({ "conditions": facts }),
        Block::Boards(_) => return None,
    })
}

/// Games of a part, at most [`MOST_GAMES`] of each row.
pub(crate) fn games(found: &Found, part: usize, row: Option<usize>) -> Result<Value, TextError> {
    let (sections, _) = open(found)?;
    let set = sections.get(part).and_then(|section| section.games.as_ref());
    let set = set.ok_or_else(|| TextError::new("this part has no games"))?;
    let wanted = set.games.iter().filter(|game| row.is_none_or(|row| row == game.row));
    let all = wanted.clone().count();
    let mut of_row = vec![0; set.rows.len()];
    let few = |game: &&Recorded| {
        let Some(seen) = of_row.get_mut(game.row) else { return false };
        *seen += 1;
        *seen <= MOST_GAMES
    };
    let games: Vec<Value> = wanted
        .filter(few)
        .map(|game| {
            let names = set.rows.get(game.row).cloned().unwrap_or_default();
            let [player, opponent] = names;
            let (black, white) = if game.first { (player, opponent) } else { (opponent, player) };
            let black_points = if game.first { game.half_points } else { 2 - game.half_points.min(2) };
            let result = ["0-1", "1/2-1/2", "1-0"][usize::from(black_points.min(2))];
            json!({ "number": game.number, "row": game.row, "black": black, "white": white,
            "result": result, "detail": game.detail,
            "position": game.position, "moves": game.moves })
        })
        .collect();
    Ok(
        json!({ "type": "games", "name": found.name, "part": part, "row": row, "game": set.game, "all": all, "games": games }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_name_their_players() {
        let section = |players: Value| {
            let games = GameSet { rows: vec![["T=40".into(), "other".into()]], ..GameSet::default() };
            named(Section { games: Some(games), summary: json!({ "rows": players }), ..Section::default() })
                .games
                .unwrap()
        };
        assert_eq!(section(json!([{ "players": ["mcss(t=40)", "uct"] }])).rows, [["mcss(t=40)", "uct"]]);
        // A summary of other rows, or of none, changes nothing.
        assert_eq!(section(json!([])).rows, [["T=40", "other"]]);
        assert_eq!(section(json!([{ "player": "x" }])).rows, [["T=40", "other"]]);
    }
}
