//! Players that are programs of other people, as text: `usi:fairy-stockfish nodes=500`, `gtp("gnugo --mode gtp", level=5)`,
//! `knowledge("gnugo --mode gtp",uct)`. Nothing is started here.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::budget::Budget;
use crate::player::Player;

/// A language that programs speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Shogi.
    Usi,
    /// Go and Blokus.
    Gtp,
    /// The dialogue of GNU Shogi and GNU Minishogi with xshogi.
    Xboard,
}

const PROTOCOLS: &[(&str, Protocol)] = &[("usi", Protocol::Usi), ("gtp", Protocol::Gtp), ("xboard", Protocol::Xboard)];

/// The word of players that choose among the moves of a search by what a program says: `knowledge("gnugo --mode gtp",uct)`.
pub const KNOWLEDGE: &str = "knowledge";

impl Protocol {
    /// The language of this name.
    pub fn named(name: &str) -> Option<Protocol> {
        PROTOCOLS.iter().find(|(known, _)| *known == name).map(|&(_, protocol)| protocol)
    }

    /// What a program of this language understands of a budget.
    pub fn understands(self, budget: Budget) -> Budget {
        match self {
            Protocol::Usi => budget,
            Protocol::Gtp => Budget { time: budget.time, ..Budget::default() },
            Protocol::Xboard => Budget { time: budget.time, depth: budget.depth, ..Budget::default() },
        }
    }

    /// What may limit a program of this language, for error messages.
    pub fn limits_text(self) -> &'static str {
        match self {
            Protocol::Usi => "USI programs are limited by nodes, depth or time",
            Protocol::Gtp => "GTP programs are limited by time=… or by options of their own",
            Protocol::Xboard => "GNU Shogi and its kin are limited by depth=… or time=…",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PROTOCOLS.iter().find(|(_, protocol)| protocol == self).map_or("", |(name, _)| name))
    }
}

/// The short form of a program as a specification, settings behind it kept: `gtp:gnugo --mode gtp time=1` is
/// `gtp("gnugo --mode gtp") time=1`. None for any other text.
pub fn long_form(text: &str) -> Result<Option<String>, TextError> {
    let text = text.trim();
    let Some((protocol, rest)) = text.split_once(':').filter(|(word, _)| Protocol::named(word).is_some()) else {
        return Ok(None);
    };
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(key, _)| Budget::KEYS.contains(&key));
    let mut command = rest.trim();
    while let Some(start) = command.rfind(char::is_whitespace).filter(|&at| is_setting(command[at..].trim_start())) {
        command = command[..start].trim_end();
    }
    if command.is_empty() || is_setting(command) {
        return Err(TextError::at(text, protocol.len() + 1, "a command was expected here"));
    }
    let settings = rest.trim()[command.len()..].trim();
    let spec = format!("{protocol}(\"{}\")", command.replace('\\', "\\\\").replace('"', "\\\""));
    Ok(Some(format!("{} {settings}", Spec::parse(&spec)?).trim_end().to_string()))
}

impl Player {
    /// The language of a player that is a program; none if it is one of our searches.
    pub fn language(&self) -> Option<Protocol> {
        Protocol::named(&self.search().name)
    }

    /// Whether a program chooses among the moves of one of our searches.
    pub fn has_knowledge(&self) -> bool {
        self.search().name == KNOWLEDGE
    }

    /// The specifications that this player is made of: its search, its evaluation, and everything inside them.
    pub fn parts(&self) -> Vec<&Spec> {
        let evaluator = self.evaluator.as_ref().map(parts).unwrap_or_default();
        parts(self.search()).into_iter().chain(evaluator).collect()
    }

    /// The specifications of the programs that this player would start: none if it is made of our own searches.
    pub fn programs(&self) -> Vec<&Spec> {
        let is_program = |part: &&Spec| part.name == KNOWLEDGE || Protocol::named(&part.name).is_some();
        parts(self.search()).into_iter().filter(is_program).collect()
    }

    /// Whether it answers the same every time: it starts no program, and no threads share a tree or a table. Time is a matter of its
    /// budget.
    pub fn is_reproducible(&self) -> bool {
        parts(self.search()).into_iter().all(|part| {
            let one = |key: &str| part.get(key).is_none_or(|value| value.value::<usize>().is_ok_and(|n| n <= 1));
            let own = part.name != KNOWLEDGE && Protocol::named(&part.name).is_none();
            own && (one("threads") || !one("trees") || part.name == "flat")
        })
    }
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
    fn foreign_players_are_recognised() {
        let language = |text: &str| text.parse::<Player>().unwrap().language();
        assert_eq!(language("usi(engine)"), Some(Protocol::Usi));
        assert_eq!(language("gtp:gnugo --mode gtp"), Some(Protocol::Gtp));
        assert_eq!(language("mcss(t=80) + quiet(material)"), None);
        let common = Budget { sims: Some(5), depth: Some(3), ..Budget::default() };
        assert_eq!(Protocol::Usi.understands(common), common);
        assert_eq!(Protocol::Gtp.understands(common), Budget::default());
        assert_eq!(Protocol::Xboard.understands(common).depth, Some(3));
    }

    #[test]
    fn the_short_form_keeps_its_settings() {
        let player: Player = "gtp:gnugo --mode gtp --level=5 time=1".parse().unwrap();
        assert_eq!(player.to_string(), "gtp(\"gnugo --mode gtp --level=5\") time=1");
        assert_eq!(player.budget.time, Some(1.0));
        assert_eq!("usi: nodes=5".parse::<Player>().unwrap_err().message, "a command was expected here");
    }
}
