//! What the front ends ask of a player besides its search.

use yomi_core::{Evaluator, Spec, TextError};
use yomi_search::select::Select;
use yomi_search::{METHODS, Method};

use super::{Playable, Player};

impl Player {
    /// The same player with as many threads, mebibytes and lines as somebody grants it. What it says itself about them stands, and
    /// searches that have no such parameter are left alone.
    pub(crate) fn granted(&self, threads: usize, hash: usize, lines: usize) -> Player {
        let mut player = self.clone();
        let tree = METHODS.iter().any(|entry| entry.name == self.search.name);
        let alpha_beta = self.search.name == "alpha-beta";
        if tree || alpha_beta {
            player.search = with(&with(&self.search, "threads", threads), "hash", hash);
        }
        if alpha_beta && lines > 1 {
            player.search = with(&player.search, "multipv", lines);
        }
        player
    }

    /// The same player with the linear evaluation of shogi in a file, unless it names an evaluation itself.
    pub(crate) fn with_weights(&self, file: &str) -> Player {
        if file.is_empty() || self.evaluator.is_some() {
            return self.clone();
        }
        let linear = Spec::named("linear").with("file", Spec::named(file));
        // Alpha-beta has a quiescence search of its own.
        let quiet = Spec::parse(&format!("quiet({linear})")).ok().filter(|_| self.search.name != "alpha-beta");
        Player { evaluator: Some(quiet.unwrap_or(linear)), ..self.clone() }
    }

    /// The search as it was typed.
    pub(crate) fn search(&self) -> &Spec {
        &self.search
    }

    /// The same player with another search.
    pub(crate) fn with_search(&self, search: &Spec) -> Player {
        Player { search: search.clone(), ..self.clone() }
    }

    /// What a won game is worth in the unit of this player's values.
    pub(crate) fn win<P: Playable>(&self) -> Result<f32, TextError> {
        if self.search.name == "flat" {
            return Ok(1.0);
        }
        Ok(P::evaluator(&self.search, self.evaluator.as_ref())?.win())
    }

    /// The temperature of a search that draws by one.
    pub(crate) fn temperature(&self) -> Option<String> {
        match Method::parse(&self.search).ok()?.recipe.select {
            Select::Boltzmann { t, .. } => Some(t.to_string()),
            _ => None,
        }
    }
}

/// The specification with one more parameter, unless it has it.
fn with(spec: &Spec, key: &str, value: usize) -> Spec {
    // A copy, for asking marks a parameter as used.
    if spec.clone().get(key).is_some() {
        return spec.clone();
    }
    spec.with(key, Spec::named(&value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_do_not_overrule() {
        let granted = |text: &str| text.parse::<Player>().unwrap().granted(2, 64, 3).search.to_string();
        assert_eq!(granted("mcss"), "mcss(threads=2,hash=64)");
        assert_eq!(granted("mcss(t=80,threads=1)"), "mcss(t=80,threads=1,hash=64)");
        assert_eq!(granted("alpha-beta"), "alpha-beta(threads=2,hash=64,multipv=3)");
        assert_eq!(granted("random"), "random");
    }

    #[test]
    fn weights_are_a_wish_as_well() {
        let with = |text: &str| text.parse::<Player>().unwrap().with_weights("my weights.linear").to_string();
        assert_eq!(with("mcss + material"), "mcss + material");
        assert_eq!(with("alpha-beta").parse::<Player>().unwrap().to_string(), with("alpha-beta"));
        assert!(with("alpha-beta").starts_with("alpha-beta + linear(file="));
        assert!(with("mcss").starts_with("mcss + quiet(linear(file="));
    }

    #[test]
    fn temperatures_are_told() {
        let temperature = |text: &str| text.parse::<Player>().unwrap().temperature();
        assert_eq!(temperature("mcss(t=40)").as_deref(), Some("40"));
        assert_eq!(temperature("uct"), None);
        assert_eq!(temperature("alpha-beta"), None);
    }
}
