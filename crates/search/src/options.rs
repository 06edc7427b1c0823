//! The options of every tree search, besides its recipe.

use yomi_core::{Spec, TextError};

use crate::machine::{MAX_THREADS, TREE_MEMORY};
use crate::parameters::{Args, Parameter, Range, parameter};
use crate::recipe::{Choose, Recipe};
use crate::select::Select;

/// Resources and habits of a tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Memory of the tree in mebibytes.
    pub hash: u64,
    /// Threads that sample at the same time.
    pub threads: usize,
    /// Samples that a thread has in flight at the same time; 0 for as many as the evaluator likes to answer at once.
    pub flights: usize,
    /// Independent trees, merged at the root in order; with one, all threads share it.
    pub trees: usize,
    /// Whether the part of the tree below a move played is kept.
    pub reuse: bool,
    /// How much a sample in flight lowers a node for the others, in the selection rule's own measure. For rules without chance only.
    pub virtual_loss: f32,
    /// The temperatures of the threads, as multiples of the recipe's.
    pub spread: Spread,
    /// Whether a search ends once the most visited move cannot be overtaken with the simulations left.
    pub settled: bool,
}

/// How the temperatures of threads differ: different threads search at different temperatures (Shibaura MCSS).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Spread {
    /// Not at all.
    Same,
    /// From the first to the second in equal steps.
    Linear(f32, f32),
    /// From the first to the second by equal factors.
    Log(f32, f32),
}

impl Spread {
    /// The factor by which the `member`-th of `members` threads is hotter than the recipe.
    pub fn factor(self, member: usize, members: usize) -> f32 {
        let along = if members > 1 { member as f32 / (members - 1) as f32 } else { 0.5 };
        match self {
            Spread::Same => 1.0,
            Spread::Linear(low, high) => low + along * (high - low),
            Spread::Log(low, high) => low * (high / low).powf(along),
        }
    }

    fn parse(spec: &Spec) -> Result<Spread, TextError> {
        let args = Args { spec, table: &[] };
        let factor = |index| args.positional(index, "two factors of the temperature", Range::Positive);
        let spread = match spec.name.as_str() {
            "same" => Spread::Same,
            "linear" => Spread::Linear(factor(0)?, factor(1)?),
            "log" => Spread::Log(factor(0)?, factor(1)?),
            _ => return Err(spec.unknown("a spread", ["same", "linear(low,high)", "log(low,high)"])),
        };
        spec.reject_unused()?;
        Ok(spread)
    }
}

/// No more trees than this: beyond it lies a typing error.
const MOST_TREES: usize = 1024;

/// No more samples in flight than this: they would hardly know of each other.
pub(crate) const MOST_FLIGHTS: usize = 4096;

/// The parameters that every method of the tree family takes.
pub const PARAMETERS: &[Parameter] = &[
    parameter("hash", "mebibytes", TREE_MEMORY.1, "memory of the tree"),
    parameter("threads", "count", "1", "threads that sample at the same time"),
    parameter(
        "flights",
        "count | auto",
        "auto",
        "samples that a thread has in flight; auto: as many as the evaluator likes to answer at once, 1 for most",
    ),
    parameter("trees", "count", "1", "independent trees merged at the root, bit-exact with any number of threads"),
    parameter("reuse", "on | off", "on", "keep what is known of the moves played"),
    parameter("virtual-loss", "factor", "1", "how much a sample in flight repels the others"),
    parameter(
        "spread",
        "same | linear(low,high) | log(low,high)",
        "same",
        "temperatures of the threads, as multiples of t",
    ),
    parameter(
        "settled",
        "on | off",
        "off",
        "end once the most visited move cannot be overtaken with the simulations left (for choose=visits)",
    ),
    parameter("solver", "on | off", "on", "prove wins, draws and losses and believe them"),
    parameter("choose", Choose::WORDS, "", "how the move is chosen in the end; the method decides if left out"),
];

