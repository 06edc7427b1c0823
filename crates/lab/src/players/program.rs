//! Programs of other people among the players: started under guard, with what they say written to a log.

use std::path::PathBuf;

use yomi_core::TextError;
use yomi_games::Game;
use yomi_protocol::client::launch::Protocol;
use yomi_protocol::client::{Guard, Launch};
use yomi_session::{Playable, Player as PlayerText};

use super::spec::knowledge_program;
use super::{Filter, Foreign, Knowing, Searcher};
use crate::arena::Place;
use crate::config::PlayerConfig;
use crate::engine_logs::EngineLogs;
use crate::player::{Fault, Player};

/// The hidden command of the program that guards programs of others.
pub const GUARD: &str = "guard";

/// Starts the program of a player.
pub(super) fn start<P: Game>(config: &PlayerConfig, place: &Place) -> Result<Box<dyn Player<P>>, Fault> {
    let launch: Launch = config.spec.parse().map_err(|e: TextError| Fault::Unavailable { why: e.to_string() })?;
    Ok(Box::new(run(config, launch, place)?))
}

/// Starts a program under guard. What is said is written to a file named after the player and the table.
fn run(config: &PlayerConfig, mut launch: Launch, place: &Place) -> Result<Foreign, Fault> {
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

/// What was asked for: the program, how it chooses, and the player inside.
pub(super) fn read_knowledge(player: &PlayerText) -> Result<(Launch, Filter, PlayerText), TextError> {
    let spec = player.search();
    let needed = |index: usize| {
        let message = "knowledge needs a program and a search: knowledge(\"gnugo --mode gtp\",uct)";
        spec.positional(index).ok_or_else(|| spec.error(message))
    };
    needed(0)?;
    let (launch, search) = (knowledge_program(spec)?, needed(1)?);
    let filter = Filter::from_spec(spec)?;
    spec.reject_unused()?;
    Ok((launch, filter, player.with_search(search)))
}

/// Starts the program and builds the search.
pub(super) fn start_knowledge<P: Playable>(
    player: &PlayerText,
    config: &PlayerConfig,
    place: &Place,
) -> Result<Box<dyn Player<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    let (launch, filter, inner) = read_knowledge(player).map_err(unavailable)?;
    let search = Searcher::new(&*config.name, inner.build::<P>().map_err(unavailable)?);
    let program = run(config, launch, place)?;
    Ok(Box::new(Knowing::new(search, program, filter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_searches_are_read() {
        let text = "knowledge(\"gnugo --mode gtp --level 10\",uct(c=1.5,after=1),share=0.4) + rollout sims=8000";
        let (launch, filter, inner) = read_knowledge(&text.parse().unwrap()).unwrap();
        assert_eq!((launch.command.program.as_str(), launch.command.args.len()), ("gnugo", 4));
        assert_eq!(filter, Filter { share: 0.4, ..Filter::default() });
        assert_eq!(inner.without_budget(), "uct(c=1.5,after=1) + rollout");
        let (launch, ..) =
            read_knowledge(&"knowledge(gtp(\"pachi -x\",level=3,patience=9),rave)".parse().unwrap()).unwrap();
        assert_eq!((launch.options.len(), launch.patience.think.as_secs()), (1, 9));
        let has_knowledge = |text: &str| text.parse::<PlayerText>().unwrap().has_knowledge();
        assert!(has_knowledge(text) && !has_knowledge("uct"));
        for wrong in ["knowledge", "knowledge(gnugo)", "knowledge(gnugo,uct,shares=1)", "knowledge(gnugo,uct,share=7)"]
        {
            assert!(read_knowledge(&wrong.parse().unwrap()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn logs_have_harmless_names() {
        let name = log_name(Protocol::Gtp, "gtp(\"../gnugo --mode gtp\") é", 3);
        assert_eq!(name, PathBuf::from("gtp-gnugo-mode-gtp-3.log"));
    }
}
