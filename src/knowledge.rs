//! A program of somebody else that chooses among the moves our search leaves: `knowledge("gnugo --mode gtp", uct(c=1.5,after=1))`.

use yomi_core::{Spec, TextError};
use yomi_lab::arena::Place;
use yomi_lab::config::PlayerConfig;
use yomi_lab::player::{Fault, Player as Seat};
use yomi_lab::players::spec::{KNOWLEDGE, knowledge_program};
use yomi_lab::players::{Filter, Knowing, Searcher};
use yomi_protocol::client::Launch;

use crate::foreign;
use crate::players::{Playable, Player};

/// Whether a player is one of these.
pub(crate) fn is_meant(spec: &str) -> bool {
    Spec::parse_prefix(spec).is_ok_and(|(spec, _)| spec.name == KNOWLEDGE)
}

/// What was asked for: the program, how it chooses, and the player inside.
fn read(player: &Player) -> Result<(Launch, Filter, Player), TextError> {
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

/// Sees that a player of this kind is typed right. Nothing is started.
pub(crate) fn check(spec: &str) -> Result<(), TextError> {
    read(&spec.parse()?).map(drop)
}

/// Starts the program and builds the search.
pub(crate) fn start<P: Playable + yomi_lab::arena::Staged>(
    player: &Player,
    config: &PlayerConfig,
    place: &Place,
) -> Result<Box<dyn Seat<P>>, Fault> {
    let unavailable = |error: TextError| Fault::Unavailable { why: error.to_string() };
    let (launch, filter, inner) = read(player).map_err(unavailable)?;
    let search = Searcher::new(&*config.name, inner.build::<P>().map_err(unavailable)?);
    let program = foreign::run(config, launch, place)?;
    Ok(Box::new(Knowing::new(search, program, filter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_searches_are_read() {
        let text = "knowledge(\"gnugo --mode gtp --level 10\",uct(c=1.5,after=1),share=0.4) + rollout sims=8000";
        let (launch, filter, inner) = read(&text.parse().unwrap()).unwrap();
        assert_eq!((launch.command.program.as_str(), launch.command.args.len()), ("gnugo", 4));
        assert_eq!(filter, Filter { share: 0.4, ..Filter::default() });
        assert_eq!(inner.without_budget(), "uct(c=1.5,after=1) + rollout");
        let (launch, ..) = read(&"knowledge(gtp(\"pachi -x\",level=3,patience=9),rave)".parse().unwrap()).unwrap();
        assert_eq!((launch.options.len(), launch.patience.think.as_secs()), (1, 9));
        assert!(is_meant(text) && !is_meant("uct"));
        for wrong in ["knowledge", "knowledge(gnugo)", "knowledge(gnugo,uct,shares=1)", "knowledge(gnugo,uct,share=7)"]
        {
            assert!(read(&wrong.parse().unwrap()).is_err(), "{wrong}");
        }
    }
}
