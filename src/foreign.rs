//! Programs of other people among the players: `usi:fairy-stockfish nodes=500`, `gtp("gnugo --mode gtp", level=5)`.

use std::path::PathBuf;

use yomi_core::{Spec, TextError};
use yomi_lab::arena::Place;
use yomi_lab::budget::Budget;
use yomi_lab::config::PlayerConfig;
use yomi_lab::contest::Contest;
use yomi_lab::engine_logs::EngineLogs;
use yomi_lab::player::{Fault, Player};
use yomi_lab::players::Foreign;
use yomi_protocol::client::launch::Protocol;
use yomi_protocol::client::{Guard, Launch};

/// The language of a player that is a program of somebody else; nothing, if it is one of ours.
pub(crate) fn language(spec: &str) -> Option<Protocol> {
    let (spec, _) = Spec::parse_prefix(spec).ok()?;
    Protocol::named(&spec.name)
}

/// A player in its long form: `usi:engine` is `usi(engine)`, so that the rest of the text is read as for any player.
pub(crate) fn long_form(text: &str) -> Result<String, TextError> {
    Launch::expand(text)
}

/// What a program of this language understands of the budget that all players share.
pub(crate) fn understood(language: Protocol, common: Budget) -> Budget {
    match language {
        Protocol::Usi => common,
        Protocol::Gtp => Budget { time: common.time, ..Budget::default() },
        Protocol::Xboard => Budget { time: common.time, depth: common.depth, ..Budget::default() },
    }
}

/// What may limit a program of this language, for whoever asked for something else.
pub(crate) fn limits_of(language: Protocol) -> &'static str {
    match language {
        Protocol::Usi => "USI programs are limited by nodes, depth or time",
        Protocol::Gtp => "GTP programs are limited by time=… or by options of their own",
        Protocol::Xboard => "GNU Shogi and its kin are limited by depth=… or time=…",
    }
}

/// The hidden command of the guards of programs.
pub(crate) const GUARD: &str = "guard";

/// Starts the program of a player.
pub(crate) fn start<P: Contest>(config: &PlayerConfig, place: &Place) -> Result<Box<dyn Player<P>>, Fault> {
    let launch: Launch = config.spec.parse().map_err(|e: TextError| Fault::Unavailable { why: e.to_string() })?;
    Ok(Box::new(run(config, launch, place)?))
}

/// Starts a program under guard. What is said is written to a file named after the player and the table.
pub(crate) fn run(config: &PlayerConfig, mut launch: Launch, place: &Place) -> Result<Foreign, Fault> {
    launch.command.guard = Guard::here(GUARD);
    let name = log_name(launch.protocol, &config.name, place.worker);
    let open = |logs: &EngineLogs| {
        logs.open(&name)
            .map_err(|error| Fault::Unavailable { why: format!("cannot write {}: {error}", name.display()) })
    };
    let log = place.logs.as_ref().map(open).transpose()?.flatten();
    Foreign::start(&config.name, &launch, log)
}

/// `usi-fairy-stockfish-0.log`: letters and digits, and not too many.
fn log_name(language: Protocol, name: &str, worker: usize) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let words: Vec<String> =
        name.chars().map(plain).collect::<String>().split('-').filter(|w| !w.is_empty()).map(str::to_string).collect();
    let name: String = words.join("-").chars().take(60).collect();
    let name = name.strip_prefix(&format!("{language}-")).unwrap_or(&name).to_string();
    PathBuf::from(format!("{language}-{name}-{worker}.log"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_players_are_told_from_ours() {
        assert_eq!(language("usi(engine)"), Some(Protocol::Usi));
        assert_eq!(language(&long_form("gtp:gnugo --mode gtp").unwrap()), Some(Protocol::Gtp));
        assert_eq!(language("mcss(t=80) + quiet(material)"), None);
        let common = Budget { sims: Some(5), depth: Some(3), ..Budget::default() };
        assert_eq!(understood(Protocol::Usi, common), common);
        assert_eq!(understood(Protocol::Gtp, common), Budget::default());
        assert_eq!(understood(Protocol::Xboard, common).depth, Some(3));
    }

    #[test]
    fn logs_have_harmless_names() {
        let name = log_name(Protocol::Gtp, "gtp(\"../gnugo --mode gtp\") é", 3);
        assert_eq!(name, PathBuf::from("gtp-gnugo-mode-gtp-3.log"));
    }
}
