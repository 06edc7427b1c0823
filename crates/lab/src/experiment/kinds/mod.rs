//! The kinds of experiment, one file each: what is written in the file, what is done, what is concluded.

pub mod counts;
pub mod curve_claim;
pub mod duplicates;
pub mod learning_curve;
pub mod match_table;
pub mod prediction_error;
pub mod step_timing;
pub mod steps;
pub mod suite;
pub mod sweep;
pub mod tabu_candidates;
pub mod tree_profile;

use serde::Serialize;
use yomi_core::TextError;

use super::known::FullRun;
use super::place::Place;
use super::task::{Measurement, Task};
use crate::report::Section;

/// What every kind answers.
pub trait Kind {
    /// What is shown above its results.
    fn title(&self) -> &str;

    /// Refuses what cannot be meant.
    fn check(&self) -> Result<(), TextError>;

    /// What is to be done, at this multiple of the full size. A smaller scale gives the first of the tasks of a greater one, or, where
    /// something is averaged, fewer of it.
    fn tasks(&self, scale: f64) -> Vec<Task>;

    /// What is claimed, and how likely this much of the design shows it if what was published is true; nothing where that is not known.
    fn power(&self, scale: f64) -> Vec<(String, Option<f64>)> {
        let _ = scale;
        Vec::new()
    }

    /// The conclusions from what is done: what was observed of each task, or nothing yet. `known` is what a larger run of ours came to.
    fn conclude(&self, measurements: &[Option<Measurement>], known: Option<&FullRun>) -> Section;

    /// The same with other numbers: what a tour makes of it.
    fn reduce(&mut self, smaller: &TourChanges);
}

/// What a tour changes in an experiment.
#[derive(Clone, PartialEq, Debug, Default, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TourChanges {
    /// Games per row, records, positions, searches, repetitions: what the kind counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<u64>,
    /// Replaces the budget of all players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// Replaces the budget of a row, by its label.
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub budgets: std::collections::BTreeMap<String, String>,
    /// Replaces the opponent of all rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
    /// Keeps only the rows or curves of these labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Replaces the game, a smaller board for example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Replaces the position that is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl TourChanges {
    /// Whether a row of this label stays.
    pub fn keeps(&self, label: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == label)
    }

    /// Puts the smaller budget and the smaller game in the place of these.
    pub fn replace(&self, budget: &mut String, game: &mut String) {
        for (old, new) in [(budget, &self.budget), (game, &self.game)] {
            if let Some(new) = new {
                old.clone_from(new);
            }
        }
    }
}

impl TourChanges {
    /// Puts the other position in the place of this one.
    pub fn move_to(&self, place: &mut Place) {
        self.place.iter().for_each(|other| place.clone_from(other));
    }
}

/// This multiple of `full`, at least one.
pub(crate) fn scaled(full: u64, scale: f64) -> u64 {
    ((full as f64 * scale).round().clamp(1.0, 1e9)) as u64
}

/// A player with a budget of its own, or with the common one.
pub fn with_budget(player: &str, budget: &str) -> String {
    if is_foreign(player) || spends(player) || budget.is_empty() {
        player.to_string()
    } else {
        format!("{player} {budget}")
    }
}

/// Whether a player is a foreign program.
pub(crate) fn is_foreign(player: &str) -> bool {
    let languages = ["usi", "gtp", "xboard"];
    languages.iter().any(|word| player.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', '('])))
}

/// Whether a player says itself what it spends on a move.
fn spends(player: &str) -> bool {
    let words = ["sims=", "evals=", "nodes=", "depth=", "time="];
    player.split_whitespace().any(|word| words.iter().any(|key| word.starts_with(key)))
}

/// An error about a row.
pub(crate) fn row_error(label: &str, message: &str) -> TextError {
    TextError::new(format!("row “{label}”: {message}"))
}

/// Refuses labels that stand for two rows, or for none.
pub(crate) fn distinct<'a>(labels: impl Iterator<Item = &'a str>) -> Result<(), TextError> {
    let mut seen = std::collections::BTreeSet::new();
    for label in labels {
        if label.is_empty() {
            return Err(TextError::new("every row needs a label"));
        }
        if !seen.insert(label) {
            return Err(row_error(label, "the label stands twice"));
        }
    }
    if seen.is_empty() { Err(TextError::new("there is not a single row")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_added_where_there_is_none() {
        assert_eq!(with_budget("uct + rollout", "sims=8"), "uct + rollout sims=8");
        assert_eq!(with_budget("uct + rollout sims=5", "sims=8"), "uct + rollout sims=5");
        assert_eq!(with_budget("gtp:gnugo --level 10", "sims=8"), "gtp:gnugo --level 10");
        assert_eq!(scaled(300, 0.001), 1);
        assert_eq!(scaled(300, 0.1), 30);
    }
}
