//! What the text of a player tells before anybody is built or started: which programs it would start, whether it repeats itself.

use yomi_core::{Spec, TextError};
use yomi_protocol::client::Launch;
use yomi_protocol::client::launch::Protocol;

/// The word of players that choose among the moves of a search by what a program says: `knowledge("gnugo --mode gtp",uct)`.
pub const KNOWLEDGE: &str = "knowledge";

/// The program in a player of that word. A bare command speaks GTP.
pub fn knowledge_program(spec: &Spec) -> Result<Launch, TextError> {
    let program = spec.positional(0).ok_or_else(|| spec.error("knowledge needs a program and a search"))?;
    if program.is_bare() {
        return Launch::from_spec(&Spec::parse(&format!("gtp({program})"))?);
    }
    Launch::from_spec(program)
}

/// The programs that a player would start: none, if it is made of our own searches.
pub fn launches(player: &str) -> Result<Vec<Launch>, TextError> {
    let text = Launch::expand(player)?;
    let (search, _) = Spec::parse_prefix(&text)?;
    parts(&search)
        .into_iter()
        .filter_map(|part| match part.name.as_str() {
            KNOWLEDGE => Some(knowledge_program(part)),
            name => Protocol::named(name).map(|_| Launch::from_spec(part)),
        })
        .collect()
}

/// Whether a player answers the same every time: it starts no program, and no threads share a tree or a table. What cannot be read does
/// not. Time is a matter of its budget.
pub fn is_reproducible(player: &str) -> bool {
    let Ok(text) = Launch::expand(player) else { return false };
    let Ok((search, _)) = Spec::parse_prefix(&text) else { return false };
    parts(&search).into_iter().all(|part| {
        let one = |key: &str| part.get(key).is_none_or(|value| value.value::<usize>().is_ok_and(|n| n <= 1));
        let own = part.name != KNOWLEDGE && Protocol::named(&part.name).is_none();
        own && (one("threads") || !one("trees") || part.name == "flat")
    })
}

/// A specification and everything inside it.
fn parts(spec: &Spec) -> Vec<&Spec> {
    let positional = (0..).map_while(|index| spec.positional(index));
    let inside = positional.chain(spec.keyed().map(|(_, value)| value)).flat_map(parts);
    std::iter::once(spec).chain(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_wherever_they_stand() {
        let commands = |text: &str| -> Vec<String> {
            launches(text).unwrap().iter().map(|launch| launch.command.text()).collect()
        };
        assert_eq!(commands("gtp:gnugo --mode gtp time=1"), ["gnugo --mode gtp"]);
        assert_eq!(commands("xboard(gnuminishogi,directory=/tmp) depth=3"), ["gnuminishogi (in /tmp)"]);
        assert_eq!(commands("knowledge(\"gnugo --mode gtp\",uct(c=1)) + rollout sims=5"), ["gnugo --mode gtp"]);
        assert_eq!(commands("mate-first(knowledge(usi(engine,Threads=1),uct))"), ["engine", "engine"]);
        assert!(commands("mcss(t=80) + quiet(material) sims=1000").is_empty());
        assert!(launches("usi:").is_err() && launches("knowledge").is_err());
    }

    #[test]
    fn threads_and_programs_do_not_repeat_themselves() {
        for text in
            ["mcss", "mcss(threads=1)", "mcss(threads=4,trees=4)", "flat(threads=4)", "mate-first(uct)", "random"]
        {
            assert!(is_reproducible(text), "{text}");
        }
        for text in ["mcss(threads=2)", "mate-first(mcss(threads=2))", "book(mate-first(alpha-beta(threads=2)),file=x)"]
        {
            assert!(!is_reproducible(text), "{text}");
        }
        for text in
            ["usi:engine", "xboard:gnushogi", "gtp(x)", "knowledge(x,uct)", "mate-first(knowledge(x,uct))", "(("]
        {
            assert!(!is_reproducible(text), "{text}");
        }
    }
}
