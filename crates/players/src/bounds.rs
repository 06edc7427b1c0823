//! Which budgets end a search. One that a search does not count would let it think for ever.

use yomi_core::{Spec, TextError};
use yomi_search::expand::Expand;
use yomi_search::{Limits, Method};

use crate::inner;

/// What brings a search to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// It ends by itself, whatever the budget.
    Itself,
    /// One of these budgets, in the words of players: `sims`, `evals`, `nodes`, `depth`, `time`.
    By(&'static [&'static str]),
}

/// Searches of the tree family that judge a leaf again on every visit go on below any depth.
const LEAVES: Bounds = Bounds::By(&["sims", "evals", "nodes", "time"]);
/// Those that judge all siblings once have nothing left to do when the tree is as deep as it may be.
const SIBLINGS: Bounds = Bounds::By(&["sims", "evals", "nodes", "depth", "time"]);
/// Alpha-beta makes no simulations.
const ALPHA_BETA: Bounds = Bounds::By(&["evals", "nodes", "depth", "time"]);

/// What ends the search that `search` names; of one around another, what ends the one inside.
pub fn bounds(search: &Spec) -> Bounds {
    // A copy, for asking marks a parameter as used.
    let search = search.clone();
    match search.name.as_str() {
        "random" | "greedy" | "flat" => Bounds::Itself,
        "alpha-beta" | "mcss-deep" if search.get("depth").is_some() => Bounds::Itself,
        "alpha-beta" | "mcss-deep" => ALPHA_BETA,
        // The program comes first, the search behind it.
        "knowledge" => search.positional(1).map_or(LEAVES, bounds),
        _ if inner(&search).is_some() => inner(&search).map_or(LEAVES, |search| bounds(&search)),
        _ => match Method::parse(&search).map(|method| method.recipe.expand) {
            Ok(Expand::Siblings | Expand::Growth { .. }) => SIBLINGS,
            _ => LEAVES,
        },
    }
}

impl Bounds {
    /// Whether a search under these limits ends by itself.
    pub fn ends(&self, limits: &Limits) -> bool {
        match self {
            Bounds::Itself => true,
            Bounds::By(words) => given(limits).any(|word| words.contains(&word)),
        }
    }
}

/// Refuses limits of which not one ends the search. No limit at all is no mistake here: the search runs until it is stopped.
pub fn check_limits(search: &Spec, limits: &Limits) -> Result<(), TextError> {
    let bounds = bounds(search);
    let Bounds::By(words) = bounds else { return Ok(()) };
    if !limits.is_bounded() || bounds.ends(limits) {
        return Ok(());
    }
    let given: Vec<&str> = given(limits).collect();
    Err(search.error(format!(
        "{} does not count {} and would think for ever: limit it by {}",
        search.name,
        given.join(" or "),
        words.join(", ")
    )))
}

/// The limits that are set, in the words of players.
fn given(limits: &Limits) -> impl Iterator<Item = &'static str> {
    let set = [
        ("sims", limits.simulations.is_some()),
        ("evals", limits.evaluations.is_some()),
        ("nodes", limits.nodes.is_some()),
        ("depth", limits.depth.is_some()),
        ("time", limits.time.is_some()),
    ];
    set.into_iter().filter(|(_, set)| *set).map(|(word, _)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OTHER_SEARCHES, Playable};
    use std::cell::Cell;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;
    use yomi_core::Line;
    use yomi_core::clock::Stopwatch;
    use yomi_core::toy::ConnectFour;
    use yomi_search::{Ended, METHODS, Watch};

    /// Stops a search that would not end: the number of looks that are left. Its clock shows a millisecond more each time it is read.
    struct Impatient(Cell<u64>);

    impl<M> Watch<M> for Impatient {
        fn should_stop(&self) -> bool {
            self.0.set(self.0.get().saturating_sub(1));
            self.0.get() == 0
        }

        fn clock(&self) -> Stopwatch {
            static READINGS: AtomicU64 = AtomicU64::new(0);
            Stopwatch::counted(&READINGS, Duration::from_millis(1))
        }
    }

    /// More looks than a search of these tests takes: one per sample of a tree, one in many nodes of alpha-beta.
    fn looks(search: &str) -> u64 {
        if ["alpha-beta", "mcss-deep"].contains(&search) { 500 } else { 20_000 }
    }

    fn limits(word: &str) -> Limits {
        match word {
            "sims" => Limits::simulations(20),
            "evals" => Limits::evaluations(20),
            "nodes" => Limits::nodes(20),
            "depth" => Limits::depth(2),
            _ => Limits::time(Duration::from_millis(20)),
        }
    }

    /// Every search, under every budget that is said to end it, ends without being stopped; and none is said to be ignored that counts.
    #[test]
    fn searches_end_by_the_budgets_they_are_said_to_count() {
        let start = Line::new(ConnectFour::default());
        let names = METHODS.iter().map(|entry| entry.name).chain(OTHER_SEARCHES.iter().map(|&(name, _)| name));
        for name in names {
            let spec: Spec = name.parse().unwrap();
            for word in ["sims", "evals", "nodes", "depth", "time"] {
                let mut search = ConnectFour::build(&spec, None).unwrap();
                let verdict = search.search(&start, &limits(word), &mut Impatient(Cell::new(looks(name))));
                let ended = verdict.ended != Some(Ended::Stopped);
                assert_eq!(ended, bounds(&spec).ends(&limits(word)), "{name} {word}: {:?}", verdict.ended);
            }
        }
    }

    #[test]
    fn what_is_ignored_is_named() {
        let check = |search: &str, limits: &Limits| check_limits(&search.parse().unwrap(), limits);
        let error = check("alpha-beta", &Limits::simulations(5)).unwrap_err().to_string();
        assert!(error.contains("does not count sims") && error.contains("evals, nodes, depth, time"), "{error}");
        assert!(check("mate-first(book(alpha-beta,file=x))", &Limits::simulations(5)).is_err());
        assert!(check("knowledge(\"gnugo --mode gtp\",alpha-beta)", &Limits::simulations(5)).is_err());
        assert_eq!(check("alpha-beta", &Limits { depth: Some(3), ..Limits::simulations(5) }), Ok(()));
        assert_eq!(check("alpha-beta", &Limits::infinite()), Ok(()), "until it is stopped");
        assert_eq!(check("alpha-beta(depth=4)", &Limits::simulations(5)), Ok(()), "it ends by itself");
        assert_eq!(check("flat(n=3)", &Limits::nodes(5)), Ok(()), "it ends by itself");
        assert_eq!(check("mate-first(mcss)", &Limits::simulations(5)), Ok(()));
        assert_eq!(check("weakened(alpha-beta(multipv=8),random=0.2)", &Limits::depth(1)), Ok(()));
    }
}
