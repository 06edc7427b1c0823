//! Stones, chains and liberties, kept up to date move by move. The board knows nothing of turns, ko or the score.
//!
//! * The points lie in one array with a border, so that neighbours are found by adding. The array's length is a power of two
//!   and every index is masked, which lets the compiler leave out the bounds checks.
//! * Stones of a chain form a ring (`next`) and share a head. Merging relabels the smaller chain.
//! * A chain counts its *pseudo-liberties*, one for every pair of a stone and an empty point beside it, with the sum and the sum of
//!   squares of those points, packed in one number. Zero means captured; it is in atari iff the points are all the same.
//! * Points without a stone have head 0, an index outside the board: what is added there does no harm, and no branch is needed.
//! * Each point knows its 3x3 code, and the empty points stand in a dense list for playouts to draw from.

use std::ops::Range;

use yomi_core::{Color, zobrist};

use super::code::{Code, DIRECTIONS};
use super::liberties::Liberties;
use super::vertex::{Vertex, cell, stone};

/// Stones on the board and everything derived from them.
#[derive(Clone, Copy)]
pub(super) struct Board<const LEN: usize> {
    codes: [u16; LEN],
    heads: [u16; LEN],
    next: [u16; LEN],
    /// By head.
    liberties: [Liberties; LEN],
    /// Stones of the chain, by head.
    lengths: [u16; LEN],
    cells: [u8; LEN],
    /// The empty points in no order; `slots` says where each stands.
    empties: [u16; LEN],
    slots: [u16; LEN],
    empty_count: u16,
    stones: [u16; 2],
    key: u64,
    size: u8,
}

/// What a placed stone did.
#[derive(Clone, Copy, Default)]
pub(super) struct Placed {
    /// Enemy stones taken from the board.
    pub(super) captured: u16,
    /// Own stones taken from the board: suicide.
    pub(super) lost: u16,
}

/// Zobrist keys of stones by colour and vertex, for every type of board.
static STONE_KEYS: [[u64; 512]; 2] = [zobrist::table(0x60_b1), zobrist::table(0x60_33)];

/// What a stone of each colour adds to the codes of the 3x3 points around it, row by row from the south. A fourth, empty column makes
/// each row one 64-bit operation.
static MARKS: [[[u16; 4]; 3]; 2] = {
    let mut marks = [[[0; 4]; 3]; 2];
    let mut direction = 0;
    while direction < 8 {
        let (x, y) = DIRECTIONS[direction];
        // Seen from the neighbour, the stone lies in the opposite direction.
        let back = if direction < 4 { 3 - direction } else { 11 - direction };
        marks[0][(y + 1) as usize][(x + 1) as usize] = (cell::BLACK as u16) << (2 * back);
        marks[1][(y + 1) as usize][(x + 1) as usize] = (cell::WHITE as u16) << (2 * back);
        direction += 1;
    }
    marks
};

impl<const LEN: usize> Board<LEN> {
    /// The largest board that fits.
    pub(super) const MAX_SIZE: usize = match LEN {
        128 => 9,
        256 => 13,
        512 => 19,
        _ => panic!("boards exist for 128, 256 and 512 cells"),
    };

    /// From a point to the one above it: a row of the largest board and one cell of border.
    pub(super) const ROW: u16 = Self::MAX_SIZE as u16 + 1;

    /// The way to each of the eight neighbours, in the order of [`super::code::DIRECTIONS`], to be added with wrapping.
    const STEPS: [u16; 8] = {
        let mut steps = [0; 8];
        let mut d = 0;
        while d < 8 {
            let (x, y) = DIRECTIONS[d];
            steps[d] = (y * Self::ROW as i32 + x) as u16;
            d += 1;
        }
        steps
    };

    /// An empty board of `size` rows, at most [`Board::MAX_SIZE`].
    pub(super) fn new(size: usize) -> Self {
        assert!(size <= Self::MAX_SIZE, "a board of {size} rows does not fit");
        let mut board = Board {
            codes: [0; LEN],
            heads: [0; LEN],
            next: [0; LEN],
            liberties: [Liberties::NONE; LEN],
            lengths: [0; LEN],
            cells: [cell::BORDER; LEN],
            empties: [0; LEN],
            slots: [0; LEN],
            empty_count: 0,
            stones: [0; 2],
            key: zobrist::mix(size as u64),
            size: size as u8,
        };
        for v in board.vertices() {
            board.cells[Self::index(v.0)] = cell::EMPTY;
            board.append_empty(v.0);
        }
        for v in board.vertices() {
            board.codes[Self::index(v.0)] = board.slow_code(v.0);
        }
        board
    }

