//! AlphaZero-type search: the baseline of S4.1.
//!
//! Deterministic selection by `Q + c·P·√Σn/(1+n)`, one evaluated position per sample, mean backup, the most visited move is played.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::constant::Constant;
use crate::expand::Expand;
use crate::parameters::{Args, Range, parameter};
use crate::recipe::Recipe;
use crate::select::{C_PUCT, Select, parse_first_play};

pub(super) const ENTRY: Entry = Entry {
    name: "puct",
    about: "AlphaZero-type search: policy and value, one evaluated position per sample, mean backup.",
    paper: "S4.1; Silver et al. 2018",
    parameters: &[
        C_PUCT,
        parameter("base", "visits", "0", "c grows by ln((N+base+1)/base), AlphaZero's base is 19652; 0: it does not"),
        parameter("fpu", "parent(less) | value(x) | loss", "parent(0)", "value of an unvisited move"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let c = Constant::read(args, "c", Range::NotNegative)?;
    let base = args.number("base", Range::NotNegative)?;
    let select = Select::Puct { c, base, first_play: parse_first_play(&args.word("fpu")?)? };
    Ok(Recipe::new(select, Expand::Leaf { after: 0 }, Backup::Mean).by_visits())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::search;

    /// With equal values samples follow the priors, here uniform; one evaluated position per sample.
    #[test]
    fn equal_moves_are_sampled_equally() {
        let found = search("puct(c=1)", "((0 0) (0 0) (0 0) (0 0))", 1, 401);
        assert!(found.moves.iter().all(|m| m.visits == 100), "{:?}", found.moves);
        assert_eq!(found.evaluations, 401);
    }

    /// Unvisited moves count as lost or as much as their parent: the first stays with the first good move, the second looks around.
    #[test]
    fn first_play_urgency_decides_how_wide_it_looks() {
        let tried = |fpu: &str| {
            let found = search(&format!("puct(c=0.1,fpu={fpu})"), "(5:(1 1) 5:(1 1) 5:(1 1) 5:(1 1))", 1, 12);
            found.moves.iter().filter(|m| m.visits > 0).count()
        };
        assert_eq!((tried("loss"), tried("value(1000)")), (1, 4));
    }
}
