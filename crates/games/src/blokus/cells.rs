//! Squares of the board and sets of them.
//!
//! The board has 14 rows of 14 squares. A set is 256 bits, 16 to a row, so that a border of one square surrounds the board and
//! a shifted set cannot come back on the other side unnoticed.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Sub};

use yomi_core::TextError;

/// Rows and columns of the board.
pub const SIZE: u8 = 14;

/// A square. Its byte is the row (from the top) in the high four bits and the column in the low four, both from 1 to 14: the
/// contest square with column `x` and row `y` is `16 * y + x`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The square in column `x` from the left and row `y` from the top, both counted from 1.
    pub const fn new(x: u8, y: u8) -> Option<Cell> {
        if x >= 1 && x <= SIZE && y >= 1 && y <= SIZE { Some(Cell(16 * y + x)) } else { None }
    }

    /// The same for coordinates that may lie anywhere.
    pub(super) fn from_signed(x: i32, y: i32) -> Option<Cell> {
        Cell::new(u8::try_from(x).ok()?, u8::try_from(y).ok()?)
    }

    /// The bit of this square in a [`CellSet`].
    #[inline]
    pub const fn bit(self) -> u8 {
        self.0
    }

    /// The square of a bit, which must be one of the board.
    #[inline]
    pub const fn from_bit(bit: u8) -> Cell {
        debug_assert!(bit & 15 >= 1 && bit & 15 <= SIZE && bit >> 4 >= 1 && bit >> 4 <= SIZE);
        Cell(bit)
    }

    /// Column from the left, 1 to 14.
    pub const fn x(self) -> u8 {
        self.0 & 15
    }

    /// Row from the top, 1 to 14.
    pub const fn y(self) -> u8 {
        self.0 >> 4
    }

    /// 0 to 195, row by row from the top: the index of the square in a table of features.
    pub const fn index(self) -> usize {
        (self.y() as usize - 1) * SIZE as usize + self.x() as usize - 1
    }

    /// All squares in the order of their index.
    pub fn all() -> impl Iterator<Item = Cell> {
        (1..=SIZE).flat_map(|y| (1..=SIZE).map(move |x| Cell(16 * y + x)))
    }

    /// Reads a point as Pentobi writes it: column `a` to `n`, row 1 to 14 from the bottom; `e10` is column 5, row 5.
    pub fn parse(text: &str) -> Result<Cell, TextError> {
        let wrong = || TextError::at(text, 0, "a square is a letter from a to n and a number from 1 to 14");
        let letter = *text.as_bytes().first().ok_or_else(wrong)?;
        let digits =
            text.get(1..).filter(|d| d.len() <= 2 && d.bytes().all(|b| b.is_ascii_digit())).ok_or_else(wrong)?;
        let row: u8 = digits.parse().map_err(|_| wrong())?;
        let x = letter.to_ascii_lowercase().wrapping_sub(b'a').wrapping_add(1);
        Cell::new(x, (SIZE + 1).wrapping_sub(row)).ok_or_else(wrong)
    }
}

/// The point as Pentobi writes it: `e10`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x() - 1), SIZE + 1 - self.y())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of squares. The complement and the shifts may also hold squares of the border.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSet([u64; 4]);

impl CellSet {
    /// No square.
    pub const EMPTY: CellSet = CellSet([0; 4]);

    /// The 196 squares of the board.
    pub const BOARD: CellSet = {
        let row = 0x7ffe_u64;
        let four = row | row << 16 | row << 32 | row << 48;
        CellSet([four & !0xffff, four, four, four & !(0xffff << 48)])
    };

    /// The set of one square.
    pub const fn of(cell: Cell) -> CellSet {
        let mut words = [0; 4];
        words[cell.0 as usize >> 6] = 1 << (cell.0 & 63);
        CellSet(words)
    }

