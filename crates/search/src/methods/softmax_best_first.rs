//! Deterministic softmax best-first search with realization probability as its depth control (S0.5).
//!
//! The leaf of highest realization probability, the product of the Boltzmann probabilities along its path, is expanded next. It is
//! MCSS without chance: the same probabilities and the same backup, but the likeliest leaf instead of a likely one.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, parameter};
use crate::recipe::Recipe;
use crate::select::Select;
use crate::temperature::Temperature;

pub(super) const ENTRY: Entry = Entry {
    name: "softmax-best-first",
    about: "Expands the leaf of highest realization probability; softmax backup. MCSS without chance.",
    paper: "S0.5",
    parameters: &[
        parameter(
            "t",
            "auto | value | by-depth(t,decay=,floor=) | target(fraction)",
            "auto",
            "temperature of the probabilities",
        ),
        parameter("tb", "as t", "", "temperature of the backup; as t if left out"),
    ],
    build,
};

fn build(args: &Args<'_>) -> Result<Recipe, TextError> {
    let t = Temperature::read(args, "t")?;
    let backup = Backup::Softmax { t: Temperature::read_or(args, "tb", t)? };
    Ok(Recipe::new(Select::BestFirst { t }, Expand::Siblings, backup))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{complete_tree, searched};
    use crate::tree::{NodeId, ROOT, Tree};

    /// The leaf of highest realization probability, by looking at all of them.
    fn likeliest(tree: &Tree, node: NodeId, depth: u32, so_far: f64, t: f64, best: &mut (f64, Option<NodeId>)) {
        match tree.children(node) {
            None if depth < 6 && so_far > best.0 => *best = (so_far, Some(node)),
            None => {}
            Some(block) => {
                let values: Vec<f64> = block.children().map(|child| f64::from(tree.value(child))).collect();
                let probabilities = crate::backup::operators::probabilities(&values, t);
                for (child, p) in block.children().zip(probabilities) {
                    likeliest(tree, child, depth + 1, so_far * p, t, best);
                }
            }
        }
    }

    #[test]
    fn the_likeliest_leaf_is_expanded_next() {
        let text = complete_tree(3, 6, &crate::synthetic::leaves(3, 6, 9));
        let mut checked = 0;
        for n in 1..60 {
            let (_, before) = searched("softmax-best-first(t=0.2)", &text, 6, n);
            let (_, after) = searched("softmax-best-first(t=0.2)", &text, 6, n + 1);
            let mut best = (0.0, None);
            likeliest(before.tree(), ROOT, 0, 1.0, 0.2, &mut best);
            let leaf = best.1.expect("a leaf is left");
            assert!(before.tree().children(leaf).is_none() && after.tree().children(leaf).is_some(), "after {n}");
            checked += 1;
        }
        assert_eq!(checked, 59);
    }
}
