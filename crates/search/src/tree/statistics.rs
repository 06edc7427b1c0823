//! What a tree knows of its nodes: values, visits, priors and the numbers of single recipes.
//!
//! All of it is Relaxed: single numbers that publish nothing, where a moment's delay does no harm.

use super::{AtomicU32, Block, NodeId, Ordering, Tree};
use crate::score;
use crate::search::Proof;

impl Tree {
    /// The bits of the move that leads here.
    #[inline]
    pub fn mv(&self, node: NodeId) -> u16 {
        self.moves[node.at()].load(Ordering::Relaxed)
    }

    /// The node's [`crate::score`] for the player who moved into it.
    #[inline]
    pub fn value(&self, node: NodeId) -> f32 {
        f32::from_bits(self.values[node.at()].load(Ordering::Relaxed))
    }

    /// Replaces the estimate. A proof stays: nothing is known better.
    #[inline]
    pub fn set_estimate(&self, node: NodeId, value: f32) {
        let bits = score::estimate(value).to_bits();
        // A proof that arrives between a look and a store would be lost, and no sample would go there to prove it again.
        let replaced = |old: u32| (!score::is_proven(f32::from_bits(old))).then_some(bits);
        let _ = self.values[node.at()].fetch_update(Ordering::Relaxed, Ordering::Relaxed, replaced);
    }

    /// The same for a thread that has the tree to itself, without the locked instruction.
    #[inline]
    pub fn set_estimate_alone(&self, node: NodeId, value: f32) {
        if !score::is_proven(self.value(node)) {
            self.values[node.at()].store(score::estimate(value).to_bits(), Ordering::Relaxed);
        }
    }

    /// Records what is proven, for the player who moved into the node.
    pub fn set_proof(&self, node: NodeId, proof: Proof) {
        // A swap, not a store: it takes its place among the updates of the estimate, none of which then replaces it.
        self.values[node.at()].swap(score::from_proof(proof).to_bits(), Ordering::Relaxed);
    }

    /// Adds `change` to the estimate, however many threads do so at once.
    #[inline]
    pub fn add_to_estimate(&self, node: NodeId, change: impl Fn(f32) -> f32) {
        let changed = |bits: u32| {
            let old = f32::from_bits(bits);
            let old = if score::is_seen(old) { old } else { 0.0 };
            (!score::is_proven(old)).then(|| score::estimate(old + change(old)).to_bits())
        };
        // An error means that the value is proven meanwhile, and stays.
        let _ = self.values[node.at()].fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
    }

    /// How many samples went through.
    #[inline]
    pub fn visits(&self, node: NodeId) -> u32 {
        self.visits[node.at()].load(Ordering::Relaxed)
    }

    /// Counts a sample and says how many there are now.
    #[inline]
    pub fn visit(&self, node: NodeId) -> u32 {
        self.visit_times(node, 1)
    }

    /// Counts several samples and says how many there are now.
    #[inline]
    pub fn visit_times(&self, node: NodeId, times: u32) -> u32 {
        self.visits[node.at()].fetch_add(times, Ordering::Relaxed).wrapping_add(times)
    }

