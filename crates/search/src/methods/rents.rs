//! Relative entropy for tree search: RENTS (Dam, D'Eramo, Peters, Pajarinen, ICML 2021).
//!
//! As MENTS, with the entropy relative to the policy at the node's last visit, which starts as the prior: the policy moves on in
//! steps of `π ← π·exp(Q/τ)/Z`. (One published program takes the parent's policy instead, which needs moves to mean the same in
//! both positions.) The prior column holds that policy, so priors reported for inner nodes are policies here.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::{Recipe, expand_of};
use crate::select::{Regularizer, Select};

pub(super) const ENTRY: Entry = Entry {
    name: "rents",
    about: "Relative-entropy tree search: E3W selection against the last policy, weighted log-sum-exp backup.",
    paper: "Dam et al. 2021",
    parameters: &[
        parameter("t", "value", "0.1", "temperature"),
        parameter("e", "fraction", "0.01", "exploration ε: the uniform part is ε|A|/ln(N+1), at most 1"),
        parameter("expand", "siblings | leaf(after=) | …", "siblings", "how the tree grows"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = args.number("t", Range::Positive)?;
    let select = Select::Entropy { t, epsilon: args.number("e", Range::NotNegative)?, by: Regularizer::Relative };
    Ok(Recipe::new(select, expand_of(args)?, Backup::Relative { t }))
}
