//! Moves and the two ways to write them: Pentobi's list of points and the four-character code of the contests.

use std::fmt;

use yomi_core::{Move, TextError};

use super::cells::{Cell, CellSet};
use super::pieces::Piece;
use super::tables::{PLACEMENTS, tables};

/// A placement by its number (see [`super::tables`] for the order), or passing, which is the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlokusMove(u16);

impl Move for BlokusMove {
    fn to_bits(self) -> u16 {
        self.0
    }
    fn from_bits(bits: u16) -> Self {
        BlokusMove(bits)
    }
}

impl BlokusMove {
    /// Passing: the only move when nothing fits.
    pub const PASS: BlokusMove = BlokusMove(PLACEMENTS as u16);

    #[inline]
    pub(super) const fn placement(id: u16) -> BlokusMove {
        BlokusMove(id)
    }

    /// Whether this is [`BlokusMove::PASS`].
    pub const fn is_pass(self) -> bool {
        self.0 == Self::PASS.0
    }

    const fn is_placement(self) -> bool {
        self.0 < Self::PASS.0
    }

    /// All 13,729 placements in the order of their numbers.
    pub fn all_placements() -> impl Iterator<Item = BlokusMove> {
        (0..PLACEMENTS as u16).map(BlokusMove)
    }

    /// The piece placed; none for a pass and for bits that encode nothing.
    pub fn piece(self) -> Option<Piece> {
        self.is_placement().then(|| tables().shape(self.0).piece)
    }

    /// The squares covered; none for a pass and for bits that encode nothing.
    #[inline]
    pub fn cells(self) -> CellSet {
        if self.is_placement() { tables().cells(self.0) } else { CellSet::EMPTY }
    }

    /// Which of the 91 oriented pieces it places, and the top left square of the rectangle around it; none for a pass.
    #[inline]
    pub fn footprint(self) -> Option<(usize, Cell)> {
        self.is_placement().then(|| tables().footprint(self.0))
    }

    /// The placement that covers exactly these squares.
    pub fn from_cells(cells: CellSet) -> Option<BlokusMove> {
        tables().find(cells).map(BlokusMove)
    }

    /// Orientation (the smallest of equivalent ones) and reference square of a placement.
    pub fn orientation(self) -> Option<(u8, Cell)> {
        let top = self.cells().first()?;
        let shape = tables().shape(self.0);
        let (dx, dy) = shape.offsets[0];
        let reference = Cell::from_signed(i32::from(top.x()) - i32::from(dx), i32::from(top.y()) - i32::from(dy))?;
        Some((shape.orientation, reference))
    }

    /// The points as Pentobi writes them, from the bottom row up and from the left: `e9,d10,e10,f10,e11`; `pass` for a pass.
    pub fn points(self) -> String {
        if self.is_pass() {
            return "pass".to_string();
        }
        let mut cells: Vec<Cell> = self.cells().iter().collect();
        cells.sort_by_key(|c| (std::cmp::Reverse(c.y()), c.x()));
        cells.iter().map(Cell::to_string).collect::<Vec<_>>().join(",")
    }

    /// Reads points with commas between them, in any order.
    pub fn from_points(text: &str) -> Result<BlokusMove, TextError> {
        let mut cells = CellSet::EMPTY;
        let mut offset = 0;
        for point in text.split(',') {
            if cells.len() == 5 {
                return Err(TextError::at(text, offset, "a piece has at most five squares"));
            }
            let cell = Cell::parse(point.trim()).map_err(|e| TextError::at(text, offset, e.message))?;
            if cells.contains(cell) {
                return Err(TextError::at(text, offset, format!("{cell} is named twice")));
            }
            cells.insert(cell);
            offset += point.len() + 1;
        }
        BlokusMove::from_cells(cells).ok_or_else(|| TextError::at(text, 0, "these squares form no piece"))
    }

    /// The contest code `xypo`: column and row of the reference square (from the top left, `1` to `9` and `a` to `e`), letter of the
    /// piece, smallest orientation that gives this placement. `56t2` is the most played opening; a pass is `0000`.
    pub fn code(self) -> String {
        match (self.orientation(), self.piece()) {
            (Some((orientation, at)), Some(piece)) => {
                format!("{:x}{:x}{}{orientation}", at.x(), at.y(), piece.letter())
            }
            _ => "0000".to_string(),
        }
    }

    /// Reads a contest code in upper or lower case, under any of its equivalent orientations; `0000` and `----` are passes.
    pub fn from_code(text: &str) -> Result<BlokusMove, TextError> {
        if text == "0000" || text == "----" {
            return Ok(BlokusMove::PASS);
        }
        let mut chars = text.char_indices();
        let mut next =
            |what: &str| chars.next().ok_or_else(|| TextError::at(text, text.len(), format!("{what} is missing")));
        let coordinate = |(offset, c): (usize, char)| match c.to_digit(16) {
            Some(n @ 1..=14) => Ok(n as u8),
            _ => Err(TextError::at(text, offset, "a coordinate is 1 to 9 or a to e")),
        };
        let x = coordinate(next("the column")?)?;
        let y = coordinate(next("the row")?)?;
        let (offset, letter) = next("the piece")?;
        let piece = Piece::from_letter(letter).ok_or_else(|| TextError::at(text, offset, "a piece is a to u"))?;
        let (offset, digit) = next("the orientation")?;
        let orientation = digit.to_digit(8).ok_or_else(|| TextError::at(text, offset, "an orientation is 0 to 7"))?;
        if let Some((offset, _)) = chars.next() {
            return Err(TextError::at(text, offset, "a code has four characters"));
        }
        let id = tables().find_oriented(piece, orientation as u8, x, y);
        id.map(BlokusMove).ok_or_else(|| TextError::at(text, 0, "the piece does not lie on the board"))
    }

