//! Monte Carlo softmax search (S0.1–S0.3).
//!
//! From the root, children are drawn by their Boltzmann probability until a leaf is met. All its children are made and judged at
//! once, and every node of the path becomes the expectation of its children under the same distribution. There are no playouts.
//! High temperatures search wide and shallow, low ones deep and narrow; towards zero it becomes best-first minimax. The move of
//! highest probability is played.
//!
//! Siblings are judged once and never again, so the evaluation had better be repeatable and of low variance: with single random
//! playouts it may freeze on a lucky line. Average many (`rollout(…,n=…)`) or use a learned evaluation.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, parameter};
use crate::recipe::{Recipe, temperature_or};
use crate::select::Select;
use crate::temperature::Temperature;

pub(super) const ENTRY: Entry = Entry {
    name: "mcss",
    about: "Monte Carlo softmax search: Boltzmann selection, all siblings judged at once, softmax backup.",
    paper: "S0.1, S0.2, S0.3",
    parameters: &[
        parameter("t", "value | by-depth(t,decay=,floor=) | target(fraction)", "80", "temperature of selection"),
        parameter("tb", "as t", "", "temperature of the backup (S4.1); as t if left out"),
        parameter("expand", "siblings | growth(…)", "siblings", "how the tree grows (S3.2)"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Temperature::parse(&args.word("t")?)?;
    let backup = Backup::Softmax { t: temperature_or(args, "tb", t)? };
    Ok(Recipe::new(Select::Boltzmann { t, c: 0.0 }, Expand::parse(&args.word("expand")?)?, backup))
}
