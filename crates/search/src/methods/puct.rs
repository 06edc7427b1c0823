//! AlphaZero-type search: the baseline of S4.1.
//!
//! Deterministic selection by `Q + c·P·√Σn/(1+n)`, one evaluated position a sample, mean backup, the most visited move is played.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{Select, parse_first_play};

pub(super) const ENTRY: Entry = Entry {
    name: "puct",
    about: "AlphaZero-type search: policy and value, one evaluated position a sample, mean backup.",
    paper: "S4.1; Silver et al. 2018",
    parameters: &[
        parameter("c", "value", "1", "weight of exploration"),
        parameter("base", "visits", "0", "c grows by ln((N+base+1)/base), AlphaZero's base is 19652; 0: it does not"),
        parameter("fpu", "parent(less) | value(x) | loss", "parent(0)", "worth of a move nobody tried"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let c = args.number("c", Range::NotNegative)?;
    let base = args.number("base", Range::NotNegative)?;
    let select = Select::Puct { c, base, first_play: parse_first_play(&args.word("fpu")?)? };
    Ok(Recipe::new(select, Expand::Leaf { after: 0 }, Backup::Mean).by_visits())
}
