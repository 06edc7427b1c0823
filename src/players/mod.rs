//! Players as they are typed: `mcss(t=80) + quiet(material) sims=1000`.
//!
//! A player is a search, an evaluation and a budget. The searches are the same for all games (`searches`); which evaluations there
//! are depends on the game, so each has a file here that says so.

mod blokus;
mod go;
mod rollouts;
mod searches;
mod shogi;
mod toys;

use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use yomi_core::{AnyEvaluator, Seed, Spec, TextError};
use yomi_search::{AlphaBetaOptions, Limits, Search};

use crate::games::Game;
pub(crate) use searches::OTHER_SEARCHES;

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
    pub(crate) fn limits(&self, other: &Budget, seed: u64) -> anyhow::Result<Limits> {
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
            _ => return Err(error("the settings are sims, evals, nodes, depth and time")),
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
    TextError::at(text, by + error.column.saturating_sub(1), error.message)
}

/// A game that can be played: it knows its evaluations.
pub(crate) trait Playable: Game {
    /// The evaluations there are, the usual one first.
    const EVALUATORS: &'static [&'static str];

    /// The evaluation for a player of this search that names none.
    fn usual_evaluator(search: &Spec) -> Spec;

    /// The evaluation that `spec` names.
    fn evaluator(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError>;

    /// Alpha-beta, with whatever the game knows about captures and checks.
    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>>;

    /// What stands around another search in this game: `mate-first(mcss,nodes=10000)`.
    fn around(spec: &Spec, inner: Box<dyn Search<Self>>) -> Result<Box<dyn Search<Self>>, TextError> {
        let _ = inner;
        Err(spec.error(format!("{} is for shogi and minishogi", spec.name)))
    }
}

impl Player {
    /// The search this player asks for, in the game `P`.
    pub(crate) fn build<P: Playable>(&self) -> Result<Box<dyn Search<P>>, TextError> {
        let usual = || P::usual_evaluator(&self.search);
        let spec = self.evaluator.clone().unwrap_or_else(usual);
        searches::build(&self.search, P::evaluator(&spec)?)
    }
}

/// The error for an evaluation that the game does not have.
fn unknown(spec: &Spec, names: &[&str]) -> TextError {
    spec.error(format!("{} is no evaluation of this game; there are {}", spec.name, names.join(", ")))
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
        let bare: Player = "uct".parse().unwrap();
        assert!(bare.evaluator.is_none() && bare.budget.sims.is_none());
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
