//! Upper confidence bounds applied to trees (Kocsis and Szepesvári 2006; S2.1).
//!
//! The child of highest `X + C·√(2 ln n/n_u)` is followed to a leaf, which is judged (by a playout, as a rule); the leaf gets
//! children once more than `after` playouts started there; every node of the path keeps the mean. The paper plays the move of
//! highest win rate, with C = 1.5 and `after` 30 with tabu lists, 1 without.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{Select, Unit};

pub(super) const ENTRY: Entry = Entry {
    name: "uct",
    about: "UCT: UCB1 selection, one leaf at a time, mean backup. Made for playouts.",
    paper: "S2.1",
    parameters: &[
        parameter("c", "win rate", "1.5", "weight of exploration"),
        parameter("after", "visits", "1", "a leaf gets children when more playouts than this started there"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let select = Select::Ucb1 { c: Constant::Fixed(args.number("c", Range::NotNegative)?), unit: Unit::WinRate };
    Ok(Recipe::new(select, Expand::Leaf { after: args.value("after")? }, Backup::Mean))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::search;

    /// The best arm is sampled most, and every arm for ever: n_u grows at least as the logarithm of n.
    #[test]
    fn the_best_arm_is_sampled_most() {
        let found = search("uct(c=0.001,after=0)", "(1:(1 1) 2:(2 2) 0:(0 0))", 1, 3000);
        let best = &found.moves[0];
        assert_eq!((best.mv.0, found.simulations), (1, 3000));
        assert!(best.visits > 1500 && found.moves.iter().all(|m| m.visits >= 8), "{:?}", found.moves);
        // One visit of the root itself, made before it had children.
        assert_eq!(found.moves.iter().map(|m| m.visits).sum::<u64>(), 2999);
        assert!((found.moves[0].value - 2.0).abs() < 1e-3);
    }

    #[test]
    fn a_leaf_waits_for_its_playouts() {
        let nodes = |n| search("uct(after=30)", "((1 1) (2 2))", 2, n).nodes;
        assert_eq!((nodes(30), nodes(31)), (1, 3));
    }
}
