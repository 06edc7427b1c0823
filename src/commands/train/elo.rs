//! The Elo of generations: from the pairs of games between them to ratings and charts.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_lab::statistics::Interval;
use yomi_lab::statistics::ratings::{self, Pool};
use yomi_lab::statistics::tally::Game;
use yomi_train::contest::Pairing;
use yomi_train::run::Generation;

/// The pairings of a folder, as `yomi train rate` and the example `device_loop` write them.
pub(super) fn read(folder: &Path) -> anyhow::Result<Vec<Pairing>> {
    let path = folder.join("pairs.jsonl");
    let text = yomi_core::file::read_text_file(&path.display().to_string(), 64 << 20)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(i, line)| serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), i + 1));
    let pairings: Vec<Pairing> = lines.map(read).collect::<anyhow::Result<_>>()?;
    ensure!(pairings.iter().any(|pairing| !pairing.half_points.is_empty()), "{}: there are no pairs", path.display());
    Ok(pairings)
}

/// A generation with its rating.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rated {
    pub(super) generation: u64,
    /// The first generation has 0.
    pub(super) elo: f64,
    /// 95 %, against the mean of all.
    pub(super) interval: Interval,
    pub(super) games: u64,
}

/// Rates the generations by all pairs together, the first at 0.
pub(super) fn rate(pairings: &[Pairing]) -> anyhow::Result<Vec<Rated>> {
    let mut pool = Pool::new();
    for Pairing { first, second, half_points } in pairings {
        for &points in half_points {
            // How the points of a pair fell on its two games is not kept.
            for half in [points.min(4) / 2, points.min(4).div_ceil(2)] {
                let result = [Game::Loss, Game::Draw, Game::Win][half];
                pool.add(&first.to_string(), &second.to_string(), result)?;
            }
        }
    }
    // Pairs have no first mover, and points are all that counts. Games of a pair are taken for independent: with the same opening they are less
    // than that, so that the intervals are too wide rather than too narrow.
    let options = ratings::Options { advantage: Some(0.0), draw: Some(0.0), ..ratings::Options::default() };
    let fitted = ratings::fit(&pool, &options)?;
    let mut rated: Vec<Rated> = fitted
        .players
        .iter()
        .filter_map(|player| {
            let (generation, games) = (player.name.parse().ok()?, player.games());
            Some(Rated { generation, elo: player.rating.value, interval: player.rating.interval, games })
        })
        .collect();
    rated.sort_by_key(|rated| rated.generation);
    let zero = rated.first().map_or(0.0, |first| first.elo);
    for row in &mut rated {
        row.elo -= zero;
        row.interval = Interval { low: row.interval.low - zero, high: row.interval.high - zero };
    }
    Ok(rated)
}

/// What a rating is drawn over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Over {
    Minutes,
    Games,
    Evaluations,
}

impl Over {
    /// The label of the axis, and how far a generation is along it.
    fn axis(self) -> (&'static str, fn(&Generation) -> f64) {
        match self {
            Over::Minutes => ("minutes", |line| line.seconds / 60.0),
            Over::Games => ("thousand games", |line| line.games as f64 / 1e3),
            Over::Evaluations => ("million evaluated positions", |line| line.evaluations as f64 / 1e6),
        }
    }
}

/// The Elo of generations over the games, the work or the time that went into them.
pub(super) fn chart(title: &str, rated: &[Rated], history: &[Generation], over: Over) -> Chart {
    let (label, x) = over.axis();
    let point = |row: &Rated| {
        // The network of generation n is there when generation n - 1 is learned from.
        let x = match row.generation.checked_sub(1) {
            Some(before) => x(history.iter().find(|line| line.generation == before)?),
            None => 0.0,
        };
        Some(Point { x, y: row.elo, bar: Some(row.interval) })
    };
    let points = rated.iter().filter_map(point).collect();
    Chart {
        title: title.into(),
        x: Axis::labelled(label),
        y: Axis::labelled("Elo"),
        series: vec![Series { name: "networks".into(), points, joined: true, ..Series::default() }],
        ..Chart::default()
    }
}

/// The ratings as lines of `elo.jsonl`; `more` goes into each of them.
pub(super) fn lines(rated: &[Rated], more: &Value) -> String {
    let line = |row: &Rated| {
        let mut line = json!({ "generation": row.generation, "elo": row.elo, "low": row.interval.low,
            "high": row.interval.high, "games": row.games });
        for (name, value) in more.as_object().into_iter().flatten() {
            line[name] = value.clone();
        }
        format!("{line}\n")
    };
    rated.iter().map(line).collect()
}

/// The ratings that `elo.jsonl` has.
pub(super) fn read_lines(folder: &Path) -> Option<Vec<Rated>> {
    let text = std::fs::read_to_string(folder.join("elo.jsonl")).ok()?;
    let rated = |line: &str| {
        let row: Value = serde_json::from_str(line).ok()?;
        let interval = Interval { low: row["low"].as_f64()?, high: row["high"].as_f64()? };
        Some(Rated {
            generation: row["generation"].as_u64()?,
            elo: row["elo"].as_f64()?,
            interval,
            games: row["games"].as_u64().unwrap_or(0),
        })
    };
    Some(text.lines().filter_map(rated).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(first: u64, second: u64, half_points: &[usize]) -> Pairing {
        Pairing { first, second, half_points: half_points.to_vec() }
    }

    /// Three quarters of the points are 191 Elo in the model; two virtual draws take little of 400 games.
    #[test]
    fn ratings_follow_the_points() {
        let rated = rate(&[pairing(0, 8, &[1; 200]), pairing(8, 16, &[2; 200])]).unwrap();
        assert_eq!(
            rated.iter().map(|row| (row.generation, row.games)).collect::<Vec<_>>(),
            [(0, 400), (8, 800), (16, 400)]
        );
        assert!(rated[0].elo == 0.0 && (rated[1].elo - 191.0).abs() < 4.0 && (rated[2].elo - rated[1].elo).abs() < 1.0);
        assert!(rated.iter().all(|row| row.interval.low < row.elo && row.elo < row.interval.high));
        // Wins and losses or draws: points are all that counts.
        assert_eq!(rate(&[pairing(0, 1, &[0, 4])]).unwrap()[1].elo, rate(&[pairing(0, 1, &[2, 2])]).unwrap()[1].elo);
    }

    #[test]
    fn a_generation_stands_where_its_network_was_ready() {
        let line =
            |generation, games| Generation { generation, games, evaluations: 10 * games, ..Generation::default() };
        let history = [line(0, 1000), line(1, 2500)];
        let rated = rate(&[pairing(0, 1, &[1; 20]), pairing(1, 2, &[1; 20]), pairing(2, 9, &[1; 20])]).unwrap();
        let xs =
            |over| -> Vec<f64> { chart("", &rated, &history, over).series[0].points.iter().map(|p| p.x).collect() };
        // The network after the history's end has no place.
        assert_eq!((xs(Over::Games), xs(Over::Evaluations)), (vec![0.0, 1.0, 2.5], vec![0.0, 0.01, 0.025]));
        let again = lines(&rated, &json!({ "method": "puct" }));
        assert!(again.lines().count() == 4 && again.contains("\"method\":\"puct\""));
    }
}
