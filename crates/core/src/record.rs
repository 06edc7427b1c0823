//! A game as it was written down.
//!
//! One shape for KIF, CSA, SGF and Blokus SGF: a tree of nodes whose first children are the game as played.

use std::time::Duration;

use crate::position::{Color, Outcome, Position};

/// A game record: where it began, what was played (with variations), how it ended.
#[derive(Clone, Debug)]
pub struct Record<P: Position> {
    /// The position before the first move.
    pub start: P,
    /// Facts about the game in the order of the file: players, date, event, under the file format's own keys.
    pub headers: Vec<(String, String)>,
    /// All nodes; the first is the root, which has no move. A child's index is greater than its parent's.
    pub nodes: Vec<Node<P::Move>>,
}

/// One node of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node<M> {
    /// The move that led here; none at the root and at nodes that only end the game, comment or set up stones.
    pub mv: Option<M>,
    /// Index of the parent; the root names itself.
    pub parent: usize,
    /// Indices of the children, the main line first.
    pub children: Vec<usize>,
    /// What was said about the move.
    pub comment: String,
    /// Time used for the move.
    pub time: Option<Duration>,
    /// How the game ended here.
    pub ending: Option<Ending>,
    /// Whatever else the format says of the node, kept for writing it back.
    pub properties: Vec<(String, Vec<String>)>,
}

impl<M> Node<M> {
    fn new(parent: usize, mv: Option<M>) -> Node<M> {
        let (comment, properties) = (String::new(), Vec::new());
        Node { mv, parent, children: Vec::new(), comment, time: None, ending: None, properties }
    }
}

/// Why a game ended, as records say it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// The side to move gave up.
    Resign,
    /// The side to move has no move that saves it (checkmate, no legal move).
    Mate,
    /// The position repeated too often: a draw.
    Repetition,
    /// The side that gave perpetual check loses: the one that has just moved.
    PerpetualCheck,
    /// The side to move ran out of time.
    TimeUp,
    /// The side to move declared a win by entering king and is right.
    Declaration,
    /// The side to move has just done something illegal, or declared wrongly, and loses.
    IllegalAction,
    /// The side that has just moved played an illegal move and loses.
    IllegalMove,
    /// Both kings have entered and the points are even: a draw.
    Impasse,
    /// The agreed number of moves was reached: a draw.
    MoveLimit,
    /// Both sides passed or neither can move: the count decides.
    Counted(Outcome),
    /// Broken off without a result.
    Aborted,
}

impl Ending {
    /// Who won, given who was to move when it ended; none if nothing was decided.
    pub fn outcome(self, to_move: Color) -> Option<Outcome> {
        match self {
            Ending::Resign | Ending::Mate | Ending::TimeUp | Ending::IllegalAction => Some(Outcome::Win(!to_move)),
            Ending::Declaration | Ending::IllegalMove | Ending::PerpetualCheck => Some(Outcome::Win(to_move)),
            Ending::Repetition | Ending::Impasse | Ending::MoveLimit => Some(Outcome::Draw),
            Ending::Counted(outcome) => Some(outcome),
            Ending::Aborted => None,
        }
    }
}

/// Index of the root node.
pub const ROOT: usize = 0;

impl<P: Position> Record<P> {
    /// An empty record that begins at `start`.
    pub fn new(start: P) -> Record<P> {
        Record { start, headers: Vec::new(), nodes: vec![Node::new(ROOT, None)] }
    }

    /// Adds a node below `parent`, after its other children, and gives its index.
    pub fn add(&mut self, parent: usize, mv: Option<P::Move>) -> usize {
        let index = self.nodes.len();
        self.nodes.push(Node::new(parent, mv));
        self.nodes[parent].children.push(index);
        index
    }

    /// The indices of the main line from the root on, the root included.
    pub fn main_line(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(ROOT), |&i| self.nodes[i].children.first().copied())
    }

    /// The moves of the main line.
    pub fn moves(&self) -> Vec<P::Move> {
        self.main_line().filter_map(|i| self.nodes[i].mv).collect()
    }

    /// The header called `key`.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.headers.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// How the main line ended, if it says so.
    pub fn ending(&self) -> Option<Ending> {
        self.main_line().last().and_then(|i| self.nodes[i].ending)
    }
}
