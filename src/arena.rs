//! The arenas of the program: every game with every player that can be typed.

use anyhow::{Context, bail, ensure};
use yomi_core::{Seed, Spec, TextError};
use yomi_lab::arena::{Arena, Place, Staged};
use yomi_lab::budget::Budget;
use yomi_lab::config::PlayerConfig;
use yomi_lab::player::Fault;
use yomi_lab::players::Searcher;
use yomi_lab::players::spec::launches;
use yomi_players::{bounds, check_limits};
use yomi_protocol::harmless::{NAME, harmless};

use crate::foreign;
use crate::games::with_game;
use crate::knowledge;
use crate::players::{Budget as TypedBudget, Playable, Player};
use crate::programs::Programs;

/// The arena of the game that `spec` names. Where programs are refused, players that are programs cannot be had.
pub(crate) fn arena(spec: &Spec, programs: Programs) -> anyhow::Result<Box<dyn Arena>> {
    with_game!(spec, |start| Ok(of_game(start, programs)))
}

fn of_game<P: Playable + Staged>(start: P, programs: Programs) -> Box<dyn Arena> {
    start.arena(Box::new(move |config: &PlayerConfig, place: &Place| build::<P>(config, place, programs)))
}

/// The player that a configuration asks for.
fn build<P: Playable + Staged>(
    config: &PlayerConfig,
    place: &Place,
    programs: Programs,
) -> Result<Box<dyn yomi_lab::player::Player<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    if programs == Programs::Refused
        && let Some(launch) = launches(&config.spec).map_err(unavailable)?.first()
    {
        let command = harmless(&launch.command.text(), NAME);
        return Err(Fault::Unavailable { why: format!("{command} is not started without --allow-programs") });
    }
    if foreign::language(&config.spec).is_some() {
        return foreign::start(config, place);
    }
    let player: Player = config.spec.parse().map_err(unavailable)?;
    if knowledge::is_meant(&config.spec) {
        return knowledge::start(&player, config, place);
    }
    Ok(Box::new(Searcher::new(&*config.name, player.build::<P>().map_err(unavailable)?)))
}

/// Sees that a player can be had, without starting a program: its text is right, its search can be built, its programs are there.
pub(crate) fn inspect(arena: &dyn Arena, player: &PlayerConfig) -> anyhow::Result<()> {
    let launches = launches(&player.spec)?;
    if knowledge::is_meant(&player.spec) {
        knowledge::check(&player.spec)?;
    } else if launches.is_empty() {
        arena.identify(player).map_err(|fault| anyhow::anyhow!("{fault}"))?;
    }
    for launch in launches {
        let command = &launch.command;
        let missing = || format!("{} cannot be started", harmless(&command.program, NAME));
        command.locate().with_context(missing)?;
    }
    Ok(())
}

/// A player of `game` as it was typed, with the budget that all share where it has none, and a name of its own if it gives one (`name=…`).
pub(crate) fn player(game: &str, text: &str, common: &TypedBudget) -> anyhow::Result<PlayerConfig> {
    let (named, rest): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.starts_with("name="));
    let text = foreign::long_form(&rest.join(" ")).with_context(|| format!("player {:?}", rest.join(" ")))?;
    let player: Player = text.parse().with_context(|| format!("player {text:?}"))?;
    let player = player.in_game(game).with_context(|| format!("player {text:?}"))?;
    let spec = player.without_budget();
    let common = lab_budget(common);
    let mut budget = lab_budget(&player.budget);
    match foreign::language(&spec) {
        None => budget = budget.or(common),
        Some(language) => {
            let understood = foreign::understood(language, budget);
            ensure!(understood == budget, "{text}: {}", foreign::limits_of(language));
            budget = budget.or(foreign::understood(language, common));
        }
    }
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

/// Refuses a player that no budget of its own ends, unless clocks do. Programs of others have limits of their own, and our patience has
/// an end.
pub(crate) fn check_budget(player: &PlayerConfig, has_clock: bool) -> Result<(), TextError> {
    if has_clock || foreign::language(&player.spec).is_some() {
        return Ok(());
    }
    let (search, _) = Spec::parse_prefix(&player.spec)?;
    let limits = player.budget.limits(Seed::new(0));
    check_limits(&search, &limits)?;
    if !bounds(&search).ends(&limits) {
        let message = format!("{} would think for ever: give it sims=1000 or another budget", player.name);
        return Err(TextError::new(message));
    }
    Ok(())
}
