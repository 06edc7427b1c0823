//! The settings of a run, as they stand in `config.toml`.

use serde::{Deserialize, Serialize};
use yomi_core::{Position, TextError};
use yomi_search::Method as SearchMethod;
use yomi_search::expand::Expand;
use yomi_search::growth::Source;

use super::defaults;
use crate::methods::{
    Baseline, Comparison, Form, Imitation, Lines, Method, PgExpectation, PolicyGradient, RootStrap, SearchControl,
    TdLeaf, Tdmc, TreeStrap, credit,
};
use crate::model::Model;
use crate::optimizer::Steps;
use crate::pg_tree::Replies;
use crate::prior::Start;
use crate::search_control::Survival;

/// The methods that run under this harness.
pub const METHODS: [&str; 15] = [
    "pg-expectation",
    "pg-tree",
    "pg-sampling",
    "pg-leaf",
    "pg-leaf-improved",
    "s3-deterministic",
    "s3-stochastic",
    "s3-tree",
    "imitation",
    "reinforce",
    "td-leaf",
    "root-strap",
    "tree-strap",
    "tdmc",
    "comparison",
];

/// Games of one step are kept in memory until it is made.
const LARGEST_BATCH: u64 = 1 << 20;

/// A run. What a file leaves out is as in [`Config::default`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How it learns: one of [`METHODS`].
    pub method: String,
    /// What is played.
    pub game: String,
    /// What is known before the first game: `nothing`, `material`, or `embedded` for the weights of the program.
    pub start: String,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Games in all.
    pub games: u64,
    /// Games per step.
    pub batch: u64,
    /// The search before a move.
    pub search: String,
    /// Positions it may judge.
    pub evaluations: u64,
    /// T_a: moves are drawn by `exp(E*/T_a)`.
    pub temperature: f64,
    /// A game begins with at most this many random moves, and at least half as many.
    pub random: usize,
    /// A game that lasts longer is drawn.
    pub plies: usize,
    /// K: a position worth this is won with probability 0.73.
    pub k: f64,
    /// λ of TD-leaf and TDMC.
    pub lambda: f64,
    /// γ of policy gradients, per ply.
    pub discount: f64,
    /// What policy gradients take from the reward: `none`, or `value` for what the search expected.
    pub baseline: String,
    /// Whether policy gradients differentiate through the opponent's replies: `learned`, or `fixed`.
    pub replies: String,
    /// Branches that count less than this part of the largest are left out by pg-tree.
    pub least: f64,
    /// Leaves (of tree-strap nodes, of S3 families of moves) that the gradient of a search is made of, so chosen that its expectation stays; 0
    /// for all.
    pub leaves: usize,
    /// Paths per move of pg-sampling.
    pub samples: usize,
    /// D of pg-expectation, in turns of the learner.
    pub depth: u32,
    /// N_try: trees before a move of s3-stochastic.
    pub tries: usize,
    /// The simulation policy at the start of S3 methods: `even`, `embedded`, or a file.
    pub policy: String,
    /// Random games per position of TDMC.
    pub playouts: usize,
    /// Records for comparison training: files and folders of KIF, KI2, CSA and USI, or of games as the regression keeps them.
    pub records: Vec<String>,
    /// Steps between checkpoints.
    pub checkpoint: u64,
    /// How parameters move.
    pub steps: Steps,
    /// Opponents from earlier in the run.
    pub pool: Pool,
    /// Matches against the best weights so far.
    pub gate: Gate,
}

/// Opponents from earlier in the run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pool {
    /// The part of the games that is played against one of them.
    pub share: f64,
    /// How many are kept, the newest.
    pub size: usize,
    /// Games between two that join.
    pub every: u64,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool { share: 0.0, size: 8, every: 1000 }
    }
}

/// Matches against the best weights so far, ended by an SPRT.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// Games between two matches; 0 for none.
    pub every: u64,
    /// Pairs of games at most.
    pub pairs: u64,
    /// H0: better than the best so far by this much.
    pub elo0: f64,
    /// H1: better by this much.
    pub elo1: f64,
    /// The risk of accepting H1 under H0.
    pub alpha: f64,
    /// The risk of accepting H0 under H1.
    pub beta: f64,
}

impl Default for Gate {
    fn default() -> Gate {
        Gate { every: 2000, pairs: 100, elo0: 0.0, elo1: 30.0, alpha: 0.05, beta: 0.05 }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            method: "pg-tree".to_string(),
            game: "minishogi".to_string(),
            start: "nothing".to_string(),
            seed: 1,
            games: 10_000,
            batch: 16,
            search: "mcss(t=80,hash=4)".to_string(),
            evaluations: 500,
            temperature: 50.0,
            random: 8,
            plies: 200,
            k: 600.0,
            lambda: 0.9,
            discount: 0.99,
            baseline: "value".to_string(),
            replies: "learned".to_string(),
            least: 0.0,
            leaves: 8,
            samples: 8,
            depth: 1,
            tries: 4,
            policy: "even".to_string(),
            playouts: 2,
            records: Vec::new(),
            checkpoint: 10,
            steps: Steps::default(),
            pool: Pool::default(),
            gate: Gate::default(),
        }
    }
}