    /// Reads a move in either notation.
    pub fn parse(text: &str) -> Result<BlokusMove, TextError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("pass") {
            return Ok(BlokusMove::PASS);
        }
        // No point has four characters, and a list of points has commas.
        if text.chars().count() == 4 && !text.contains(',') {
            return BlokusMove::from_code(text);
        }
        BlokusMove::from_points(text)
    }
}

impl fmt::Debug for BlokusMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_pass() || self.piece().is_some() { f.write_str(&self.points()) } else { write!(f, "#{}", self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs that Pentobi's coordinates and the contest programs agree upon.
    #[test]
    fn both_notations_of_known_moves() {
        let known = [
            ("56t2", "e8,d9,e9,e10,f10"),
            ("65u0", "f9,e10,f10,g10,f11"),
            ("66p4", "f8,f9,e10,f10,g10"),
            ("56o4", "e8,d9,e9,e10,e11"),
            ("64r2", "e10,f10,f11,g11,g12"),
            ("9ao2", "i4,g5,h5,i5,j5"),
            ("39n2", "b6,c6,d6,b7,d7"),
            ("a4t3", "j10,j11,k11,i12,j12"),
        ];
        for (code, points) in known {
            let mv = BlokusMove::from_code(code).unwrap();
            assert_eq!((mv.points().as_str(), mv.code().as_str()), (points, code));
            assert_eq!(BlokusMove::from_points(points), Ok(mv));
        }
        assert_eq!(BlokusMove::from_code("33b6"), BlokusMove::from_code("43B2"));
        assert_eq!(
            BlokusMove::from_points("F10,e10 , e9,d10,e11").map(BlokusMove::points),
            Ok("e9,d10,e10,f10,e11".into())
        );
        for pass in ["0000", "----", "pass", " PASS "] {
            assert_eq!(BlokusMove::parse(pass), Ok(BlokusMove::PASS));
        }
        assert_eq!((BlokusMove::PASS.points().as_str(), BlokusMove::PASS.code().as_str()), ("pass", "0000"));
    }

    #[test]
    fn every_placement_round_trips_and_codes_are_canonical() {
        let mut last = Vec::new();
        for mv in BlokusMove::all_placements() {
            assert_eq!(BlokusMove::from_points(&mv.points()), Ok(mv));
            assert_eq!(BlokusMove::from_code(&mv.code()), Ok(mv));
            assert_eq!(BlokusMove::from_code(&mv.code().to_uppercase()), Ok(mv));
            let (orientation, cell) = mv.orientation().unwrap();
            let order = vec![mv.piece().unwrap().index() as u8, orientation, cell.y(), cell.x()];
            assert!(order > last, "documented order: {mv:?}");
            last = order;
        }
    }

    #[test]
    fn errors_say_where() {
        let at = |e: Result<BlokusMove, TextError>| e.unwrap_err().column;
        assert_eq!(at(BlokusMove::parse("f5t2")), 1);
        assert_eq!(at(BlokusMove::parse("50t2")), 2);
        assert_eq!(at(BlokusMove::parse("55v2")), 3);
        assert_eq!(at(BlokusMove::parse("55t8")), 4);
        assert_eq!(at(BlokusMove::parse("11t2")), 1);
        assert_eq!(at(BlokusMove::parse("e9,d10,z10")), 8);
        assert_eq!(at(BlokusMove::parse("e9,d10,e9")), 8);
        assert_eq!(at(BlokusMove::parse("a1,a2,a3,a4,a5,a6")), 16);
        assert_eq!(at(BlokusMove::parse("a1,a3")), 1);
        assert_eq!(at(BlokusMove::parse(&"a1,".repeat(1_000_000))), 4);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,30}", code in "[0-9a-fA-F]{2}[a-vA-V][0-9]", points in "([a-o][0-9]{1,2},?){1,6}") {
            for text in [&text, &code, &points] {
                if let Ok(mv) = BlokusMove::parse(text) {
                    prop_assert_eq!(BlokusMove::parse(&mv.points()), Ok(mv));
                }
                let _ = (BlokusMove::from_code(text), BlokusMove::from_points(text));
            }
        }

        #[test]
        fn any_bits_are_harmless(bits: u16) {
            let mv = BlokusMove::from_bits(bits);
            let _ = (mv.points(), mv.code(), format!("{mv:?}"));
            prop_assert_eq!(mv.piece().is_some(), usize::from(bits) < PLACEMENTS);
        }
    }
}
