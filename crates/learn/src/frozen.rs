//! The finished tree of a search, laid out for going up and down it.
//!
//! Nodes stand in breadth-first order, so children come after their parents and siblings side by side. What is proven is a constant and
//! has nothing below it. Values are for the player who moved into the node: siblings compare directly.

use yomi_core::{Move, Position, TextError};
use yomi_search::backup::Backup;
use yomi_search::recipe::Recipe;
use yomi_search::score;
use yomi_search::select::Select;
use yomi_search::temperature::Temperature;
use yomi_search::tree::{NodeId, ROOT, Tree};

use crate::policy::{boltzmann, expectation, sensitivities, target_sensitivities};

/// What hangs below a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Below {
    /// Children, by their place.
    Children {
        /// The first.
        first: u32,
        /// How many.
        len: u32,
    },
    /// A static value.
    Leaf,
    /// A value that nothing changes: a proof, the end of the game, or a move that was never looked at.
    Constant,
}

/// A node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Node {
    /// The move that leads to it.
    pub mv: u16,
    /// Plies below the root.
    pub depth: u32,
    /// Its parent's place; the root is its own.
    pub parent: u32,
    /// What hangs below.
    pub below: Below,
}

/// How a node of the tree is computed from its children, and how samples descend.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// T_b; 0 is minimax.
    pub backup: Temperature,
    /// T_s.
    pub select: Temperature,
}

impl Rules {
    /// The rules of a recipe for an evaluator to which a won game is worth `win`. Only softmax and minimax backups have gradients here.
    pub fn of(recipe: &Recipe, win: f32) -> Result<Rules, TextError> {
        let backup = match recipe.backup {
            Backup::Softmax { t } => t,
            Backup::Minimax => Temperature::Fixed(0.0),
            other => {
                return Err(TextError::new(format!(
                    "no gradient is known through the backup {other}; softmax and minimax have one"
                )));
            }
        };
        let select = match recipe.select {
            Select::Boltzmann { t, .. } | Select::Anchored { t, .. } => t,
            _ => backup,
        };
        if [backup, select].iter().any(|t| matches!(t, Temperature::ByVisits { .. })) {
            return Err(TextError::new("no gradient is known where temperatures change with visits"));
        }
        Ok(Rules { backup: backup.resolved(win), select: select.resolved(win) })
    }

    fn at(t: Temperature, depth: u32, values: &[f64]) -> f64 {
        let singles: Vec<f32> = match t {
            Temperature::Target(_) => values.iter().map(|&x| x.max(-1e30) as f32).collect(),
            _ => Vec::new(),
        };
        f64::from(t.at(depth, || 0, &singles))
    }

    /// S0.3, S4.1: the value of a node for the side that chooses among children of these values.
    pub fn value(&self, depth: u32, values: &[f64]) -> f64 {
        expectation(&boltzmann(values, Rules::at(self.backup, depth, values)), values)
    }

    /// S0.8: how much that value changes with each of the children's.
    pub fn sensitivities(&self, depth: u32, values: &[f64]) -> Vec<f64> {
        match self.backup {
            Temperature::Target(fraction) => target_sensitivities(values, f64::from(fraction)),
            t => sensitivities(values, Rules::at(t, depth, values)),
        }
    }

    /// The probabilities π_b of the backup (S4.1).
    pub fn backup_probabilities(&self, depth: u32, values: &[f64]) -> Vec<f64> {
        boltzmann(values, Rules::at(self.backup, depth, values))
    }

    /// T_b where a choice among these values is backed up.
    pub fn backup_temperature(&self, depth: u32, values: &[f64]) -> f64 {
        Rules::at(self.backup, depth, values)
    }

    /// The probabilities π_s of the search's own descents (S0.2, S4.1).
    pub fn selection_probabilities(&self, depth: u32, values: &[f64]) -> Vec<f64> {
        boltzmann(values, Rules::at(self.select, depth, values))
    }
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Frozen {
    /// The nodes, the root first.
    pub nodes: Vec<Node>,
    /// What each is worth to the player who moved into it; minus infinity if it is lost or unseen.
    pub values: Vec<f64>,
    /// π' of the move into each, as the search knew it (S3.1); 1 at the root.
    pub priors: Vec<f64>,
    /// How values come from children.
    pub rules: Rules,
}

impl Frozen {
    /// The tree of a finished search, as it stands.
    pub fn of(tree: &Tree, recipe: &Recipe, win: f32) -> Result<Frozen, TextError> {
        Ok(Frozen::look(tree, Rules::of(recipe, win)?, win, u32::MAX))
    }

