//! The search tree: columns of atomics in a fixed arena, shared by any number of threads without locks.
//!
//! ```text
//!            0     1     2     3     4     5     6     7          NodeId
//!   link    [1,3]  -    [4,2]  -     -     -     …               the word that publishes a block of children
//!   move     ·    7f    21    05    33    10    …
//!   value    ·    0.1   -.3   0.2   …                            for the player who moved into the node
//!   visits  12     4     7     1    …
//!   prior    1    .5    .3    .2    …
//!            └root  └── its children ──┘ └ those of 2 ┘
//! ```
//! **Publication.** A thread *claims* a leaf (leaf → busy, one wins), takes a block from the arena, writes the children's columns,
//! and then stores the parent's link with Release. A thread that loads that link with Acquire sees the whole block. Nothing else is ever
//! published: every other number is a statistic, and a statistic that is a moment old does no harm.
//!
//! **The arena's counter only grows** while threads run. Giving memory back by subtraction could hand one block to two threads.
//! Between searches, when no thread looks, [`Tree::keep`] compacts what is left of the tree.
//!
//! Values are [`crate::score`]s. The tree is not generic: moves are sixteen bits, so viewers and learners need no type.

mod compact;
mod explore;
mod file;
mod link;
mod plot;
mod statistics;
mod union;

pub use explore::{Explorer, NodeView};
pub use file::TreeFile;
pub use link::{Below, Link};
pub use plot::Plot;
pub use union::Weight;

use crate::score::{self, UNSEEN};
use crate::sync::{Apart, AtomicBool, AtomicU16, AtomicU32, AtomicU64, Column, Ordering, column, populate};

/// A node of the tree: its place in every column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    #[inline]
    fn at(self) -> usize {
        self.0 as usize
    }
}

/// Where every search begins.
pub const ROOT: NodeId = NodeId(0);

/// Siblings: a run of nodes side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The first of them.
    pub first: NodeId,
    /// How many.
    pub len: u16,
}

impl Block {
    /// The `index`-th sibling.
    #[inline]
    pub fn child(self, index: usize) -> NodeId {
        debug_assert!(index < usize::from(self.len));
        NodeId(self.first.0 + index as u32)
    }

    /// All of them.
    pub fn children(self) -> impl ExactSizeIterator<Item = NodeId> + DoubleEndedIterator + Clone {
        (0..usize::from(self.len)).map(move |i| self.child(i))
    }

    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.first.at()..self.first.at() + usize::from(self.len)
    }

    /// The first `len` of them.
    pub fn truncated(self, len: u16) -> Block {
        Block { len: self.len.min(len), ..self }
    }
}

/// A child about to be born.
#[derive(Clone, Copy, Debug)]
pub struct Newborn {
    /// The move that leads to it.
    pub mv: u16,
    /// Its worth for the side that plays the move, as a [`crate::score`].
    pub value: f32,
    /// Its prior probability.
    pub prior: f32,
    /// Its static value for the side that plays the move, where the recipe keeps it.
    pub static_value: f32,
    /// A leaf, or the end of the game.
    pub link: Link,
}

/// Columns that only some recipes need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// One number that the recipe computes from children: the minimax value of implicit minimax, the subtree entropy of DENTS, the reach of
    /// best-first search.
    pub auxiliary: bool,
    /// The static value with which a node was born.
    pub static_value: bool,
    /// The soft depth, or mass, of the authors' engines.
    pub soft_depth: bool,
    /// All-moves-as-first statistics.
    pub amaf: bool,
}

impl Extras {
    /// Bytes a node takes with these columns.
    pub const fn bytes(self) -> usize {
        let numbers = self.auxiliary as usize + self.static_value as usize + self.soft_depth as usize;
        BYTES + 4 * numbers + if self.amaf { 8 } else { 0 }
    }
}

/// Bytes per node: MCSS makes some eighty nodes per sample, so memory is its limit.
pub const BYTES: usize = size_of::<u64>() + size_of::<u16>() + 3 * size_of::<u32>();
const _: () = assert!(BYTES == 22);

