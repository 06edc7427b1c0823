//! Supervised learning: from records of games that others played to sample files.
//!
//! Reading order: `split` takes a file apart into its games, so that one that cannot be read does not take the others along; `lesson`
//! says what a game teaches; `identity` tells games apart and decides which of them are held out; `gather` writes the files.

mod gather;
mod identity;
mod lesson;
mod split;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_games::RecordFormat;

pub(crate) use gather::gather;
pub use gather::{HELD_OUT, TRAINING};
pub(crate) use identity::fnv;

/// Which games and positions are taken, and what they teach. Files that were begun with one selection are not gone on with by another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Plies at the beginning of a game that teach nothing: the book of the players.
    pub skip_first: usize,
    /// Plies at its end that teach nothing.
    pub skip_last: usize,
    /// Games of fewer plies are left out.
    pub least_plies: usize,
    /// Games in which a player is rated lower are left out, and those that state no ratings.
    pub least_rating: Option<f64>,
    /// Whether games that a side lost on time are taken.
    pub time_up: bool,
    /// Whether games that a side lost by an illegal move are taken.
    pub illegal: bool,
    /// How much of the policy is spread over all legal moves; the rest is on the move that was played.
    pub smoothing: f32,
    /// Whether the value is the evaluation in the record, where there is one, instead of the result.
    pub evaluations: bool,
    /// The share of games that is held out.
    pub held_out: f64,
    /// Decides, with its moves, whether a game is held out.
    pub seed: u64,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            skip_first: 0,
            skip_last: 0,
            least_plies: 1,
            least_rating: None,
            time_up: false,
            illegal: false,
            smoothing: 0.0,
            evaluations: false,
            held_out: 0.05,
            seed: 1,
        }
    }
}

impl Selection {
    /// Refuses numbers that mean nothing.
    pub fn check(&self) -> Result<(), TextError> {
        let fault = |what: &str| Err(TextError::new(what));
        if !(0.0..1.0).contains(&self.smoothing) {
            return fault("the smoothing of labels is a number from 0 to below 1");
        }
        if !(0.0..1.0).contains(&self.held_out) {
            return fault("the share of games that is held out is a number from 0 to below 1");
        }
        if self.least_rating.is_some_and(|rating| !rating.is_finite()) {
            return fault("the least rating is a number");
        }
        Ok(())
    }
}

/// Why a game that could be read is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The same moves, from the first that is learned on, are there already.
    Doubled,
    /// Neither the record nor the rules say who won.
    NoResult,
    /// Lost on time.
    TimeUp,
    /// Lost by an illegal move.
    Illegal,
    /// Too few plies, or none left between those that are skipped.
    Short,
    /// A player is rated too low, or has no rating.
    Rating,
    /// Stones or pieces are set up on the way.
    SetUp,
    /// A move that our rules forbid, as superko does.
    Rules,
}

impl Reason {
    /// In a few words.
    pub fn text(self) -> &'static str {
        match self {
            Reason::Doubled => "there already",
            Reason::NoResult => "without a result",
            Reason::TimeUp => "lost on time",
            Reason::Illegal => "lost by an illegal move",
            Reason::Short => "too short",
            Reason::Rating => "rated too low, or not rated",
            Reason::SetUp => "with stones set up on the way",
            Reason::Rules => "with a move that the rules forbid",
        }
    }
}

/// What came of records.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Games that were found.
    pub games: u64,
    /// Games whose samples were written for training, and how many samples they have.
    pub training: GamesAndSamples,
    /// The same of games that are held out.
    pub held_out: GamesAndSamples,
    /// Positions whose value is the evaluation of the record.
    pub evaluated: u64,
    /// Games that were left out, by reason.
    pub left_out: BTreeMap<Reason, u64>,
    /// Games and files that could not be read.
    pub unreadable: u64,
}

/// Games and their samples.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct GamesAndSamples {
    /// Games.
    pub games: u64,
    /// Samples.
    pub samples: u64,
}

/// Records to make samples of, and where to.
pub struct Order<'a> {
    /// The files and their formats.
    pub files: &'a [(PathBuf, RecordFormat)],
    /// What is taken of them.
    pub selection: &'a Selection,
    /// The folder of the sample files.
    pub out: &'a std::path::Path,
}

/// What happens on the way.
#[derive(Debug)]
pub enum Event<'a> {
    /// A file is done.
    File,
    /// A file or a game of it cannot be read: what, and where.
    Fault(&'a TextError),
}
