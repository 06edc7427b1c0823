//! UCTMAXH: UCTH that backs up the best child instead of the mean (Ramanujan and Selman 2011; S0.5).
//!
//! Children nobody has visited have no say, and a node nobody has gone beyond keeps its own evaluation.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{Select, Unit};

pub(super) const ENTRY: Entry = Entry {
    name: "uct-max-h",
    about: "UCT with a heuristic evaluation at its leaves and minimax backup.",
    paper: "S0.5; Ramanujan and Selman 2011",
    parameters: &[
        parameter("c", "value", "1", "weight of exploration"),
        parameter("after", "visits", "0", "visits that must lie behind a leaf before it gets children"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Ucb1 { c: args.number("c", Range::NotNegative)?, unit: Unit::Value };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Minimax))
}
