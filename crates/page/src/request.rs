//! The requests.

use serde::Deserialize;
use yomi_core::TextError;
use yomi_session::{Session, TreeQuery, open};

use crate::search::SearchOrder;
use crate::show::{PictureOrder, SpeakOrder, WriteOrder};

/// A request and its number, which its answers carry.
#[derive(Clone, Debug, Deserialize)]
pub struct Envelope {
    /// Chosen by the page.
    pub id: u64,
    /// What it wants.
    #[serde(flatten)]
    pub request: Request,
}

/// What a page may want.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant, reason = "one at a time")]
pub enum Request {
    /// The games, their levels, the methods.
    Catalog,
    /// A position and its board.
    Show(Place),
    /// The same after one more move, as a person writes it; the error says why it cannot be played.
    Play {
        /// Where.
        #[serde(flatten)]
        place: Place,
        /// The move.
        #[serde(rename = "move")]
        text: String,
    },
    /// A search.
    Search(SearchOrder),
    /// Ends the search of this number.
    Stop {
        /// The number of its request.
        search: u64,
    },
    /// Looks around in the tree of a search, be it running or over.
    Explore {
        /// The number of its request.
        search: u64,
        /// Which part.
        #[serde(flatten)]
        tree: TreeOrder,
    },
    /// Keeps the tree of a search that is over in a file of the studio, which chooses its name.
    SaveTree {
        /// The number of its request.
        search: u64,
    },
    /// The trees that were saved.
    Trees,
    /// Looks around in a saved tree.
    Tree {
        /// Its name in the list of trees.
        name: String,
        /// Which part.
        #[serde(flatten)]
        tree: TreeOrder,
    },
    /// Lines of moves from a position, in words.
    Speak(SpeakOrder),
    /// Reads a game or a position that was pasted.
    Read {
        /// The text.
        text: String,
        /// The game on the board, which decides where the text does not.
        #[serde(default)]
        game: Option<String>,
    },
    /// The game as the text of a record.
    Write(WriteOrder),
    /// The position as a picture.
    Picture(PictureOrder),
    /// The experiments that come with the program.
    Experiments,
    /// What an experiment does, and the run of it that was begun here.
    Experiment {
        /// Its name in the list.
        name: String,
    },
    /// Begins an experiment, or goes on with it.
    Start {
        /// Its name in the list.
        name: String,
        /// How much of it.
        #[serde(default = "whole")]
        scale: f64,
        /// The seed of all random numbers.
        #[serde(default = "one")]
        seed: u64,
        /// Jobs at the same time.
        #[serde(default = "one_job")]
        jobs: usize,
    },
    /// Begins no more jobs of a running experiment; those at work are finished. It goes on with the next start.
    Pause {
        /// Its name in the list.
        name: String,
    },
    /// Breaks a running experiment off, at once; jobs at work are done again with the next start.
    BreakOff {
        /// Its name in the list.
        name: String,
    },
    /// The run directories.
    Runs,
    /// What a run directory came to.
    Run {
        /// Its name in the list of runs.
        name: String,
    },
    /// Games of a run, from this place in the order they are kept in.
    Games {
        /// Its name in the list of runs.
        name: String,
        /// Which part of an experiment, or which pairing of a match.
        #[serde(default)]
        part: usize,
        /// Which row of the part, if not all.
        #[serde(default)]
        row: Option<usize>,
    },
    /// Ratings over all runs.
    League,
    /// The learners' runs.
    Learners,
    /// The curves of one.
    Curves {
        /// Its name in the list of learners.
        name: String,
    },
    /// Games that a learner learned from, or of one step or generation of it.
    Lessons {
        /// Its name in the list of learners.
        name: String,
        /// The step or generation, if not the latest.
        #[serde(default)]
        step: Option<u64>,
    },
}

fn whole() -> f64 {
    1.0
}

fn one() -> u64 {
    1
}

fn one_job() -> usize {
    1
}

/// A position: a game, where it began, what was played.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
pub struct Place {
    /// The game and its rules: `go9(komi=6.5)`.
    pub game: String,
    /// Where it began, in the game's own text; the start position if left out.
    #[serde(default)]
    pub position: Option<String>,
    /// The moves since then, separated by spaces.
    #[serde(default)]
    pub moves: String,
}

/// No game of ours lasts longer; a longer one is a mistake.
pub(crate) const LONGEST_GAME: usize = 4000;

impl Place {
    /// A session at this place.
    pub fn open(&self) -> Result<Box<dyn Session>, TextError> {
        let mut session = open(&self.game.parse()?)?;
        if let Some(text) = self.position.as_deref().filter(|text| !text.is_empty()) {
            session.set_position(Some(text))?;
        }
        if self.moves.split_whitespace().nth(LONGEST_GAME).is_some() {
            return Err(TextError::new(format!("a game of more than {LONGEST_GAME} moves is not read")));
        }
        session.play_line(&self.moves)?;
        Ok(session)
    }
}

/// Which part of a tree to see.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct TreeOrder {
    /// The moves from the root to the node, separated by spaces.
    #[serde(default)]
    pub path: String,
    /// The most sampled moves at each node.
    #[serde(default = "few")]
    pub top: usize,
    /// Plies below the node.
    #[serde(default = "shallow")]
    pub depth: u32,
}

fn few() -> usize {
    8
}

fn shallow() -> u32 {
    3
}

impl TreeOrder {
    /// As the session asks; what would be more than a page shows is cut.
    pub fn query(&self) -> TreeQuery {
        TreeQuery {
            moves: self.path.clone(),
            top: self.top.min(40),
            depth: self.depth.min(if self.top > 10 { 2 } else { 5 }),
        }
    }
}
