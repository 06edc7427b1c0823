//! What the text of a player says before anything is built or started: which programs it would start, whether it repeats itself.

use yomi_core::{Spec, TextError};
use yomi_protocol::client::Launch;
use yomi_session::Player;
pub use yomi_session::foreign::KNOWLEDGE;

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
    let player: Player = player.parse()?;
    let launch = |spec: &Spec| if spec.name == KNOWLEDGE { knowledge_program(spec) } else { Launch::from_spec(spec) };
    player.programs().into_iter().map(launch).collect()
}

/// Whether a player answers the same every time ([`Player::is_reproducible`]). What cannot be read does not.
pub fn is_reproducible(player: &str) -> bool {
    player.parse().is_ok_and(|player: Player| player.is_reproducible())
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