    /// The points of the board in increasing order: row by row from the bottom, each from the left.
    pub(super) fn vertices(&self) -> impl Iterator<Item = Vertex> + use<LEN> {
        self.rows().flatten().map(Vertex)
    }

    /// The same row by row: loops over a whole row are much quicker.
    #[inline]
    pub(super) fn rows(&self) -> impl Iterator<Item = Range<u16>> + use<LEN> {
        let size = u16::from(self.size);
        (1..=size).map(move |row| row * Self::ROW + 1..row * Self::ROW + 1 + size)
    }

    /// The index of a vertex in the arrays. All sizes of arrays are powers of two.
    #[inline(always)]
    fn index(v: u16) -> usize {
        usize::from(v) & (LEN - 1)
    }

    /// The cell in a direction, which may be border.
    #[inline]
    pub(super) fn step(&self, v: u16, direction: usize) -> u16 {
        Self::neighbor(v, direction & 7)
    }

    #[inline(always)]
    fn neighbor(v: u16, direction: usize) -> u16 {
        v.wrapping_add(Self::STEPS[direction])
    }

    /// The 3x3 neighbourhood of a point lies in this range of an array, at fixed places: one bounds check serves for all of it.
    #[inline(always)]
    fn window(v: u16) -> std::ops::Range<usize> {
        let start = usize::from(v) - (Self::ROW as usize + 1);
        start..start + 2 * Self::ROW as usize + 4
    }

    /// What an array says of the four orthogonal neighbours, in the order of their directions.
    #[inline(always)]
    fn around(array: &[u16; LEN], v: u16) -> [u16; 4] {
        let row = Self::ROW as usize;
        let window = &array[Self::window(v)];
        [window[1], window[row], window[row + 2], window[2 * row + 1]]
    }

    #[inline]
    pub(super) fn size(&self) -> usize {
        usize::from(self.size)
    }

    /// What lies on a point; the border for anything that is no point.
    #[inline]
    pub(super) fn cell(&self, v: u16) -> u8 {
        self.cells.get(usize::from(v)).copied().unwrap_or(cell::BORDER)
    }

    #[inline]
    pub(super) fn code(&self, v: u16) -> Code {
        Code(self.codes[Self::index(v)])
    }

    /// Zobrist key of the stones and the size of the board.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// Zobrist key of one stone.
    #[inline]
    pub(super) fn stone_key(v: u16, color: Color) -> u64 {
        STONE_KEYS[color.index()][Self::index(v)]
    }

    /// Stones of a colour on the board.
    #[inline]
    pub(super) fn stones(&self, color: Color) -> u16 {
        self.stones[color.index()]
    }

    /// The empty points, in no order.
    #[inline]
    pub(super) fn empties(&self) -> &[u16] {
        &self.empties[..Self::index(self.empty_count)]
    }

    /// The point that became empty last.
    #[inline]
    pub(super) fn last_emptied(&self) -> u16 {
        self.empties[Self::index(self.empty_count.wrapping_sub(1))]
    }

    /// Whether `v` is a point of the board.
    #[inline]
    pub(super) fn is_point(&self, v: u16) -> bool {
        self.cell(v) != cell::BORDER
    }

    /// The cells beside `v`, border included.
    pub(super) fn neighbors(&self, v: u16) -> impl Iterator<Item = u16> + use<LEN> {
        Self::STEPS[..4].iter().map(move |&step| v.wrapping_add(step))
    }

    /// The cells around `v`, border included.
    pub(super) fn surroundings(&self, v: u16) -> impl Iterator<Item = u16> + use<LEN> {
        Self::STEPS.iter().map(move |&step| v.wrapping_add(step))
    }

    /// The stone that stands for the chain on `v`.
    #[inline]
    pub(super) fn head(&self, v: u16) -> u16 {
        self.heads[Self::index(v)]
    }