impl Config {
    /// Reads a file.
    pub fn read(text: &str) -> Result<Config, TextError> {
        let config: Config = toml::from_str(text).map_err(|error| TextError::new(error.to_string().trim_end()))?;
        config.check()?;
        Ok(config)
    }

    /// The file.
    pub fn write(&self) -> Result<String, TextError> {
        toml::to_string_pretty(self).map_err(|error| TextError::new(error.to_string()))
    }

    /// Refuses numbers that make no sense, before anything is written.
    pub fn check(&self) -> Result<(), TextError> {
        let refuse = |what: String| Err(TextError::new(what));
        if !METHODS.contains(&self.method.as_str()) {
            return refuse(format!("{} is no method here: {}", self.method, METHODS.join(", ")));
        }
        for (name, count) in [
            ("games", self.games),
            ("batch", self.batch),
            ("evaluations", self.evaluations),
            ("checkpoint", self.checkpoint),
            ("plies", self.plies as u64),
            ("samples", self.samples as u64),
            ("depth", u64::from(self.depth)),
            ("tries", self.tries as u64),
            ("playouts", self.playouts as u64),
            ("pool.every", self.pool.every),
        ] {
            if count == 0 {
                return refuse(format!("{name} is at least 1"));
            }
        }
        if self.batch > LARGEST_BATCH {
            return refuse(format!("batch is at most {LARGEST_BATCH}, not {}", self.batch));
        }
        for (name, value) in [("temperature", self.temperature), ("k", self.k), ("steps.rate", self.steps.rate)] {
            if !(value.is_finite() && value > 0.0) {
                return refuse(format!("{name} is a number above 0, not {value}"));
            }
        }
        for (name, value) in [
            ("lambda", self.lambda),
            ("discount", self.discount),
            ("least", self.least),
            ("pool.share", self.pool.share),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return refuse(format!("{name} is a fraction from 0 to 1, not {value}"));
            }
        }
        let Steps { l1, l2, clip, epsilon, .. } = self.steps;
        for (name, value) in [("steps.l1", l1), ("steps.l2", l2), ("steps.clip", clip), ("steps.epsilon", epsilon)] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(format!("{name} is a number from 0 on, not {value}"));
            }
        }
        self.start()?;
        self.baseline()?;
        self.replies()?;
        let search = self.search()?;
        if self.method.starts_with("s3-") {
            survival(&search)?;
        }
        Ok(())
    }

    /// Whether a simulation policy and the temperature are learned as well.
    pub fn learns_control(&self) -> bool {
        self.method.starts_with("s3-") || self.method == "imitation"
    }

    /// A file with some values changed: `("steps.rate", "0.1")`. A value that is no TOML is a word. What depends on the
    /// game or the method and stands nowhere is filled in (`defaults.rs`).
    pub fn with(text: &str, changes: &[(String, String)]) -> Result<Config, TextError> {
        let mut table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| TextError::new(error.to_string()))?;
        for (key, value) in changes {
            let value = match format!("x = {value}").parse::<toml::Table>() {
                Ok(mut line) => line.remove("x").unwrap_or_else(|| toml::Value::String(value.clone())),
                Err(_) => toml::Value::String(value.clone()),
            };
            let (inner, key) = match key.split_once('.') {
                Some((outer, key)) => {
                    let entry = table.entry(outer).or_insert_with(|| toml::Table::new().into());
                    let inner = entry.as_table_mut();
                    (inner.ok_or_else(|| TextError::new(format!("{outer} has no parts")))?, key)
                }
                None => (&mut table, key.as_str()),
            };
            inner.insert(key.to_string(), value);
        }
        defaults::fill(&mut table);
        let text = toml::to_string(&table).map_err(|error| TextError::new(error.to_string()))?;
        Config::read(&text)
    }

    /// Where the run begins.
    pub fn start(&self) -> Result<Start, TextError> {
        choice(
            "start",
            &self.start,
            [("nothing", Start::Nothing), ("material", Start::Material), ("embedded", Start::Embedded)],
        )
    }

    fn baseline(&self) -> Result<Baseline, TextError> {
        choice("baseline", &self.baseline, [("none", Baseline::None), ("value", Baseline::Value)])
    }

    fn replies(&self) -> Result<Replies, TextError> {
        choice("replies", &self.replies, [("learned", Replies::Learned), ("fixed", Replies::Fixed)])
    }

    /// The search before a move; one thread, for games run side by side.
    pub fn search(&self) -> Result<SearchMethod, TextError> {
        let method: SearchMethod = self.search.parse().map_err(|error: TextError| error.context("search"))?;
        // Imitation looks at the root alone, whatever search has found its move.
        if self.method != "imitation" {
            crate::frozen::Rules::of(&method.recipe, 1.0).map_err(|error| error.context("search"))?;
        }
        Ok(method)
    }

    /// Over how many steps the rate falls: those of the whole run, if no horizon is named.
    pub fn horizon(&self) -> u64 {
        let games = if self.steps.horizon > 0 { self.steps.horizon } else { self.games };
        games.div_ceil(self.batch)
    }

    /// The method.
    pub fn method<P: Position, M: Model<P>>(&self) -> Result<Box<dyn Method<P, M>>, TextError> {
        let (k, lambda) = (self.k, self.lambda);
        let (baseline, replies, discount) = (self.baseline()?, self.replies()?, self.discount);
        let gradient =
            |form: Form| -> Box<dyn Method<P, M>> { Box::new(PolicyGradient { form, replies, baseline, discount, k }) };
        Ok(match self.method.as_str() {
            "pg-tree" => gradient(Form::Tree(self.least)),
            "pg-sampling" => gradient(Form::Sampling(self.samples)),
            "pg-leaf" => gradient(Form::Leaf),
            "pg-leaf-improved" => gradient(Form::ImprovedLeaf),
            "reinforce" => gradient(Form::Raw),
            "pg-expectation" => {
                let t = crate::frozen::Rules::of(&self.search()?.recipe, 1.0)?.backup_temperature(0, &[]);
                Box::new(PgExpectation { depth: self.depth, t, credit: credit(baseline, discount, k) })
            }
            "s3-deterministic" | "s3-stochastic" | "s3-tree" => {
                let (survival, credit) = (survival(&self.search()?)?, credit(baseline, discount, k));
                let tries = if self.method == "s3-stochastic" { self.tries.max(2) } else { 1 };
                let line = if self.method == "s3-tree" { Lines::Whole } else { Lines::Principal };
                Box::new(SearchControl { line, tries, survival, credit })
            }
            "imitation" => Box::new(Imitation),
            "td-leaf" => Box::new(TdLeaf { lambda, k }),
            "root-strap" => Box::new(RootStrap { k }),
            "tree-strap" => Box::new(TreeStrap { k }),
            "tdmc" => Box::new(Tdmc { lambda, k, playouts: self.playouts, longest: self.plies }),
            "comparison" => Box::new(Comparison { k }),
            other => return Err(TextError::new(format!("{other} is no method here: {}", METHODS.join(", ")))),
        })
    }
}

