//! The runs of learners: folders with a file of curves, one JSON object per line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_core::clock::unix_seconds;
use yomi_core::file::read_text_file;
use yomi_lab::statistics::ratings::{Options, Pool, fit};
use yomi_lab::statistics::tally::Game;

use crate::lessons::GAMES;

/// The names of such files: of `yomi learn`, of Blokus, of `yomi train loop`.
const FILES: [&str; 3] = ["curves.jsonl", "curve.jsonl", "log.jsonl"];
/// Ratings of the generations of a training loop, by `yomi train rate`.
const RATINGS: &str = "elo.jsonl";
/// Games between generations, rated here.
const PAIRS: &str = "pairs.jsonl";
/// What the games of a run have cost, by `yomi learn compare`.
const COSTS: &str = "costs.jsonl";
/// A learner that has written nothing for this many seconds has ended.
const AT_WORK: u64 = 120;
/// How deep below a folder they lie.
const DEPTH: u32 = 3;
/// The largest file that is read.
pub(crate) const LARGEST: u64 = 64 << 20;
/// The most points of a curve: more than a screen has.
const MOST_POINTS: usize = 1500;
/// How deep the objects of a line are looked into.
const NESTING: u32 = 3;

/// The learners' runs, in order of their names.
pub(crate) fn list(folders: &[PathBuf]) -> Value {
    let learners: Vec<Value> = find(folders)
        .into_iter()
        .map(|(name, file)| {
            let games = file.parent().is_some_and(|folder| folder.join(GAMES).is_file());
            json!({ "name": name, "games": games, "running": is_fresh(&file) })
        })
        .collect();
    json!({ "type": "learners", "learners": learners })
}

/// Whether a file was written a moment ago: its learner is at work.
fn is_fresh(file: &Path) -> bool {
    let written = file.metadata().and_then(|about| about.modified()).ok();
    let since = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    unix_seconds() < since + AT_WORK
}

fn find(folders: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in folders {
        let name = folder.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        walk(folder, &name, DEPTH, &mut found);
    }
    found.sort();
    found
}

fn walk(path: &Path, name: &str, depth: u32, found: &mut Vec<(String, PathBuf)>) {
    if let Some(file) = FILES.iter().map(|file| path.join(file)).find(|file| file.is_file()) {
        found.push((name.to_string(), file));
    }
    if depth == 0 {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), &format!("{name}/{}", entry.file_name().to_string_lossy()), depth - 1, found);
        }
    }
}

/// A run by its name in the list: names are compared, never made into paths.
fn file_of(folders: &[PathBuf], name: &str) -> Result<PathBuf, TextError> {
    let found = find(folders).into_iter().find(|(other, _)| other == name);
    found.map(|(_, file)| file).ok_or_else(|| TextError::new(format!("there is no learner called {name}")))
}

/// The folder of a run.
pub(crate) fn folder_of(folders: &[PathBuf], name: &str) -> Result<PathBuf, TextError> {
    let file = file_of(folders, name)?;
    Ok(file.parent().map_or_else(PathBuf::new, Path::to_path_buf))
}

/// The numbers of every line, field by field, and the ratings of generations that played against each other.
pub(crate) fn curves(folders: &[PathBuf], name: &str) -> Result<Value, TextError> {
    let file = file_of(folders, name)?;
    let mut rows = lines(&file)?;
    let costs = file.with_file_name(COSTS);
    add_speed(&mut rows, &if costs.is_file() { lines(&costs)? } else { Vec::new() });
    let step = rows.len().div_ceil(MOST_POINTS).max(1);
    let last = rows.len().saturating_sub(1);
    let shown: Vec<&Value> =
        rows.iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, row)| row).collect();
    let mut fields: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for (place, row) in shown.iter().enumerate() {
        for (field, number) in numbers(row) {
            fields.entry(field).or_insert_with(|| vec![None; shown.len()])[place] = Some(number);
        }
    }
    let order: Vec<String> = rows.last().map(numbers).unwrap_or_default().into_iter().map(|(field, _)| field).collect();
    let [rated, pairs] = [RATINGS, PAIRS].map(|name| file.with_file_name(name));
    let ratings = if rated.is_file() {
        lines(&rated)?.iter().map(as_rated).collect()
    } else if pairs.is_file() {
        ratings(&lines(&pairs)?)
    } else {
        Vec::new()
    };
    Ok(json!({ "type": "curves", "name": name, "lines": rows.len(), "fields": fields, "order": order,
        "ratings": ratings }))
}

/// Games per second between two lines, where both say how many games there were and how long it took: by the clock, or in CPU time.
fn add_speed(rows: &mut [Value], costs: &[Value]) {
    let spent: BTreeMap<u64, f64> =
        costs.iter().filter_map(|cost| Some((cost["games"].as_u64()?, cost["cpu"].as_f64()?))).collect();
    let by_clock = |row: &Value| row["seconds"].as_f64();
    let by_cpu = |row: &Value| spent.get(&row["games"].as_u64()?).copied().or(row["cpu_seconds"].as_f64());
    rate(rows, by_clock, "games_per_second");
    rate(rows, by_cpu, "games_per_cpu_second");
}