    /// The root and its moves alone, of any search: for learners that do not differentiate through it. Its rules mean nothing.
    pub fn root_of(tree: &Tree, win: f32) -> Frozen {
        let none = Temperature::Fixed(0.0);
        Frozen::look(tree, Rules { backup: none, select: none }, win, 1)
    }

    /// The tree down to this depth.
    fn look(tree: &Tree, rules: Rules, win: f32, deepest: u32) -> Frozen {
        let look = |node: NodeId, depth: u32, parent: u32| {
            let value = tree.value(node);
            let constant = score::is_proven(value) || !score::is_seen(value);
            let worth = match value {
                x if x < score::WEIGHTLESS => f64::NEG_INFINITY,
                x => f64::from(score::plain(x, win)),
            };
            let ended = matches!(tree.link(node).below(), yomi_search::tree::Below::Over(_));
            let below = if constant || ended { Below::Constant } else { Below::Leaf };
            (Node { mv: tree.mv(node), depth, parent, below }, worth)
        };
        let (root, value) = look(ROOT, 0, 0);
        let (mut nodes, mut values, mut ids, mut priors) = (vec![root], vec![value], vec![ROOT], vec![1.0]);
        let mut at = 0;
        while at < nodes.len() {
            // The root is looked into even where it is proven: its moves may differ.
            let inside = nodes[at].depth < deepest;
            let block = tree.children(ids[at]).filter(|_| inside && (at == 0 || nodes[at].below == Below::Leaf));
            if let Some(block) = block {
                nodes[at].below = Below::Children { first: nodes.len() as u32, len: u32::from(block.len) };
                for child in block.children() {
                    let (node, value) = look(child, nodes[at].depth + 1, at as u32);
                    nodes.push(node);
                    values.push(value);
                    ids.push(child);
                    priors.push(f64::from(tree.prior(child)));
                }
            }
            at += 1;
        }
        Frozen { nodes, values, priors, rules }
    }

    /// The places of a node's children.
    pub fn children(&self, at: usize) -> std::ops::Range<usize> {
        match self.nodes[at].below {
            Below::Children { first, len } => first as usize..(first + len) as usize,
            _ => 0..0,
        }
    }

    /// The values of a node's children for the side that chooses.
    pub fn choices(&self, at: usize) -> &[f64] {
        &self.values[self.children(at)]
    }

    /// What the root is worth to its side to move.
    pub fn value(&self) -> f64 {
        0.0 - self.values[0]
    }

    /// The node and those above it, up to a move of the root.
    pub fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let up = |&at: &usize| Some(self.nodes[at].parent as usize).filter(|&parent| parent != 0);
        std::iter::successors(Some(at).filter(|&at| at != 0), up)
    }

    /// The moves from the root to a node, as bits.
    pub fn line(&self, mut at: usize) -> Vec<u16> {
        let mut moves = Vec::new();
        while at != 0 {
            moves.push(self.nodes[at].mv);
            at = self.nodes[at].parent as usize;
        }
        moves.reverse();
        moves
    }

    /// The position of a node.
    pub fn position<P: Position>(&self, root: &P, at: usize) -> P {
        let mut position = root.clone();
        self.line(at).into_iter().for_each(|bits| position.play(P::Move::from_bits(bits)));
        position
    }

    /// Computes every inner node from its children in double precision, from the leaves as they are now.
    pub fn recompute(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            if let Below::Children { .. } = self.nodes[at].below {
                self.values[at] = 0.0 - self.rules.value(self.nodes[at].depth, self.choices(at));
            }
        }
    }

    /// The child of highest value, where there is one that is not lost; else the first.
    pub fn best_child(&self, at: usize) -> Option<usize> {
        let range = self.children(at);
        let better = |best: usize, child: usize| if self.values[child] > self.values[best] { child } else { best };
        range.clone().next().map(|first| range.fold(first, better))
    }

    /// The end of the principal variation below a node: the child of highest probability at each step (S0.1).
    pub fn principal_leaf(&self, mut at: usize) -> usize {
        while let Some(best) = self.best_child(at) {
            at = best;
        }
        at
    }
}
