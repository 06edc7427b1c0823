//! The word that says what hangs below a node.

use yomi_core::{Color, Outcome};

use super::{Block, NodeId};

/// What hangs below a node, packed into one word, so that a reader sees all of it or none.
///
/// ```text
///   63          32 31      16 15     4   3        2  0
///   first child    how many   unused   exhausted   tag
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link(pub(super) u64);

/// A link, unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Below {
    /// Nothing yet.
    Leaf,
    /// A thread is making the children.
    Busy,
    /// The game is over here.
    Over(Outcome),
    /// The children.
    Children(Block),
}

const BUSY: u64 = 1;
const DRAW: u64 = 2;
const BLACK_WINS: u64 = 3;
const WHITE_WINS: u64 = 4;
const CHILDREN: u64 = 5;
const TAG: u64 = 7;

impl Link {
    /// A leaf that may grow. All bits are zero: fresh memory is full of leaves.
    pub const LEAF: Link = Link(0);
    /// A leaf being expanded.
    pub const BUSY: Link = Link(BUSY);
    /// The bit of [`Link::is_exhausted`].
    pub(super) const EXHAUSTED: u64 = 8;

    /// The end of a game.
    pub fn over(outcome: Outcome) -> Link {
        Link(match outcome {
            Outcome::Draw => DRAW,
            Outcome::Win(Color::Black) => BLACK_WINS,
            Outcome::Win(Color::White) => WHITE_WINS,
        })
    }

    /// A node with children.
    pub fn children(block: Block) -> Link {
        Link(CHILDREN | u64::from(block.len) << 16 | u64::from(block.first.0) << 32)
    }

    /// The link unpacked. Words that no link has, as a damaged file may hold, read as leaves.
    #[inline]
    pub fn below(self) -> Below {
        match self.0 & TAG {
            CHILDREN => Below::Children(Block { first: NodeId((self.0 >> 32) as u32), len: (self.0 >> 16) as u16 }),
            BUSY => Below::Busy,
            DRAW => Below::Over(Outcome::Draw),
            BLACK_WINS => Below::Over(Outcome::Win(Color::Black)),
            WHITE_WINS => Below::Over(Outcome::Win(Color::White)),
            _ => Below::Leaf,
        }
    }

    /// Whether no further sample can find anything new here: the game is over, the node may not grow, or all its children are so.
    #[inline]
    pub fn is_exhausted(self) -> bool {
        self.0 & Link::EXHAUSTED != 0 || (DRAW..=WHITE_WINS).contains(&(self.0 & TAG))
    }

    /// The same link, open again to samples.
    pub(super) fn reopened(self) -> Link {
        Link(self.0 & !Link::EXHAUSTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_and_unpacks() {
        let block = Block { first: NodeId(u32::MAX), len: u16::MAX };
        assert_eq!(Link::children(block).below(), Below::Children(block));
        assert_eq!(Link::LEAF.below(), Below::Leaf);
        assert_eq!(Link::BUSY.below(), Below::Busy);
        for outcome in [Outcome::Draw, Outcome::Win(Color::Black), Outcome::Win(Color::White)] {
            assert_eq!(Link::over(outcome).below(), Below::Over(outcome));
            assert!(Link::over(outcome).is_exhausted());
        }
        for link in [Link::LEAF, Link::BUSY, Link::children(block)] {
            assert!(!link.is_exhausted());
            let marked = Link(link.0 | Link::EXHAUSTED);
            assert!(marked.is_exhausted() && marked.below() == link.below() && marked.reopened() == link);
        }
    }
}
