//! A Thompson variant of randomised best-first minimax (Shoham and Toledo 2002; S0.5).
//!
//! Its authors draw a value for every leaf and follow the line that is principal under the minimax of those draws. Here a draw is made for
//! each child on the way down only, from a normal distribution around its minimax value: the same descent where the spread of a
//! subtree's minimax is that of one number, at the price of one level per step instead of the whole tree. The highest draw is
//! followed, and the values backed up are the minimax. The spread `σ/√(1+n)` falls with the visits of the child, so every child is looked
//! at again from time to time and the search still settles.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range};
use crate::recipe::Recipe;
use crate::select::{SIGMA, Select};

pub(super) const ENTRY: Entry = Entry {
    name: "rbfm",
    about: "A Thompson variant of randomised best-first minimax: follow the highest of one draw for each child, minimax backup.",
    paper: "S0.5; Shoham and Toledo 2002",
    parameters: &[SIGMA],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Thompson { sigma: Constant::read(args, "sigma", Range::NotNegative)? };
    Ok(Recipe::new(select, Expand::Siblings, Backup::Minimax))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{line, search};

    #[test]
    fn the_minimax_is_found() {
        let found = search("rbfm(sigma=3)", "((1 3) (2 2.5) (0 4))", 2, 100);
        assert_eq!((found.value, line(&found)), (2.0, vec![1, 0]));
    }

    /// Without spread it is unbounded best-first minimax.
    #[test]
    fn without_chance_it_is_best_first() {
        let text = crate::testing::complete_tree(3, 5, &crate::synthetic::leaves(3, 5, 3));
        let (drawn, greedy) = (search("rbfm(sigma=0)", &text, 5, 20), search("ubfm", &text, 5, 20));
        assert_eq!((drawn.value, drawn.nodes_per_depth), (greedy.value, greedy.nodes_per_depth));
    }
}
