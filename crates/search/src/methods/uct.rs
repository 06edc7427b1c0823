//! Upper confidence bounds applied to trees (Kocsis and Szepesvári 2006; S2.1).
//!
//! The child of highest `X + C·√(2 ln n/n_u)` is followed to a leaf, which is judged (by a playout, as a rule); the leaf gets
//! children once more than `after` playouts started there; every node of the path keeps the mean. The paper plays the move of
//! highest win rate, with C = 1.5 and `after` 30 with tabu lists, 1 without.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{Select, Unit};

pub(super) const ENTRY: Entry = Entry {
    name: "uct",
    about: "UCT: UCB1 selection, one leaf at a time, mean backup. Made for playouts.",
    paper: "S2.1",
    parameters: &[
        parameter("c", "win rate", "1.5", "weight of exploration"),
        parameter("after", "visits", "1", "a leaf gets children when more playouts than this started there"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Ucb1 { c: args.number("c", Range::NotNegative)?, unit: Unit::WinRate };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Mean))
}
