//! Results from a tree: the table of root moves, principal variations, depths.

use yomi_core::{Move, Rng, Seed};

use crate::backup::operators;
use crate::recipe::{Choose, Recipe};
use crate::score;
use crate::search::{Proof, RootMove};
use crate::select::{Buffers, Choice, Select, anchored};
use crate::tree::{Block, NodeId, ROOT, Tree};

/// Reads a tree by its recipe. Threads may go on growing it meanwhile.
pub(super) struct TreeReader<'a> {
    tree: &'a Tree,
    recipe: &'a Recipe,
    win: f32,
    buffers: Buffers,
    rng: Rng,
}

/// A root move and its score in the tree, which also marks proofs and unvisited moves.
pub(super) struct Row<M> {
    pub(super) score: f32,
    /// Its soft depth, where the recipe keeps one.
    pub(super) mass: f32,
    pub(super) root_move: RootMove<M>,
}

/// Lines longer than this are cut.
const LONGEST_LINE: usize = 256;

impl<'a> TreeReader<'a> {
    pub(super) fn new(tree: &'a Tree, recipe: &'a Recipe, win: f32) -> Self {
        // Nothing is drawn here; a stream of its own keeps reports from changing the search whatever rules come.
        let rng = Seed::new(0).branch("report", 0).rng();
        TreeReader { tree, recipe, win, buffers: Buffers::default(), rng }
    }

    /// Worth of the root for the side to move.
    pub(super) fn value(&self) -> f32 {
        0.0 - score::plain(self.tree.value(ROOT), self.win)
    }

    /// Samples through the root.
    pub(super) fn visits(&self) -> f32 {
        self.tree.visits(ROOT) as f32
    }

    /// Every root move, in the order of the tree.
    pub(super) fn table<M: Move>(&mut self) -> Vec<Row<M>> {
        let Some(block) = self.tree.children(ROOT) else { return Vec::new() };
        let selection = self.probabilities(ROOT, block, 0);
        let shares = self.shares(ROOT, block, 0);
        // A look at a few thousand nodes in all: a report must not delay the search.
        let most = (4000 / usize::from(block.len).max(1)).clamp(4, 50);
        let mut rows = Vec::with_capacity(usize::from(block.len));
        for (i, child) in block.children().enumerate() {
            let score = self.tree.value(child);
            let (pv, pv_visits, realization) = self.line(child);
            let root_move = RootMove {
                mv: M::from_bits(self.tree.mv(child)),
                visits: u64::from(self.tree.visits(child)),
                value: score::plain(score, self.win),
                proof: score::proof(score),
                prior: self.tree.prior(child),
                static_value: self.tree.static_value(child),
                selection: selection[i],
                realization: selection[i] * realization,
                backup: shares[i],
                depth: 1.0 + self.effective_depth(child, 1, 0.01, most),
                pv: pv.into_iter().map(M::from_bits).collect(),
                pv_visits,
            };
            rows.push(Row { score, mass: self.mass(child), root_move });
        }
        rows
    }

    /// Mean depth of the leaves below, each weighted by its part in the value (S4.1). Parts below `least` count as leaves, as does
    /// everything after `most` nodes.
    pub(super) fn effective_depth(&mut self, node: NodeId, depth: u32, least: f32, most: usize) -> f32 {
        if self.tree.children(node).is_none() {
            return 0.0;
        }
        let mut total = 0.0;
        let mut stack = vec![(node, depth, 1.0f32)];
        let mut looked = 0;
        while let Some((node, depth, weight)) = stack.pop() {
            let Some(block) = self.tree.children(node) else { continue };
            if looked == most {
                break;
            }
            looked += 1;
            total += weight;
            let shares = self.shares(node, block, depth);
            for (child, share) in block.children().zip(shares) {
                if weight * share >= least {
                    stack.push((child, depth + 1, weight * share));
                }
            }
        }
        total
    }

    /// The principal variation from the move to `node` on, the visits of each of its nodes, and the product of the selection
    /// probabilities behind the first.
    fn line(&mut self, node: NodeId) -> (Vec<u16>, Vec<u64>, f32) {
        let mut moves = vec![self.tree.mv(node)];
        let mut counts = vec![u64::from(self.tree.visits(node))];
        let mut realization = 1.0;
        let mut node = node;
        while let Some(block) = self.tree.children(node)
            && let Some(best) = self.best(block)
            && moves.len() < LONGEST_LINE
        {
            let depth = moves.len() as u32;
            let probabilities = self.probabilities(node, block, depth);
            realization *= probabilities[(best.0 - block.first.0) as usize];
            moves.push(self.tree.mv(best));
            counts.push(u64::from(self.tree.visits(best)));
            node = best;
        }
        (moves, counts, realization)
    }

