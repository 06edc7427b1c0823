//! Players as they are typed: `mcss(t=80) + quiet(material) sims=1000`.
//!
//! A player is a search, an evaluation and settings. The searches are the same for all games; which evaluations there are depends on
//! the game, so each says here how its players are built.

use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Evaluator, Seed, Spec, Tactical, TextError, Uniform};
use yomi_eval::{Material, Rollout};
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::Go;
use yomi_games::shogi::{Shogi, Variant};
use yomi_search::{
    AlphaBeta, AlphaBetaOptions, Flat, FlatOptions, Greedy, Limits, METHODS, Method, Quiet, QuietOptions, RandomPlayer,
    Search, TreeSearch,
};

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

/// A game that can be played.
pub(crate) trait Playable: Game {
    /// The evaluations there are, the usual one first.
    const EVALUATORS: &'static [&'static str];

    /// The search that a player asks for.
    fn build(player: &Player) -> Result<Box<dyn Search<Self>>, TextError>;
}

/// The searches beside those of the tree family.
pub(crate) const OTHER_SEARCHES: &[(&str, &str)] = &[
    ("alpha-beta", "iterative deepening, PVS and the usual pruning; an evaluation is needed"),
    ("flat", "flat Monte Carlo (S1.4): n playouts a legal move"),
    ("greedy", "the move whose position is judged best, one ply deep"),
    ("random", "any legal move"),
];

/// The search `player` asks for, with this evaluator, in a game without captures and checks.
fn plain<P: Game, E: Evaluator<P> + 'static>(player: &Player, evaluator: E) -> Result<Box<dyn Search<P>>, TextError> {
    let spec = &player.search;
    Ok(match spec.name.as_str() {
        "alpha-beta" => Box::new(AlphaBeta::new(evaluator, AlphaBetaOptions::from_spec(spec)?)),
        _ => return general(player, evaluator),
    })
}

/// The same in a game that has them.
fn tactical<P: Game + Tactical, E: Evaluator<P> + 'static>(
    player: &Player,
    evaluator: E,
) -> Result<Box<dyn Search<P>>, TextError> {
    let spec = &player.search;
    Ok(match spec.name.as_str() {
        "alpha-beta" => Box::new(AlphaBeta::tactical(evaluator, AlphaBetaOptions::from_spec(spec)?)),
        _ => return general(player, evaluator),
    })
}

/// The searches that are the same in every game.
fn general<P: Game, E: Evaluator<P> + 'static>(player: &Player, evaluator: E) -> Result<Box<dyn Search<P>>, TextError> {
    let spec = &player.search;
    Ok(match spec.name.as_str() {
        "flat" => Box::new(Flat::new(Uniform, FlatOptions::from_spec(spec)?)),
        "random" => {
            spec.reject_unused()?;
            Box::new(RandomPlayer)
        }
        "greedy" => {
            spec.reject_unused()?;
            Box::new(Greedy::new(evaluator))
        }
        name if METHODS.iter().any(|entry| entry.name == name) => {
            Box::new(TreeSearch::new(Method::parse(spec)?, evaluator))
        }
        name => {
            let others = OTHER_SEARCHES.iter().map(|&(name, _)| name);
            let names: Vec<&str> = METHODS.iter().map(|entry| entry.name).chain(others).collect();
            return Err(spec.error(format!("{name} is no search; there are {}", names.join(", "))));
        }
    })
}

/// `rollout(n=4)`: playouts by the game's own uniform policy.
fn rollout(spec: &Spec) -> Result<Rollout<Uniform>, TextError> {
    let playouts = spec.value_or("n", 1u32)?;
    spec.reject_unused()?;
    if playouts == 0 {
        return Err(spec.error("a rollout plays at least one game out"));
    }
    Ok(Rollout::averaging(Uniform, playouts))
}

fn unknown(spec: &Spec, names: &[&str]) -> TextError {
    spec.error(format!("{} is no evaluation of this game; there are {}", spec.name, names.join(", ")))
}

/// Games that are judged by playing them out.
macro_rules! judged_by_playouts {
    ($([$($generics:tt)*] $game:ty),+ $(,)?) => { $(
        impl<$($generics)*> Playable for $game {
            const EVALUATORS: &'static [&'static str] = &["rollout"];

            fn build(player: &Player) -> Result<Box<dyn Search<Self>>, TextError> {
                let usual = Spec::named("rollout");
                let spec = player.evaluator.as_ref().unwrap_or(&usual);
                match spec.name.as_str() {
                    "rollout" => plain(player, rollout(spec)?),
                    _ => Err(unknown(spec, Self::EVALUATORS)),
                }
            }
        }
    )+ };
}
judged_by_playouts!([const LEN: usize] Go<LEN>, [] BlokusDuo, [] ConnectFour, [] TicTacToe, [] Nim);

impl<V: Variant> Playable for Shogi<V> {
    const EVALUATORS: &'static [&'static str] = &["quiet(material)", "material", "rollout"];

    fn build(player: &Player) -> Result<Box<dyn Search<Self>>, TextError> {
        // Alpha-beta has a quiescence search of its own.
        let usual = Spec::named(if player.search.name == "alpha-beta" { "material" } else { "quiet" });
        let spec = player.evaluator.as_ref().unwrap_or(&usual);
        match spec.name.as_str() {
            "quiet" => {
                if let Some(inner) = spec.positional(0).filter(|inner| inner.name != "material") {
                    return Err(unknown(inner, &["material"]));
                }
                let options = QuietOptions::from_spec(spec, QuietOptions::default())?;
                spec.reject_unused()?;
                tactical(player, Quiet::new(Material, options))
            }
            "material" => {
                spec.reject_unused()?;
                tactical(player, Material)
            }
            "rollout" => tactical(player, rollout(spec)?),
            _ => Err(unknown(spec, Self::EVALUATORS)),
        }
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