/// μ and τ of a search whose growth is controlled by the simulation policy.
fn survival(search: &SearchMethod) -> Result<Survival, TextError> {
    match search.recipe.expand {
        Expand::Growth { mu, tau, of: Source::Prior, .. } => Ok(Survival { mu: f64::from(mu), tau: f64::from(tau) }),
        _ => Err(TextError::new(
            "search: growth is learned where the simulation policy controls it: \
             mcss(t=80,hash=4,expand=growth(mu=0.001,tau=0.0003))",
        )),
    }
}

fn choice<T: Copy, const N: usize>(name: &str, text: &str, choices: [(&str, T); N]) -> Result<T, TextError> {
    let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
    let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
    found.ok_or_else(|| TextError::new(format!("{name} is {}, not {text}", words.join(" or "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_back() {
        let config = Config { method: "td-leaf".to_string(), seed: 7, ..Config::default() };
        assert_eq!(Config::read(&config.write().unwrap()).unwrap(), config);
        let short = Config::read("method = \"pg-leaf\"\n[steps]\nrate = 0.5\n").unwrap();
        assert_eq!((short.method.as_str(), short.steps.rate, short.batch), ("pg-leaf", 0.5, 16));
    }

    /// A run without an end of its own, as those of a comparison, needs a horizon: without one a linear schedule does nothing.
    #[test]
    fn a_rate_falls_over_the_horizon() {
        let text = "games = 1000000000\nbatch = 16\n[steps]\nschedule = \"linear\"\n";
        let rate = |config: &Config, step: u64| config.steps.schedule.factor(step, config.horizon());
        let endless = Config::read(text).unwrap();
        assert!(rate(&endless, 499) > 0.999);
        let config = Config::read(&format!("{text}horizon = 8000\n")).unwrap();
        assert_eq!((config.horizon(), rate(&config, 0), rate(&config, 250), rate(&config, 600)), (500, 1.0, 0.5, 0.0));
        assert!(rate(&config, 499) < 0.003, "the last step");
        assert!(config.write().unwrap().contains("horizon = 8000") && !endless.write().unwrap().contains("horizon"));
    }

    #[test]
    fn nonsense_is_refused_with_its_name() {
        for (text, words) in [
            ("method = \"pg\"", "pg-tree"),
            ("games = 0", "games is at least 1"),
            ("batch = 99999999999999", "batch is at most 1048576, not 99999999999999"),
            ("lambda = 2.0", "lambda is a fraction"),
            ("temperature = -1.0", "temperature is a number above 0"),
            ("baseline = \"mean\"", "baseline is none or value"),
            ("search = \"mcss(t=x)\"", "search"),
            ("search = \"uct\"", "no gradient"),
            ("speed = 3", "speed"),
            ("[steps]\nrate = \"much\"", "rate"),
        ] {
            let error = Config::read(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
