//! Who gets which nodes of the arena.

use super::{NodeId, Ordering, Tree};

/// Nodes of the arena that one thread has set aside for the families to come. What several threads write lies on cache lines of their own
/// then, and they seldom meet at the arena's counter.
#[derive(Debug)]
pub struct Plot {
    next: u64,
    end: u64,
    /// How many nodes are set aside at a time.
    size: u64,
}

impl Plot {
    /// For a thread that has the tree to itself: nothing is set aside, so no node is lost.
    pub const NONE: Plot = Plot { next: 0, end: 0, size: 0 };

    /// For one of several threads.
    pub const SHARED: Plot = Plot { size: 2048, ..Plot::NONE };
}

impl Tree {
    /// Takes `len` nodes from the plot, or a new plot with them where the old one is too small. What is left of that is lost until the tree
    /// is compacted.
    pub(super) fn take(&self, plot: &mut Plot, len: u64) -> Option<NodeId> {
        if plot.end - plot.next < len {
            // An arena with no room for a plot may still have room for a family.
            let sizes = [plot.size.max(len), len];
            let Some((first, size)) = sizes.into_iter().find_map(|size| Some((self.reserve(size)?, size))) else {
                self.full.store(true, Ordering::Relaxed); // Relaxed: a hint.
                return None;
            };
            (plot.next, plot.end) = (first, first + size);
        }
        plot.next += len;
        u32::try_from(plot.next - len).ok().map(NodeId)
    }

    /// Takes `len` nodes from the arena.
    fn reserve(&self, len: u64) -> Option<u64> {
        let capacity = self.capacity() as u64;
        let grown = |used: u64| (used + len <= capacity).then_some(used + len);
        // Relaxed: the counter alone decides who gets which nodes, and it never goes back while threads run.
        self.used.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).ok()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::Extras;
    use super::*;

    #[test]
    fn families_of_a_plot_lie_side_by_side_and_those_of_two_apart() {
        let tree = Tree::with_capacity(5000, Extras::default());
        let (mut one, mut other) = (Plot::SHARED, Plot::SHARED);
        let firsts = [3, 4, 5].map(|n| {
            let mine = tree.take(&mut one, n).unwrap();
            (mine.0, tree.take(&mut other, n).unwrap().0)
        });
        assert_eq!(firsts, [(1, 2049), (4, 2052), (8, 2056)]);
        // No third plot has room, but a family does, as long as there is any.
        let mut third = Plot::SHARED;
        assert_eq!(tree.take(&mut third, 900), Some(NodeId(4097)));
        assert_eq!((tree.take(&mut third, 4), tree.is_full()), (None, true));
        assert_eq!(tree.take(&mut third, 3), Some(NodeId(4997)));
    }
}
