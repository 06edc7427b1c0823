//! UCTH: UCT whose leaves are judged by a heuristic evaluation instead of a playout (Ramanujan and Selman 2011; S0.5).
//!
//! A heuristic needs one look, so the leaf gets children at its first visit, and the exploration constant counts in the
//! evaluator's own unit like every temperature.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{C_HEURISTIC, Select, Unit};

pub(super) const ENTRY: Entry = Entry {
    name: "uct-h",
    about: "UCT with a heuristic evaluation at its leaves.",
    paper: "S0.5; Ramanujan and Selman 2011",
    parameters: &[
        C_HEURISTIC,
        parameter("after", "visits", "0", "visits that must lie behind a leaf before it gets children"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Ucb1 { c: Constant::read(args, "c", Range::NotNegative)?, unit: Unit::Value };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Mean))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::search;

    /// One evaluated position per sample, and values in the evaluator's own unit: a constant of 1,000 spreads the samples, one of 1
    /// does not.
    #[test]
    fn the_constant_counts_in_the_evaluators_unit() {
        let share = |c: &str| {
            let found = search(&format!("uct-h(c={c})"), "(100:(1 1) 200:(1 1))", 1, 400);
            assert_eq!(found.evaluations, 400);
            found.moves[0].visits as f64 / 400.0
        };
        assert!(share("1") > 0.95 && share("1000") < 0.75, "{} {}", share("1"), share("1000"));
    }
}
