//! What is tuned, against whom and how: `config.toml` of a tuning run.

use serde::{Deserialize, Serialize};
use serde_json::json;
use yomi_core::TextError;

use super::space::Space;
use crate::config::sha256;
use crate::opening::OpeningSource;

/// A tuning run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TuneConfig {
    /// The game and its rules.
    pub game: String,
    /// How the next points are chosen.
    pub method: Method,
    /// Games for tuning.
    pub games: u64,
    /// Games for judging what was found, of the tuned player and of the middle of the range each.
    pub judge: u64,
    /// Pairs of games whose points are chosen together.
    pub batch: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// How games begin.
    pub opening: String,
    /// After this many moves a game is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<u32>,
    /// The opponents, in turn.
    pub against: Vec<String>,
    /// The player and its ranges.
    pub space: Space,
}

/// How the next points are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Drawn where a local quadratic model says that winning is likely (after CLOP).
    Clop,
    /// Two opposite points around the present one, which moves towards the better (SPSA).
    Spsa,
}

/// No run is longer.
const MOST_GAMES: u64 = 100_000_000;

impl TuneConfig {
    /// Refuses what cannot be meant.
    pub fn check(&self) -> Result<(), TextError> {
        let wrong = |what: &str| Err(TextError::new(what.to_string()));
        if self.against.is_empty() {
            return wrong("no opponent: --against PLAYER");
        }
        if self.games == 0 || self.games > MOST_GAMES || self.judge > MOST_GAMES {
            return wrong("a run has between 1 and 100000000 games");
        }
        if self.batch == 0 || self.batch > 100_000 {
            return wrong("a batch has between 1 and 100000 pairs of games");
        }
        if matches!(OpeningSource::parse(&self.opening)?, OpeningSource::Start) {
            return wrong(
                "openings decide which games are played: give random(6) or balanced(6,within=100), not start",
            );
        }
        let again = Space::parse(&self.space.template)?;
        if again != self.space { wrong("the ranges are not those of the player's text") } else { Ok(()) }
    }

    /// A name for everything that decides the games; how many there are does not.
    pub fn hash(&self) -> String {
        let essence = json!([
            self.game,
            self.method,
            self.batch,
            self.seed,
            self.opening,
            self.move_limit,
            self.against,
            self.space.template
        ]);
        sha256(essence.to_string().as_bytes()).chars().take(16).collect()
    }

    /// How many generations there are.
    pub fn generations(&self) -> u64 {
        self.games.div_ceil(2 * self.batch)
    }
}
