//! The 21 pieces, their names and their orientations.

/// A piece: one of the 21 shapes of one to five squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece(u8);

/// How many pieces a side has.
pub const PIECES: usize = 21;

/// Squares of a piece as offsets (right, down) from its reference square.
type Offsets = &'static [(i8, i8)];

/// Pentobi's name and the shape of orientation 0 of the pieces `a` to `u`, as the contests of 2007 to 2014 drew them.
const SHAPES: [(&str, Offsets); PIECES] = [
    ("1", &[(0, 0)]),
    ("2", &[(0, 0), (0, 1)]),
    ("I3", &[(0, -1), (0, 0), (0, 1)]),
    ("V3", &[(0, -1), (0, 0), (1, 0)]),
    ("I4", &[(0, -1), (0, 0), (0, 1), (0, 2)]),
    ("L4", &[(0, -1), (0, 0), (0, 1), (-1, 1)]),
    ("T4", &[(0, -1), (0, 0), (0, 1), (1, 0)]),
    ("O", &[(0, 0), (1, 0), (0, 1), (1, 1)]),
    ("Z4", &[(-1, 0), (0, 0), (0, 1), (1, 1)]),
    ("I5", &[(0, -2), (0, -1), (0, 0), (0, 1), (0, 2)]),
    ("L5", &[(0, -2), (0, -1), (0, 0), (0, 1), (-1, 1)]),
    ("N", &[(0, -2), (0, -1), (0, 0), (-1, 0), (-1, 1)]),
    ("P", &[(0, -1), (-1, 0), (0, 0), (-1, 1), (0, 1)]),
    ("U", &[(-1, -1), (0, -1), (0, 0), (0, 1), (-1, 1)]),
    ("Y", &[(0, -1), (0, 0), (1, 0), (0, 1), (0, 2)]),
    ("T5", &[(0, -1), (0, 0), (0, 1), (-1, 1), (1, 1)]),
    ("V5", &[(0, -2), (0, -1), (0, 0), (1, 0), (2, 0)]),
    ("W", &[(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1)]),
    ("Z5", &[(-1, -1), (-1, 0), (0, 0), (1, 0), (1, 1)]),
    ("F", &[(-1, -1), (-1, 0), (0, 0), (1, 0), (0, 1)]),
    ("X", &[(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]),
];

impl Piece {
    /// The piece of one square.
    pub const MONOMINO: Piece = Piece(0);

    /// All pieces from `a` to `u`, the small ones first.
    pub fn all() -> impl Iterator<Item = Piece> {
        (0..PIECES as u8).map(Piece)
    }

    /// 0 to 20.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The piece of an index from 0 to 20.
    pub const fn from_index(index: usize) -> Option<Piece> {
        if index < PIECES { Some(Piece(index as u8)) } else { None }
    }

    /// How many squares it covers.
    pub const fn size(self) -> u32 {
        SHAPES[self.0 as usize].1.len() as u32
    }

    /// Its letter in the contest code, `a` to `u`.
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }

    /// The piece of a contest letter, upper or lower case.
    pub fn from_letter(letter: char) -> Option<Piece> {
        let index = u32::from(letter.to_ascii_lowercase()).checked_sub(u32::from('a'))?;
        Piece::from_index(index as usize)
    }

    /// Pentobi's name: `1`, `2`, `I3`, …, `X`.
    pub const fn name(self) -> &'static str {
        SHAPES[self.0 as usize].0
    }

    /// The piece of one of Pentobi's names, upper or lower case.
    pub fn from_name(name: &str) -> Option<Piece> {
        Piece::all().find(|p| p.name().eq_ignore_ascii_case(name))
    }

    /// Its squares in one of the eight orientations, as offsets (right, down) from the reference square. 0 is as drawn; 2, 4 and 6
    /// are turned clockwise by 90, 180 and 270 degrees; an odd number is the mirror image (left to right) of the even one before it.
    pub fn oriented(self, orientation: u8) -> impl Iterator<Item = (i8, i8)> {
        SHAPES[self.index()].1.iter().map(move |&(x, y)| {
            let (x, y) = match orientation >> 1 & 3 {
                0 => (x, y),
                1 => (-y, x),
                2 => (-x, -y),
                _ => (y, -x),
            };
            if orientation & 1 == 0 { (x, y) } else { (-x, y) }
        })
    }
}

/// A set of pieces, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceSet(u32);

impl PieceSet {
    /// All 21.
    pub const ALL: PieceSet = PieceSet((1 << PIECES) - 1);

    /// Whether the piece belongs to the set.
    #[inline]
    pub const fn contains(self, piece: Piece) -> bool {
        self.0 >> piece.0 & 1 != 0
    }

    /// Takes a piece out.
    #[inline]
    pub fn remove(&mut self, piece: Piece) {
        self.0 &= !(1 << piece.0);
    }

    /// How many there are.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The pieces from `a` on.
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        Piece::all().filter(move |&p| self.contains(p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters() {
        assert!(
            Piece::all().all(|p| Piece::from_letter(p.letter()) == Some(p) && Piece::from_name(p.name()) == Some(p))
        );
        assert_eq!(Piece::from_letter('T').unwrap().name(), "F");
        assert_eq!((Piece::from_letter('v'), Piece::from_letter('é'), Piece::from_name("")), (None, None, None));
        let sizes: Vec<u32> = Piece::all().map(Piece::size).collect();
        assert_eq!([1, 2, 3, 4, 5].map(|n| sizes.iter().filter(|&&s| s == n).count()), [1, 1, 2, 5, 12]);
        assert_eq!(sizes.iter().sum::<u32>(), 89);
    }

    #[test]
    fn sets_of_pieces() {
        let mut set = PieceSet::ALL;
        set.remove(Piece::MONOMINO);
        assert_eq!((set.len(), set.iter().next().map(Piece::letter)), (20, Some('b')));
    }
}
