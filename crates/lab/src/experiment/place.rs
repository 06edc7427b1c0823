//! A position to search, said so that it is the same every time.

use std::fmt;

use serde::{Deserialize, Serialize};
use yomi_core::{Line, Notation, Seed};
use yomi_games::draw::Draw;

use super::walk::record;
use super::workshop::{Factory, Failure};

/// Where a search is made: after given moves, or so far into a game of a player against itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Place {
    /// Moves from the start position, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<String>,
    /// A player that plays against itself up to the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_by: Option<String>,
    /// Random plies before that.
    pub random_plies: u32,
    /// The number of moves before the search.
    pub moves_before: u32,
    /// Whether every repetition has a position of its own; otherwise all have the same.
    pub each: bool,
}

/// A place found.
pub(crate) struct Found<P: Notation> {
    pub(crate) line: Line<P>,
    pub(crate) words: Vec<String>,
}

impl Place {
    /// The position. `chance` differs from repetition to repetition and is used only if each has a position of its own.
    pub(crate) fn find<P: Notation + Draw>(
        &self,
        start: P,
        factory: &dyn Factory<P>,
        chance: Seed,
    ) -> Result<Found<P>, Failure> {
        let mut found = Found { line: Line::new(start.clone()), words: Vec::new() };
        if let Some(text) = &self.moves {
            for word in text.split_whitespace() {
                let mv = found.line.position().parse_move(word)?;
                found.play(mv);
            }
            return Ok(found);
        }
        let chance = if self.each { chance } else { Seed::new(0).branch("place", u64::from(self.moves_before)) };
        let player = self.played_by.as_deref().unwrap_or("random");
        let played = record(start, factory, player, self.random_plies, Some(self.moves_before as usize), chance)?;
        played.into_iter().take(self.moves_before as usize).for_each(|mv| found.play(mv));
        Ok(found)
    }
}

impl<P: Notation> Found<P> {
    fn play(&mut self, mv: P::Move) {
        self.words.push(self.line.position().move_text(mv));
        self.line.play(mv);
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.moves {
            Some(moves) => write!(f, "after {moves}"),
            None => write!(
                f,
                "after {} moves of {} against itself, the first {} at random",
                self.moves_before,
                self.played_by.as_deref().unwrap_or("random"),
                self.random_plies
            ),
        }
    }
}
