//! Players with other threads, memory, weights or lines than they were typed with.

use yomi_core::{ChangeParameter, Evaluator, Spec, TextError};
use yomi_players::inner;
use yomi_search::select::Select;
use yomi_search::{METHODS, Method};

use super::Player;
use crate::Playable;

/// A network that is named apart from the player: by the options of a protocol or of a command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetworkChoice {
    /// Its file; empty for none.
    pub file: String,
    /// `auto`, `cpu`, `cuda`, `cuda:1`; empty for `auto`.
    pub device: String,
    /// Positions at once; 0 for the default of the device.
    pub batch: u32,
}

/// Whether the search judges by alpha-beta: it has a quiescence search of its own, a table, and asks too often for a network.
fn is_alpha_beta(search: &Spec) -> bool {
    ["alpha-beta", "mcss-deep"].contains(&search.name.as_str())
}

impl Player {
    /// The same player with these threads, mebibytes and lines. What its own text says about them stands, and
    /// searches that have no such parameter are left alone.
    pub fn granted(&self, threads: usize, hash: usize, lines: usize) -> Player {
        let grant = |search: &Spec| {
            let tree = METHODS.iter().any(|entry| entry.name == search.name);
            let alpha_beta = search.name == "alpha-beta";
            let mut granted = search.clone();
            if tree || is_alpha_beta(search) {
                granted = with(&with(&granted, "threads", threads), "hash", hash);
            }
            if alpha_beta && lines > 1 {
                granted = with(&granted, "multipv", lines);
            }
            granted
        };
        Player { search: inside(&self.search, &grant), ..self.clone() }
    }

    /// The same player with this many threads, whatever was typed.
    pub fn with_threads(&self, threads: usize) -> Player {
        let with = |search: &Spec| search.with("threads", Spec::named(&threads.to_string()));
        Player { search: inside(&self.search, &with), ..self.clone() }
    }

    /// The search that thinks, whatever stands around it: `mcss` of `mate-first(book(mcss,file=…))`.
    fn thinker(&self) -> Spec {
        let mut search = self.search.clone();
        while let Some(inner) = inner(&search) {
            search = inner;
        }
        search
    }

    /// The same player with the linear evaluation of shogi in a file, unless it names an evaluation itself.
    pub fn with_weights(&self, file: &str) -> Player {
        if file.is_empty() || self.evaluator.is_some() {
            return self.clone();
        }
        let linear = Spec::named("linear").with("file", Spec::named(file));
        // Alpha-beta has a quiescence search of its own.
        let quiet = Spec::parse(&format!("quiet({linear})")).ok().filter(|_| !is_alpha_beta(&self.thinker()));
        Player { evaluator: Some(quiet.unwrap_or(linear)), ..self.clone() }
    }

    /// The same player with a network as its evaluation, unless it names an evaluation itself or there is no network. Alpha-beta has no use
    /// for the priors of a network and could not wait for it at every node: PUCT takes its place.
    #[must_use]
    pub fn with_network(&self, network: &NetworkChoice) -> Player {
        if network.file.is_empty() || self.evaluator.is_some() {
            return self.clone();
        }
        let mut net = Spec::named("net").with("file", Spec::named(&network.file));
        if !network.device.is_empty() {
            net = net.with("device", Spec::named(&network.device));
        }
        if network.batch > 0 {
            net = net.with("batch", Spec::named(&network.batch.to_string()));
        }
        let search = if is_alpha_beta(&self.thinker()) { Spec::named("puct") } else { self.search.clone() };
        Player { search, evaluator: Some(net), ..self.clone() }
    }

    /// The same player with what `change` makes of the parameters that have a key, wherever they stand; none leaves one as it is.
    pub fn map_keyed(&self, change: &mut ChangeParameter<'_>) -> Result<Player, TextError> {
        let search = self.search.map_keyed(change)?;
        let evaluator = self.evaluator.as_ref().map(|spec| spec.map_keyed(change)).transpose()?;
        Ok(Player { search, evaluator, budget: self.budget })
    }

    /// The search as it was typed.
    pub fn search(&self) -> &Spec {
        &self.search
    }

    /// The same player with another search.
    pub fn with_search(&self, search: &Spec) -> Player {
        Player { search: search.clone(), ..self.clone() }
    }

    /// What a won game is worth in the unit of this player's values.
    pub fn win<P: Playable>(&self) -> Result<f32, TextError> {
        if self.thinker().name == "flat" {
            return Ok(1.0);
        }
        Ok(P::evaluator(&self.search, self.evaluator.as_ref())?.win())
    }

    /// The temperature of a search that draws by one.
    pub fn temperature(&self) -> Option<String> {
        match Method::parse(&self.thinker()).ok()?.recipe.select {
            Select::Boltzmann { t, .. } | Select::Anchored { t, .. } => Some(t.to_string()),
            _ => None,
        }
    }
}

/// The same search with whatever `change` makes of the one that thinks, at the innermost.
fn inside(search: &Spec, change: &dyn Fn(&Spec) -> Spec) -> Spec {
    let Some(inner) = inner(search) else { return change(search) };
    let mut text = format!("{}({}", search.name, inside(&inner, change));
    for (key, value) in search.clone().keyed() {
        text += &format!(",{key}={value}");
    }
    Spec::parse(&(text + ")")).unwrap_or_else(|_| search.clone())
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
        assert_eq!(granted("mate-first(mcss,nodes=500)"), "mate-first(mcss(threads=2,hash=64),nodes=500)");
        assert_eq!(
            granted("book(mate-first(alpha-beta(hash=8)),file=my.db)"),
            "book(mate-first(alpha-beta(hash=8,threads=2,multipv=3)),file=my.db)"
        );
        assert_eq!(granted("mate-first"), "mate-first");
    }

    #[test]
    fn weights_are_a_wish_as_well() {
        let with = |text: &str| text.parse::<Player>().unwrap().with_weights("my weights.linear").to_string();
        assert_eq!(with("mcss + material"), "mcss + material");
        assert_eq!(with("alpha-beta").parse::<Player>().unwrap().to_string(), with("alpha-beta"));
        assert!(with("alpha-beta").starts_with("alpha-beta + linear(file="));
        assert!(with("mcss").starts_with("mcss + quiet(linear(file="));
        assert!(with("mate-first(alpha-beta)").starts_with("mate-first(alpha-beta) + linear(file="));
    }

    #[test]
    fn temperatures_are_described() {
        let temperature = |text: &str| text.parse::<Player>().unwrap().temperature();
        assert_eq!(temperature("mcss(t=40)").as_deref(), Some("40"));
        assert_eq!(temperature("mate-first(mcss(t=40))").as_deref(), Some("40"));
        assert_eq!(temperature("mcss(t=40,static=0.5)").as_deref(), Some("40"));
        assert_eq!(temperature("uct"), None);
        assert_eq!(temperature("alpha-beta"), None);
    }
}
