//! A walk over a finished tree that replays the lines: what learners and measurements look at.

use std::ops::ControlFlow;

use yomi_core::{Line, Move, Position, Seed};

use crate::recipe::Recipe;
use crate::score;
use crate::select::{Buffers, Choice};
use crate::tree::{Block, NodeId, ROOT, Tree};

/// A node as the walk comes by.
pub struct Visit<'a, P: Position> {
    /// The node.
    pub node: NodeId,
    /// The position there, and how it was reached.
    pub line: &'a Line<P>,
    /// Plies below the root.
    pub depth: u32,
    /// Value of the node for the side to move; none if it was never judged.
    pub value: Option<f32>,
    /// Its children; none at a leaf.
    pub children: Option<Block>,
    /// The values of the children for the side that chooses among them, a proof as a won or lost game; empty at a leaf.
    pub values: &'a [f32],
    /// The probability with which the next sample would take each child (S0.2).
    pub probabilities: &'a [f32],
    /// The part of each child in the value of the node (S4.1).
    pub shares: &'a [f32],
}

/// Whether to go on below a node.
pub type Below = ControlFlow<(), ()>;

/// Walks over the tree in depth first order, a parent before its children. `visit` says for each node whether its children are visited as
/// well. `root` is the position at the root of the tree, `recipe` the one that grew it, `win` what a won game is worth.
pub fn walk<P: Position>(
    tree: &Tree,
    recipe: &Recipe,
    root: &Line<P>,
    win: f32,
    mut visit: impl FnMut(&Visit<'_, P>) -> Below,
) {
    let (mut buffers, mut rng) = (Buffers::default(), Seed::new(0).branch("walk", 0).rng());
    let (mut values, mut probabilities, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = vec![(ROOT, root.clone(), 0)];
    while let Some((node, line, depth)) = open.pop() {
        let children = tree.children(node);
        [&mut values, &mut probabilities, &mut shares].into_iter().for_each(Vec::clear);
        if let Some(block) = children {
            let mix = recipe.backup.mix();
            let choice = Choice { tree, parent: node, block, depth, win, mix, open_only: false };
            recipe.select.probabilities(&choice, &mut buffers, &mut rng);
            probabilities.extend_from_slice(&buffers.rates);
            recipe.backup.shares(&choice, &mut buffers);
            shares.extend_from_slice(&buffers.rates);
            values.extend(block.children().map(|child| score::plain(tree.value(child), win)));
        }
        let value = tree.value(node);
        let value = score::is_seen(value).then(|| 0.0 - score::plain(value, win));
        let seen = Visit {
            node,
            line: &line,
            depth,
            value,
            children,
            values: &values,
            probabilities: &probabilities,
            shares: &shares,
        };
        if visit(&seen).is_break() {
            continue;
        }
        for child in children.into_iter().flat_map(Block::children).rev() {
            let mut next = line.clone();
            next.play(P::Move::from_bits(tree.mv(child)));
            open.push((child, next, depth + 1));
        }
    }
}
