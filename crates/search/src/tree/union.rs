//! Several trees of one position as one: what root parallelism grew, as something to explore.

use super::{Block, Extras, Link, Newborn, NodeId, Ordering, Plot, ROOT, Tree};
use crate::score::{self, UNSEEN};

/// The same node in several trees.
type Same<'a> = Vec<(&'a Tree, NodeId)>;

/// What trees that grew apart count for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// Their samples: right for means.
    Samples,
    /// Each the same: right for values computed from children.
    Alike,
}

impl Tree {
    /// The trees laid over each other: nodes reached by the same moves are one node, with the sum of their samples and the mean of their
    /// values. What one tree has proven is proven. Takes as much memory again as the trees have in use, at most.
    pub fn union(trees: &[Tree], weight: Weight) -> Tree {
        let nodes = trees.iter().map(Tree::len).sum::<usize>().clamp(2, u32::MAX as usize);
        let union = Tree::with_capacity(nodes, trees.first().map_or_else(Extras::default, |tree| tree.extras));
        let roots: Same<'_> = trees.iter().map(|tree| (tree, ROOT)).collect();
        union.record(Block { first: ROOT, len: 1 }, std::slice::from_ref(&roots), weight);
        let mut open = vec![(ROOT, roots)];
        while let Some((node, same)) = open.pop() {
            let families = families(&same);
            let len = u16::try_from(families.len()).unwrap_or(0);
            // Without room, which only more than 2³² nodes could want, the union ends here.
            let Some(first) = union.take(&mut { Plot::NONE }, u64::from(len)).filter(|_| len > 0) else { continue };
            let block = Block { first, len };
            union.record(block, &families, weight);
            // Relaxed, here and below: no other thread has this tree.
            union.links[node.at()].store(Link::children(block).0, Ordering::Relaxed);
            open.extend(block.children().zip(families));
        }
        union
    }

    /// Writes what the trees say of some siblings.
    fn record(&self, block: Block, siblings: &[Same<'_>], weight: Weight) {
        let newborns: Vec<Newborn> = siblings.iter().map(|same| newborn(same, self.extras, weight)).collect();
        self.write(block, &newborns);
        for (node, same) in block.children().zip(siblings) {
            let visits = same.iter().fold(0u32, |sum, &(tree, node)| sum.saturating_add(tree.visits(node)));
            self.visits[node.at()].store(visits, Ordering::Relaxed);
            let average = |number: fn(&Tree, NodeId) -> f32| {
                mean(same.iter().map(|&(tree, node)| (weigh(weight, tree, node), number(tree, node)))).unwrap_or(0.0)
            };
            if self.extras.auxiliary {
                self.set_auxiliary(node, average(Tree::auxiliary));
            }
            if self.extras.soft_depth {
                self.set_soft_depth(node, average(|tree, node| tree.soft_depth(node).unwrap_or(0.0)));
            }
            if self.extras.amaf {
                let amaf: Vec<(u32, f32)> = same.iter().map(|&(tree, node)| tree.amaf(node)).collect();
                let samples = amaf.iter().fold(0u32, |sum, (n, _)| sum.saturating_add(*n));
                let mean = mean(amaf.iter().map(|&(n, value)| (n as f32, value))).unwrap_or(0.0);
                self.amaf_visits[node.at()].store(samples, Ordering::Relaxed);
                self.amaf_values[node.at()].store(mean.to_bits(), Ordering::Relaxed);
            }
        }
    }
}

/// The children of one node, by move: in the order of the first tree that has them.
fn families<'a>(same: &Same<'a>) -> Vec<Same<'a>> {
    let mut families: Vec<Same<'a>> = Vec::new();
    for &(tree, node) in same {
        for (i, child) in tree.children(node).into_iter().flat_map(Block::children).enumerate() {
            let is_sibling = |family: &Same<'_>| family[0].0.mv(family[0].1) == tree.mv(child);
            // Nearly always it stands at the same place in every tree.
            let place = Some(i).filter(|&i| families.get(i).is_some_and(is_sibling));
            match place.or_else(|| families.iter().position(is_sibling)) {
                Some(place) => families[place].push((tree, child)),
                None => families.push(vec![(tree, child)]),
            }
        }
    }
    families
}

