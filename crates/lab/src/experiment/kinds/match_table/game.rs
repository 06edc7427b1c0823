//! One game of a table: what is to be played, what came of it, and how it is played.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::arena::{Arena, Place};
use crate::conditions::{Conditions, ResignRule};
use crate::config::{MatchConfig, PlayerConfig};
use crate::experiment::task::Job;
use crate::experiment::workshop::Failure;
use crate::opening::OpeningSource;
use crate::report::Scene;
use crate::row::{self, GameResult, no_time, nothing};
use crate::schedule::Schedule;

/// A game to play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GameTask {
    /// The game and its rules.
    pub game: String,
    /// Who plays: the player of the row, then the opponent.
    pub players: [String; 2],
    /// Whether the player of the row moves first.
    pub first: bool,
    /// Games of one pair have the same opening.
    pub pair: u64,
    /// How it begins.
    pub opening: String,
    /// After this many moves it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// When it is given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<String>,
}

/// A game that was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GameMeasurement {
    /// The points of the player of the row: 1, 0.5 or 0.
    pub score: f64,
    /// Whether that player moved first.
    pub first: bool,
    /// Why it ended: normal, resign, illegal, timeout, crash, adjudicated, move-limit.
    pub reason: String,
    /// The same in words.
    pub detail: String,
    /// The position before the first move, if it is not the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// All moves, the opening included.
    pub moves: Vec<String>,
    /// Nodes of the player of the row and of its opponent.
    pub nodes: [u64; 2],
    /// Milliseconds of the player of the row and of its opponent.
    pub ms: [f64; 2],
    /// Moves that each of them chose; old ledgers do not tell, nor what follows.
    #[serde(default, skip_serializing_if = "nothing")]
    pub made: [u64; 2],
    /// Simulations of each.
    #[serde(default, skip_serializing_if = "nothing")]
    pub sims: [u64; 2],
    /// Positions that the evaluation of each judged.
    #[serde(default, skip_serializing_if = "nothing")]
    pub evals: [u64; 2],
    /// CPU milliseconds of the thread that asked each: all of a search on one thread, nothing of a program's.
    #[serde(default, skip_serializing_if = "no_time")]
    pub cpu_ms: [f64; 2],
    /// A name for the sequence of moves that rotated or reflected games share.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub identity: String,
}

impl GameMeasurement {
    /// The game, to be drawn or looked through.
    pub fn scene(&self, game: &str) -> Scene {
        Scene { game: game.to_string(), position: self.start.clone(), moves: self.moves.clone() }
    }

    /// The result for the side that moved first.
    pub fn result(&self) -> GameResult {
        match if self.first { self.score } else { 1.0 - self.score } {
            score if score > 0.75 => GameResult::First,
            score if score < 0.25 => GameResult::Second,
            _ => GameResult::Draw,
        }
    }
}

/// Plays a game in an arena, where the rules are ours, whatever the players.
pub fn measure(
    task: &GameTask,
    arena: &dyn Arena,
    players: [PlayerConfig; 2],
    job: &Job,
    stop: &Arc<AtomicBool>,
) -> Result<GameMeasurement, Failure> {
    let opening = arena.draw_opening(&OpeningSource::parse(&task.opening)?, job.shared("opening", task.pair))?;
    let conditions = Conditions {
        move_limit: task.move_limit.unwrap_or_else(|| arena.move_limit()),
        time: None,
        resign: task.resign.as_deref().map(ResignRule::parse).transpose()?,
        draw: None,
    };
    let [mut player, mut opponent] = players;
    // Two of the same player may meet; a match tells them apart by name.
    (player.name, opponent.name) = ("player".to_string(), "opponent".to_string());
    let config = MatchConfig {
        name: job.experiment.clone(),
        game: task.game.clone(),
        seed: job.seed,
        games: 1,
        pairs: false,
        schedule: Schedule::Pair,
        reproducible: true,
        openings: OpeningSource::Start,
        conditions,
        sprt: None,
        players: vec![player, opponent],
    };
    let (first, second) = if task.first { (0, 1) } else { (1, 0) };
    // Readers of JSON that know only floating-point numbers hold 53 bits.
    let seed = job.chance().number() >> 11;
    let game = row::Job { index: job.index, pairing: 0, round: task.pair, first, second, opening, seed };
    let played = arena.table(&config, Place::default())?.play(&game, stop).ok_or(Failure::Stopped)?;
    let points = match played.result {
        GameResult::First => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Second => 0.0,
        GameResult::None => return Err(Failure::Void(played.detail)),
    };
    // Lists of two are ordered by who moved first.
    let mine = |two: [f64; 2]| if task.first { two } else { [two[1], two[0]] };
    let count = |two: [u64; 2]| if task.first { two } else { [two[1], two[0]] };
    Ok(GameMeasurement {
        score: if task.first { points } else { 1.0 - points },
        first: task.first,
        reason: played.reason.to_string(),
        detail: played.detail,
        start: played.position,
        moves: played.moves.split_whitespace().map(str::to_string).collect(),
        nodes: count(played.nodes),
        ms: mine(played.ms),
        made: count(played.made.map(u64::from)),
        sims: count(played.sims),
        evals: count(played.evals),
        cpu_ms: mine(played.cpu_ms),
        identity: played.identity,
    })
}
