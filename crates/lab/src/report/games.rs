//! The games of a report, to be replayed in the page or in pages beside it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use yomi_games::draw::Stage;

use super::film::Film;
use super::page::Scene;
use crate::arena::Arena;

/// Games that belong together: those of one table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameSet {
    /// The game and its rules.
    pub game: String,
    /// The rows of the table: the player of the row, and its opponent.
    pub rows: Vec<[String; 2]>,
    /// The games, in the order they were scheduled.
    pub games: Vec<Recorded>,
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recorded {
    /// Which row it belongs to.
    pub row: usize,
    /// Its number in the ledger.
    pub number: u64,
    /// Half points of the row's player: 2, 1 or 0.
    pub half_points: u8,
    /// Whether that player moved first.
    pub first: bool,
    /// Why it ended.
    pub detail: String,
    /// The position before the first move, if it is not the usual one.
    pub position: Option<String>,
    /// The moves.
    pub moves: Vec<String>,
}

/// What one page holds of games, in bytes: what browsers load without a pause. More games go into pages of their own.
const ON_PAGE: usize = 800_000;
/// The same for a page of games alone.
const ON_GAME_PAGE: usize = 4_000_000;

/// The games of one section as a page has them.
pub struct Reel {
    stage: Stage,
    game: String,
    rows: Vec<[String; 2]>,
    details: Vec<String>,
    starts: Vec<String>,
    /// One JSON array a game, as text, with its row.
    games: Vec<(usize, String)>,
}

impl Reel {
    /// Films all games of a set. A game that cannot be replayed stays in the list without its moves.
    pub fn new(set: &GameSet, arena: &dyn Arena) -> Reel {
        let mut stage = arena.stage();
        let (mut details, mut starts) = (Numbers::default(), Numbers::default());
        let mut games = Vec::with_capacity(set.games.len());
        for game in &set.games {
            let scene = Scene { game: set.game.clone(), position: game.position.clone(), moves: game.moves.clone() };
            let Film { start, changes } = arena.film(&scene, &mut stage).unwrap_or_default();
            let entry = json!([
                game.row,
                game.number,
                game.half_points,
                u8::from(game.first),
                details.of(&game.detail),
                starts.of(&start),
                game.moves.join(" "),
                changes
            ]);
            games.push((game.row, entry.to_string()));
        }
        let rows = set.rows.clone();
        Reel { stage, game: set.game.clone(), rows, details: details.texts, starts: starts.texts, games }
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The first games of every row, as many as fit into `room` bytes: their places.
    fn fitting(&self, room: usize) -> Vec<usize> {
        let mut by_row: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, (row, _)) in self.games.iter().enumerate() {
            by_row.entry(*row).or_default().push(place);
        }
        let (mut chosen, mut used) = (Vec::new(), 0);
        for round in 0.. {
            let next: Vec<usize> = by_row.values().filter_map(|places| places.get(round).copied()).collect();
            used += next.iter().map(|&place| self.games[place].1.len()).sum::<usize>();
            if next.is_empty() || used > room {
                break;
            }
            chosen.extend(next);
        }
        chosen.sort_unstable();
        chosen
    }

    /// The shapes of the board, to stand in a page once.
    pub fn defs(&self, name: &str) -> String {
        self.stage.defs(name)
    }

    /// Some games with all that a page needs to show them.
    fn data(&self, name: &str, places: &[usize]) -> String {
        let ((width, height), (cell, tall), (style, colour)) =
            (self.stage.size(), self.stage.cell(), self.stage.mark());
        let points: Vec<[f64; 2]> =
            self.stage.places().iter().map(|&(x, y)| [x, y].map(|v| (f64::from(v) * 10.0).round() / 10.0)).collect();
        let head: Value = json!({
            "stage": name, "game": self.game, "size": [width, height], "cell": [cell, tall], "cells": self.stage.cells(),
            "mark": style, "colour": colour, "places": points, "rows": self.rows, "details": self.details,
            "starts": self.starts,
        });
        let games: Vec<&str> = places.iter().map(|&place| self.games[place].1.as_str()).collect();
        let head = head.to_string();
        format!("{},\"games\":[{}]}}", head.strip_suffix('}').unwrap_or(&head), games.join(",\n"))
    }
}

/// Texts that occur often, each kept once.
#[derive(Default)]
struct Numbers {
    texts: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Numbers {
    fn of(&mut self, text: &str) -> usize {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        self.places.insert(text.to_string(), self.texts.len());
        self.texts.push(text.to_string());
        self.texts.len() - 1
    }
}

/// The reels of a report: for every section, what its page shows, and pages of games beside it where there are too many.
pub struct Replays {
    /// One a section that has games.
    pub reels: Vec<Option<Reel>>,
}

/// What is embedded for one section.
pub struct Embedded {
    /// The games as JSON.
    pub data: String,
    /// How many games these are.
    pub shown: usize,
    /// The pages that hold all of them, if these are not all.
    pub pages: Vec<String>,
}

impl Replays {
    /// What the page of the report embeds: what all sections share of it.
    pub fn embedded(&self) -> Vec<Option<Embedded>> {
        let sections = self.reels.iter().flatten().count().max(1);
        let one = |(i, reel): (usize, &Option<Reel>)| {
            let reel = reel.as_ref()?;
            let places = reel.fitting(ON_PAGE / sections);
            let pages = if places.len() < reel.len() { self.names(i, reel) } else { Vec::new() };
            Some(Embedded { data: reel.data(&stage_name(i), &places), shown: places.len(), pages })
        };
        self.reels.iter().enumerate().map(one).collect()
    }

    /// The files of the game pages of a section.
    fn names(&self, section: usize, reel: &Reel) -> Vec<String> {
        (0..chunks(reel).len()).map(|chunk| format!("games/part-{}-{}.html", section + 1, chunk + 1)).collect()
    }

    /// The pages of games beside the report: name, section, and the data of each.
    pub fn pages(&self) -> Vec<(String, usize, String)> {
        let mut pages = Vec::new();
        for (i, (embedded, reel)) in self.embedded().iter().zip(&self.reels).enumerate() {
            let (Some(embedded), Some(reel)) = (embedded, reel) else { continue };
            for (name, places) in embedded.pages.iter().zip(chunks(reel)) {
                pages.push((name.clone(), i, reel.data(&stage_name(i), &places)));
            }
        }
        pages
    }
}

/// What the stage of a section is called.
pub fn stage_name(section: usize) -> String {
    format!("stage-{section}")
}

/// All games in as many pieces as pages of games take.
fn chunks(reel: &Reel) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = vec![Vec::new()];
    let mut used = 0;
    for (place, (_, text)) in reel.games.iter().enumerate() {
        used += text.len();
        if used > ON_GAME_PAGE && chunks.last().is_some_and(|chunk| !chunk.is_empty()) {
            chunks.push(Vec::new());
            used = text.len();
        }
        chunks.last_mut().into_iter().for_each(|chunk| chunk.push(place));
    }
    chunks
}
