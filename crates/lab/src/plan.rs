//! A match that is ready to be played: its configuration and what follows from it.

use yomi_core::{Seed, TextError};

use crate::arena::Arena;
use crate::config::MatchConfig;
use crate::opening::{Opening, OpeningSource};
use crate::row::Job;
use crate::schedule::Order;

/// A match and its schedule. Every job is a pure function of this and its index.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The configuration.
    pub config: MatchConfig,
    /// The openings of its collection; empty where they are drawn.
    pub book: Vec<Opening>,
    /// The name of everything that decides the games.
    pub hash: String,
    /// The pairings, by the places of the players in their list.
    pub pairings: Vec<(usize, usize)>,
    /// The order of the games.
    pub order: Order,
    root: Seed,
}

impl MatchPlan {
    /// Plans a match.
    pub fn new(mut config: MatchConfig, book: Vec<Opening>) -> Result<MatchPlan, TextError> {
        config.check()?;
        config.reproducible = config.is_reproducible();
        if matches!(config.openings, OpeningSource::File { .. }) && book.is_empty() {
            return Err(TextError::new("the collection of openings is empty"));
        }
        let hash = config.hash(&book);
        let pairings = config.schedule.pairings(config.players.len());
        let order = Order { pairings: pairings.len(), pairs: config.pairs };
        let root = MatchConfig::root(&hash);
        Ok(MatchPlan { config, book, hash, pairings, order, root })
    }

    /// The first eight digits of the hash: what names of directories carry.
    pub fn short_hash(&self) -> &str {
        &self.hash[..8]
    }

    /// How many games there are.
    pub fn len(&self) -> u64 {
        self.order.len(self.config.games)
    }

    /// Whether there are none; there always are some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game at a place of the schedule. All pairings of a round begin alike.
    pub fn job(&self, index: u64, arena: &dyn Arena) -> Result<Job, TextError> {
        let slot = self.order.slot(index);
        let (a, b) = self.pairings[slot.pairing];
        let (first, second) = if slot.swapped { (b, a) } else { (a, b) };
        let seed = self.root.branch("opening", slot.round);
        let opening = match &self.config.openings {
            OpeningSource::File { .. } => self.book[(slot.round % self.book.len() as u64) as usize].clone(),
            drawn => arena.draw_opening(drawn, seed)?,
        };
        let seed = self.seed(index);
        Ok(Job { index, pairing: slot.pairing, round: slot.round, first, second, opening, seed })
    }

    /// The seed of the game at a place of the schedule: another one in every match.
    pub fn seed(&self, index: u64) -> u64 {
        // Readers of JSON that know only floating-point numbers hold 53 bits.
        self.root.branch("game", index).number() >> 11
    }

    /// The names of a pairing, the one statistics are about first.
    pub fn names(&self, pairing: usize) -> (&str, &str) {
        let (a, b) = self.pairings[pairing];
        (&self.config.players[a].name, &self.config.players[b].name)
    }
}
