//! Players from their text: a search of ours, a foreign program, or one that chooses among the moves of a search.

use yomi_core::{Seed, TextError};
use yomi_protocol::harmless::{NAME, harmless};
use yomi_session::{Budget, Playable, Player as PlayerText, bounds, check_limits};

use super::Searcher;
use super::spec::launches;
use crate::arena::{Arena, Place};
use crate::config::PlayerConfig;
use crate::player::{Fault, Player};

/// Whether programs of others may be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// They may.
    Allowed,
    /// They may not: a player that is one cannot be had.
    Refused,
}

/// The player that a configuration asks for.
pub(crate) fn build<P: Playable>(
    config: &PlayerConfig,
    place: &Place,
    programs: Programs,
) -> Result<Box<dyn Player<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    if programs == Programs::Refused
        && let Some(launch) = launches(&config.spec).map_err(unavailable)?.first()
    {
        let command = harmless(&launch.command.text(), NAME);
        return Err(Fault::Unavailable { why: format!("{command} is not started without --allow-programs") });
    }
    let player: PlayerText = config.spec.parse().map_err(unavailable)?;
    if player.language().is_some() {
        return super::program::start(config, place);
    }
    if player.has_knowledge() {
        return super::program::start_knowledge(&player, config, place);
    }
    Ok(Box::new(Searcher::new(&*config.name, player.build::<P>().map_err(unavailable)?)))
}

/// Checks that a player can be built, without starting a program: its text is right, its search can be built, its programs are there.
pub fn inspect(arena: &dyn Arena, player: &PlayerConfig) -> Result<(), TextError> {
    let launches = launches(&player.spec)?;
    let text: PlayerText = player.spec.parse()?;
    if text.has_knowledge() {
        super::program::read_knowledge(&text)?;
    } else if launches.is_empty() {
        arena.identify(player).map_err(|fault| TextError::new(fault.to_string()))?;
    }
    for launch in launches {
        let program = harmless(&launch.command.program, NAME);
        let missing = |error| TextError::new(format!("{program} cannot be started: {error}"));
        launch.command.locate().map_err(missing)?;
    }
    Ok(())
}

/// A player of `game` as it was typed, its budget completed by the one that all players share, and a name of its own if it gives one (`name=…`).
pub fn configure(game: &str, text: &str, common: Budget) -> Result<PlayerConfig, TextError> {
    let (named, rest): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.starts_with("name="));
    let in_short = rest.join(" ");
    let long_form = yomi_session::foreign::long_form(&in_short);
    let text = long_form.map_err(|error| error.context(format!("player {in_short:?}")))?.unwrap_or(in_short);
    let wrong = |error: TextError| error.context(format!("player {text:?}"));
    let player = text.parse().and_then(|player: PlayerText| player.in_game(game)).map_err(wrong)?;
    let spec = player.without_budget();
    let mut budget = player.budget;
    match player.language() {
        None => budget = budget.completed_by(common),
        Some(language) => {
            if language.understands(budget) != budget {
                return Err(TextError::new(format!("{text}: {}", language.limits_text())));
            }
            budget = budget.completed_by(language.understands(common));
        }
    }
    let name = match named[..] {
        [] if budget.is_open() => spec.clone(),
        [] => text.clone(),
        [name] => name.trim_start_matches("name=").to_string(),
        _ => return Err(TextError::new(format!("player {text:?} has more than one name"))),
    };
    Ok(PlayerConfig { name, spec, budget })
}

/// Refuses a player that no budget of its own ends, unless clocks do. Programs of others have limits of their own, and our patience has
/// an end.
pub fn check_budget(player: &PlayerConfig, has_clock: bool) -> Result<(), TextError> {
    let text: PlayerText = player.spec.parse()?;
    if has_clock || text.language().is_some() {
        return Ok(());
    }
    let limits = player.budget.limits(Seed::new(0));
    check_limits(text.search(), &limits)?;
    if !bounds(text.search()).ends(&limits) {
        let message = format!("{} would think for ever: give it sims=1000 or another budget", player.name);
        return Err(TextError::new(message));
    }
    Ok(())
}
