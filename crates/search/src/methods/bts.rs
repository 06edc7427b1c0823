//! Boltzmann tree search: BTS (Painter, Baioumy, Hawes, Lacerda, NeurIPS 2023).
//!
//! Boltzmann selection with uniform exploration, as in MENTS, but the value backed up is the best child's: entropy steers the search
//! and stays out of the values, so the recommendation converges to the best move whatever the temperature. The uniform part fades as
//! `ε/ln(e + N)`, its authors' schedule. They keep the temperature constant, which is the default here; `decay` lets it fall.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::{EXPAND, Expand};
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{EPSILON_BTS, Select, T};

pub(super) const ENTRY: Entry = Entry {
    name: "bts",
    about: "Boltzmann tree search: Boltzmann selection with uniform exploration, minimax backup.",
    paper: "Painter et al. 2023",
    parameters: &[T, EPSILON_BTS, parameter("decay", "power", "0", "the temperature falls as N^-decay"), EXPAND],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Constant::read(args, "t", Range::Positive)?;
    let epsilon = args.number("e", Range::NotNegative)?;
    let select = Select::Bts { t, epsilon, decay: args.number("decay", Range::NotNegative)? };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, Backup::Minimax))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{line, search};

    /// Heat steers the samples and leaves the values alone.
    #[test]
    fn the_best_move_is_found_at_any_temperature() {
        for t in ["0.01", "1", "100"] {
            let found = search(&format!("bts(t={t},e=0.1)"), "((1 3) (2 2.5) (0 4))", 2, 1000);
            assert_eq!((found.value, line(&found)), (2.0, vec![1, 0]), "{t}");
        }
    }
}
