//! Unbounded best-first minimax (Korf and Chickering 1996; Cohen-Solal 2020): MCSS in the limit T → 0 (S0.3).
//!
//! The principal variation is followed to its leaf, whose children are made and judged; minimax brings the values back. It is the
//! deterministic control for MCSS.

use yomi_core::TextError;

use super::Entry;
use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::Args;
use crate::recipe::Recipe;
use crate::select::Select;

pub(super) const ENTRY: Entry = Entry {
    name: "ubfm",
    about: "Unbounded best-first minimax: extend the principal variation, all siblings at once. MCSS as T goes to 0.",
    paper: "S0.3; Cohen-Solal 2020",
    parameters: &[],
    build,
};

fn build(_: &Args<'_>) -> Result<Recipe, TextError> {
    Ok(Recipe::new(Select::Greedy, Expand::Siblings, Backup::Minimax))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::testing::{complete_tree, search};

    /// The limit of MCSS as T → 0, sample by sample.
    #[test]
    fn it_is_mcss_without_heat() {
        let text = complete_tree(4, 5, &crate::synthetic::leaves(4, 5, 7));
        for n in [1, 5, 20, 80] {
            let (cold, greedy) = (search("mcss(t=0)", &text, 5, n), search("ubfm", &text, 5, n));
            assert_eq!((cold.value, cold.nodes_per_depth), (greedy.value, greedy.nodes_per_depth));
        }
    }
}
