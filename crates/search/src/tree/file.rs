//! A tree in a file.
//!
//! All numbers are little-endian. The format is version 1:
//!
//! ```text
//!   8 bytes   "YOMITREE"
//!   u32       version
//!   u32       columns beyond the five: 1 auxiliary, 2 all moves as first
//!   u64       n, the number of nodes
//!   u32, text length and UTF-8 text of the notes: whatever the writer wants to remember (game, position, method)
//!   u64       checksum (FNV-1a) of everything before
//!   columns   n links (u64), moves (u16), values (f32), visits (u32), priors (f32) [, auxiliary (f32)]
//!             [, all-moves-as-first values (f32) and visits (u32)], each followed by its checksum (u64)
//! ```
//! Links are packed as in [`Link`], values are [`score`](crate::score)s. Node 0 is the root, and a child's number is greater than
//! its parent's.

use std::io::{self, Read, Seek, SeekFrom, Write};

use yomi_core::TextError;

use super::explore::{Explorer, NodeView, check, view};
use super::{AtomicU32, Below, Block, Extras, Link, NodeId, Ordering, Tree};

const MAGIC: &[u8; 8] = b"YOMITREE";
const VERSION: u32 = 1;
/// Longer notes are not meant for a tree.
const LONGEST_NOTES: usize = 1 << 20;

impl Tree {
    /// Writes the tree, with notes for whoever reads it. Nobody should be growing it meanwhile.
    pub fn save(&self, notes: &str, out: &mut impl Write) -> io::Result<()> {
        let nodes = self.len();
        let mut out = Summed::new(io::BufWriter::new(out));
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(u32::from(self.extras.auxiliary) | u32::from(self.extras.amaf) << 1).to_le_bytes())?;
        out.write_all(&(nodes as u64).to_le_bytes())?;
        let notes = &notes[..notes.floor_char_boundary(LONGEST_NOTES)];
        out.write_all(&(notes.len() as u32).to_le_bytes())?;
        out.write_all(notes.as_bytes())?;
        out.finish_part()?;
        for link in &self.links[..nodes] {
            out.write_all(&link.load(Ordering::Acquire).to_le_bytes())?; // Acquire: as everywhere links are read.
        }
        out.finish_part()?;
        for mv in &self.moves[..nodes] {
            out.write_all(&mv.load(Ordering::Relaxed).to_le_bytes())?; // Relaxed, as all statistics.
        }
        out.finish_part()?;
        let mut columns = vec![&self.values, &self.visits, &self.priors];
        if self.extras.auxiliary {
            columns.push(&self.auxiliary);
        }
        if self.extras.amaf {
            columns.extend([&self.amaf_values, &self.amaf_visits]);
        }
        for column in columns {
            let column: &[AtomicU32] = column;
            for x in &column[..nodes] {
                out.write_all(&x.load(Ordering::Relaxed).to_le_bytes())?;
            }
            out.finish_part()?;
        }
        out.inner.flush()
    }
}

/// Passes bytes on and sums them up.
struct Summed<I> {
    inner: I,
    sum: u64,
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

fn add_to_sum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(FNV_PRIME))
}

impl<I> Summed<I> {
    fn new(inner: I) -> Self {
        Summed { inner, sum: FNV_START }
    }
}

impl<W: Write> Summed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum = add_to_sum(self.sum, bytes);
        self.inner.write_all(bytes)
    }

    fn finish_part(&mut self) -> io::Result<()> {
        self.inner.write_all(&self.sum.to_le_bytes())?;
        self.sum = FNV_START;
        Ok(())
    }
}

/// A tree in a file. Only what is looked at is read.
pub struct TreeFile<R> {
    source: R,
    nodes: u64,
    extras: Extras,
    notes: String,
    /// Where the columns begin.
    start: u64,
}

/// Bytes of a number in each column, in the order of the file.
fn widths(extras: Extras) -> Vec<u64> {
    let mut widths = vec![8, 2, 4, 4, 4];
    widths.extend(std::iter::repeat_n(4, usize::from(extras.auxiliary) + 2 * usize::from(extras.amaf)));
    widths
}