    /// The same for a thread that has the tree to itself, without the locked instruction.
    #[inline]
    pub fn visit_alone(&self, node: NodeId) {
        let visits = &self.visits[node.at()];
        visits.store(visits.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Takes a sample back that came to nothing.
    pub fn unvisit(&self, node: NodeId) {
        self.visits[node.at()].fetch_sub(1, Ordering::Relaxed);
    }

    /// The prior probability.
    #[inline]
    pub fn prior(&self, node: NodeId) -> f32 {
        f32::from_bits(self.priors[node.at()].load(Ordering::Relaxed))
    }

    /// Replaces the prior probability.
    #[inline]
    pub fn set_prior(&self, node: NodeId, prior: f32) {
        self.priors[node.at()].store(prior.to_bits(), Ordering::Relaxed);
    }

    /// The auxiliary number of the recipe at work: see [`super::Extras::auxiliary`].
    #[inline]
    pub fn auxiliary(&self, node: NodeId) -> f32 {
        f32::from_bits(self.auxiliary[node.at()].load(Ordering::Relaxed))
    }

    /// Replaces the auxiliary number.
    #[inline]
    pub fn set_auxiliary(&self, node: NodeId, value: f32) {
        self.auxiliary[node.at()].store(value.to_bits(), Ordering::Relaxed);
    }

    /// The static value with which the node was born, for the player who moved into it; none where the recipe does not keep it.
    #[inline]
    pub fn static_value(&self, node: NodeId) -> Option<f32> {
        self.static_values.get(node.at()).map(|x| f32::from_bits(x.load(Ordering::Relaxed)))
    }

    /// The soft depth; none where the recipe does not keep it.
    #[inline]
    pub fn soft_depth(&self, node: NodeId) -> Option<f32> {
        self.soft_depths.get(node.at()).map(|x| f32::from_bits(x.load(Ordering::Relaxed)))
    }

    /// Replaces the soft depth.
    #[inline]
    pub fn set_soft_depth(&self, node: NodeId, depth: f32) {
        self.soft_depths[node.at()].store(depth.to_bits(), Ordering::Relaxed);
    }

    /// How often the move was played anywhere below its parent by the same side, and the mean result (S2.1, RAVE).
    #[inline]
    pub fn amaf(&self, node: NodeId) -> (u32, f32) {
        let visits = self.amaf_visits[node.at()].load(Ordering::Relaxed);
        (visits, f32::from_bits(self.amaf_values[node.at()].load(Ordering::Relaxed)))
    }

    /// Adds some results, given by their sum, to the all-moves-as-first mean.
    pub fn add_amaf(&self, node: NodeId, times: u32, sum: f32) {
        let visits = self.amaf_visits[node.at()].fetch_add(times, Ordering::Relaxed).wrapping_add(times);
        let mean = |bits: u32| {
            let old = f32::from_bits(bits);
            Some((old + (sum - times as f32 * old) / visits as f32).to_bits())
        };
        let _ = self.amaf_values[node.at()].fetch_update(Ordering::Relaxed, Ordering::Relaxed, mean);
    }

    /// The values of siblings, side by side: the one column that selection and backup read most.
    #[inline]
    pub fn read_values(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.values[block.range()], out, f32::from_bits);
    }

    /// The values and visits of `N` siblings from the `first` on.
    #[inline]
    pub(crate) fn values_and_visits<const N: usize>(&self, block: Block, first: usize) -> ([f32; N], [u32; N]) {
        let from = block.child(first).at();
        let (values, visits) = (&self.values[from..from + N], &self.visits[from..from + N]);
        (
            std::array::from_fn(|i| f32::from_bits(values[i].load(Ordering::Relaxed))),
            std::array::from_fn(|i| visits[i].load(Ordering::Relaxed)),
        )
    }

    /// Looks at the first of some siblings that will be compared soon, so that their cache lines are on the way meanwhile.
    #[inline]
    pub(crate) fn approach(&self, block: Block) {
        let _ = (self.value(block.first), self.visits(block.first), self.mv(block.first));
    }

    /// The priors of siblings.
    #[inline]
    pub fn read_priors(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.priors[block.range()], out, f32::from_bits);
    }

    /// The visits of siblings, as numbers to compute with.
    #[inline]
    pub fn read_visits(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.visits[block.range()], out, |n| n as f32);
    }

    /// The static values of siblings.
    #[inline]
    pub fn read_static_values(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.static_values[block.range()], out, f32::from_bits);
    }

    /// The soft depths of siblings.
    #[inline]
    pub fn read_soft_depths(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.soft_depths[block.range()], out, f32::from_bits);
    }

    /// The auxiliary numbers of siblings.
    #[inline]
    pub fn read_auxiliary(&self, block: Block, out: &mut Vec<f32>) {
        read(&self.auxiliary[block.range()], out, f32::from_bits);
    }
}

#[inline]
fn read(column: &[AtomicU32], out: &mut Vec<f32>, convert: impl Fn(u32) -> f32) {
    out.clear();
    out.extend(column.iter().map(|x| convert(x.load(Ordering::Relaxed))));
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{Extras, ROOT};
    use super::*;

    #[test]
    fn a_proof_outlives_estimates() {
        let tree = Tree::with_capacity(2, Extras::default());
        tree.set_proof(ROOT, Proof::Draw);
        tree.set_estimate(ROOT, 3.0);
        tree.add_to_estimate(ROOT, |_| 1.0);
        assert_eq!(score::proof(tree.value(ROOT)), Some(Proof::Draw));
    }
}