/// What the trees say of one node, children and samples apart.
fn newborn(same: &Same<'_>, extras: Extras, weight: Weight) -> Newborn {
    let weigh = |tree: &Tree, node| weigh(weight, tree, node);
    let values = || same.iter().map(|&(tree, node)| tree.value(node));
    let seen = same.iter().filter(|(tree, node)| score::is_seen(tree.value(*node)));
    let value = match values().find(|&value| score::is_proven(value)) {
        Some(proven) => proven,
        None => mean(seen.map(|&(tree, node)| (weigh(tree, node), tree.value(node)))).map_or(UNSEEN, score::estimate),
    };
    let average = |number: fn(&Tree, NodeId) -> f32| {
        mean(same.iter().map(|&(tree, node)| (weigh(tree, node), number(tree, node)))).unwrap_or(0.0)
    };
    // Where the game is over in one tree it is over in all that came there.
    let over =
        same.iter().map(|&(tree, node)| tree.link(node)).find(|link| matches!(link.below(), super::Below::Over(_)));
    Newborn {
        mv: same.first().map_or(0, |&(tree, node)| tree.mv(node)),
        value,
        prior: average(Tree::prior),
        static_value: if extras.static_value {
            average(|tree, node| tree.static_value(node).unwrap_or(0.0))
        } else {
            0.0
        },
        link: over.unwrap_or(Link::LEAF),
    }
}

/// What a tree counts for at one of its nodes.
fn weigh(weight: Weight, tree: &Tree, node: NodeId) -> f32 {
    match weight {
        Weight::Samples => tree.visits(node).max(1) as f32,
        Weight::Alike => 1.0,
    }
}

/// The mean of values by their weights; none if nothing has weight.
fn mean(weighted: impl Iterator<Item = (f32, f32)>) -> Option<f32> {
    let (total, sum) = weighted.fold((0.0, 0.0), |(total, sum), (w, x)| (total + w, sum + w * x));
    (total > 0.0).then(|| sum / total)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::search::Proof;
    use yomi_core::{Color, Outcome};

    /// A root with these children, as (move, value, visits).
    fn tree(children: &[(u16, f32, u32)]) -> Tree {
        let tree = Tree::with_capacity(20, Extras::default());
        let newborn =
            |&(mv, value, _): &(u16, f32, u32)| Newborn { mv, value, prior: 0.5, static_value: 0.0, link: Link::LEAF };
        assert!(tree.claim(ROOT));
        let block = tree.adopt(ROOT, &children.iter().map(newborn).collect::<Vec<_>>()).unwrap();
        for (child, &(_, _, visits)) in block.children().zip(children) {
            (0..visits).for_each(|_| _ = (tree.visit(child), tree.visit(ROOT)));
        }
        tree
    }

    fn children(tree: &Tree) -> Vec<(u16, f32, u32)> {
        let block = tree.children(ROOT).unwrap();
        block.children().map(|child| (tree.mv(child), tree.value(child), tree.visits(child))).collect()
    }

    #[test]
    fn samples_add_up_and_values_are_means() {
        let one = tree(&[(3, 1.0, 3), (5, UNSEEN, 0), (7, 0.5, 1)]);
        // Another order, and a move more.
        let other = tree(&[(5, 0.25, 2), (3, 0.0, 1), (9, -1.0, 4)]);
        let trees = [one, other];
        let by_samples = Tree::union(&trees, Weight::Samples);
        assert_eq!(children(&by_samples), [(3, 0.75, 4), (5, 0.25, 2), (7, 0.5, 1), (9, -1.0, 4)]);
        assert_eq!((by_samples.visits(ROOT), by_samples.len()), (11, 5));
        let alike = Tree::union(&trees, Weight::Alike);
        assert_eq!(children(&alike)[0], (3, 0.5, 4));
    }

    #[test]
    fn what_is_below_and_what_is_proven_stays() {
        let (one, other) = (tree(&[(1, 0.0, 1), (2, 0.0, 1)]), tree(&[(1, 0.0, 1), (2, 0.5, 1)]));
        let [first, second] = [0, 1].map(|i| one.children(ROOT).unwrap().child(i));
        one.set_proof(first, Proof::Win(1));
        one.finish(first, Outcome::Win(Color::Black));
        let newborn = |mv| Newborn { mv, value: 0.5, prior: 1.0, static_value: 0.0, link: Link::LEAF };
        assert!(one.claim(second) && one.adopt(second, &[newborn(4), newborn(6)]).is_some());
        let union = Tree::union(&[other, one], Weight::Samples);
        let block = union.children(ROOT).unwrap();
        assert_eq!(score::proof(union.value(block.child(0))), Some(Proof::Win(1)));
        assert_eq!(union.link(block.child(0)), Link::over(Outcome::Win(Color::Black)));
        let below = union.children(block.child(1)).unwrap();
        assert_eq!(below.children().map(|child| union.mv(child)).collect::<Vec<_>>(), [4, 6]);
        assert_eq!(union.nodes_per_depth(), [1, 2, 2]);
    }

    #[test]
    fn nothing_grown_is_a_root_alone() {
        let bare =
            || Tree::with_capacity(2, Extras { auxiliary: true, static_value: true, soft_depth: true, amaf: true });
        assert!(Tree::union(&[bare(), bare()], Weight::Alike).is_empty());
        assert!(Tree::union(&[], Weight::Alike).is_empty());
    }
}