impl<R: Read + Seek> TreeFile<R> {
    /// Opens a tree and checks its header and its length. [`TreeFile::verify`] checks the rest.
    pub fn open(mut source: R) -> Result<TreeFile<R>, TextError> {
        let length = source.seek(SeekFrom::End(0)).map_err(unreadable)?;
        source.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut header = vec![0; 28];
        source.read_exact(&mut header).map_err(|_| TextError::new("the file is too short for a tree"))?;
        if header[..8] != *MAGIC {
            return Err(TextError::new("this is no tree: it does not begin with YOMITREE"));
        }
        let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (version, columns, notes_len) = (word(8), word(12), word(24) as usize);
        if version != VERSION {
            return Err(TextError::new(format!("the tree has format {version}, this program reads format {VERSION}")));
        }
        let nodes = u64::from(word(16)) | u64::from(word(20)) << 32;
        if columns > 3 || notes_len > LONGEST_NOTES || nodes == 0 || nodes > u64::from(u32::MAX) {
            return Err(TextError::new("the header of the tree is damaged"));
        }
        let extras = Extras { auxiliary: columns & 1 != 0, amaf: columns & 2 != 0 };
        let mut notes = vec![0; notes_len];
        let mut sum = [0; 8];
        source.read_exact(&mut notes).map_err(|_| TextError::new("the tree ends in its notes"))?;
        source.read_exact(&mut sum).map_err(|_| TextError::new("the tree ends in its header"))?;
        if u64::from_le_bytes(sum) != add_to_sum(add_to_sum(FNV_START, &header), &notes) {
            return Err(TextError::new("the header of the tree is damaged: its checksum is wrong"));
        }
        let notes = String::from_utf8(notes).map_err(|_| TextError::new("the notes of the tree are no text"))?;
        let start = 28 + notes_len as u64 + 8;
        let expected = start + widths(extras).iter().map(|width| width * nodes + 8).sum::<u64>();
        if length != expected {
            return Err(TextError::new(format!("a tree of {nodes} nodes has {expected} bytes, the file has {length}")));
        }
        Ok(TreeFile { source, nodes, extras, notes, start })
    }

    /// What the writer wanted to remember.
    pub fn notes(&self) -> &str {
        &self.notes
    }

    /// Reads the whole file and compares every checksum.
    pub fn verify(&mut self) -> Result<(), TextError> {
        self.source.seek(SeekFrom::Start(self.start)).map_err(unreadable)?;
        let mut buffer = vec![0; 1 << 16];
        for (column, width) in widths(self.extras).into_iter().enumerate() {
            let (mut left, mut sum) = (width * self.nodes, FNV_START);
            while left > 0 {
                let part = &mut buffer[..left.min(1 << 16) as usize];
                self.source.read_exact(part).map_err(unreadable)?;
                sum = add_to_sum(sum, part);
                left -= part.len() as u64;
            }
            let mut told = [0; 8];
            self.source.read_exact(&mut told).map_err(unreadable)?;
            if u64::from_le_bytes(told) != sum {
                return Err(TextError::new(format!(
                    "column {} of the tree is damaged: its checksum is wrong",
                    column + 1
                )));
            }
        }
        Ok(())
    }

    /// The bytes of a block in one column.
    fn read(&mut self, column: usize, block: Block) -> Result<Vec<u8>, TextError> {
        check(block, self.nodes)?;
        let widths = widths(self.extras);
        let before: u64 = widths[..column].iter().map(|width| width * self.nodes + 8).sum();
        let at = self.start + before + widths[column] * u64::from(block.first.0);
        let mut bytes = vec![0; widths[column] as usize * usize::from(block.len)];
        self.source.seek(SeekFrom::Start(at)).map_err(unreadable)?;
        self.source.read_exact(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    fn links(&mut self, block: Block) -> Result<Vec<Link>, TextError> {
        let bytes = self.read(0, block)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|b| Link(u64::from_le_bytes(*b))).collect())
    }

    fn numbers(&mut self, column: usize, block: Block) -> Result<Vec<u32>, TextError> {
        let bytes = self.read(column, block)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }
}

impl<R: Read + Seek> Explorer for TreeFile<R> {
    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn block(&mut self, block: Block) -> Result<Vec<NodeView>, TextError> {
        let links = self.links(block)?;
        let moves = self.read(1, block)?;
        let moves = moves.as_chunks::<2>().0;
        let (values, visits, priors) = (self.numbers(2, block)?, self.numbers(3, block)?, self.numbers(4, block)?);
        let look = |(i, node): (usize, NodeId)| {
            let (value, prior) = (f32::from_bits(values[i]), f32::from_bits(priors[i]));
            view(node, links[i], u16::from_le_bytes(moves[i]), value, visits[i], prior)
        };
        Ok(block.children().enumerate().map(look).collect())
    }

