//! Looking around in a search tree by text: in a saved one, in the last one, or in one that grows.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use yomi_core::{Line, Move, Notation, TextError};
use yomi_search::Proof;
use yomi_search::tree::{Explorer, NodeId, NodeView, ROOT, TreeFile};

use crate::report::{proof_json, tagged};
use crate::session::Session;

/// Which part of a tree to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeQuery {
    /// The moves from the root to the node, separated by spaces.
    pub moves: String,
    /// The most sampled moves, this many at each node.
    pub top: usize,
    /// How many plies below the node.
    pub depth: u32,
}

impl Default for TreeQuery {
    /// The ten most sampled moves of the root.
    fn default() -> TreeQuery {
        TreeQuery { moves: String::new(), top: 10, depth: 1 }
    }
}

/// What a saved tree says about itself: enough to open its game at its root.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TreeNotes {
    /// The game and the rules in force.
    pub game: String,
    /// The position of the root.
    pub position: String,
    /// Who grew it.
    pub player: String,
}

impl TreeNotes {
    /// The notes of a tree, as [`Session::save_tree`] writes them.
    pub fn read(text: &str) -> Result<TreeNotes, TextError> {
        let wrong = |error| TextError::new(format!("the tree does not say its game, position and player: {error}"));
        serde_json::from_str(text).map_err(wrong)
    }
}

/// A saved tree at the position of its root. Only what is looked at is read, however large the file.
pub struct SavedTree<R> {
    tree: TreeFile<R>,
    /// What it says about itself.
    pub notes: TreeNotes,
    session: Box<dyn Session>,
}

impl<R: io::Read + io::Seek> SavedTree<R> {
    /// Opens a tree that [`Session::save_tree`] wrote.
    pub fn open(source: R) -> Result<SavedTree<R>, TextError> {
        let tree = TreeFile::open(source)?;
        let notes = TreeNotes::read(tree.notes())?;
        let mut session = crate::open(&notes.game.parse()?)?;
        session.set_position(Some(&notes.position)).map_err(|error| error.context("the position of the tree"))?;
        Ok(SavedTree { tree, notes, session })
    }

    /// Nodes of the whole tree.
    pub fn nodes(&self) -> u64 {
        self.tree.nodes()
    }

    /// Reads the whole file and compares every checksum.
    pub fn verify(&mut self) -> Result<(), TextError> {
        self.tree.verify()
    }

    /// Looks around in it.
    pub fn explore(&mut self, query: &TreeQuery) -> Result<TreeReport, TextError> {
        self.session.explore_tree(&mut self.tree, query)
    }
}

/// A node of a tree and what lies below it: what `yomi tree --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TreeReport {
    /// The game and the rules in force.
    pub game: String,
    /// The position at the node.
    pub position: String,
    /// The moves from the root to the node, separated by spaces.
    pub moves: String,
    /// Nodes of the whole tree.
    pub nodes: u64,
    /// Samples that went through the node.
    pub visits: u32,
    /// How many children it has.
    pub children: u16,
    /// The most sampled children.
    pub below: Vec<TreeRow>,
}

/// A child and what lies below it. Its value is for the side that plays the move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TreeRow {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Samples that went through it.
    pub visits: u32,
    /// Its value; none if it is unvisited, or proven won or lost.
    pub value: Option<f64>,
    /// Its prior probability.
    pub prior: f64,
    /// What is proven about it.
    #[serde(with = "proof_json")]
    pub proof: Option<Proof>,
    /// How many children it has.
    pub children: u16,
    /// The most sampled of them.
    pub below: Vec<TreeRow>,
}

impl TreeReport {
    /// What `query` asks to see of the tree whose root is the end of `line`.
    pub fn of<P: Notation>(
        line: &Line<P>,
        tree: &mut dyn Explorer,
        query: &TreeQuery,
    ) -> Result<TreeReport, TextError> {
        let mut viewer = Viewer { tree, line: line.clone(), node: ROOT };
        for (i, word) in query.moves.split_whitespace().enumerate() {
            viewer.follow(word).map_err(|error| error.context(format!("move {}", i + 1)))?;
        }
        let node = viewer.tree.node(viewer.node)?;
        Ok(TreeReport {
            game: viewer.line.position().rules(),
            position: viewer.line.position().position_text(),
            moves: query.moves.clone(),
            nodes: viewer.tree.nodes(),
            visits: node.visits,
            children: node.children,
            below: viewer.below(query.top, query.depth)?,
        })
    }

    /// One JSON object, children within their parents; `player` is who grew the tree.
    pub fn json(&self, player: &str) -> Value {
        let mut value = tagged("tree", self);
        value["player"] = player.into();
        value
    }
}

/// A node of a tree and the position there.
struct Viewer<'a, P: Notation> {
    tree: &'a mut dyn Explorer,
    line: Line<P>,
    node: NodeId,
}

impl<P: Notation> Viewer<'_, P> {
    /// Goes down by a move as it is typed.
    fn follow(&mut self, word: &str) -> Result<(), TextError> {
        let mv = self.line.position().parse_move(word)?;
        let children = self.tree.children(self.node)?;
        let child = children.iter().find(|child| child.mv == mv.to_bits());
        self.node = child.ok_or_else(|| TextError::new(format!("the tree does not go on with {word}")))?.node;
        self.line.play(mv);
        Ok(())
    }

    /// The best children and what lies below them.
    fn below(&mut self, top: usize, depth: u32) -> Result<Vec<TreeRow>, TextError> {
        if depth == 0 {
            return Ok(Vec::new());
        }
        let children = self.tree.top(self.node, top)?;
        children.iter().map(|view| self.row(view, top, depth)).collect()
    }

    /// The row of a child. A tree of another game, or a damaged one, has illegal moves.
    fn row(&mut self, view: &NodeView, top: usize, depth: u32) -> Result<TreeRow, TextError> {
        let mv = P::Move::from_bits(view.mv);
        if !self.line.is_legal(mv) {
            return Err(TextError::new(format!("node {} of the tree is reached by no legal move", view.node.0)));
        }
        let text = self.line.position().move_text(mv);
        let mut line = self.line.clone();
        line.play(mv);
        let mut child = Viewer { tree: &mut *self.tree, line, node: view.node };
        Ok(TreeRow {
            mv: text,
            visits: view.visits,
            value: view.value.map(f64::from).filter(|value| value.is_finite()),
            prior: view.prior.into(),
            proof: view.proof,
            children: view.children,
            below: child.below(top, depth - 1)?,
        })
    }
}
