//! What a player may spend on a move, as it is typed and as configurations say it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use yomi_core::hint::did_you_mean;
use yomi_core::{Seed, TextError};
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
    /// The words of the settings, as they are typed.
    pub const KEYS: [&'static str; 5] = ["sims", "evals", "nodes", "depth", "time"];

    /// This budget, with every limit it leaves open taken from `other`. Everything that holds for a player beside its own budget (options of
    /// a command, a level, what the players of a match share) is merged in this way; of the limits that are set, the first one reached ends a search.
    pub fn completed_by(self, other: Budget) -> Budget {
        Budget {
            sims: self.sims.or(other.sims),
            evals: self.evals.or(other.evals),
            nodes: self.nodes.or(other.nodes),
            depth: self.depth.or(other.depth),
            time: self.time.or(other.time),
        }
    }

    /// Whether nothing is limited.
    pub fn is_open(&self) -> bool {
        *self == Budget::default()
    }

    /// The limits of a move, its random choices derived from `seed`. A time that is no time limits nothing.
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

    /// The same, where a time that is no time is an error.
    pub fn checked_limits(&self, seed: Seed) -> Result<Limits, TextError> {
        if let Some(seconds) = self.time
            && let Err(error) = Duration::try_from_secs_f64(seconds)
        {
            return Err(TextError::new(format!("{seconds} is no time in seconds: {error}")));
        }
        Ok(self.limits(seed))
    }

    /// Reads one setting, `sims=1000`, that ends `text` and begins at byte `at`.
    pub(crate) fn set(&mut self, text: &str, at: usize) -> Result<(), TextError> {
        let word = &text[at..];
        let error = |message: &str| TextError::at(text, at, message);
        let (key, value) = word.split_once('=').ok_or_else(|| error("a setting looks like sims=1000"))?;
        let whole = || value.parse().map(Some).map_err(|_| error("a whole number was expected behind the equals sign"));
        match key {
            "sims" => self.sims = whole()?,
            "evals" => self.evals = whole()?,
            "nodes" => self.nodes = whole()?,
            "depth" => self.depth = value.parse().map(Some).map_err(|_| error("a number of plies was expected"))?,
            "time" => self.time = value.parse().map(Some).map_err(|_| error("a number of seconds was expected"))?,
            _ => {
                let meant = did_you_mean(key, Budget::KEYS);
                return Err(error(&format!("the settings are sims, evals, nodes, depth and time{meant}")));
            }
        }
        Ok(())
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
    fn limits_left_open_are_taken_from_the_other_budget() {
        let own = Budget { depth: Some(4), ..Budget::default() };
        let common = Budget { sims: Some(100), depth: Some(9), ..Budget::default() };
        assert_eq!(own.completed_by(common), Budget { sims: Some(100), ..own });
        assert_eq!(Budget::default().completed_by(common), common);
        assert_eq!(own.completed_by(Budget::default()), own);
        let limits = Budget { time: Some(0.5), ..common }.limits(Seed::new(3));
        assert_eq!((limits.simulations, limits.time), (Some(100), Some(Duration::from_millis(500))));
    }
}
