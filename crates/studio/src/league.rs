//! The league: every player that ever played here, rated within its game, and the results that it is rated by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::report::games::GameSet;
use yomi_lab::statistics::ratings::{Options, Pool, fit};
use yomi_lab::statistics::tally::Game;

use crate::runs::{self, Found};

/// The league as it was last made: rating every game that was ever played takes seconds, so it is done again only for other files.
#[derive(Default)]
pub(crate) struct League {
    made: Mutex<Option<(Vec<Stamp>, Value)>>,
}

/// A file, its size and when it was written.
type Stamp = (PathBuf, u64, Option<SystemTime>);

impl League {
    /// The league of these runs.
    pub(crate) fn of(&self, found: &[Found]) -> Value {
        let stamps: Vec<Stamp> = found.iter().flat_map(|run| files(&run.path)).collect();
        // Two pages that ask at once wait for one answer.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, league)) = made.as_ref().filter(|(then, _)| *then == stamps) {
            return league.clone();
        }
        let league = league(found);
        *made = Some((stamps, league.clone()));
        league
    }
}

/// The files of a run directory; games are written into files that are there already, so the folder's own time says nothing.
fn files(folder: &Path) -> Vec<Stamp> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let stamp = |entry: std::fs::DirEntry| {
        let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((entry.path(), about.len(), about.modified().ok()))
    };
    let mut found: Vec<Stamp> = entries.filter_map(stamp).collect();
    found.sort();
    found
}

/// One player against another in one run.
struct Cell {
    players: [String; 2],
    /// Wins, draws, losses of the first.
    counts: [u64; 3],
    run: String,
    part: usize,
    row: usize,
}

/// The ratings and results of all runs. A run that cannot be read is named, the others are rated.
fn league(found: &[Found]) -> Value {
    let mut games: BTreeMap<String, (Pool, Vec<Cell>)> = BTreeMap::new();
    let mut unreadable = Vec::new();
    for run in found {
        match runs::open(run) {
            Ok((sections, _)) => {
                for (part, set) in
                    sections.iter().enumerate().filter_map(|(i, section)| Some((i, section.games.as_ref()?)))
                {
                    let (pool, cells) = games.entry(set.game.clone()).or_insert_with(|| (Pool::new(), Vec::new()));
                    let added = add(pool, cells, set, &run.name, part);
                    unreadable.extend(added.err().map(|error| format!("{}: {error}", run.name)));
                }
            }
            Err(error) => unreadable.push(format!("{}: {error}", run.name)),
        }
    }
    let games: Vec<Value> = games.iter().map(|(game, (pool, cells))| game_json(game, pool, cells)).collect();
    json!({ "type": "league", "games": games, "unreadable": unreadable })
}

fn add(pool: &mut Pool, cells: &mut Vec<Cell>, set: &GameSet, run: &str, part: usize) -> Result<(), TextError> {
    let mut counts = vec![[0; 3]; set.rows.len()];
    for game in &set.games {
        let Some([player, opponent]) = set.rows.get(game.row) else { continue };
        let result = [Game::Loss, Game::Draw, Game::Win][usize::from(game.half_points.min(2))];
        counts[game.row][2 - usize::from(game.half_points.min(2))] += 1;
        if player == opponent {
            continue;
        }
        if game.first {
            pool.add(player, opponent, result)?;
        } else {
            pool.add(opponent, player, result.swapped())?;
        }
    }
    let rows = set.rows.iter().zip(counts).enumerate().filter(|(_, (_, counts))| counts.iter().sum::<u64>() > 0);
    cells.extend(rows.map(|(row, (players, counts))| Cell {
        players: players.clone(),
        counts,
        run: run.to_string(),
        part,
        row,
    }));
    Ok(())
}

fn game_json(game: &str, pool: &Pool, cells: &[Cell]) -> Value {
    let ratings = fit(pool, &Options::default()).ok();
    let players: Vec<Value> = ratings
        .iter()
        .flat_map(|ratings| &ratings.players)
        .map(|player| {
            json!({ "name": player.name, "elo": player.rating.value,
            "interval": [player.rating.interval.low, player.rating.interval.high], "pool": player.pool,
            "wins": player.wins, "draws": player.draws, "losses": player.losses, "score": player.score() })
        })
        .collect();
    let cells: Vec<Value> = cells.iter().map(|cell| {
        json!({ "players": cell.players, "counts": cell.counts, "run": cell.run, "part": cell.part, "row": cell.row })
    }).collect();
    json!({ "game": game, "pools": ratings.map_or(0, |ratings| ratings.pools), "players": players, "cells": cells })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_league_is_made_again_when_a_file_has_grown() {
        let folder = std::env::temp_dir().join(format!("yomi-league-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("run")).unwrap();
        // Not a run: the league names it, in the words of the file as it is.
        let write = |text: &str| std::fs::write(folder.join("run/config.toml"), text).unwrap();
        let (league, found) = (League::default(), || vec![Found::at(&folder.join("run"))]);
        write("x");
        let first = league.of(&found());
        assert_eq!(first["unreadable"].as_array().unwrap().len(), 1, "{first}");
        assert_eq!(league.of(&found()), first);
        write("players = 3");
        assert_ne!(league.of(&found()), first);
        assert!(league.of(&[])["unreadable"].as_array().unwrap().is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
