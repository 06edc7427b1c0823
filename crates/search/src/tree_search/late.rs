//! What a thread's samples leave at crowded nodes, told late (S0.1: samples of all threads on one tree).
//!
//! Near the root all samples of all threads write the same few numbers, and whoever writes takes the cache line from the others: with a
//! sample a microsecond, threads do nothing but wait for each other. A node of a thousand samples is hardly changed by sixteen more, so a
//! thread keeps what it has to say there and says it when its batch of samples is over. In the end every sample has been counted.

use yomi_core::{Evaluator, Position};

use super::sample::Sampler;
use crate::tree::{NodeId, ROOT, Tree};

/// A node of more visits than this is told late.
pub(super) const PATIENT: u32 = 1024;

/// Nodes kept in mind; more than a batch of samples usually passes that are crowded.
const SLOTS: usize = 64;

/// What is to be told.
pub(super) struct Late<'a> {
    tree: &'a Tree,
    /// Whether nodes are means of samples. Where they are not, only the visits are of interest.
    averages: bool,
    slots: Vec<Slot>,
}

struct Slot {
    node: NodeId,
    visits: u32,
    /// The sum of the results.
    sum: f32,
    /// For each child, how often its move was played later by the same side, and the sum of the results.
    as_first: Vec<(u32, f32)>,
}

impl<'a> Late<'a> {
    pub(super) fn new(tree: &'a Tree, averages: bool) -> Late<'a> {
        let empty = || Slot { node: ROOT, visits: 0, sum: 0.0, as_first: Vec::new() };
        Late { tree, averages, slots: (0..SLOTS).map(|_| empty()).collect() }
    }

    /// A sample of this result passed.
    #[inline]
    pub(super) fn visit(&mut self, node: NodeId, value: f32) {
        let slot = self.slot(node);
        slot.visits += 1;
        slot.sum += value;
    }

    /// The move of the `index`-th child of `node` was played later by the same side.
    #[inline]
    pub(super) fn play_as_first(&mut self, node: NodeId, index: usize, value: f32) {
        let as_first = &mut self.slot(node).as_first;
        if as_first.len() <= index {
            as_first.resize(index + 1, (0, 0.0));
        }
        as_first[index].0 += 1;
        as_first[index].1 += value;
    }

    /// The place of the node, which another may have to leave.
    #[inline]
    fn slot(&mut self, node: NodeId) -> &mut Slot {
        let slot = &mut self.slots[Late::place(node)];
        if slot.node != node {
            slot.tell(self.tree, self.averages);
            slot.node = node;
        }
        slot
    }

    /// Whether there is a visit of the node to tell.
    fn knows(&self, node: NodeId) -> bool {
        let slot = &self.slots[Late::place(node)];
        slot.node == node && slot.visits > 0
    }

    fn place(node: NodeId) -> usize {
        node.0 as usize % SLOTS
    }

    /// Tells everything.
    pub(super) fn tell(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.tell(self.tree, self.averages));
    }
}

impl Slot {
    /// Tells the tree, and forgets.
    fn tell(&mut self, tree: &Tree, averages: bool) {
        if self.visits > 0 {
            let n = tree.visit_times(self.node, self.visits) as f32;
            if averages {
                let (visits, sum) = (self.visits as f32, self.sum);
                tree.add_to_estimate(self.node, |mean| (sum - visits * mean) / n);
            }
            (self.visits, self.sum) = (0, 0.0);
        }
        if !self.as_first.is_empty()
            && let Some(block) = tree.children(self.node)
        {
            for (child, &(times, sum)) in block.children().zip(&self.as_first).filter(|(_, told)| told.0 > 0) {
                tree.add_amaf(child, times, sum);
            }
        }
        self.as_first.clear();
    }
}

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Tells the tree what was kept back at crowded nodes. The root is also computed only now: no selection asks what it is worth.
    pub(super) fn tell_late(&mut self) {
        let passed_root = self.late.knows(ROOT);
        self.late.tell();
        if passed_root {
            self.recompute(ROOT, 0);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tree::{Extras, Link, Newborn};

    /// Told late, in the order that slots and batches make, the tree says the same in the end as told at once.
    #[test]
    fn late_is_not_never() {
        let born = |mv| Newborn { mv, value: 0.5, prior: 0.1, auxiliary: 0.0, link: Link::LEAF };
        let grown = || {
            let tree = Tree::with_capacity(500, Extras { amaf: true, ..Extras::default() });
            assert!(tree.claim(ROOT));
            let block = tree.adopt(ROOT, &(0..300).map(born).collect::<Vec<_>>()).unwrap();
            (tree, block)
        };
        let ((at_once, block), (later, _)) = (grown(), grown());
        let mut late = Late::new(&later, true);
        let mut rng = yomi_core::Seed::new(3).rng();
        for sample in 0..5000 {
            let (child, as_first, value) = (rng.below(300), rng.below(300), if rng.chance(0.7) { 1.0 } else { -1.0 });
            for node in [ROOT, block.child(child)] {
                let n = at_once.visit(node) as f32;
                at_once.add_to_estimate(node, |mean| (value - mean) / n);
                late.visit(node, value);
            }
            at_once.add_amaf(block.child(as_first), 1, value);
            late.play_as_first(ROOT, as_first, value);
            if sample % 16 == 0 {
                late.tell();
            }
        }
        assert!(late.knows(ROOT) && later.visits(ROOT) < 5000);
        late.tell();
        assert!(!late.knows(ROOT));
        for node in block.children().chain([ROOT]) {
            assert_eq!((later.visits(node), later.amaf(node).0), (at_once.visits(node), at_once.amaf(node).0));
            let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
            assert!(near(later.value(node), at_once.value(node)), "{} {}", later.value(node), at_once.value(node));
            assert!(near(later.amaf(node).1, at_once.amaf(node).1));
        }
    }
}
