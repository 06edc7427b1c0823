//! Looking around in a tree: children on demand, the best few first.

use yomi_core::{Outcome, TextError};

use super::{Below, Block, Link, NodeId, Tree};
use crate::score;
use crate::search::Proof;

/// A node as a viewer sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodeView {
    /// Its number.
    pub node: NodeId,
    /// The bits of the move that leads to it.
    pub mv: u16,
    /// Its worth for the player who moved into it; none if it was never evaluated, infinite if it is proven won or lost.
    pub value: Option<f32>,
    /// What is proven about it, for the player who moved into it.
    pub proof: Option<Proof>,
    /// Samples that went through it.
    pub visits: u32,
    /// Its prior probability.
    pub prior: f32,
    /// The static value with which it was born, for the player who moved into it, where the recipe keeps it.
    pub static_value: Option<f32>,
    /// Its soft depth, where the recipe keeps it.
    pub soft_depth: Option<f32>,
    /// How many children it has.
    pub children: u16,
    /// How the game ended here, if it did.
    pub outcome: Option<Outcome>,
}

/// Looking around in a tree, wherever it is kept.
pub trait Explorer {
    /// How many nodes there are.
    fn nodes(&self) -> u64;

    /// The nodes of a block; an error if the tree has no such nodes or cannot be read.
    fn block(&mut self, block: Block) -> Result<Vec<NodeView>, TextError>;

    /// The block of a node's children; none at a leaf.
    fn block_below(&mut self, node: NodeId) -> Result<Option<Block>, TextError>;

    /// One node.
    fn node(&mut self, node: NodeId) -> Result<NodeView, TextError> {
        let views = self.block(Block { first: node, len: 1 })?;
        views.first().copied().ok_or_else(|| TextError::new(format!("the tree has no node {}", node.0)))
    }

    /// The children of a node, in the order of the tree.
    fn children(&mut self, node: NodeId) -> Result<Vec<NodeView>, TextError> {
        match self.block_below(node)? {
            Some(block) => self.block(block),
            None => Ok(Vec::new()),
        }
    }

    /// The `k` children most sampled, the most first; of equals the one of higher value.
    fn top(&mut self, node: NodeId, k: usize) -> Result<Vec<NodeView>, TextError> {
        let mut children = self.children(node)?;
        let value = |view: &NodeView| view.value.unwrap_or(f32::NEG_INFINITY);
        children.sort_by(|a, b| b.visits.cmp(&a.visits).then(value(b).total_cmp(&value(a))));
        children.truncate(k);
        Ok(children)
    }
}

pub(super) fn view(node: NodeId, link: Link, mv: u16, value: f32, visits: u32, prior: f32) -> NodeView {
    NodeView {
        node,
        mv,
        value: score::is_seen(value).then(|| score::plain(value, f32::INFINITY)),
        proof: score::proof(value),
        visits,
        prior,
        static_value: None,
        soft_depth: None,
        children: if let Below::Children(block) = link.below() { block.len } else { 0 },
        outcome: if let Below::Over(outcome) = link.below() { Some(outcome) } else { None },
    }
}

/// The tree in memory can be explored while it grows.
impl Explorer for &Tree {
    fn nodes(&self) -> u64 {
        self.len() as u64
    }

    fn block(&mut self, block: Block) -> Result<Vec<NodeView>, TextError> {
        check(block, self.nodes())?;
        let look = |node| NodeView {
            static_value: self.static_value(node),
            soft_depth: self.soft_depth(node),
            ..view(node, self.link(node), self.mv(node), self.value(node), self.visits(node), self.prior(node))
        };
        Ok(block.children().map(look).collect())
    }

    fn block_below(&mut self, node: NodeId) -> Result<Option<Block>, TextError> {
        check(Block { first: node, len: 1 }, self.nodes())?;
        Ok(Tree::children(self, node))
    }
}

pub(super) fn check(block: Block, nodes: u64) -> Result<(), TextError> {
    let end = u64::from(block.first.0) + u64::from(block.len);
    if end <= nodes {
        return Ok(());
    }
    Err(TextError::new(format!("the tree has {nodes} nodes, none called {}", end - 1)))
}
