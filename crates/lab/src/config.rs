//! The configuration of a match: everything that decides its games, in one file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use yomi_core::{Seed, TextError};

use crate::budget::Budget;
use crate::clock::TimeControl;
use crate::conditions::Conditions;
use crate::opening::{Opening, OpeningSource};
use crate::players::spec::{self, launches};
use crate::schedule::Schedule;
use crate::statistics::{Model, Sprt};

/// A match. `config.toml` of a run directory is this, fully resolved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MatchConfig {
    /// What to call it.
    pub name: String,
    /// The game and its rules.
    pub game: String,
    /// The seed of all random numbers, together with everything else that decides the games.
    pub seed: u64,
    /// Games of each pairing.
    pub games: u64,
    /// Whether every opening is played twice, with colours swapped.
    pub pairs: bool,
    /// Who plays whom.
    pub schedule: Schedule,
    /// Whether the same games can be produced again: budgets without time, one thread per tree, no programs of others. What a file says about it
    /// is not believed: a [`MatchPlan`](crate::plan::MatchPlan) computes it anew.
    pub reproducible: bool,
    /// How games begin.
    pub openings: OpeningSource,
    /// What holds for every game.
    pub conditions: Conditions,
    /// The sequential test that stops a pairing when it is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtConfig>,
    /// Who plays.
    pub players: Vec<PlayerConfig>,
}

/// A player of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlayerConfig {
    /// Its name in ledgers and tables.
    pub name: String,
    /// What it is: `mcss(t=80) + quiet(material)`, `usi:…`.
    pub spec: String,
    /// What it may spend on a move.
    #[serde(default)]
    pub budget: Budget,
}

impl PlayerConfig {
    /// Whether it answers the same every time: no time, no threads that share a tree, no program of others.
    pub fn is_reproducible(&self) -> bool {
        self.budget.time.is_none() && spec::is_reproducible(&self.spec)
    }
}

/// A sequential test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SprtConfig {
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1.
    pub elo1: f64,
    /// The risk of accepting H1 under H0.
    pub alpha: f64,
    /// The risk of accepting H0 under H1.
    pub beta: f64,
    /// Whether the usual Elo is meant instead of normalized Elo.
    #[serde(default)]
    pub logistic: bool,
}

impl SprtConfig {
    /// The test.
    pub fn sprt(&self) -> Result<Sprt, TextError> {
        let model = if self.logistic { Model::Logistic } else { Model::Normalized };
        Sprt::new(model, self.elo0, self.elo1, self.alpha, self.beta)
    }
}

/// No schedule is longer.
pub const MAX_GAMES: u64 = 100_000_000;

impl MatchConfig {
    /// What may change in a match that goes on: how long it is, when it stops and what it is called decide no game.
    pub const FREE: [&str; 4] = ["games", "sprt", "name", "reproducible"];

    /// Whether the same games can be produced again, as far as the configuration tells.
    pub fn is_reproducible(&self) -> bool {
        self.conditions.time.is_none() && self.players.iter().all(PlayerConfig::is_reproducible)
    }

    /// The commands of the programs that this match would start, each once.
    pub fn programs(&self) -> Result<BTreeSet<String>, TextError> {
        let launches = self.players.iter().map(|player| launches(&player.spec));
        Ok(launches.collect::<Result<Vec<_>, _>>()?.concat().iter().map(|launch| launch.command.text()).collect())
    }

    /// Looks for what cannot be.
    pub fn check(&self) -> Result<(), TextError> {
        let wrong = |message: String| Err(TextError::new(message));
        if self.players.len() < 2 {
            return wrong("a match needs two players".into());
        }
        for (i, player) in self.players.iter().enumerate() {
            let ill =
                player.name.trim().is_empty() || player.name.len() > 200 || player.name.contains(char::is_control);
            if ill {
                return wrong(format!("player {} needs a name of 1 to 200 printable bytes", i + 1));
            }
            if self.players[..i].iter().any(|other| other.name == player.name) {
                return wrong(format!("two players are called {}", player.name));
            }
        }
        let timeless = |player: &&PlayerConfig| {
            player.budget.time.is_some_and(|time| !(time > 0.0 && std::time::Duration::try_from_secs_f64(time).is_ok()))
        };
        if let Some(player) = self.players.iter().find(timeless) {
            return wrong(format!("the time of {} is no time in seconds", player.name));
        }
        let pairings = self.schedule.pairings(self.players.len()).len() as u64;
        if self.games == 0 || pairings.saturating_mul(self.games) > MAX_GAMES {
            return wrong(format!("a match has between 1 and {MAX_GAMES} games"));
        }
        if let Some(sprt) = &self.sprt {
            sprt.sprt()?;
        }
        self.time()?;
        Ok(())
    }

    /// The clocks of the conditions.
    pub fn time(&self) -> Result<Option<TimeControl>, TextError> {
        self.conditions.time.as_deref().map(str::parse).transpose()
    }

    /// A name for everything that decides which game is played at which place of the schedule: SHA-256 in hexadecimal. The number of
    /// games, the sequential test and the name of the match are left out, so that a match can be made longer.
    pub fn hash(&self, book: &[Opening]) -> String {
        let openings = match &self.openings {
            // What the file held, not where it lay.
            OpeningSource::File { .. } => serde_json::to_value(book),
            other => serde_json::to_value(other),
        };
        let essence = serde_json::json!({
            "game": self.game, "seed": self.seed, "pairs": self.pairs, "schedule": self.schedule,
            "conditions": self.conditions, "players": self.players, "openings": openings.unwrap_or_default(),
        });
        hex(&Sha256::digest(essence.to_string().as_bytes()))
    }

    /// The seed that all seeds of the match are derived from.
    pub fn root(hash: &str) -> Seed {
        Seed::new(u64::from_str_radix(hash.get(..16).unwrap_or_default(), 16).unwrap_or_default())
    }
}

/// SHA-256 of some bytes, as sha256sum prints it.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