    /// The next stone of the ring of a chain.
    #[inline]
    pub(super) fn next(&self, v: u16) -> u16 {
        self.next[Self::index(v)]
    }

    /// Stones of the chain on `v`.
    #[inline]
    pub(super) fn chain_len(&self, v: u16) -> u16 {
        self.lengths[Self::index(self.head(v))]
    }

    /// The liberty of the chain on `v`, if it has only one.
    #[inline]
    pub(super) fn only_liberty(&self, v: u16) -> Option<u16> {
        self.liberties[Self::index(self.head(v))].only()
    }

    /// Whether a stone of `color` on the empty point `v` would have no liberty left, captures counted.
    #[inline]
    pub(super) fn is_suicide(&self, v: u16, color: Color) -> bool {
        let code = self.code(v);
        if code.has_liberty() {
            return false;
        }
        let atari = self.ataris_at(v);
        // Alive by a neighbour that has a liberty elsewhere, or by taking one that has not.
        (code.stones(color) & !atari) | (code.stones(!color) & atari) == 0
    }

    /// The neighbours (bit 2d for direction d) whose chain has no liberty but `v`; nonsense where there is no stone.
    #[inline]
    fn ataris_at(&self, v: u16) -> u16 {
        let one = Liberties::one(v);
        let mut atari = 0;
        for (d, head) in Self::around(&self.heads, v).into_iter().enumerate() {
            let liberties = self.liberties[Self::index(head)];
            atari |= u16::from(liberties.all_are(one)) << (2 * d);
        }
        atari
    }

    /// Calls `visit` for every enemy stone that a stone of `color` on the empty point `v` takes off the board.
    #[inline]
    pub(super) fn for_captured(&self, v: u16, color: Color, visit: impl FnMut(u16)) {
        let one = Liberties::one(v);
        let in_atari = |head: u16| self.liberties[Self::index(head)].all_are(one);
        self.for_chains_beside(v, self.code(v).stones(!color), in_atari, visit);
    }

    /// Calls `visit` for every stone that a stone of `color` on the empty point `v` connects to.
    pub(super) fn for_connected(&self, v: u16, color: Color, visit: impl FnMut(u16)) {
        self.for_chains_beside(v, self.code(v).stones(color), |_| true, visit);
    }

    /// Visits the stones of the chains in the directions `beside` (bit 2d for direction d) whose head is `wanted`, each once.
    #[inline]
    fn for_chains_beside(&self, v: u16, mut beside: u16, wanted: impl Fn(u16) -> bool, mut visit: impl FnMut(u16)) {
        let mut seen = [0; 4];
        while beside != 0 {
            let d = (beside.trailing_zeros() / 2) as usize & 3;
            beside &= beside - 1;
            let head = self.heads[Self::index(Self::neighbor(v, d))];
            if wanted(head) && !seen.contains(&head) {
                seen[d] = head;
                self.for_chain(head, &mut visit);
            }
        }
    }

    /// Visits the stones of a chain.
    #[inline]
    fn for_chain(&self, head: u16, mut visit: impl FnMut(u16)) {
        let mut v = head;
        loop {
            visit(v);
            v = self.next(v);
            if v == head {
                break;
            }
        }
    }

    /// Puts a stone on an empty point and takes off what has no liberty then: the other side first.
    #[inline]
    pub(super) fn place(&mut self, v: u16, color: Color) -> Placed {
        let code = self.code(v);
        let heads = Self::around(&self.heads, v);
        let here = Liberties::one(v);
        let mut liberties = Liberties::NONE;
        let mut dead = 0;
        for (d, head) in heads.into_iter().enumerate() {
            let theirs = &mut self.liberties[Self::index(head)];
            theirs.remove(here);
            dead |= u16::from(*theirs == Liberties::NONE) << (2 * d);
            liberties.add(Liberties::one(Self::neighbor(v, d)).times(code.liberties() >> (2 * d) & 1));
        }
        self.put(v, color);
        let head = self.join(v, liberties, code.stones(color), heads);
        let mut placed = Placed::default();
        // A chain that touches the stone twice loses its last liberty once, so it is counted dead in one direction only.
        dead &= code.stones(!color);
        while dead != 0 {
            placed.captured += self.take(heads[(dead.trailing_zeros() / 2) as usize & 3], !color);
            dead &= dead - 1;
        }
        if self.liberties[Self::index(head)] == Liberties::NONE {
            placed.lost = self.take(head, color);
        }
        placed
    }

