//! Searching small games written down as trees, for the tests of the methods.

use yomi_core::toy::ToyTree;
use yomi_core::{Line, Position, Seed};
use yomi_eval::TreeValues;

use crate::search::{Limits, Search, Verdict};
use crate::tree_search::TreeSearch;

pub(crate) type Found = Verdict<<ToyTree as Position>::Move>;

/// Searches the tree that `text` describes, no deeper than `depth`.
pub(crate) fn search(method: &str, text: &str, depth: u32, simulations: u64) -> Found {
    searched(method, text, depth, simulations).0
}

/// The same, with the search, whose tree can be looked at.
pub(crate) fn searched(
    method: &str,
    text: &str,
    depth: u32,
    simulations: u64,
) -> (Found, TreeSearch<ToyTree, TreeValues>) {
    let method = method.parse().unwrap_or_else(|e| panic!("{method}: {e}"));
    let tree: ToyTree = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    let limits = Limits { depth: Some(depth), ..Limits::simulations(simulations) }.seeded(Seed::new(1));
    let mut search = TreeSearch::new(method, TreeValues);
    let found = search.search(&Line::new(tree), &limits, &mut ());
    (found, search)
}

/// The branches by index, so that a test can write them down.
pub(crate) fn line(found: &Found) -> Vec<u16> {
    found.pv.iter().map(|branch| branch.0).collect()
}

/// A complete tree of `k` branches and depth `d` with these leaves, as text. Inner nodes are judged by the mean below them.
pub(crate) fn complete_tree(k: usize, d: usize, leaves: &[f64]) -> String {
    let mean = leaves.iter().sum::<f64>() / leaves.len() as f64;
    if d == 0 {
        return format!("{mean:?}");
    }
    let parts: Vec<String> = leaves.chunks(leaves.len() / k).map(|part| complete_tree(k, d - 1, part)).collect();
    format!("{mean:?}:({})", parts.join(" "))
}
