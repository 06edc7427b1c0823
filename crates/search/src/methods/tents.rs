//! Tsallis entropy for tree search: TENTS (Dam, D'Eramo, Peters, Pajarinen, ICML 2021).
//!
//! The policy `max(Q/τ-ζ, 0)` is sparse: bad moves have no probability at all, apart from the uniform exploration.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::{EXPAND, Expand};
use crate::parameters::{Args, Range};
use crate::recipe::Recipe;
use crate::select::{EPSILON, Regularizer, Select, T};

pub(super) const ENTRY: Entry = Entry {
    name: "tents",
    about: "Tsallis-entropy tree search: sparse E3W selection, sparse maximum backup.",
    paper: "Dam et al. 2021",
    parameters: &[T, EPSILON, EXPAND],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Constant::read(args, "t", Range::Positive)?;
    let select = Select::Entropy { t, epsilon: args.number("e", Range::NotNegative)?, by: Regularizer::Tsallis };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, Backup::Sparsemax { t }))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::backup::operators;
    use crate::testing::search;

    #[test]
    fn the_value_is_the_sparse_maximum_of_its_children() {
        let found = search("tents(t=0.5,e=0.5)", "((1 3) (2 2.5) (0 4))", 2, 1000);
        let replies = [[-1.0, -3.0], [-2.0, -2.5], [0.0, -4.0]];
        let moves: Vec<f64> = replies.iter().map(|r| -operators::sparsemax(r, 0.5)).collect();
        let root = operators::sparsemax(&moves, 0.5);
        assert!((f64::from(found.value) - root).abs() < 1e-5, "{} {root}", found.value);
    }
}
