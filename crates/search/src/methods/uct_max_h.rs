//! UCTMAXH: UCTH that backs up the best child instead of the mean (Ramanujan and Selman 2011; S0.5).
//!
//! Unvisited children have no say, and a node without visited children keeps its own evaluation.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{C_HEURISTIC, Select, Unit};

pub(super) const ENTRY: Entry = Entry {
    name: "uct-max-h",
    about: "UCT with a heuristic evaluation at its leaves and minimax backup.",
    paper: "S0.5; Ramanujan and Selman 2011",
    parameters: &[
        C_HEURISTIC,
        parameter("after", "visits", "0", "visits that must lie behind a leaf before it gets children"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Ucb1 { c: Constant::read(args, "c", Range::NotNegative)?, unit: Unit::Value };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Minimax))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{line, search};

    /// The mean of the first move is dragged down by the bad reply, its minimax is not.
    #[test]
    fn the_best_child_is_backed_up() {
        let node = |v: i32| format!("{v}:(0 0)");
        let text =
            format!("((({} {}) ({} {})) (({n} {n}) ({n} {n})))", node(3), node(-9), node(4), node(-8), n = node(1));
        let found = search("uct-max-h(c=30)", &text, 3, 300);
        assert_eq!((found.value, line(&found)), (3.0, vec![0, 0, 0]));
    }
}
