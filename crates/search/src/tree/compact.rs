//! Tree reuse: what hangs below one child becomes the whole tree.

use super::{Below, Block, Link, NodeId, Ordering, ROOT, Tree};
use crate::sync::AtomicU32;

impl Tree {
    /// Makes `node` the root and drops everything not below it, by sliding what stays to the front of the arena.
    ///
    /// Marks of exhaustion are dropped too: depth limits and growth control count from the root.
    pub fn keep(&mut self, node: NodeId) {
        let mut blocks: Vec<Block> = self.levels(node).flatten().collect();
        // A block is taken from the arena after its parent's, and the arena grows upwards. In this order everything moves down,
        // and nothing is overwritten before it has moved.
        blocks.sort_unstable_by_key(|block| block.first);
        let mut next = 1;
        let homes: Vec<usize> = blocks
            .iter()
            .map(|block| {
                next += usize::from(block.len);
                next - usize::from(block.len)
            })
            .collect();
        let removals = || {
            let children = blocks.iter().zip(&homes).flat_map(|(block, &home)| block.range().zip(home..));
            std::iter::once((node.at(), ROOT.at())).chain(children)
        };

        // Relaxed throughout: no other thread looks, as `&mut` proves. The pattern names every field, so that none is forgotten.
        let Tree {
            used,
            full,
            links,
            moves,
            values,
            visits,
            priors,
            auxiliary,
            static_values,
            soft_depths,
            amaf_values,
            amaf_visits,
            extras: _,
        } = self;
        for (from, to) in removals() {
            let link = match Link(links[from].load(Ordering::Relaxed)).below() {
                Below::Children(block) => match blocks.binary_search_by_key(&block.first, |b| b.first) {
                    Ok(i) => Link::children(Block { first: NodeId(homes[i] as u32), ..block }),
                    Err(_) => Link::LEAF,
                },
                Below::Over(outcome) => Link::over(outcome),
                Below::Leaf | Below::Busy => Link::LEAF,
            };
            links[to].store(link.0, Ordering::Relaxed);
        }
        for (from, to) in removals() {
            moves[to].store(moves[from].load(Ordering::Relaxed), Ordering::Relaxed);
        }
        for column in [values, visits, priors, auxiliary, static_values, soft_depths, amaf_values, amaf_visits] {
            let column: &[AtomicU32] = column;
            if !column.is_empty() {
                removals()
                    .for_each(|(from, to)| column[to].store(column[from].load(Ordering::Relaxed), Ordering::Relaxed));
            }
        }
        used.0.store(next as u64, Ordering::Relaxed);
        full.store(false, Ordering::Relaxed);
    }

    /// Opens every exhausted node to samples again, because the limits are others now.
    pub fn reopen(&mut self) {
        for link in &self.links[..self.len()] {
            // Relaxed: no other thread looks, as `&mut` proves.
            link.store(Link(link.load(Ordering::Relaxed)).reopened().0, Ordering::Relaxed);
        }
    }

    /// How many nodes lie at each depth, the root first (S0.6, figures 2 and 3).
    pub fn nodes_per_depth(&self) -> Vec<u64> {
        let size = |level: Vec<Block>| level.iter().map(|block| u64::from(block.len)).sum();
        std::iter::once(1).chain(self.levels(ROOT).map(size)).collect()
    }

    /// The blocks below `node`, level by level.
    fn levels(&self, node: NodeId) -> impl Iterator<Item = Vec<Block>> + '_ {
        let below = |block: &Block| block.children().filter_map(|child| self.children(child)).collect::<Vec<_>>();
        let first: Vec<Block> = self.children(node).into_iter().collect();
        std::iter::successors(Some(first), move |level| Some(level.iter().flat_map(below).collect()))
            .take_while(|level| !level.is_empty())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{Extras, Newborn};
    use super::*;
    use yomi_core::{Color, Outcome, Seed};

    /// A node and everything below it, as nested text: the slow twin of looking.
    fn describe(tree: &Tree, node: NodeId) -> String {
        let below = match tree.link(node).below() {
            Below::Children(block) => block.children().map(|c| describe(tree, c)).collect::<Vec<_>>().join(" "),
            other => format!("{other:?}"),
        };
        let (amaf, mean) = tree.amaf(node);
        let numbers = (tree.value(node), tree.visits(node), tree.prior(node), tree.auxiliary(node), amaf, mean);
        let own = (tree.static_value(node), tree.soft_depth(node));
        format!("[{} {numbers:?} {own:?} {below}]", tree.mv(node))
    }

    fn random_tree(seed: u64) -> Tree {
        let mut rng = Seed::new(seed).rng();
        let tree =
            Tree::with_capacity(5000, Extras { auxiliary: true, static_value: true, soft_depth: true, amaf: true });
        for _ in 0..2000 {
            let mut node = ROOT;
            while let Some(block) = tree.children(node) {
                tree.visit(node);
                tree.add_amaf(node, 1, rng.unit());
                tree.set_auxiliary(node, rng.unit());
                tree.set_soft_depth(node, rng.unit());
                node = block.child(rng.below(usize::from(block.len)));
            }
            if rng.chance(0.1) {
                tree.finish(node, Outcome::Win(Color::White));
            } else if tree.claim(node) {
                let random = |mv| Newborn { mv, value: f32::from(mv), prior: 0.1, static_value: 0.5, link: Link::LEAF };
                let family: Vec<Newborn> = (0..1 + rng.below(9) as u16).map(random).collect();
                if tree.adopt(node, &family).is_none() {
                    tree.unclaim(node);
                }
            }
        }
        tree
    }

    #[test]
    fn the_subtree_stays_as_it_was() {
        for seed in 0..20 {
            let mut tree = random_tree(seed);
            while let Some(block) = tree.children(ROOT) {
                let child = block.child(seed as usize % usize::from(block.len));
                let before = describe(&tree, child);
                let size = before.matches('[').count();
                tree.exhaust(child);
                tree.keep(child);
                assert_eq!(describe(&tree, ROOT), before);
                assert_eq!(tree.len(), size);
                assert_eq!(tree.nodes_per_depth().iter().sum::<u64>(), size as u64);
            }
            assert_eq!(tree.nodes_per_depth(), [1]);
        }
    }

    #[test]
    fn marks_of_exhaustion_can_be_taken_away() {
        let mut tree = random_tree(3);
        let block = tree.children(ROOT).unwrap();
        tree.exhaust(ROOT);
        assert!(tree.link(ROOT).is_exhausted());
        tree.reopen();
        assert!(!tree.link(ROOT).is_exhausted());
        assert_eq!(tree.children(ROOT), Some(block));
    }
}
