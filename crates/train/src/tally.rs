//! What is counted of games of self-play. It is kept beside the games, so that games that were played before a run was killed, or on
//! another machine, count as well.

use std::path::Path;

use serde::{Deserialize, Serialize};
use yomi_core::{Color, Outcome, TextError};

use crate::files::{replace, trouble};
use crate::self_play::Finished;

/// What is counted of games.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Samples to learn from.
    pub samples: u64,
    /// Positions evaluated.
    pub evaluations: u64,
    /// Games won by Black, drawn, won by White.
    pub results: [u64; 3],
    /// Moves played.
    pub plies: u64,
    /// Games in which a side resigned.
    pub resigned: u64,
    /// The surprise of all samples.
    pub surprise: f64,
    /// The lowest values of both sides and the outcome, of games in which resigning is off.
    #[serde(with = "outcomes")]
    pub played_on: Vec<([f32; 2], Outcome)>,
    /// The games with the lowest numbers, for people: number, result, moves.
    pub shown: Vec<(u64, String, String)>,
}

/// Games of a generation that are kept for people.
const SHOWN: usize = 4;

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, game: &Finished) {
        self.games += 1;
        self.samples += game.samples.len() as u64;
        self.evaluations += game.evaluations;
        self.plies += game.plies as u64;
        self.resigned += u64::from(game.resigned.is_some());
        self.surprise += game.samples.iter().map(|sample| f64::from(sample.surprise)).sum::<f64>();
        let result = match game.outcome {
            Outcome::Win(Color::Black) => 0,
            Outcome::Draw => 1,
            Outcome::Win(Color::White) => 2,
        };
        self.results[result] += 1;
        self.show(&[(game.number, ["1-0", "1/2-1/2", "0-1"][result].to_string(), game.moves.join(" "))]);
        if let Some(lowest) = game.lowest {
            self.played_on.push((lowest, game.outcome));
        }
    }

    /// Adds the counts of other games.
    pub fn merge(&mut self, other: &Tally) {
        self.games += other.games;
        self.samples += other.samples;
        self.evaluations += other.evaluations;
        self.plies += other.plies;
        self.resigned += other.resigned;
        self.surprise += other.surprise;
        self.results.iter_mut().zip(other.results).for_each(|(sum, count)| *sum += count);
        self.played_on.extend(&other.played_on);
        self.show(&other.shown);
    }

    fn show(&mut self, games: &[(u64, String, String)]) {
        self.shown.extend_from_slice(games);
        self.shown.sort_unstable_by_key(|(number, ..)| *number);
        self.shown.truncate(SHOWN);
    }

    /// The tally beside a file of samples; nothing where there is none.
    pub fn beside(samples: &Path) -> Tally {
        let text = std::fs::read_to_string(samples.with_extension("tally")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes it beside a file of samples.
    pub fn write_beside(&self, samples: &Path) -> Result<(), TextError> {
        let path = samples.with_extension("tally");
        let text = serde_json::to_string(self).map_err(|error| trouble(&path, error))?;
        replace(&path, format!("{text}\n").as_bytes())
    }
}

/// Outcomes as numbers: 1 for Black, 0 for a draw, -1 for White.
mod outcomes {
    use super::{Color, Deserialize, Outcome, Serialize};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(list: &[([f32; 2], Outcome)], to: S) -> Result<S::Ok, S::Error> {
        let number = |outcome: Outcome| outcome.value_for(Color::Black, 1.0) as i8;
        list.iter().map(|&(lowest, outcome)| (lowest, number(outcome))).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<([f32; 2], Outcome)>, D::Error> {
        let list = Vec::<([f32; 2], i8)>::deserialize(from)?;
        Ok(list.into_iter().map(|(lowest, number)| (lowest, Outcome::from_margin(number.into()))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up_and_read_back() {
        let outcomes = [Outcome::Win(Color::Black), Outcome::Draw, Outcome::Win(Color::White)];
        let one = Tally {
            games: 3,
            results: [1, 1, 1],
            surprise: 0.5,
            played_on: outcomes.map(|outcome| ([-0.5, 0.25], outcome)).to_vec(),
            ..Tally::default()
        };
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Tally>(&text).unwrap(), one);
        let mut two = one.clone();
        two.merge(&one);
        assert_eq!((two.games, two.results, two.surprise, two.played_on.len()), (6, [2; 3], 1.0, 6));
    }
}
