//! Maximum entropy for tree search: MENTS (Xiao, Huang, Mei, Schuurmans, Müller, NeurIPS 2019).
//!
//! Children are drawn by `(1-λ)·exp((Q-V)/τ) + λ/|A|` and a node is worth `τ·ln Σ exp(Q/τ)`: the expectation of MCSS plus τ times the
//! entropy of the policy. It therefore favours bushy nodes, which MCSS does not.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::{EXPAND, Expand};
use crate::parameters::{Args, Range};
use crate::recipe::Recipe;
use crate::select::{EPSILON, Regularizer, Select, T};

pub(super) const ENTRY: Entry = Entry {
    name: "ments",
    about: "Maximum-entropy tree search: E2W selection, log-sum-exp backup.",
    paper: "Xiao et al. 2019",
    parameters: &[T, EPSILON, EXPAND],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Constant::read(args, "t", Range::Positive)?;
    let select = Select::Entropy { t, epsilon: args.number("e", Range::NotNegative)?, by: Regularizer::Shannon };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, Backup::LogSumExp { t }))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::backup::operators;
    use crate::testing::search;

    #[test]
    fn the_value_is_the_log_sum_exp_of_its_children() {
        let found = search("ments(t=0.5,e=0.5)", "((1 3) (2 2.5) (0 4))", 2, 1000);
        let replies = [[-1.0, -3.0], [-2.0, -2.5], [0.0, -4.0]];
        let moves: Vec<f64> = replies.iter().map(|r| -operators::log_sum_exp(r, 0.5)).collect();
        let root = operators::log_sum_exp(&moves, 0.5);
        assert!((f64::from(found.value) - root).abs() < 1e-5, "{} {root}", found.value);
    }
}
