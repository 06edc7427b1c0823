//! A tree in a file.
//!
//! All numbers are little-endian. The format is version 2 where the tree has columns of static values and soft depths, and version 1, which
//! has not, otherwise. (Version 1 of a tree of `mcss(static=…)` has its static values in the place of the priors, and its soft depths as the
//! auxiliary column.)
//!
//! ```text
//!   8 bytes   "YOMITREE"
//!   u32       version
//!   u32       columns beyond the five: 1 auxiliary, 2 all moves as first, 4 static value, 8 soft depth
//!   u64       n, the number of nodes
//!   u32, text length and UTF-8 text of the notes: whatever the writer wants to remember (game, position, method)
//!   u64       checksum (FNV-1a) of everything before
//!   columns   n links (u64), moves (u16), values (f32), visits (u32), priors (f32) [, auxiliary (f32)]
//!             [, static values (f32)] [, soft depths (f32)] [, all-moves-as-first values (f32) and visits (u32)], each followed by its checksum (u64)
//! ```
//! Links are packed as in [`Link`], values are [`score`](crate::score)s. Node 0 is the root, and a child's number is greater than
//! its parent's.

use std::io::{self, Read, Seek, SeekFrom, Write};

use yomi_core::TextError;

use super::explore::{Explorer, NodeView, check, view};
use super::{AtomicU32, Below, Block, Extras, Link, NodeId, Ordering, Tree};

const MAGIC: &[u8; 8] = b"YOMITREE";
const VERSION: u32 = 2;
/// What trees without static values and soft depths are written as.
const PLAIN_VERSION: u32 = 1;
/// Longer notes are not meant for a tree.
const LONGEST_NOTES: usize = 1 << 20;

impl Tree {
    /// Writes the tree, with notes for its readers. The tree should not grow meanwhile.
    pub fn save(&self, notes: &str, out: &mut impl Write) -> io::Result<()> {
        let nodes = self.len();
        let mut out = Summed::new(io::BufWriter::new(out));
        out.write_all(MAGIC)?;
        let columns = column_bits(self.extras);
        out.write_all(&(if columns > 3 { VERSION } else { PLAIN_VERSION }).to_le_bytes())?;
        out.write_all(&columns.to_le_bytes())?;
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
        let always = [&self.values, &self.visits, &self.priors];
        for column in always.into_iter().chain(self.extra_columns().into_iter().filter(|column| !column.is_empty())) {
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

/// The columns beyond the five, as bits.
fn column_bits(extras: Extras) -> u32 {
    let Extras { auxiliary, amaf, static_value, soft_depth } = extras;
    u32::from(auxiliary) | u32::from(amaf) << 1 | u32::from(static_value) << 2 | u32::from(soft_depth) << 3
}

/// Bytes of a number in each column, in the order of the file.
fn widths(extras: Extras) -> Vec<u64> {
    let mut widths = vec![8, 2, 4, 4, 4];
    let numbers = [extras.auxiliary, extras.static_value, extras.soft_depth, extras.amaf, extras.amaf];
    widths.extend(numbers.into_iter().filter(|&there| there).map(|_| 4));
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
        if !(PLAIN_VERSION..=VERSION).contains(&version) {
            return Err(TextError::new(format!(
                "the tree has format {version}, this program reads formats {PLAIN_VERSION} to {VERSION}"
            )));
        }
        let nodes = u64::from(word(16)) | u64::from(word(20)) << 32;
        let known = if version == PLAIN_VERSION { 3 } else { 15 };
        if columns > known || notes_len > LONGEST_NOTES || nodes == 0 || nodes > u64::from(u32::MAX) {
            return Err(TextError::new("the header of the tree is damaged"));
        }
        let has = |bit: u32| columns & bit != 0;
        let extras = Extras { auxiliary: has(1), amaf: has(2), static_value: has(4), soft_depth: has(8) };
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
            let mut stored = [0; 8];
            self.source.read_exact(&mut stored).map_err(unreadable)?;
            if u64::from_le_bytes(stored) != sum {
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
        let Extras { auxiliary, static_value, soft_depth, .. } = self.extras;
        let first = 5 + usize::from(auxiliary);
        let statics = if static_value { self.numbers(first, block)? } else { Vec::new() };
        let depths = if soft_depth { self.numbers(first + usize::from(static_value), block)? } else { Vec::new() };
        let number = |column: &[u32], i: usize| column.get(i).copied().map(f32::from_bits);
        let look = |(i, node): (usize, NodeId)| {
            let (value, prior) = (f32::from_bits(values[i]), f32::from_bits(priors[i]));
            NodeView {
                static_value: number(&statics, i),
                soft_depth: number(&depths, i),
                ..view(node, links[i], u16::from_le_bytes(moves[i]), value, visits[i], prior)
            }
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
            if node != ROOT && rng.chance(0.2) {
                tree.set_proof(node, Proof::Win(1));
                tree.finish(node, Outcome::Win(Color::Black));
            } else if tree.claim(node) {
                let newborn =
                    |mv| Newborn { mv, value: f32::from(mv), prior: 0.25, static_value: 0.0, link: Link::LEAF };
                let family: Vec<Newborn> = (0..1 + rng.below(5) as u16).map(newborn).collect();
                if tree.adopt(node, &family).is_none() {
                    tree.unclaim(node);
                }
            }
        }
        assert!(tree.len() > 100);
        tree
    }

    fn saved(tree: &Tree) -> Vec<u8> {
        let mut bytes = Vec::new();
        tree.save("game=toy\nmethod=mcss(t=80)", &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_file_says_what_the_tree_says() {
        let anchored = Extras { static_value: true, soft_depth: true, ..Extras::default() };
        let everything = Extras { auxiliary: true, amaf: true, ..anchored };
        for extras in [Extras::default(), Extras { auxiliary: true, ..Extras::default() }, anchored, everything] {
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

    /// Old files have no columns for static values and soft depths; files of a program yet to come are refused.
    #[test]
    fn old_files_are_read_and_newer_ones_refused() {
        let plain = saved(&random_tree(Extras { auxiliary: true, ..Extras::default() }));
        assert_eq!(plain[8], 1, "without the new columns the format is the old one");
        let mut file = TreeFile::open(Cursor::new(plain.clone())).unwrap();
        assert_eq!(file.node(ROOT).unwrap().static_value, None);
        let anchored = saved(&random_tree(Extras { static_value: true, soft_depth: true, ..Extras::default() }));
        assert_eq!(anchored[8], 2);
        let mut file = TreeFile::open(Cursor::new(anchored.clone())).unwrap();
        assert_eq!(file.children(ROOT).unwrap()[0].soft_depth, Some(1.0));
        let mut newer = plain;
        newer[8] = 3;
        let error = TreeFile::open(Cursor::new(newer)).err().unwrap();
        assert_eq!(error.message, "the tree has format 3, this program reads formats 1 to 2");
        let mut mixed = anchored;
        mixed[8] = 1;
        assert!(TreeFile::open(Cursor::new(mixed)).is_err(), "an old tree has no such columns");
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
