//! The league: every player that ever played here, rated within its game, and the results that it is rated by.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::report::games::GameSet;
use yomi_lab::statistics::ratings::{Options, Pool, fit};
use yomi_lab::statistics::tally::Game;

use crate::runs::{self, Found};

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
pub(crate) fn league(found: &[Found]) -> Value {
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
