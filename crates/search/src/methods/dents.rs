//! Decaying entropy tree search: DENTS (Painter, Baioumy, Hawes, Lacerda, NeurIPS 2023).
//!
//! Values are backed up by minimax and the entropy of the subtree apart from them; selection adds the entropy with a weight
//! `β/ln(e + N)` that fades. In a game the entropy of the other side's choices counts against the chooser, as its values do: with a constant
//! weight equal to the temperature and Boltzmann backup this would be MENTS.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::{EXPAND, Expand};
use crate::parameters::{Args, Range};
use crate::recipe::Recipe;
use crate::select::{BETA, EPSILON_BTS, Select, T};

pub(super) const ENTRY: Entry = Entry {
    name: "dents",
    about: "Decaying-entropy tree search: BTS with a bonus for the entropy below a move that fades.",
    paper: "Painter et al. 2023",
    parameters: &[T, EPSILON_BTS, BETA, EXPAND],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Constant::read(args, "t", Range::Positive)?;
    let epsilon = args.number("e", Range::NotNegative)?;
    let select = Select::Dents { t, epsilon, beta: Constant::read(args, "beta", Range::NotNegative)? };
    Ok(Recipe::new(select, Expand::parse(&args.word("expand")?)?, Backup::Minimax))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::backup::operators::{entropy, probabilities};
    use crate::testing::{line, searched};
    use crate::tree::ROOT;

    /// The best move is found, and the entropy of the subtree is kept apart: for the second player's choices with the other sign.
    #[test]
    fn values_and_entropies_are_apart() {
        let (found, search) = searched("dents(t=0.5,e=0.5,beta=0)", "((1 3) (2 2.5) (0 4))", 2, 1000);
        assert_eq!((found.value, line(&found)), (2.0, vec![1, 0]));
        let tree = search.tree();
        let replies = [[-1.0, -3.0], [-2.0, -2.5], [0.0, -4.0]];
        let below: Vec<f64> = replies.iter().map(|r| -entropy(&probabilities(r, 0.5))).collect();
        for (child, h) in tree.children(ROOT).unwrap().children().zip(&below) {
            assert!((f64::from(tree.auxiliary(child)) - h).abs() < 1e-5, "{} {h}", tree.auxiliary(child));
        }
        let policy = probabilities(&[1.0, 2.0, 0.0], 0.5);
        let root = entropy(&policy) + policy.iter().zip(&below).map(|(p, h)| p * h).sum::<f64>();
        assert!((f64::from(tree.auxiliary(ROOT)) + root).abs() < 1e-5, "{} {root}", tree.auxiliary(ROOT));
    }
}
