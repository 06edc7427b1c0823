//! What a player may spend on a move, as configurations say it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use yomi_core::Seed;
use yomi_search::Limits;

/// Limits of a move, whichever comes first. What is left out is not limited.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Simulations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sims: Option<u64>,
    /// Evaluated positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evals: Option<u64>,
    /// Nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies below the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Seconds. Makes games irreproducible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

impl Budget {
    /// This budget if it says anything at all, else the other one.
    pub fn or(self, other: Budget) -> Budget {
        if self.is_open() { other } else { self }
    }

    /// Whether nothing is limited.
    pub fn is_open(&self) -> bool {
        *self == Budget::default()
    }

    /// The limits of a move, its chance descending from `seed`. A time that is no time limits nothing.
    pub fn limits(&self, seed: Seed) -> Limits {
        Limits {
            simulations: self.sims,
            evaluations: self.evals,
            nodes: self.nodes,
            depth: self.depth,
            time: self.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            seed,
            ..Limits::infinite()
        }
    }
}

/// As it is typed: `sims=1000 time=0.5`.
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole =
            [("sims", self.sims), ("evals", self.evals), ("nodes", self.nodes), ("depth", self.depth.map(u64::from))];
        let whole = whole.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?)));
        let words: Vec<String> = whole.chain(self.time.map(|seconds| format!("time={seconds}"))).collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_its_own_replaces_the_common_one() {
        let own = Budget { depth: Some(4), ..Budget::default() };
        let common = Budget { sims: Some(100), ..Budget::default() };
        assert_eq!(own.or(common), own);
        assert_eq!(Budget::default().or(common), common);
        let limits = Budget { time: Some(0.5), ..common }.limits(Seed::new(3));
        assert_eq!((limits.simulations, limits.time), (Some(100), Some(Duration::from_millis(500))));
    }
}