/// The tree.
pub struct Tree {
    /// Nodes handed out so far, the root included; with those set aside and not used.
    used: Apart<AtomicU64>,
    /// Set when there was no room for a block.
    full: AtomicBool,
    links: Column<AtomicU64>,
    moves: Column<AtomicU16>,
    values: Column<AtomicU32>,
    visits: Column<AtomicU32>,
    priors: Column<AtomicU32>,
    auxiliary: Column<AtomicU32>,
    static_values: Column<AtomicU32>,
    soft_depths: Column<AtomicU32>,
    amaf_values: Column<AtomicU32>,
    amaf_visits: Column<AtomicU32>,
    extras: Extras,
}

impl Tree {
    /// A tree that may take this many bytes; it always has room for a root and one child.
    pub fn with_memory(bytes: u64, extras: Extras) -> Tree {
        let nodes = (bytes / extras.bytes() as u64).clamp(2, u64::from(u32::MAX));
        Tree::with_capacity(usize::try_from(nodes).unwrap_or(2), extras)
    }

    /// A tree of at most this many nodes; of fewer where the system refuses the memory.
    pub fn with_capacity(nodes: usize, extras: Extras) -> Tree {
        let mut nodes = nodes.max(1);
        loop {
            if let Some(mut tree) = Tree::try_with_capacity(nodes, extras) {
                tree.clear();
                return tree;
            }
            assert!(nodes > 1, "the system has no memory for one node");
            nodes /= 2;
        }
    }

    fn try_with_capacity(nodes: usize, extras: Extras) -> Option<Tree> {
        let if_wanted = |wanted: bool| if wanted { nodes } else { 0 };
        Some(Tree {
            used: Apart(AtomicU64::new(0)),
            full: AtomicBool::new(false),
            links: column::<AtomicU64>(nodes)?,
            moves: column::<AtomicU16>(nodes)?,
            values: column::<AtomicU32>(nodes)?,
            visits: column::<AtomicU32>(nodes)?,
            priors: column::<AtomicU32>(nodes)?,
            auxiliary: column::<AtomicU32>(if_wanted(extras.auxiliary))?,
            static_values: column::<AtomicU32>(if_wanted(extras.static_value))?,
            soft_depths: column::<AtomicU32>(if_wanted(extras.soft_depth))?,
            amaf_values: column::<AtomicU32>(if_wanted(extras.amaf))?,
            amaf_visits: column::<AtomicU32>(if_wanted(extras.amaf))?,
            extras,
        })
    }

    /// Forgets everything but the root, about which nothing is known.
    pub fn clear(&mut self) {
        // Relaxed: no other thread looks, as `&mut` proves.
        self.used.0.store(1, Ordering::Relaxed);
        self.full.store(false, Ordering::Relaxed);
        let root = Newborn { mv: 0, value: UNSEEN, prior: 1.0, static_value: 0.0, link: Link::LEAF };
        self.write(Block { first: ROOT, len: 1 }, &[root]);
        if self.extras.soft_depth {
            self.set_soft_depth(ROOT, 0.0);
        }
    }

    /// Has the memory of the first `bytes` worth of nodes mapped now, so that growing them costs no time.
    pub fn populate(&self, bytes: u64) {
        let nodes = usize::try_from(bytes / self.extras.bytes() as u64).unwrap_or(usize::MAX).min(self.capacity());
        populate(&self.links[..nodes]);
        populate(&self.moves[..nodes]);
        let always = [&self.values, &self.visits, &self.priors];
        for column in always.into_iter().chain(self.extra_columns()) {
            populate(&column[..nodes.min(column.len())]);
        }
    }

    /// The columns that not every recipe has, in the order of files.
    fn extra_columns(&self) -> [&Column<AtomicU32>; 5] {
        [&self.auxiliary, &self.static_values, &self.soft_depths, &self.amaf_values, &self.amaf_visits]
    }

    /// Nodes in use or set aside.
    pub fn len(&self) -> usize {
        // Relaxed: a count that is a moment old does no harm.
        self.used.0.load(Ordering::Relaxed) as usize
    }

    /// Whether there is nothing but a root.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// The most nodes it can hold.
    pub fn capacity(&self) -> usize {
        self.links.len()
    }

    /// Bytes in use or set aside.
    pub fn memory(&self) -> u64 {
        (self.len() * self.extras.bytes()) as u64
    }

