//! Tsallis entropy for tree search: TENTS (Dam, D'Eramo, Peters, Pajarinen, ICML 2021).
//!
//! The policy `max(Q/τ-ζ, 0)` is sparse: bad moves have no probability at all, apart from the uniform exploration.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::{Recipe, expand_of};
use crate::select::{Regularizer, Select};

pub(super) const ENTRY: Entry = Entry {
    name: "tents",
    about: "Tsallis-entropy tree search: sparse E3W selection, sparse maximum backup.",
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
    let select = Select::Entropy { t, epsilon: args.number("e", Range::NotNegative)?, by: Regularizer::Tsallis };
    Ok(Recipe::new(select, expand_of(args)?, Backup::Sparsemax { t }))
}