    /// Whether the square belongs to the set.
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0[cell.0 as usize >> 6] >> (cell.0 & 63) & 1 != 0
    }

    /// Adds a square.
    #[inline]
    pub fn insert(&mut self, cell: Cell) {
        self.0[cell.0 as usize >> 6] |= 1 << (cell.0 & 63);
    }

    /// How many squares there are.
    #[inline]
    pub fn len(self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, w| all | w) == 0
    }

    /// Whether no square belongs to both sets.
    #[inline]
    pub fn is_disjoint(self, other: CellSet) -> bool {
        (self & other).is_empty()
    }

    /// The first square, from the top and then from the left.
    #[inline]
    pub fn first(self) -> Option<Cell> {
        let word = self.0.iter().position(|&w| w != 0)?;
        Some(Cell(64 * word as u8 + self.0[word].trailing_zeros() as u8))
    }

    /// The squares from the top, row by row from the left.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        self.0.into_iter().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as u8;
                (word != 0).then(|| word &= word - 1).map(|()| Cell(64 * i as u8 + bit))
            })
        })
    }

    /// The set moved by `bits`: 1 is a square to the right, 16 a square down, negative numbers the other way.
    #[inline]
    pub const fn shifted(self, bits: i32) -> CellSet {
        let w = self.0;
        let n = bits.unsigned_abs();
        let m = 64 - n;
        CellSet(if bits > 0 {
            [w[0] << n, w[1] << n | w[0] >> m, w[2] << n | w[1] >> m, w[3] << n | w[2] >> m]
        } else {
            [w[0] >> n | w[1] << m, w[1] >> n | w[2] << m, w[2] >> n | w[3] << m, w[3] >> n]
        })
    }

    /// The squares of the board that share an edge with one of the set and do not belong to it.
    pub fn edge_neighbors(self) -> CellSet {
        (self.neighbors()[0] & Self::BOARD) - self
    }

    /// The squares of the board that touch one of the set by a corner and none by an edge, and do not belong to it.
    pub fn corner_neighbors(self) -> CellSet {
        let [edges, corners] = self.neighbors();
        (corners & Self::BOARD) - edges - self
    }

    /// The squares beside and those diagonal to one of the set. These sets overlap, and contain squares of the border.
    #[inline]
    pub fn neighbors(self) -> [CellSet; 2] {
        let beside = self.shifted(1) | self.shifted(-1);
        [beside | self.shifted(16) | self.shifted(-16), beside.shifted(16) | beside.shifted(-16)]
    }

    /// The rows, 16 bits each.
    #[inline]
    pub(super) fn rows(self) -> [u16; 16] {
        std::array::from_fn(|y| (self.0[y / 4] >> (y % 4 * 16)) as u16)
    }

    /// The set of the bits of `window`, the lowest of which is bit `start`.
    #[inline]
    pub(super) fn from_window(window: u128, start: u8) -> CellSet {
        let (low, high) = (window as u64, (window >> 64) as u64);
        let shift = u32::from(start & 63);
        // `shift` may be 0, hence the shifts by two steps.
        let parts = [low << shift, high << shift | low >> 1 >> (63 - shift), high >> 1 >> (63 - shift), 0];
        let word = usize::from(start >> 6);
        CellSet(std::array::from_fn(|i| if i < word { 0 } else { parts[i - word] }))
    }

    /// The 128 bits that begin `start` bits after the first. Beyond the ends it wraps round: what connects to the board has
    /// crossed the border before that matters.
    #[inline]
    pub fn window(self, start: i32) -> u128 {
        let word = (start >> 6) as usize;
        let shift = (start & 63) as u32;
        let [a, b, c] = [0, 1, 2].map(|i| u128::from(self.0[word.wrapping_add(i) & 3]));
        // `shift` may be 0, hence the shift by two steps.
        (a | b << 64) >> shift | c << (127 - shift) << 1
    }
}

impl BitOr for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitor(self, other: CellSet) -> CellSet {
        CellSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl BitOrAssign for CellSet {
    #[inline]
    fn bitor_assign(&mut self, other: CellSet) {
        *self = *self | other;
    }
}

impl BitAnd for CellSet {
    type Output = CellSet;
    #[inline]
    fn bitand(self, other: CellSet) -> CellSet {
        CellSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

/// Set difference.
impl Sub for CellSet {
    type Output = CellSet;
    #[inline]
    fn sub(self, other: CellSet) -> CellSet {
        CellSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

impl Not for CellSet {
    type Output = CellSet;
    #[inline]
    fn not(self) -> CellSet {
        CellSet(self.0.map(|w| !w))
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet {
        let mut set = CellSet::EMPTY;
        cells.into_iter().for_each(|cell| set.insert(cell));
        set
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_and_coordinates() {
        let cell = Cell::new(5, 5).unwrap();
        assert_eq!((cell.to_string().as_str(), cell.index()), ("e10", 60));
        assert_eq!(Cell::parse("J5"), Ok(Cell::new(10, 10).unwrap()));
        assert!(Cell::all().enumerate().all(|(i, c)| c.index() == i && Cell::parse(&c.to_string()) == Ok(c)));
        assert_eq!(Cell::all().collect::<CellSet>(), CellSet::BOARD);
        for bad in ["", "e", "o1", "a0", "a15", "a100", "é1", "e1é", "1e", "e+1", "`1", "a256"] {
            assert!(Cell::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        /// Neighbours as the eye sees them.
        #[test]
        fn neighbors_are_near(indices in prop::collection::vec(0..196usize, 1..12)) {
            let cells: Vec<Cell> = Cell::all().collect();
            let set: CellSet = indices.iter().map(|&i| cells[i]).collect();
            for cell in Cell::all() {
                let near = |d: u8| set.iter().any(|c| {
                    let (dx, dy) = (c.x().abs_diff(cell.x()), c.y().abs_diff(cell.y()));
                    if d == 1 { dx + dy == 1 } else { dx == 1 && dy == 1 }
                });
                let inside = set.contains(cell);
                prop_assert_eq!(set.edge_neighbors().contains(cell), near(1) && !inside);
                prop_assert_eq!(set.corner_neighbors().contains(cell), near(2) && !near(1) && !inside);
            }
            prop_assert_eq!(set.len() as usize, set.iter().count());
            prop_assert_eq!(set.first(), set.iter().next());
        }

        #[test]
        fn windows_show_the_bits(words in prop::array::uniform4(any::<u64>()), start in -64..256i32) {
            let window = CellSet(words).window(start);
            for i in 0..128 {
                let bit = (start + i).rem_euclid(256);
                prop_assert_eq!(window >> i & 1, u128::from(words[bit as usize / 64] >> (bit % 64) & 1));
            }
        }
    }
}
