//! A game written down as a tree: `(3 (1 -2) 5)`. Leaves are values for the first player; the sides take turns.
//!
//! Searches are tested on it because every value can be computed by hand.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::position::{Color, Move, Outcome, Position};
use crate::text::TextError;

/// Which branch to take, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Branch(pub u16);

impl Move for Branch {
    fn to_bits(self) -> u16 {
        self.0
    }
    fn from_bits(bits: u16) -> Self {
        Branch(bits)
    }
}

/// A node of a literal game tree.
#[derive(Clone, PartialEq, Debug)]
pub struct ToyTree {
    nodes: Arc<[Node]>,
    at: usize,
    turn: Color,
}

#[derive(Clone, PartialEq, Debug)]
struct Node {
    /// Value for the first player; inner nodes may carry one for evaluators (`5:(1 2)`).
    value: f64,
    children: Vec<usize>,
}

impl ToyTree {
    /// The value written at this node, for the first player: what an evaluator of this game answers.
    pub fn written_value(&self) -> f64 {
        self.nodes[self.at].value
    }

    /// Whether this node is a leaf of the tree.
    pub fn is_leaf(&self) -> bool {
        self.nodes[self.at].children.is_empty()
    }
}

impl FromStr for ToyTree {
    type Err = TextError;

    fn from_str(text: &str) -> Result<ToyTree, TextError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut pending: Option<f64> = None;
        let mut rest = text;
        let add = |value: f64, open: &[usize], nodes: &mut Vec<Node>| {
            let index = nodes.len();
            nodes.push(Node { value, children: Vec::new() });
            if let Some(&parent) = open.last() {
                nodes[parent].children.push(index);
            }
            index
        };
        loop {
            rest = rest.trim_start();
            let offset = text.len() - rest.len();
            let Some(c) = rest.chars().next() else { break };
            if open.is_empty() && !nodes.is_empty() {
                return Err(TextError::at(text, offset, "nothing may follow the tree"));
            }
            match c {
                '(' => {
                    let index = add(pending.take().unwrap_or(0.0), &open, &mut nodes);
                    open.push(index);
                    rest = &rest[1..];
                }
                ')' => {
                    let closed = open.pop().ok_or_else(|| TextError::at(text, offset, "no bracket is open"))?;
                    if nodes[closed].children.is_empty() {
                        return Err(TextError::at(text, offset, "a bracket holds at least one child"));
                    }
                    rest = &rest[1..];
                }
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || "():".contains(c)).unwrap_or(rest.len());
                    let value: f64 =
                        rest[..end].parse().map_err(|_| TextError::at(text, offset, "a number was expected"))?;
                    rest = &rest[end..];
                    if let Some(after) = rest.strip_prefix(':') {
                        if !after.starts_with('(') {
                            return Err(TextError::at(text, offset + end, "a bracket follows a colon"));
                        }
                        pending = Some(value);
                        rest = after;
                    } else {
                        add(value, &open, &mut nodes);
                    }
                }
            }
        }
        match (open.is_empty(), nodes.is_empty()) {
            (true, false) => Ok(ToyTree { nodes: nodes.into(), at: 0, turn: Color::Black }),
            _ => Err(TextError::at(text, text.len(), "the tree ends too early")),
        }
    }
}

impl Position for ToyTree {
    type Move = Branch;
    const NAME: &'static str = "toy-tree";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        crate::zobrist::mix(self.at as u64)
    }

    /// A leaf is a win for the side its value favours.
    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        moves.clear();
        let node = &self.nodes[self.at];
        moves.extend((0..node.children.len() as u16).map(Branch));
        moves.is_empty().then_some(match node.value {
            v if v > 0.0 => Outcome::Win(Color::Black),
            v if v < 0.0 => Outcome::Win(Color::White),
            _ => Outcome::Draw,
        })
    }

    fn play(&mut self, mv: Branch) {
        self.at = self.nodes[self.at].children[usize::from(mv.0)];
        self.turn = !self.turn;
    }
}

impl fmt::Display for ToyTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn write(tree: &ToyTree, at: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let node = &tree.nodes[at];
            if node.children.is_empty() {
                return write!(f, "{}", node.value);
            }
            if node.value != 0.0 {
                write!(f, "{}:", node.value)?;
            }
            for (i, &child) in node.children.iter().enumerate() {
                write!(f, "{}", if i == 0 { "(" } else { " " })?;
                write(tree, child, f)?;
            }
            write!(f, ")")
        }
        write(self, self.at, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::perft;

    #[test]
    fn reads_what_it_prints() {
        for text in ["3", "(3 (1 -2) 5)", "(2:(1 0) ((4 -1) 7))"] {
            assert_eq!(text.parse::<ToyTree>().unwrap().to_string(), text);
        }
        for wrong in ["", "(", ")", "()", "1 2", "(1))", "x", "1:2", "(1:2)"] {
            assert!(wrong.parse::<ToyTree>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn counts_its_lines() {
        let tree: ToyTree = "(3 (1 -2) 5)".parse().unwrap();
        assert_eq!((perft(&tree, 1), perft(&tree, 2), perft(&tree, 3)), (3, 2, 0));
    }
}