    /// The child that would be played; none if none was visited.
    fn best(&self, block: Block) -> Option<NodeId> {
        let known = |child: &NodeId| score::is_seen(self.tree.value(*child));
        let key = |child: NodeId| {
            let candidate = Candidate {
                value: self.tree.value(child),
                visits: u64::from(self.tree.visits(child)),
                mass: self.mass(child),
                fixed: self.tree.static_value(child).unwrap_or(0.0),
                root_move: None,
            };
            merit(self.recipe, candidate)
        };
        // Of equals the first, as everywhere.
        block.children().filter(known).rev().max_by(|&a, &b| compare(key(a), key(b)))
    }

    /// The soft depth of a node; 0 where the recipe keeps none.
    fn mass(&self, node: NodeId) -> f32 {
        self.tree.soft_depth(node).filter(|_| self.recipe.choose.weighs_mass()).unwrap_or(0.0)
    }

    fn probabilities(&mut self, node: NodeId, block: Block, depth: u32) -> Vec<f32> {
        let choice = self.choice(node, block, depth);
        self.recipe.select.probabilities(&choice, &mut self.buffers, &mut self.rng);
        self.buffers.rates.clone()
    }

    fn shares(&mut self, node: NodeId, block: Block, depth: u32) -> Vec<f32> {
        let choice = self.choice(node, block, depth);
        self.recipe.backup.shares(&choice, &mut self.buffers);
        self.buffers.rates.clone()
    }

    fn choice(&self, parent: NodeId, block: Block, depth: u32) -> Choice<'a> {
        Choice { tree: self.tree, parent, block, depth, win: self.win, mix: self.recipe.backup.mix(), open_only: false }
    }
}

/// What decides which move is played: proofs before everything, then what the recipe says.
type Merit = (i8, f32, f32);

/// What is known of a move that may be played.
struct Candidate {
    /// Its score in the tree.
    value: f32,
    visits: u64,
    mass: f32,
    /// Its static value, where the recipe keeps its mass.
    fixed: f32,
    /// What else is known of a move of the root.
    root_move: Option<AtRoot>,
}

/// A move of the root, its prior, and what a won game is worth.
#[derive(Clone, Copy)]
struct AtRoot {
    mv: u16,
    prior: f32,
    win: f32,
}

fn merit(recipe: &Recipe, candidate: Candidate) -> Merit {
    let Candidate { value, visits, mass, fixed, root_move } = candidate;
    match score::proof(value) {
        Some(Proof::Win(plies)) => return (2, -(plies as f32), 0.0),
        Some(Proof::Loss(plies)) => return (-1, plies as f32, 0.0),
        _ => {}
    }
    let (value, visits) = (value + 0.0, visits as f32);
    match recipe.choose {
        Choose::Visits if let (Select::Gumbel(rule), Some(AtRoot { mv, prior, win })) = (recipe.select, root_move) => {
            (0, visits, rule.merit(mv, prior, score::plain(value, win), win, visits))
        }
        Choose::Value => (0, value, visits),
        Choose::Visits => (0, visits, value),
        Choose::Mass(c) => (0, value + c * mass, visits),
        // The logarithm of (mass + 1)·exp(E/c), which orders alike and never overflows.
        Choose::MassWeighted(c) => (0, (mass + 1.0).ln() + value / c, visits),
        Choose::LeastMass(least) => (i8::from(mass >= least), value, visits),
        Choose::Anchored => match recipe.select {
            Select::Anchored { share, .. } => (0, anchored(share, value, fixed, mass), visits),
            _ => (0, value, visits),
        },
    }
}

/// A merit as a key to sort by, the best first.
#[derive(PartialEq)]
struct Ranked(Merit);

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> std::cmp::Ordering {
        compare(other.0, self.0)
    }
}

fn compare(a: Merit, b: Merit) -> std::cmp::Ordering {
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
}

/// Sorts root moves, best first; equals keep their order.
pub(super) fn rank<M: Move>(rows: &mut [Row<M>], recipe: &Recipe, win: f32) {
    let key = |row: &Row<M>| {
        let RootMove { mv, visits, prior, static_value, .. } = row.root_move;
        let root_move = Some(AtRoot { mv: mv.to_bits(), prior, win });
        let fixed = static_value.unwrap_or(0.0);
        merit(recipe, Candidate { value: row.score, visits, mass: row.mass, fixed, root_move })
    };
    // The noise of a root move takes longer to draw than to compare: once for each, not for each comparison.
    rows.sort_by_cached_key(|row| Ranked(key(row)));
}

/// Entropy of the selection probabilities, in nats.
pub(super) fn entropy<M>(moves: &[RootMove<M>]) -> f32 {
    let probabilities: Vec<f64> = moves.iter().map(|row| f64::from(row.selection)).collect();
    operators::entropy(&probabilities) as f32
}