impl Default for Options {
    fn default() -> Self {
        let spread = Spread::Same;
        let (hash, _) = TREE_MEMORY;
        Options { hash, threads: 1, flights: 0, trees: 1, reuse: true, virtual_loss: 1.0, spread, settled: false }
    }
}

impl Options {
    /// Reads the options, and what they change in the recipe.
    pub(crate) fn read(spec: &Spec, recipe: &mut Recipe) -> Result<Options, TextError> {
        let args = Args { spec, table: PARAMETERS };
        let count = |key: &str, most: usize| -> Result<usize, TextError> {
            let n: usize = args.value(key)?;
            if (1..=most).contains(&n) { Ok(n) } else { Err(args.word(key)?.error(format!("{key} is 1 to {most}"))) }
        };
        recipe.solver = args.switch("solver")?;
        if let Some(word) = args.optional("choose")? {
            recipe.choose = Choose::parse(&word)?;
            if recipe.choose.weighs_mass() && !matches!(recipe.select, Select::Anchored { .. }) {
                return Err(word.error("this selection keeps no mass; mcss and select=anchored do"));
            }
        }
        let word = args.word("spread")?;
        let spread = Spread::parse(&word)?;
        if spread != Spread::Same && recipe.select.heated(1.0).is_none() {
            return Err(word.error("this selection has no temperature that threads could differ in"));
        }
        let trees = count("trees", MOST_TREES)?;
        let settled = args.switch("settled")?;
        if settled && (trees > 1 || recipe.choose != Choose::Visits) {
            return Err(args
                .word("settled")?
                .error("only the most visited move of one tree is settled before the end"));
        }
        Ok(Options {
            spread,
            settled,
            trees,
            hash: count("hash", 1 << 24)? as u64,
            threads: count("threads", MAX_THREADS)?,
            flights: if args.word("flights")?.name == "auto" { 0 } else { count("flights", MOST_FLIGHTS)? },
            reuse: args.switch("reuse")?,
            virtual_loss: args.number("virtual-loss", Range::NotNegative)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Method;

    #[test]
    fn threads_differ_in_temperature() {
        let factors = |spread: Spread| [0, 1, 2].map(|thread| spread.factor(thread, 3));
        assert_eq!(factors(Spread::Linear(0.5, 2.5)), [0.5, 1.5, 2.5]);
        let log = factors(Spread::Log(0.5, 2.0));
        assert!((log[0] - 0.5).abs() < 1e-6 && (log[1] - 1.0).abs() < 1e-6 && (log[2] - 2.0).abs() < 1e-6, "{log:?}");
        assert_eq!(factors(Spread::Same), [1.0; 3]);
        assert_eq!(Spread::Linear(0.5, 2.5).factor(0, 1), 1.5);
        let method: Method = "mcss(t=80,threads=4,spread=log(0.5,2.5))".parse().unwrap();
        assert_eq!(method.options.spread, Spread::Log(0.5, 2.5));
        for text in ["mcss(settled=on)", "puct(settled=on,trees=2)", "puct(settled=maybe)"] {
            assert!(text.parse::<Method>().is_err(), "{text}");
        }
        assert!("puct(settled=on)".parse::<Method>().unwrap().options.settled);
        for text in ["uct(choose=mass(1))", "mcss(choose=mass)", "mcss(choose=mass-weighted(0))", "mcss(choose=luck)"] {
            assert!(text.parse::<Method>().is_err(), "{text}");
        }
        for text in ["mass(3)", "mass-weighted(80)", "least-mass(1.5)", "anchored", "visits"] {
            let recipe = format!("mcss(choose={text})").parse::<Method>().unwrap().recipe;
            assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe, "{text}");
        }
        for text in ["mcss(spread=wide)", "mcss(spread=log(1))", "mcss(spread=log(0,1))", "uct(spread=log(1,2))"] {
            assert!(text.parse::<Method>().is_err(), "{text}");
        }
    }
}
