//! Several trees as one answer: root parallelism, and the N_try trees of S3.4.
//!
//! Trees are read in their order and sums are made in that order, so the answer does not depend on which thread grew which tree.

use yomi_core::Move;

use super::report::{Row, TreeReader};
use crate::recipe::Recipe;
use crate::score::{self, UNSEEN};
use crate::search::{Proof, RootMove};
use crate::tree::{ROOT, Tree};

/// The value of the root and its moves, over all trees. Means count each tree by its samples, values computed from children each
/// tree alike.
pub(super) fn roots<M: Move>(readers: &mut [TreeReader<'_>], recipe: &Recipe) -> (f32, Vec<Row<M>>) {
    let values: Vec<f32> = readers.iter().map(TreeReader::value).collect();
    let visits: Vec<f32> = readers.iter().map(TreeReader::visits).collect();
    let mut tables: Vec<Vec<Row<M>>> = readers.iter_mut().map(TreeReader::table).collect();
    if tables.len() == 1 {
        return (values[0], tables.remove(0));
    }
    let weigh = |visits: f32| if recipe.backup.recomputes() { 1.0 } else { visits };
    let total: f32 = visits.iter().map(|&n| weigh(n)).sum();
    let value = values.iter().zip(&visits).map(|(v, &n)| v * weigh(n)).sum::<f32>() / total.max(1.0);

    let mut merged: Vec<Merged<M>> = Vec::new();
    for row in tables.into_iter().flatten() {
        match merged.iter_mut().find(|m| m.row.root_move.mv == row.root_move.mv) {
            Some(same) => same.add(row, weigh),
            None => merged.push(Merged::new(row, weigh)),
        }
    }
    (value, merged.into_iter().map(Merged::finish).collect())
}

/// One root move over several trees.
struct Merged<M> {
    /// The row of the tree that sampled it most, with sums in the place of its numbers.
    row: Row<M>,
    trees: f32,
    weight: f32,
    sum: f32,
    most: u64,
}

impl<M: Move> Merged<M> {
    fn new(row: Row<M>, weigh: impl Fn(f32) -> f32) -> Self {
        let most = row.root_move.visits;
        let mut merged = Merged { row, trees: 1.0, weight: 0.0, sum: 0.0, most };
        merged.count(merged.row.score, merged.row.root_move.value, most, weigh);
        merged
    }

    fn add(&mut self, other: Row<M>, weigh: impl Fn(f32) -> f32) {
        self.count(other.score, other.root_move.value, other.root_move.visits, weigh);
        self.trees += 1.0;
        self.row.mass += other.mass;
        let (mine, more) = (&mut self.row.root_move, other.root_move);
        mine.selection += more.selection;
        mine.realization += more.realization;
        mine.backup += more.backup;
        mine.depth += more.depth;
        mine.visits += more.visits;
        mine.proof = mine.proof.or(more.proof);
        if more.visits > self.most {
            self.most = more.visits;
            (mine.pv, mine.pv_visits) = (more.pv, more.pv_visits);
        }
    }

    fn count(&mut self, score: f32, value: f32, visits: u64, weigh: impl Fn(f32) -> f32) {
        if score::is_seen(score) {
            let weight = weigh(visits.max(1) as f32);
            self.weight += weight;
            self.sum += weight * value;
        }
    }

    fn finish(self) -> Row<M> {
        let Merged { row: Row { root_move, mass, .. }, trees, weight, sum, .. } = self;
        let value = if weight > 0.0 { sum / weight } else { 0.0 };
        let score = match root_move.proof {
            Some(proof) => score::from_proof(proof),
            None if weight > 0.0 => score::estimate(value),
            None => UNSEEN,
        };
        let root_move = RootMove {
            value,
            selection: root_move.selection / trees,
            realization: root_move.realization / trees,
            backup: root_move.backup / trees,
            depth: root_move.depth / trees,
            ..root_move
        };
        Row { score, mass: mass / trees, root_move }
    }
}

/// What the root moves prove about the root: a win if one wins; the best if all are proven.
pub(super) fn root_proof<M>(moves: &[RootMove<M>]) -> Option<Proof> {
    let first = moves.first()?.proof?;
    match first {
        Proof::Win(_) => Some(first),
        _ if moves.iter().all(|row| row.proof.is_some()) => Some(first),
        _ => None,
    }
}

/// Nodes at each depth over all trees, which share one root.
pub(super) fn nodes_per_depth(trees: &[Tree]) -> Vec<u64> {
    let mut sums = vec![1];
    for tree in trees {
        for (depth, n) in tree.nodes_per_depth().into_iter().enumerate().skip(1) {
            if sums.len() <= depth {
                sums.resize(depth + 1, 0);
            }
            sums[depth] += n;
        }
    }
    sums
}

/// The mean over the trees of the depth to which their value goes back.
pub(super) fn effective_depth(readers: &mut [TreeReader<'_>]) -> f32 {
    let n = readers.len() as f32;
    readers.iter_mut().map(|reader| reader.effective_depth(ROOT, 0, 0.001, 2000)).sum::<f32>() / n
}