fn rate(rows: &mut [Value], seconds: impl Fn(&Value) -> Option<f64>, name: &str) {
    let (mut games_then, mut seconds_then) = (0.0, 0.0);
    for row in rows {
        let (Some(games), Some(seconds)) = (row["games"].as_f64(), seconds(row)) else { continue };
        if seconds > seconds_then && games > games_then {
            row[name] = ((games - games_then) / (seconds - seconds_then)).into();
        }
        (games_then, seconds_then) = (games, seconds);
    }
}

/// The objects of a file. A line that is being written is not there yet.
fn lines(file: &Path) -> Result<Vec<Value>, TextError> {
    let text = read_text_file(&file.to_string_lossy(), LARGEST)?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The numbers of a line by their names, those of an object inside it with its name in front: `gate.elo`.
fn numbers(row: &Value) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    collect(row, "", NESTING, &mut found);
    found
}

fn collect(value: &Value, prefix: &str, depth: u32, found: &mut Vec<(String, f64)>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Object(_) if depth > 1 => collect(value, &format!("{prefix}{key}."), depth - 1, found),
            value => found.extend(value.as_f64().map(|number| (format!("{prefix}{key}"), number))),
        }
    }
}

/// A line of `yomi train rate` as pages read it.
fn as_rated(row: &Value) -> Value {
    json!({ "generation": row["generation"], "elo": row["elo"], "interval": [row["low"], row["high"]], "games": row["games"] })
}

/// Elo of generations by the pairs of games between them: each is the half points, of four, that the first made.
fn ratings(pairs: &[Value]) -> Vec<Value> {
    let mut pool = Pool::new();
    for pair in pairs {
        let (Some(first), Some(second)) = (pair["first"].as_u64(), pair["second"].as_u64()) else { continue };
        for points in pair["half_points"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            // Two games with colours changed; which of them brought the points is not kept. Games of a generation with itself rate none.
            let [lesser, better] = [points.min(4) / 2, points.min(4).div_ceil(2)]
                .map(|points| [Game::Loss, Game::Draw, Game::Win][points as usize]);
            let _ = pool.add(&first.to_string(), &second.to_string(), lesser);
            let _ = pool.add(&second.to_string(), &first.to_string(), better.swapped());
        }
    }
    // Pairs have no first mover, and how their points fell on two games is not known: points are all that counts.
    let options = Options { advantage: Some(0.0), draw: Some(0.0), ..Options::default() };
    let fitted = fit(&pool, &options).ok();
    let mut rated: Vec<(u64, Value)> = fitted
        .iter()
        .flat_map(|ratings| &ratings.players)
        .filter_map(|player| {
            let generation: u64 = player.name.parse().ok()?;
            let interval = [player.rating.interval.low, player.rating.interval.high];
            Some((
                generation,
                json!({ "generation": generation, "elo": player.rating.value, "interval": interval,
                "games": player.wins + player.draws + player.losses }),
            ))
        })
        .collect();
    rated.sort_by_key(|(generation, _)| *generation);
    rated.into_iter().map(|(_, rating)| rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_inside_objects_carry_their_names() {
        let row =
            json!({ "games": 5, "gate": { "elo": 3.5 }, "training": { "losses": { "value": 0.5 } }, "word": "x" });
        let found = numbers(&row);
        assert_eq!(found, [("games".into(), 5.0), ("gate.elo".into(), 3.5), ("training.losses.value".into(), 0.5)]);
    }

    #[test]
    fn games_per_second_are_those_since_the_line_before() {
        let mut rows = [
            json!({ "games": 10, "seconds": 2.0 }),
            json!({ "games": 30, "seconds": 4.0 }),
            json!({ "games": 40, "seconds": 4.0 }),
            json!({ "games": 50 }),
            json!("x"),
        ];
        add_speed(&mut rows, &[json!({ "games": 10, "cpu": 1.0 }), json!({ "games": 50, "cpu": 3.0 })]);
        let of = |name: &str| rows.iter().map(|row| row[name].as_f64()).collect::<Vec<_>>();
        assert_eq!(of("games_per_second"), [Some(5.0), Some(10.0), None, None, None]);
        assert_eq!(of("games_per_cpu_second"), [Some(10.0), None, None, Some(20.0), None]);
    }

    #[test]
    fn later_generations_that_win_are_rated_higher() {
        let pairs = [
            json!({ "first": 0, "second": 5, "half_points": vec![1; 20] }),
            json!({ "first": 5, "second": 10, "half_points": vec![1; 20] }),
        ];
        let elo: Vec<f64> = ratings(&pairs).iter().map(|rating| rating["elo"].as_f64().unwrap()).collect();
        assert!(elo.len() == 3 && elo[0] < elo[1] && elo[1] < elo[2], "{elo:?}");
        // 98 of 240 half points are -64.4 Elo; a draw of the prior pulls by a few.
        let points: Vec<u64> = (0..60).map(|i| if i < 38 { 2 } else { 1 }).collect();
        assert_eq!(points.iter().sum::<u64>(), 98);
        let close = ratings(&[json!({ "first": 10, "second": 13, "half_points": points })]);
        let gap = close[1]["elo"].as_f64().unwrap() - close[0]["elo"].as_f64().unwrap();
        assert!((gap - 64.4).abs() < 6.0, "{gap}");
        assert!(ratings(&[]).is_empty());
        let rated = as_rated(&json!({ "generation": 3, "elo": 5.0, "low": -1.0, "high": 11.0, "games": 8 }));
        assert_eq!(rated["interval"], json!([-1.0, 11.0]));
    }
}
