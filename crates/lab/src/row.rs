//! One game of a match: what is to be played, and what a ledger keeps of it.

use serde::{Deserialize, Serialize};
use yomi_core::{Color, Outcome};

use crate::ending::Reason;
use crate::opening::Opening;
use crate::statistics::tally::Game;

/// One game to be played: a pure function of the match and the index.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Its place in the schedule.
    pub index: u64,
    /// Which pairing of the schedule.
    pub pairing: usize,
    /// Which round of it; a round of pairs has two games.
    pub round: u64,
    /// The player who has Black, the side that moves first, by its place in the list of players.
    pub first: usize,
    /// The other player.
    pub second: usize,
    /// What is played before they take over.
    pub opening: Opening,
    /// The seed of the game.
    pub seed: u64,
}

/// The result of a game, as seen by the player who moved first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GameResult {
    /// The first player won.
    #[serde(rename = "1-0")]
    First,
    /// The second player won.
    #[serde(rename = "0-1")]
    Second,
    /// Neither side won.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// The game does not count.
    #[serde(rename = "*")]
    None,
}

impl GameResult {
    /// From an outcome, Black being the first player.
    pub fn of(outcome: Option<Outcome>) -> GameResult {
        match outcome {
            None => GameResult::None,
            Some(Outcome::Draw) => GameResult::Draw,
            Some(Outcome::Win(Color::Black)) => GameResult::First,
            Some(Outcome::Win(Color::White)) => GameResult::Second,
        }
    }

    /// What statistics count for the first player.
    pub fn game(self) -> Option<Game> {
        match self {
            GameResult::First => Some(Game::Win),
            GameResult::Second => Some(Game::Loss),
            GameResult::Draw => Some(Game::Draw),
            GameResult::None => None,
        }
    }

    /// The word of ledgers and PGN.
    pub fn word(self) -> &'static str {
        match self {
            GameResult::First => "1-0",
            GameResult::Second => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::None => "*",
        }
    }
}

/// A line of a ledger. In lists of two the first player stands first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRow {
    /// The place in the schedule.
    pub job: u64,
    /// Which pairing.
    pub pairing: usize,
    /// Which round of it.
    pub round: u64,
    /// The name of the player who had Black, the side that moves first.
    pub first: String,
    /// The name of the other one.
    pub second: String,
    /// How it ended, for the first player.
    pub result: GameResult,
    /// Why it ended.
    pub reason: Reason,
    /// Why, in words.
    pub detail: String,
    /// The seed of the game.
    pub seed: u64,
    /// Moves played, the opening included.
    pub plies: u32,
    /// How many of them are the opening.
    pub opening: u32,
    /// The position before the first move, where it is not the usual start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// All moves, separated by spaces.
    pub moves: String,
    /// What the player who made the move said the position was worth to it; one entry a move after the opening.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Option<f32>>,
    /// The moves that player expected after it, with blanks between them; one entry a move after the opening, empty where nothing was
    /// said. Old ledgers do not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Moves of each player, the opening apart.
    pub made: [u32; 2],
    /// Simulations of each player.
    pub sims: [u64; 2],
    /// Nodes of each player.
    pub nodes: [u64; 2],
    /// Positions that each player's evaluation judged; old ledgers do not tell.
    #[serde(default, skip_serializing_if = "nothing")]
    pub evals: [u64; 2],
    /// Mean depth of each player's moves.
    pub depth: [f32; 2],
    /// A name for the sequence of moves: the same for rotated or reflected games.
    pub identity: String,
    /// What each player says about the game that is over: a program that counts it otherwise than the referee.
    #[serde(default, skip_serializing_if = "is_silent")]
    pub remarks: [Option<String>; 2],
    /// How often this job was void before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempt: u32,
    /// When it ended: seconds since 1970, UTC. Old ledgers do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<u64>,
    /// Milliseconds of each player.
    pub ms: [f64; 2],
    /// CPU milliseconds of the thread that asked each player: all of a search on one thread, nothing of a program's. Old ledgers do not tell.
    #[serde(default, skip_serializing_if = "no_time")]
    pub cpu_ms: [f64; 2],
    /// Milliseconds of each player's slowest move.
    pub slowest_ms: [f64; 2],
    /// The thread that played it.
    pub worker: usize,
}

fn is_silent(remarks: &[Option<String>; 2]) -> bool {
    remarks.iter().all(Option::is_none)
}

pub(crate) fn nothing(counts: &[u64; 2]) -> bool {
    *counts == [0; 2]
}

pub(crate) fn no_time(times: &[f64; 2]) -> bool {
    *times == [0.0; 2]
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl GameRow {
    /// The row without what may differ when the same game is played again: times, and who played it.
    pub fn reproducible(&self) -> GameRow {
        GameRow {
            ms: [0.0; 2],
            cpu_ms: [0.0; 2],
            slowest_ms: [0.0; 2],
            worker: 0,
            attempt: 0,
            ended: None,
            ..self.clone()
        }
    }

    /// Whether it counts.
    pub fn counts(&self) -> bool {
        self.result != GameResult::None
    }
}
