//! The gradient from sampled paths of the finished tree (S0.8).
//!
//! A path is drawn from the root to a leaf with the search's own probabilities π_s, and contributes the product of
//! `(π_b/π_s)·[(1/T_b)·(E*(a,u) - E*(u)) + 1]` along it times the gradient of the leaf's static value. With T_s = T_b the ratio is 1 and the
//! product is the paper's. Samples are independent; each share of them has its own seed, so any number of threads gives the same sum.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use yomi_core::{Rng, Seed};

use crate::frozen::{Below, Frozen};
use crate::pg_tree::{Replies, shares};

/// Samples are dealt out to this many shares, whatever the number of threads.
const SHARES: usize = 16;

/// Draws paths for the weights of the root's moves (see [`crate::pg_tree::spread`]): leaves with coefficients whose expectation is the exact one.
/// A leaf may come several times.
pub fn sample(
    tree: &Frozen,
    weights: &[f64],
    replies: Replies,
    samples: usize,
    threads: usize,
    seed: Seed,
) -> Vec<(usize, f64)> {
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Vec<(usize, f64)>>> = (0..SHARES).map(|_| Mutex::default()).collect();
    let work = || {
        let mut sampler = Sampler { tree, replies, families: vec![None; tree.nodes.len()] };
        loop {
            // Relaxed: the number alone decides who does what.
            let share = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = found.get(share) else { return };
            let mut rng = seed.branch("share", share as u64).rng();
            let own = samples / SHARES + usize::from(share < samples % SHARES);
            let paths = (0..own).filter_map(|_| sampler.path(weights, &mut rng));
            let paths = paths.map(|(leaf, weight)| (leaf, weight / samples as f64)).collect();
            *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = paths;
        }
    };
    std::thread::scope(|scope| {
        (1..threads.clamp(1, SHARES)).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    found.into_iter().flat_map(|slot| slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)).collect()
}

/// Paths that end at the same leaf as one.
pub fn merged(mut paths: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    paths.sort_by_key(|path| path.0);
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for (leaf, weight) in paths {
        match sums.last_mut() {
            Some((last, sum)) if *last == leaf => *sum += weight,
            _ => sums.push((leaf, weight)),
        }
    }
    sums
}

/// What a descent needs to know of a node's children.
#[derive(Clone)]
struct Family {
    /// π_s, summed up.
    cumulative: Vec<f64>,
    /// `(π_b/π_s)·bracket`.
    factors: Vec<f64>,
}

struct Sampler<'a> {
    tree: &'a Frozen,
    replies: Replies,
    /// Families that a path has passed.
    families: Vec<Option<Family>>,
}

impl Sampler<'_> {
    /// One path: the leaf and the product along the way, its sign included; none if it ends where nothing can be learned.
    fn path(&mut self, weights: &[f64], rng: &mut Rng) -> Option<(usize, f64)> {
        let total: f64 = weights.iter().map(|w| w.abs()).sum();
        let drawn = draw(weights.iter().map(|w| w.abs()), total, rng)?;
        let mut at = self.tree.children(0).start + drawn;
        let mut product = total * weights[drawn].signum();
        loop {
            match self.tree.nodes[at].below {
                Below::Leaf => return Some((at, product)),
                Below::Constant => return None,
                Below::Children { first, .. } => {
                    let (family, x) = (self.family(at), unit(rng));
                    let place = family.cumulative.partition_point(|&c| c <= x).min(family.factors.len() - 1);
                    product *= 0.0 - family.factors[place];
                    at = first as usize + place;
                }
            }
        }
    }

    fn family(&mut self, at: usize) -> &Family {
        let (tree, replies) = (self.tree, self.replies);
        self.families[at].get_or_insert_with(|| {
            let selection = tree.rules.selection_probabilities(tree.nodes[at].depth, tree.choices(at));
            let shares = shares(tree, at, replies);
            let factor = |(&share, &p): (&f64, &f64)| if p > 0.0 { share / p } else { 0.0 };
            let factors = shares.iter().zip(&selection).map(factor).collect();
            let cumulative = selection.iter().scan(0.0, |sum, p| {
                *sum += p;
                Some(*sum)
            });
            Family { cumulative: cumulative.collect(), factors }
        })
    }
}

/// A number in [0, 1) with fifty-three digits: rare moves are drawn as rarely as they should.
fn unit(rng: &mut Rng) -> f64 {
    (rng.next() >> 11) as f64 / (1u64 << 53) as f64
}

fn draw(weights: impl ExactSizeIterator<Item = f64>, total: f64, rng: &mut Rng) -> Option<usize> {
    if total <= 0.0 {
        return None;
    }
    let (mut left, mut last) = (unit(rng) * total, None);
    for (i, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = Some(i);
            if left < weight {
                break;
            }
        }
        left -= weight;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_to_one_leaf_are_one() {
        assert_eq!(merged(vec![(5, 1.0), (2, 0.5), (5, -0.25)]), [(2, 0.5), (5, 0.75)]);
    }
}
