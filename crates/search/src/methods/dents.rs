//! Decaying entropy tree search: DENTS (Painter, Baioumy, Hawes, Lacerda, NeurIPS 2023).
//!
//! Values are backed up by minimax and the entropy of the subtree apart from them; selection adds the entropy with a weight
//! `β/√N` that fades. In a game the entropy of the other side's choices counts against the chooser, as its values do: with a constant
//! weight equal to the temperature and Boltzmann backup this would be MENTS.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::{Recipe, expand_of};
use crate::select::Select;

pub(super) const ENTRY: Entry = Entry {
    name: "dents",
    about: "Decaying-entropy tree search: BTS with a bonus for the entropy below a move that fades.",
    paper: "Painter et al. 2023",
    parameters: &[
        parameter("t", "value", "0.1", "temperature"),
        parameter("e", "fraction", "0.01", "exploration ε: the uniform part is ε|A|/ln(N+1), at most 1"),
        parameter("beta", "value", "0.1", "weight of the entropy, falling as 1/√N"),
        parameter("expand", "siblings | leaf(after=) | …", "siblings", "how the tree grows"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = args.number("t", Range::Positive)?;
    let epsilon = args.number("e", Range::NotNegative)?;
    let select = Select::Dents { t, epsilon, beta: args.number("beta", Range::NotNegative)? };
    Ok(Recipe::new(select, expand_of(args)?, Backup::Minimax))
}
