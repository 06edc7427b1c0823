//! Players as they are typed: `mcss(t=80) + quiet(material) sims=1000`.
//!
//! A player is a search, an evaluation and a budget. What the words mean, yomi-players knows.

pub(crate) mod defaults;
mod front;
mod levels;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, ensure};
pub(crate) use defaults::HIGHEST_LEVEL;
pub(crate) use levels::PlayerArgs;
use yomi_core::hint::did_you_mean;
use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
pub(crate) use yomi_players::{OTHER_SEARCHES, POLICIES, WRAPPERS, search_names};
use yomi_players::{bounds, check_limits};
use yomi_search::{Limits, Search};

use crate::games::Game;

/// A player as somebody asked for it.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    /// The search.
    search: Spec,
    /// The evaluation; the game's usual one if left out.
    evaluator: Option<Spec>,
    /// What it may spend on a move.
    pub(crate) budget: Budget,
}

/// What a player may spend on a move: whichever comes first.
#[derive(Clone, Default, Debug, clap::Args)]
pub(crate) struct Budget {
    /// Simulations (samples of a tree search, playouts of flat Monte Carlo)
    #[arg(long, value_name = "N")]
    pub(crate) sims: Option<u64>,
    /// Evaluated positions
    #[arg(long, value_name = "N")]
    pub(crate) evals: Option<u64>,
    /// Nodes
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<u64>,
    /// Plies below the root
    #[arg(long, value_name = "PLIES")]
    pub(crate) depth: Option<u32>,
    /// Seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<f64>,
}

impl Budget {
    /// The limits of a search; what this budget leaves open, `other` may close.
    fn limits(&self, other: &Budget, seed: u64) -> anyhow::Result<Limits> {
        let time = self.time.or(other.time);
        let time = time
            .map(|s| Duration::try_from_secs_f64(s).with_context(|| format!("{s} is no time in seconds")))
            .transpose()?;
        Ok(Limits {
            simulations: self.sims.or(other.sims),
            evaluations: self.evals.or(other.evals),
            nodes: self.nodes.or(other.nodes),
            depth: self.depth.or(other.depth),
            time,
            seed: Seed::new(seed),
            ..Limits::infinite()
        })
    }

    fn set(&mut self, text: &str, at: usize) -> Result<(), TextError> {
        let word = &text[at..];
        let error = |message: &str| TextError::at(text, at, message);
        let (key, value) = word.split_once('=').ok_or_else(|| error("a setting looks like sims=1000"))?;
        let whole = || value.parse().map(Some).map_err(|_| error("a whole number was expected behind the equals sign"));
        match key {
            "sims" => self.sims = whole()?,
            "evals" => self.evals = whole()?,
            "nodes" => self.nodes = whole()?,
            "depth" => self.depth = value.parse().map(Some).map_err(|_| error("a number of plies was expected"))?,
            "time" => self.time = value.parse().map(Some).map_err(|_| error("a number of seconds was expected"))?,
            _ => {
                let meant = did_you_mean(key, ["sims", "evals", "nodes", "depth", "time"]);
                return Err(error(&format!("the settings are sims, evals, nodes, depth and time{meant}")));
            }
        }
        Ok(())
    }
}

impl FromStr for Player {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Player, TextError> {
        let (search, mut at) = Spec::parse_prefix(text)?;
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

/// An error of a part, told of the whole.
fn moved(error: TextError, text: &str, by: usize) -> TextError {
    TextError::at(text, by + error.column.saturating_sub(1), error.message).hinting(error.hint)
}

/// A game that can be played here.
pub(crate) trait Playable: Game + yomi_players::Playable {}
impl<P: Game + yomi_players::Playable> Playable for P {}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.search)?;
        self.evaluator.as_ref().map_or(Ok(()), |evaluator| write!(f, " + {evaluator}"))?;
        let Budget { sims, evals, nodes, depth, time } = &self.budget;
        for (key, count) in [("sims", sims), ("evals", evals), ("nodes", nodes), ("depth", &depth.map(u64::from))] {
            count.map_or(Ok(()), |count| write!(f, " {key}={count}"))?;
        }
        time.map_or(Ok(()), |seconds| write!(f, " time={seconds}"))
    }
}

impl Player {
    /// The limits of this player's search; what its own budget leaves open, `other` may close. Limits of which not one ends the search
    /// are an error, no limits at all are not.
    pub(crate) fn limits(&self, other: &Budget, seed: u64) -> anyhow::Result<Limits> {
        let limits = self.budget.limits(other, seed)?;
        check_limits(&self.search, &limits)?;
        Ok(limits)
    }

    /// The same where nobody tells the search to stop: some limit must end it.
    pub(crate) fn ending_limits(&self, other: &Budget, seed: u64) -> anyhow::Result<Limits> {
        let limits = self.limits(other, seed)?;
        ensure!(
            bounds(&self.search).ends(&limits),
            "{} would think for ever: give it sims=1000 or another budget",
            self.search.name
        );
        Ok(limits)
    }

    /// The search and the evaluation as they were typed, without the budget.
    pub(crate) fn without_budget(&self) -> String {
        Player { budget: Budget::default(), ..self.clone() }.to_string()
    }

    /// The search this player asks for, in the game `P`.
    pub(crate) fn build<P: Playable>(&self) -> Result<Box<dyn Search<P>>, TextError> {
        P::build(&self.search, self.evaluator.as_ref())
    }

    /// The same, with whatever `observer` puts in place of its evaluator.
    pub(crate) fn build_observed<P: Playable>(
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
