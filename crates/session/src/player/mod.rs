//! Players as they are typed: `mcss(t=80) + quiet(material) sims=1000`.
//!
//! A player is a search, an evaluation and a budget, or a foreign program and a budget (`usi:engine nodes=500`). This is the one
//! reader of such texts; what the words for searches mean, yomi-players knows.

pub mod defaults;
mod levels;
mod options;

use std::fmt;
use std::str::FromStr;

use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
use yomi_players::{bounds, check_limits};
use yomi_search::{Limits, Search};

pub use defaults::HIGHEST_LEVEL;
pub use options::NetworkChoice;

use crate::Playable;
use crate::budget::Budget;
use crate::foreign;

/// A player: search, evaluation and budget.
#[derive(Clone, Debug)]
pub struct Player {
    /// The search.
    search: Spec,
    /// The evaluation; the game's default if left out.
    pub(crate) evaluator: Option<Spec>,
    /// What it may spend per move.
    pub budget: Budget,
}

impl FromStr for Player {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Player, TextError> {
        let long_form = foreign::long_form(text)?;
        let text = long_form.as_deref().unwrap_or(text);
        let (mut search, mut at) = Spec::parse_prefix(text)?;
        // Words may hold a plus, as names of files do; the name of a search holds none, so blanks around the plus may be left out.
        if let Some(plus) = search.name.find('+') {
            let start = text.len() - text.trim_start().len();
            (search, at) = Spec::parse_prefix(&text[..start + plus])?;
        }
        let skip = |at: usize| at + text[at..].len() - text[at..].trim_start().len();
        let mut evaluator = None;
        at = skip(at);
        if text[at..].starts_with('+') {
            at = skip(at + 1);
            let (spec, length) = Spec::parse_prefix(&text[at..]).map_err(|e| moved(e, text, at))?;
            evaluator = Some(spec);
            at += length;
        }
        let mut budget = Budget::default();
        loop {
            at = skip(at);
            let end = text[at..].find(char::is_whitespace).map_or(text.len(), |i| at + i);
            if at == end {
                return Ok(Player { search, evaluator, budget });
            }
            budget.set(&text[..end], at)?;
            at = end;
        }
    }
}

/// An error in a part, located in the whole text.
fn moved(error: TextError, text: &str, by: usize) -> TextError {
    TextError::at(text, by + error.column.saturating_sub(1), error.message).hinting(error.hint)
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.search)?;
        self.evaluator.as_ref().map_or(Ok(()), |evaluator| write!(f, " + {evaluator}"))?;
        if self.budget.is_open() { Ok(()) } else { write!(f, " {}", self.budget) }
    }
}

impl Player {
    /// The limits of this player's search; limits that its own budget leaves open are taken from `other`. It is an error if limits are set and
    /// none of them ends the search; no limits at all are allowed.
    pub fn limits(&self, other: &Budget, seed: u64) -> Result<Limits, TextError> {
        let limits = self.budget.completed_by(*other).checked_limits(Seed::new(seed))?;
        check_limits(&self.search, &limits)?;
        Ok(limits)
    }

    /// The same for a search that nothing else stops: some limit must end it.
    pub fn ending_limits(&self, other: &Budget, seed: u64) -> Result<Limits, TextError> {
        let limits = self.limits(other, seed)?;
        if !bounds(&self.search).ends(&limits) {
            let name = &self.search.name;
            return Err(TextError::new(format!("{name} would think for ever: give it sims=1000 or another budget")));
        }
        Ok(limits)
    }

    /// The search and the evaluation as they were typed, without the budget.
    pub fn without_budget(&self) -> String {
        Player { budget: Budget::default(), ..self.clone() }.to_string()
    }

    /// The search this player asks for, in the game `P`.
    pub fn build<P: Playable>(&self) -> Result<Box<dyn Search<P>>, TextError> {
        P::build(&self.search, self.evaluator.as_ref())
    }

    /// The same, with whatever `observer` puts in place of its evaluator.
    pub fn build_observed<P: Playable>(
        &self,
        observer: &mut dyn FnMut(AnyEvaluator<P>) -> AnyEvaluator<P>,
    ) -> Result<Box<dyn Search<P>>, TextError> {
        P::build_with(&self.search, observer(P::evaluator(&self.search, self.evaluator.as_ref())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_as_they_are_typed() {
        let player: Player = "mcss(t=80) + quiet(material) sims=1000 time=0.5".parse().unwrap();
        assert_eq!(player.search.to_string(), "mcss(t=80)");
        assert_eq!(player.evaluator.unwrap().to_string(), "quiet(material)");
        assert_eq!((player.budget.sims, player.budget.time), (Some(1000), Some(0.5)));
        let text = "mcss(t=80) + quiet(material) sims=1000 depth=7 time=0.5";
        assert_eq!(text.parse::<Player>().unwrap().to_string(), text);
        let bare: Player = "uct".parse().unwrap();
        assert_eq!(bare.with_threads(3).to_string(), "uct(threads=3)");
        assert_eq!(bare.with_threads(3).with_threads(2).to_string(), "uct(threads=2)");
        let inside: Player = "mate-first(mcss,nodes=5)".parse().unwrap();
        assert_eq!(inside.with_threads(2).to_string(), "mate-first(mcss(threads=2),nodes=5)");
        assert!(bare.evaluator.is_none() && bare.budget.sims.is_none());
    }

    #[test]
    fn blanks_around_the_plus_may_be_left_out() {
        for text in ["uct+rollout(n=2) sims=5", " uct+ rollout(n=2) sims=5", "uct +rollout(n=2) sims=5"] {
            assert_eq!(text.parse::<Player>().unwrap().to_string(), "uct + rollout(n=2) sims=5", "{text}");
        }
        let wrong = |text: &str| {
            let player: Player = text.parse().unwrap();
            player.build::<yomi_core::toy::TicTacToe>().err().unwrap().to_string()
        };
        assert!(wrong("uct+rollot").contains("did you mean rollout?"), "{}", wrong("uct+rollot"));
        assert!(wrong("utc+rollout").contains("did you mean uct?"), "{}", wrong("utc+rollout"));
        assert!("+rollout".parse::<Player>().is_err());
    }

    #[test]
    fn budgets_that_do_not_end_a_search_are_refused() {
        let limits = |player: &str, sims| {
            let other = Budget { sims, ..Budget::default() };
            player.parse::<Player>().unwrap().limits(&other, 1).map_err(|error| error.to_string())
        };
        let error = limits("alpha-beta", Some(5)).unwrap_err();
        assert!(error.contains("does not count sims"), "{error}");
        assert!(limits("mate-first(alpha-beta) sims=5", None).is_err());
        assert!(limits("alpha-beta depth=3", Some(5)).is_ok() && limits("alpha-beta", None).is_ok());
        assert!(limits("uct", Some(5)).is_ok() && limits("random", Some(5)).is_ok());
        let ending = |player: &str| player.parse::<Player>().unwrap().ending_limits(&Budget::default(), 1);
        assert!(ending("alpha-beta").is_err() && ending("uct").is_err());
        assert!(ending("alpha-beta(depth=2)").is_ok() && ending("flat").is_ok() && ending("uct nodes=9").is_ok());
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (text, column) in
            [("", 1), ("uct + ", 7), ("uct rollout", 5), ("uct sims=many", 5), ("uct + rollout(n=1) tims=3", 20)]
        {
            assert_eq!(text.parse::<Player>().unwrap_err().column, column, "{text}");
        }
    }
}