    /// Makes the new stone part of the chains of its own colour beside it and returns the head of the result.
    #[inline]
    fn join(&mut self, v: u16, liberties: Liberties, mut own: u16, heads: [u16; 4]) -> u16 {
        if own == 0 {
            self.heads[Self::index(v)] = v;
            self.next[Self::index(v)] = v;
            self.liberties[Self::index(v)] = liberties;
            self.lengths[Self::index(v)] = 1;
            return v;
        }
        let mut head = heads[(own.trailing_zeros() / 2) as usize & 3];
        self.heads[Self::index(v)] = head;
        self.next[Self::index(v)] = std::mem::replace(&mut self.next[Self::index(head)], v);
        self.liberties[Self::index(head)].add(liberties);
        self.lengths[Self::index(head)] += 1;
        own &= own - 1;
        while own != 0 {
            let d = (own.trailing_zeros() / 2) as usize & 3;
            let other = self.heads[Self::index(Self::neighbor(v, d))];
            if other != head {
                head = self.merge(head, other);
            }
            own &= own - 1;
        }
        head
    }

    /// Makes two chains one and returns its head, that of the longer.
    fn merge(&mut self, a: u16, b: u16) -> u16 {
        let (long, short) = if self.lengths[Self::index(a)] >= self.lengths[Self::index(b)] { (a, b) } else { (b, a) };
        self.lengths[Self::index(long)] += self.lengths[Self::index(short)];
        let liberties = self.liberties[Self::index(short)];
        self.liberties[Self::index(long)].add(liberties);
        let mut v = short;
        loop {
            self.heads[Self::index(v)] = long;
            v = self.next[Self::index(v)];
            if v == short {
                break;
            }
        }
        // Exchanging the successors of one stone of each makes two rings one.
        self.next.swap(Self::index(long), Self::index(short));
        long
    }

    /// Takes a chain off the board and says how many stones it had. The last of them is the last in the list of empty points.
    fn take(&mut self, head: u16, color: Color) -> u16 {
        let mut v = head;
        let mut count = 0;
        loop {
            self.lift(v, color);
            for near in Self::around(&self.heads, v) {
                self.liberties[Self::index(near)].add(Liberties::one(v));
            }
            count += 1;
            v = self.next[Self::index(v)];
            if v == head {
                return count;
            }
        }
    }

    /// An empty point becomes a stone, chains apart.
    #[inline]
    fn put(&mut self, v: u16, color: Color) {
        self.cells[Self::index(v)] = stone(color);
        self.flip(v, color);
        self.stones[color.index()] += 1;
        self.empty_count -= 1;
        let last = self.empties[Self::index(self.empty_count)];
        let slot = self.slots[Self::index(v)];
        self.empties[Self::index(slot)] = last;
        self.slots[Self::index(last)] = slot;
    }

    /// A stone becomes an empty point, liberties of the neighbours apart.
    #[inline]
    fn lift(&mut self, v: u16, color: Color) {
        self.cells[Self::index(v)] = cell::EMPTY;
        self.heads[Self::index(v)] = 0;
        self.flip(v, color);
        self.stones[color.index()] -= 1;
        self.append_empty(v);
    }

    #[inline]
    fn append_empty(&mut self, v: u16) {
        self.empties[Self::index(self.empty_count)] = v;
        self.slots[Self::index(v)] = self.empty_count;
        self.empty_count += 1;
    }

    /// Updates key and codes for a stone that was put on `v` or taken off.
    #[inline]
    fn flip(&mut self, v: u16, color: Color) {
        self.key ^= Self::stone_key(v, color);
        let window = &mut self.codes[Self::window(v)];
        for (y, marks) in MARKS[color.index()].iter().enumerate() {
            let row = &mut window[y * Self::ROW as usize..][..4];
            row.iter_mut().zip(marks).for_each(|(code, mark)| *code ^= mark);
        }
    }

    /// The code of a point read off the cells around it.
    fn slow_code(&self, v: u16) -> u16 {
        (0..8).map(|d| u16::from(self.cell(Self::neighbor(v, d))) << (2 * d)).sum()
    }
}
