//! Relative entropy for tree search: RENTS (Dam, D'Eramo, Peters, Pajarinen, ICML 2021).
//!
//! As MENTS, with the entropy relative to the policy at the node's last visit, which starts as the prior: the policy moves on in
//! steps of `π ← π·exp(Q/τ)/Z`. (One published program takes the parent's policy instead, which needs moves to mean the same in
//! both positions.) The prior column holds that policy, so priors reported for inner nodes are policies here.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::{EXPAND, Expand};
use crate::parameters::{Args, Range};
use crate::recipe::Recipe;
use crate::select::{EPSILON, Regularizer, Select, T};

pub(super) const ENTRY: Entry = Entry {
    name: "rents",
    about: "Relative-entropy tree search: E3W selection against the last policy, weighted log-sum-exp backup.",
    paper: "Dam et al. 2021",
    parameters: &[T, EPSILON, EXPAND],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Constant::read(args, "t", Range::Positive)?;
    let select = Select::Entropy { t, epsilon: args.number("e", Range::NotNegative)?, by: Regularizer::Relative };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, Backup::Relative { t }))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::searched;
    use crate::tree::ROOT;

    /// One step of the policy after the first visit of the root: uniform times exp(Q/τ), normalised; the value is its free energy.
    #[test]
    fn the_policy_moves_by_the_exponential_of_the_values() {
        let (found, search) = searched("rents(t=0.5,e=0.5)", "((1 3) (2 2.5) (0 4))", 1, 1);
        let tree = search.tree();
        let block = tree.children(ROOT).unwrap();
        // At depth one every move is worth what is written at its node: 0.
        assert!(block.children().all(|child| (tree.prior(child) - 1.0 / 3.0).abs() < 1e-6));
        assert!(found.value.abs() < 1e-6);
        let (found, search) = searched("rents(t=0.5,e=0.5)", "(1 2 0)", 1, 1);
        let policy = crate::backup::operators::probabilities(&[1.0, 2.0, 0.0], 0.5);
        let tree = search.tree();
        for (child, p) in tree.children(ROOT).unwrap().children().zip(policy) {
            assert!((f64::from(tree.prior(child)) - p).abs() < 1e-6);
        }
        let mellow = crate::backup::operators::mellowmax(&[1.0, 2.0, 0.0], 0.5);
        assert!((f64::from(found.value) - mellow).abs() < 1e-6, "{} {mellow}", found.value);
    }
}
