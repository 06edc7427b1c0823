//! Deferred updates: what a thread's samples leave at crowded nodes is written later, many samples at once (S0.1: samples of all threads
//! on one tree).
//!
//! Near the root all samples of all threads write the same few numbers, and each write takes the cache line from the other threads: at one
//! sample per microsecond they would only wait for each other. A node is hardly changed by an eighth of the samples it has, so a thread
//! keeps its updates until they are more than that, and flushes everything once in a while. In the end every sample has been counted.

use yomi_core::{Evaluator, Position};

use super::sample::Sampler;
use crate::tree::{NodeId, ROOT, Tree};

/// Updates of a node with more visits than this are deferred. One sample in flight hardly changes it: nothing needs to stand for that.
pub(super) const CROWDED: u32 = 64;

/// All threads together keep at most the visits of a node divided by this to themselves.
const PART: u32 = 8;

/// Nodes with deferred updates; more than the crowded ones that samples usually pass between two flushes.
const SLOTS: usize = 512;

/// Updates that are not in the tree yet.
pub(super) struct Deferred {
    /// Whether nodes are means of samples. Where they are not, only the visits are of interest.
    averages: bool,
    /// This thread keeps at most the visits of a node divided by this.
    part: u32,
    slots: Vec<Slot>,
    /// For each child of a slot's node, how often its move was played later by the same side, and the sum of the results. They lie apart
    /// because only some methods ask for them.
    as_first: Vec<Vec<(u32, f32)>>,
}

#[derive(Clone)]
struct Slot {
    node: NodeId,
    visits: u32,
    /// The most visits that may be kept.
    most: u32,
    /// The sum of the results.
    sum: f32,
}

impl Deferred {
    /// For one of `threads` threads.
    pub(super) fn new(averages: bool, threads: usize) -> Deferred {
        let empty = Slot { node: ROOT, visits: 0, most: 0, sum: 0.0 };
        Deferred {
            averages,
            part: PART.saturating_mul(threads as u32),
            slots: vec![empty; SLOTS],
            as_first: vec![Vec::new(); SLOTS],
        }
    }

    /// A sample of this result passed.
    #[inline]
    pub(super) fn visit(&mut self, tree: &Tree, node: NodeId, value: f32) {
        let place = self.place(tree, node);
        let slot = &mut self.slots[place];
        if slot.visits == 0 {
            slot.most = tree.visits(node) / self.part;
        }
        slot.visits += 1;
        slot.sum += value;
        if slot.visits > slot.most {
            self.flush(tree, place);
        }
    }

    /// The move of the `index`-th child of `node` was played later by the same side.
    #[inline]
    pub(super) fn play_as_first(&mut self, tree: &Tree, node: NodeId, index: usize, value: f32) {
        let place = self.place(tree, node);
        let as_first = &mut self.as_first[place];
        if as_first.len() <= index {
            as_first.resize(index + 1, (0, 0.0));
        }
        as_first[index].0 += 1;
        as_first[index].1 += value;
    }

    /// The place of the node, which another may have to leave.
    #[inline]
    fn place(&mut self, tree: &Tree, node: NodeId) -> usize {
        let place = node.0 as usize % SLOTS;
        if self.slots[place].node != node {
            self.flush(tree, place);
            self.slots[place].node = node;
        }
        place
    }

    /// Flushes everything.
    pub(super) fn flush_all(&mut self, tree: &Tree) {
        (0..SLOTS).for_each(|place| self.flush(tree, place));
    }

    /// Writes the updates of this slot into the tree.
    fn flush(&mut self, tree: &Tree, place: usize) {
        let Deferred { averages, slots, as_first, .. } = self;
        let (slot, as_first) = (&mut slots[place], &mut as_first[place]);
        if slot.visits > 0 {
            let n = tree.visit_times(slot.node, slot.visits) as f32;
            if *averages {
                let (visits, sum) = (slot.visits as f32, slot.sum);
                tree.add_to_estimate(slot.node, |mean| (sum - visits * mean) / n);
            }
            (slot.visits, slot.sum) = (0, 0.0);
        }
        if !as_first.is_empty()
            && let Some(block) = tree.children(slot.node)
        {
            for (child, &(times, sum)) in block.children().zip(&*as_first).filter(|(_, played)| played.0 > 0) {
                tree.add_amaf(child, times, sum);
            }
        }
        as_first.clear();
    }
}

impl<P: Position, E: Evaluator<P>> Sampler<'_, P, E> {
    /// Writes all deferred updates into the tree. The root is also computed only now: no selection needs its value.
    pub(super) fn flush_deferred(&mut self) {
        if self.task.alone || !self.tally.has_simulated() {
            return;
        }
        self.state.deferred.flush_all(self.task.tree);
        self.recompute(ROOT, 0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::tree::{Extras, Link, Newborn};

    /// In whatever order slots and batches flush, the tree is in the end what it is with immediate updates.
    #[test]
    fn late_is_not_never() {
        let born = |mv| Newborn { mv, value: 0.5, prior: 0.1, static_value: 0.0, link: Link::LEAF };
        let grown = || {
            let tree = Tree::with_capacity(500, Extras { amaf: true, ..Extras::default() });
            assert!(tree.claim(ROOT));
            let block = tree.adopt(ROOT, &(0..300).map(born).collect::<Vec<_>>()).unwrap();
            (tree, block)
        };
        let ((at_once, block), (later, _)) = (grown(), grown());
        let mut deferred = Deferred::new(true, 2);
        let mut rng = yomi_core::Seed::new(3).rng();
        for sample in 0..5000 {
            let (child, as_first, value) = (rng.below(300), rng.below(300), if rng.chance(0.7) { 1.0 } else { -1.0 });
            for node in [ROOT, block.child(child)] {
                let n = at_once.visit(node) as f32;
                at_once.add_to_estimate(node, |mean| (value - mean) / n);
                deferred.visit(&later, node, value);
            }
            at_once.add_amaf(block.child(as_first), 1, value);
            deferred.play_as_first(&later, ROOT, as_first, value);
            if sample % 256 == 0 {
                deferred.flush_all(&later);
            }
            let kept = at_once.visits(ROOT) - later.visits(ROOT);
            assert!(kept <= at_once.visits(ROOT) / PART / 2, "{kept} of {}", at_once.visits(ROOT));
        }
        let knows = |deferred: &Deferred| deferred.slots.iter().any(|slot| slot.node == ROOT && slot.visits > 0);
        assert!(knows(&deferred) && later.visits(ROOT) < 5000);
        deferred.flush_all(&later);
        assert!(!knows(&deferred) && deferred.as_first.iter().all(Vec::is_empty));
        for node in block.children().chain([ROOT]) {
            assert_eq!((later.visits(node), later.amaf(node).0), (at_once.visits(node), at_once.amaf(node).0));
            let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
            assert!(near(later.value(node), at_once.value(node)), "{} {}", later.value(node), at_once.value(node));
            assert!(near(later.amaf(node).1, at_once.amaf(node).1));
        }
    }
}
