//! What every tree search may be told besides its recipe.

use yomi_core::TextError;

use crate::parameters::{Args, Parameter, Range, parameter};
use crate::recipe::{CHOICES, Recipe};

/// Resources and habits of a tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Memory of the tree in mebibytes.
    pub hash: u64,
    /// Threads that sample at the same time.
    pub threads: usize,
    /// Independent trees, merged at the root in order; with one, all threads share it.
    pub trees: usize,
    /// Whether the part of the tree below a move played is kept.
    pub reuse: bool,
    /// How much a sample in flight lowers a node for the others, in the selection rule's own measure. For rules without chance only.
    pub virtual_loss: f32,
}

/// No more threads or trees than this: beyond it lies a slip of the keyboard.
const MOST: usize = 1024;

/// The parameters that every method of the tree family takes.
pub const PARAMETERS: &[Parameter] = &[
    parameter("hash", "mebibytes", "256", "memory of the tree"),
    parameter("threads", "count", "1", "threads that sample at the same time"),
    parameter("trees", "count", "1", "independent trees merged at the root, bit-exact with any number of threads"),
    parameter("reuse", "on | off", "on", "keep what is known of the moves played"),
    parameter("virtual-loss", "factor", "1", "how much a sample in flight repels the others"),
    parameter("solver", "on | off", "on", "prove wins, draws and losses and believe them"),
    parameter("choose", "value | visits", "", "how the move is chosen in the end; the method decides if left out"),
];

impl Default for Options {
    fn default() -> Self {
        Options { hash: 256, threads: 1, trees: 1, reuse: true, virtual_loss: 1.0 }
    }
}

impl Options {
    /// Reads the options, and what they change in the recipe.
    pub(crate) fn read(spec: &yomi_core::Spec, recipe: &mut Recipe) -> Result<Options, TextError> {
        let args = Args { spec, table: PARAMETERS };
        let count = |key: &str, most: usize| -> Result<usize, TextError> {
            let n: usize = args.value(key)?;
            if (1..=most).contains(&n) { Ok(n) } else { Err(args.word(key)?.error(format!("{key} is 1 to {most}"))) }
        };
        recipe.solver = args.switch("solver")?;
        if let Some(word) = args.optional("choose")? {
            recipe.choose = word.choice(CHOICES)?;
        }
        Ok(Options {
            hash: count("hash", 1 << 24)? as u64,
            threads: count("threads", MOST)?,
            trees: count("trees", MOST)?,
            reuse: args.switch("reuse")?,
            virtual_loss: args.number("virtual-loss", Range::NotNegative)?,
        })
    }
}