    fn block_below(&mut self, node: NodeId) -> Result<Option<Block>, TextError> {
        let links = self.links(Block { first: node, len: 1 })?;
        match links.first().map(|link| link.below()) {
            // Children come after their parent, so that no damage makes a walk go round in circles.
            Some(Below::Children(block)) if block.first > node => Ok(Some(block)),
            Some(Below::Children(_)) => Err(TextError::new(format!("the children of node {} are damaged", node.0))),
            _ => Ok(None),
        }
    }
}

fn unreadable(error: io::Error) -> TextError {
    TextError::new(format!("the tree cannot be read: {error}"))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::{Newborn, ROOT};
    use super::*;
    use crate::search::Proof;
    use proptest::prelude::*;
    use std::io::Cursor;
    use yomi_core::{Color, Outcome, Seed};

    fn random_tree(extras: Extras) -> Tree {
        let mut rng = Seed::new(4).rng();
        let tree = Tree::with_capacity(500, extras);
        for _ in 0..200 {
            let mut node = ROOT;
            while let Some(block) = tree.children(node) {
                node = block.child(rng.below(usize::from(block.len)));
                tree.visit(node);
            }
            if rng.chance(0.2) {
                tree.set_proof(node, Proof::Win(1));
                tree.finish(node, Outcome::Win(Color::Black));
            } else if tree.claim(node) {
                let newborn = |mv| Newborn { mv, value: f32::from(mv), prior: 0.25, auxiliary: 1.0, link: Link::LEAF };
                let family: Vec<Newborn> = (0..1 + rng.below(5) as u16).map(newborn).collect();
                if tree.adopt(node, &family).is_none() {
                    tree.unclaim(node);
                }
            }
        }
        tree
    }

    fn saved(tree: &Tree) -> Vec<u8> {
        let mut bytes = Vec::new();
        tree.save("game=toy\nmethod=mcss(t=80)", &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_file_tells_what_the_tree_tells() {
        for extras in
            [Extras::default(), Extras { auxiliary: true, amaf: false }, Extras { auxiliary: true, amaf: true }]
        {
            let tree = random_tree(extras);
            let mut file = TreeFile::open(Cursor::new(saved(&tree))).unwrap();
            assert_eq!(file.notes(), "game=toy\nmethod=mcss(t=80)");
            file.verify().unwrap();
            assert_eq!(file.nodes(), tree.len() as u64);
            let mut memory = &tree;
            for node in (0..tree.len() as u32).map(NodeId) {
                assert_eq!(file.node(node), memory.node(node));
                assert_eq!(Explorer::children(&mut file, node), Explorer::children(&mut memory, node));
                let (top, all) = (file.top(node, 2).unwrap(), Explorer::children(&mut file, node).unwrap());
                assert_eq!(top.len(), all.len().min(2));
                assert!(top.first().is_none_or(|best| all.iter().all(|child| child.visits <= best.visits)));
            }
            assert!(file.node(NodeId(tree.len() as u32)).is_err());
            assert!(memory.node(NodeId(u32::MAX)).is_err());
        }
    }

    #[test]
    fn damage_is_found() {
        let bytes = saved(&random_tree(Extras::default()));
        for cut in [0, 5, 20, 30, 60, bytes.len() / 2, bytes.len() - 1] {
            assert!(TreeFile::open(Cursor::new(&bytes[..cut])).is_err(), "cut at {cut}");
        }
        for at in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let found = TreeFile::open(Cursor::new(damaged)).and_then(|mut file| file.verify());
            assert!(found.is_err(), "byte {at}");
        }
    }

    proptest! {
        #[test]
        fn noise_never_panics(noise in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..2000, node in any::<u32>()) {
            prop_assert!(TreeFile::open(Cursor::new(&noise)).is_err());
            let mut bytes = saved(&random_tree(Extras::default()));
            // Damage behind the header, which opening does not look at.
            let at = 70 + at;
            for (i, byte) in noise.iter().enumerate() {
                if let Some(b) = bytes.get_mut(at + i) {
                    *b = *byte;
                }
            }
            if let Ok(mut file) = TreeFile::open(Cursor::new(bytes)) {
                for node in (0..50).chain([node]).map(NodeId) {
                    let _ = file.node(node);
                    let _ = file.top(node, 3);
                }
            }
        }
    }
}
