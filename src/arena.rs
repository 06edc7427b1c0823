//! The arenas of the program: every game with every player that can be typed.

use anyhow::{Context, bail};
use yomi_core::{Spec, TextError};
use yomi_lab::arena::{Arena, Place, Staged};
use yomi_lab::budget::Budget;
use yomi_lab::config::{PlayerConfig, is_deterministic};
use yomi_lab::player::Fault;
use yomi_lab::players::Searcher;

use crate::foreign;
use crate::games::with_game;
use crate::knowledge;
use crate::players::{Budget as TypedBudget, Playable, Player};

/// The arena of the game that `spec` names.
pub(crate) fn arena(spec: &Spec) -> anyhow::Result<Box<dyn Arena>> {
    with_game!(spec, |start| Ok(of_game(start)))
}

fn of_game<P: Playable + Staged>(start: P) -> Box<dyn Arena> {
    start.arena(Box::new(build::<P>))
}

/// The player that a configuration asks for.
fn build<P: Playable + Staged>(
    config: &PlayerConfig,
    place: &Place,
) -> Result<Box<dyn yomi_lab::player::Player<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    if let Some(language) = foreign::language(&config.spec) {
        return foreign::start(language, config, place);
    }
    let player: Player = config.spec.parse().map_err(unavailable)?;
    if knowledge::is_meant(&config.spec) {
        return knowledge::start(&player, config, place);
    }
    Ok(Box::new(Searcher::new(&*config.name, player.build::<P>().map_err(unavailable)?)))
}

/// A player of `game` as it was typed, with the budget that all share where it has none, and a name of its own if it gives one (`name=…`).
pub(crate) fn player(game: &str, text: &str, common: &TypedBudget) -> anyhow::Result<PlayerConfig> {
    let (named, rest): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.starts_with("name="));
    let text = foreign::long_form(&rest.join(" ")).with_context(|| format!("player {:?}", rest.join(" ")))?;
    let player: Player = text.parse().with_context(|| format!("player {text:?}"))?;
    let player = player.in_game(game).with_context(|| format!("player {text:?}"))?;
    let spec = player.without_budget();
    let common = lab_budget(common);
    let common = foreign::language(&spec).map_or(common, |language| foreign::understood(language, common));
    let budget = lab_budget(&player.budget).or(common);
    let name = match named[..] {
        [] if budget.is_open() => spec.clone(),
        [] => text.clone(),
        [name] => name.trim_start_matches("name=").to_string(),
        _ => bail!("player {text:?} has more than one name"),
    };
    Ok(PlayerConfig { name, spec, budget })
}

fn lab_budget(typed: &TypedBudget) -> Budget {
    Budget { sims: typed.sims, evals: typed.evals, nodes: typed.nodes, depth: typed.depth, time: typed.time }
}

/// Whether a player answers the same every time. Nobody knows that of other people's programs.
pub(crate) fn is_reproducible(player: &PlayerConfig) -> bool {
    if foreign::language(&player.spec).is_some() || knowledge::is_meant(&player.spec) {
        return false;
    }
    let search = Spec::parse_prefix(&player.spec).ok().map(|(search, _)| search);
    player.budget.time.is_none() && search.is_some_and(|search| is_deterministic(&search))
}

/// Searches that end by themselves.
const SELF_LIMITED: &[&str] = &["random", "greedy", "flat"];

/// Whether a player would think for ever. Other people's programs have limits of their own, and our patience has an end.
pub(crate) fn is_endless(player: &PlayerConfig) -> bool {
    if foreign::language(&player.spec).is_some() {
        return false;
    }
    let search = Spec::parse_prefix(&player.spec).ok().map(|(search, _)| search.name);
    player.budget.is_open() && !search.is_some_and(|name| SELF_LIMITED.contains(&name.as_str()))
}
