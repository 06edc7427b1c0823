//! Deterministic softmax best-first search with realization probability as its depth control (S0.5).
//!
//! The leaf of highest realization probability, the product of the Boltzmann probabilities along its path, is expanded next. It is
//! MCSS without chance: the same probabilities and the same backup, but the likeliest leaf instead of a likely one.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, parameter};
use crate::recipe::{Recipe, temperature_or};
use crate::select::Select;
use crate::temperature::Temperature;

pub(super) const ENTRY: Entry = Entry {
    name: "softmax-best-first",
    about: "Expands the leaf of highest realization probability; softmax backup. MCSS without chance.",
    paper: "S0.5",
    parameters: &[
        parameter(
            "t",
            "value | by-depth(t,decay=,floor=) | target(fraction)",
            "80",
            "temperature of the probabilities",
        ),
        parameter("tb", "as t", "", "temperature of the backup; as t if left out"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Temperature::parse(&args.word("t")?)?;
    let backup = Backup::Softmax { t: temperature_or(args, "tb", t)? };
    Ok(Recipe::new(Select::BestFirst { t }, Expand::Siblings, backup))
}