    /// Whether an expansion failed for want of room.
    pub fn is_full(&self) -> bool {
        // Relaxed: only a hint.
        self.full.load(Ordering::Relaxed)
    }

    /// What hangs below.
    #[inline]
    pub fn link(&self, node: NodeId) -> Link {
        // Acquire: pairs with the Release of `adopt`, so that the children found here can be read.
        Link(self.links[node.at()].load(Ordering::Acquire))
    }

    /// The children, if there are any.
    #[inline]
    pub fn children(&self, node: NodeId) -> Option<Block> {
        match self.link(node).below() {
            Below::Children(block) => Some(block),
            _ => None,
        }
    }

    /// Whether nothing more can be learned here: it is exhausted or proven.
    #[inline]
    pub fn is_spent(&self, node: NodeId) -> bool {
        self.link(node).is_exhausted() || score::is_proven(self.value(node))
    }

    /// Claims a leaf for expansion: exactly one thread gets `true`.
    pub fn claim(&self, node: NodeId) -> bool {
        let link = &self.links[node.at()];
        // Relaxed: the claim hands over nothing. What its winner reads of the leaf was published with the leaf's own block.
        link.compare_exchange(Link::LEAF.0, Link::BUSY.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Gives a claimed leaf back.
    pub fn unclaim(&self, node: NodeId) {
        // Relaxed: a leaf publishes nothing. Only the claimer writes here.
        self.links[node.at()].store(Link::LEAF.0, Ordering::Relaxed);
    }

    /// The game is over at this leaf. Every thread that finds out says the same.
    pub fn finish(&self, node: NodeId, outcome: yomi_core::Outcome) {
        // Release: a thread that sees that the game is over also sees the proof recorded before.
        self.links[node.at()].store(Link::over(outcome).0, Ordering::Release);
    }

    /// No further sample can learn anything here. What is proven about the node must be recorded before.
    pub fn exhaust(&self, node: NodeId) {
        // Release: a thread that sees the mark also sees the proof. The children can be read behind the marked word as well, because a
        // read-modify-write continues the release sequence that `adopt` began.
        self.links[node.at()].fetch_or(Link::EXHAUSTED, Ordering::Release);
    }

    /// Writes a block of children and hangs it below the claimed `node`. None if the arena has no room: the claim stands then.
    pub fn adopt(&self, node: NodeId, newborns: &[Newborn]) -> Option<Block> {
        self.adopt_on(&mut { Plot::NONE }, node, newborns)
    }

    /// The same on a thread's own plot.
    pub fn adopt_on(&self, plot: &mut Plot, node: NodeId, newborns: &[Newborn]) -> Option<Block> {
        let len = u16::try_from(newborns.len()).ok()?;
        let block = Block { first: self.take(plot, u64::from(len))?, len };
        self.write(block, newborns);
        // Release: makes every store of `write` above visible to a thread that loads this word with Acquire.
        self.links[node.at()].store(Link::children(block).0, Ordering::Release);
        Some(block)
    }

    /// Writes nodes that no other thread can see yet, one column after the other.
    fn write(&self, block: Block, newborns: &[Newborn]) {
        let range = block.range();
        // Relaxed throughout: `adopt` publishes.
        for (link, newborn) in self.links[range.clone()].iter().zip(newborns) {
            link.store(newborn.link.0, Ordering::Relaxed);
        }
        for (mv, newborn) in self.moves[range.clone()].iter().zip(newborns) {
            mv.store(newborn.mv, Ordering::Relaxed);
        }
        let fill = |column: &[AtomicU32], bits: &dyn Fn(&Newborn) -> u32| {
            if !column.is_empty() {
                column[range.clone()].iter().zip(newborns).for_each(|(x, new)| x.store(bits(new), Ordering::Relaxed));
            }
        };
        fill(&self.values, &|new| new.value.to_bits());
        fill(&self.visits, &|_| 0);
        fill(&self.priors, &|new| new.prior.to_bits());
        // What is computed from children begins with the static value: that of implicit minimax needs it, the others do not look.
        fill(&self.auxiliary, &|new| new.static_value.to_bits());
        fill(&self.static_values, &|new| new.static_value.to_bits());
        fill(&self.soft_depths, &|_| 1.0f32.to_bits());
        fill(&self.amaf_values, &|_| 0);
        fill(&self.amaf_visits, &|_| 0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn newborns(n: u16) -> Vec<Newborn> {
        let prior = 1.0 / f32::from(n);
        (0..n).map(|mv| Newborn { mv, value: f32::from(mv), prior, static_value: 0.0, link: Link::LEAF }).collect()
    }

    #[test]
    fn children_are_read_as_written() {
        let tree = Tree::with_capacity(10, Extras::default());
        assert!(tree.claim(ROOT) && !tree.claim(ROOT));
        let block = tree.adopt(ROOT, &newborns(3)).unwrap();
        assert_eq!(tree.children(ROOT), Some(block));
        let moves: Vec<u16> = block.children().map(|c| tree.mv(c)).collect();
        assert_eq!(moves, [0, 1, 2]);
        let mut values = Vec::new();
        tree.read_values(block, &mut values);
        assert_eq!(values, [0.0, 1.0, 2.0]);
        assert_eq!(tree.len(), 4);
    }

    #[test]
    fn a_full_arena_says_so_and_smaller_families_may_still_fit() {
        let tree = Tree::with_capacity(4, Extras::default());
        assert!(tree.claim(ROOT));
        assert_eq!(tree.adopt(ROOT, &newborns(4)), None);
        assert!(tree.is_full());
        assert!(tree.adopt(ROOT, &newborns(3)).is_some());
        assert_eq!(tree.len(), tree.capacity());
    }

    #[test]
    fn memory_is_kept_to_whatever_is_asked() {
        for bytes in [0, 1, 1000, 1 << 20] {
            let tree = Tree::with_memory(bytes, Extras { auxiliary: true, amaf: true, ..Extras::default() });
            assert!(tree.capacity() >= 2 && (tree.capacity() * 34) as u64 <= bytes.max(68));
        }
    }

    /// Threads expand one tree as fast as they can: every leaf is expanded once, no block overlaps another, every sum is exact.
    #[test]
    fn stress() {
        const THREADS: usize = 4;
        let tree = Tree::with_capacity(40_000, Extras::default());
        let adopted = AtomicUsize::new(0);
        let steps = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (tree, adopted, steps) = (&tree, &adopted, &steps);
                scope.spawn(move || {
                    let mut rng = yomi_core::Seed::new(thread as u64).rng();
                    let mut plot = if thread % 2 == 0 { Plot::SHARED } else { Plot::NONE };
                    for _ in 0..20_000 {
                        let mut node = ROOT;
                        while let Some(block) = tree.children(node) {
                            let index = rng.below(usize::from(block.len));
                            node = block.child(index);
                            assert_eq!(usize::from(tree.mv(node)), index, "a published child is complete");
                            assert_eq!(tree.prior(node), 1.0 / f32::from(block.len));
                            tree.visit(node);
                            tree.add_to_estimate(node, |_| 1.0);
                            steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                        if tree.claim(node) {
                            let n = 1 + rng.below(5) as u16;
                            match tree.adopt_on(&mut plot, node, &newborns(n)) {
                                Some(_) => adopted.fetch_add(usize::from(n), std::sync::atomic::Ordering::Relaxed),
                                None => {
                                    tree.unclaim(node);
                                    0
                                }
                            };
                        }
                    }
                });
            }
        });
        assert!(tree.is_full(), "plots and the rest of the arena were used up");
        let mut owner = vec![false; tree.len()];
        let (mut visits, mut gained) = (0, 0.0);
        let mut stack = vec![ROOT];
        while let Some(node) = stack.pop() {
            assert!(!std::mem::replace(&mut owner[node.at()], true), "one parent each");
            if node != ROOT {
                visits += tree.visits(node) as usize;
                gained += f64::from(tree.value(node)) - f64::from(tree.mv(node));
            }
            stack.extend(tree.children(node).into_iter().flat_map(Block::children));
        }
        assert_eq!(owner.iter().filter(|&&seen| seen).count(), 1 + adopted.into_inner(), "every node hangs somewhere");
        assert_eq!((visits, gained), (steps.load(std::sync::atomic::Ordering::Relaxed), visits as f64));
    }
}
