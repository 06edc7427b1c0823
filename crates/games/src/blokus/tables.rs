//! Everything about placements that does not depend on the position, computed once.
//!
//! A *placement* is a piece in an orientation on a place of the board. There are 13,729. They are numbered by piece (`a` to `u`),
//! then orientation (a symmetric piece under the smallest number of each of its shapes), then row of the reference square from
//! the top, then its column from the left: the order of the contest codes read as piece, orientation, y, x.

use std::sync::LazyLock;

use super::cells::{Cell, CellSet, SIZE};
use super::directed::{DIAGONALS, Directed, protruding};
use super::pieces::{PIECES, Piece};

/// How many different oriented pieces there are.
pub const SHAPES: usize = 91;

/// How many placements there are.
pub const PLACEMENTS: usize = 13_729;

/// The square that the first player's first piece covers, and the second player's.
pub const START: [Cell; 2] = [Cell::new(5, 5).expect("on the board"), Cell::new(10, 10).expect("on the board")];

/// A piece in one of its different orientations.
pub(super) struct Shape {
    pub(super) piece: Piece,
    pub(super) orientation: u8,
    /// Offsets of the squares from the reference square, from the top, row by row from the left.
    pub(super) offsets: Vec<(i8, i8)>,
    /// The placement with the reference square as high and as far to the left as the board allows.
    pub(super) first_id: u16,
    /// Column and row of the reference square there.
    pub(super) corner: (i8, i8),
    /// How many columns the reference square may stand in.
    pub(super) columns: i8,
    /// The squares as bits, in rows of 16, so that the piece begins in the second row and the second column.
    bits: u128,
}

impl Shape {
    /// The placement with its reference square at (`x`, `y`), whose squares must all lie on the board.
    fn id_at(&self, x: i8, y: i8) -> u16 {
        (self.first_id as i16 + i16::from(y - self.corner.1) * i16::from(self.columns) + i16::from(x - self.corner.0))
            as u16
    }
}

/// Where a shape begins in its own bits: second row, second column.
const FIRST_BIT: u8 = 17;

/// A placement: two bytes, so that all of them stay in the cache, which a table of sets of squares does not.
#[derive(Clone, Copy)]
struct Placement {
    /// Index of its [`Shape`].
    shape: u8,
    /// How far the bits of the shape are to be shifted.
    shift: u8,
}

pub(super) struct Tables {
    pub(super) shapes: Vec<Shape>,
    placements: Vec<Placement>,
    pub(super) directed: [Directed; 4],
    /// The directed shapes of each piece, one bit each, the same on all diagonals.
    pub(super) shapes_of: [u128; PIECES],
    /// The placements that cover the start squares.
    pub(super) openings: [Vec<u16>; 2],
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// The tables, computed on the first call.
#[inline]
pub(super) fn tables() -> &'static Tables {
    &TABLES
}

impl Tables {
    fn new() -> Tables {
        let shapes = all_shapes();
        let placements = all_placements(&shapes);
        let directed = DIAGONALS.map(|step| Directed::new(&shapes, step));
        let mut shapes_of = [0; PIECES];
        for (i, (shape, _)) in protruding(&shapes, DIAGONALS[0]).enumerate() {
            shapes_of[shape.piece.index()] |= 1 << i;
        }
        let mut tables = Tables { shapes, placements, directed, shapes_of, openings: Default::default() };
        let all = 0..PLACEMENTS as u16;
        tables.openings = START.map(|start| all.clone().filter(|&id| tables.cells(id).contains(start)).collect());
        tables
    }

    /// The shape of a placement.
    #[inline]
    pub(super) fn shape(&self, id: u16) -> &Shape {
        &self.shapes[usize::from(self.placements[usize::from(id)].shape)]
    }

    /// The index of a placement's shape, and the top left square of the rectangle around it.
    #[inline]
    pub(super) fn footprint(&self, id: u16) -> (usize, Cell) {
        let Placement { shape, shift } = self.placements[usize::from(id)];
        (usize::from(shape), Cell::from_bit(shift + FIRST_BIT))
    }

    /// The squares of a placement.
    #[inline]
    pub(super) fn cells(&self, id: u16) -> CellSet {
        let Placement { shape, shift } = self.placements[usize::from(id)];
        CellSet::from_window(self.shapes[usize::from(shape)].bits, shift)
    }

    /// The placement that covers exactly these squares.
    pub(super) fn find(&self, cells: CellSet) -> Option<u16> {
        let top = cells.first()?;
        self.shapes.iter().filter(|s| s.piece.size() == cells.len()).find_map(|shape| {
            let (x, y) = (top.x() as i8 - shape.offsets[0].0, top.y() as i8 - shape.offsets[0].1);
            (place(shape, x, y)? == cells).then(|| shape.id_at(x, y))
        })
    }

    /// The placement of a piece in any of its eight orientations with its reference square at (`x`, `y`).
    pub(super) fn find_oriented(&self, piece: Piece, orientation: u8, x: u8, y: u8) -> Option<u16> {
        let at = |(dx, dy): (i8, i8)| Cell::from_signed(i32::from(x) + i32::from(dx), i32::from(y) + i32::from(dy));
        self.find(piece.oriented(orientation).map(at).collect::<Option<CellSet>>()?)
    }
}

/// The squares of a shape with its reference square at (`x`, `y`), unless some would lie outside.
fn place(shape: &Shape, x: i8, y: i8) -> Option<CellSet> {
    shape.offsets.iter().map(|&(dx, dy)| Cell::from_signed(i32::from(x + dx), i32::from(y + dy))).collect()
}

/// The 91 different oriented pieces.
fn all_shapes() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut next_id = 0;
    for piece in Piece::all() {
        let mut seen: Vec<Vec<(i8, i8)>> = Vec::new();
        for orientation in 0..8 {
            let mut offsets: Vec<(i8, i8)> = piece.oriented(orientation).collect();
            offsets.sort_by_key(|&(x, y)| (y, x));
            let (x0, y0) = offsets[0];
            let drawn: Vec<(i8, i8)> = offsets.iter().map(|&(x, y)| (x - x0, y - y0)).collect();
            if seen.contains(&drawn) {
                continue;
            }
            seen.push(drawn);
            let [left, right] = [|a: i8, b: i8| a.min(b), |a: i8, b: i8| a.max(b)]
                .map(|f| offsets.iter().map(|o| o.0).reduce(f).expect("a piece has squares"));
            let (top, bottom) = (y0, offsets[offsets.len() - 1].1);
            let (columns, rows) = (SIZE as i8 - (right - left), SIZE as i8 - (bottom - top));
            let corner = (1 - left, 1 - top);
            let bits = offsets.iter().fold(0, |bits, &(x, y)| bits | 1 << (16 * (y + corner.1) + x + corner.0));
            shapes.push(Shape { piece, orientation, offsets, first_id: next_id, corner, columns, bits });
            next_id += columns as u16 * rows as u16;
        }
    }
    shapes
}

fn all_placements(shapes: &[Shape]) -> Vec<Placement> {
    let mut placements = Vec::with_capacity(PLACEMENTS);
    for (index, shape) in shapes.iter().enumerate() {
        for y in 1..=SIZE as i8 {
            for x in 1..=SIZE as i8 {
                if place(shape, x, y).is_some() {
                    let shift = 16 * (y - shape.corner.1) as u8 + (x - shape.corner.0) as u8;
                    placements.push(Placement { shape: index as u8, shift });
                }
            }
        }
    }
    placements
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the literature: 91 oriented pieces, 13,729 placements (and how many of each piece), 414 over a start square.
    #[test]
    fn as_many_as_published() {
        let t = tables();
        assert_eq!((t.shapes.len(), t.placements.len()), (SHAPES, PLACEMENTS));
        let per_piece = |p: Piece| {
            let shapes = t.shapes.iter().filter(|s| s.piece == p).count();
            (p.letter(), shapes, (0..PLACEMENTS as u16).filter(|&id| t.shape(id).piece == p).count())
        };
        let expected = [
            ('a', 1, 196),
            ('b', 2, 364),
            ('c', 2, 336),
            ('d', 4, 676),
            ('e', 2, 308),
            ('f', 8, 1248),
            ('g', 4, 624),
            ('h', 1, 169),
            ('i', 4, 624),
            ('j', 2, 280),
            ('k', 8, 1144),
            ('l', 8, 1144),
            ('m', 8, 1248),
            ('n', 4, 624),
            ('o', 8, 1144),
            ('p', 4, 576),
            ('q', 4, 576),
            ('r', 4, 576),
            ('s', 4, 576),
            ('t', 8, 1152),
            ('u', 1, 144),
        ];
        assert_eq!(Piece::all().map(per_piece).collect::<Vec<_>>(), expected);
        for opening in &t.openings {
            let of_size = |n| opening.iter().filter(|&&id| t.shape(id).piece.size() == n).count();
            assert_eq!([1, 2, 3, 4, 5].map(of_size), [1, 4, 18, 76, 315]);
        }
    }

    #[test]
    fn footprints_are_the_top_left_of_the_squares() {
        let t = tables();
        for id in 0..PLACEMENTS as u16 {
            let (shape, at) = t.footprint(id);
            let edge = |of: fn(Cell) -> u8| t.cells(id).iter().map(of).min();
            assert_eq!((edge(Cell::x), edge(Cell::y)), (Some(at.x()), Some(at.y())));
            assert_eq!(t.shapes[shape].piece, t.shape(id).piece);
        }
    }

    #[test]
    fn placements_are_found_by_their_squares() {
        let t = tables();
        assert!((0..PLACEMENTS as u16).all(|id| t.find(t.cells(id)) == Some(id)));
        assert_eq!(t.find(CellSet::EMPTY), None);
        assert_eq!(t.find(START.into_iter().collect()), None);
    }
}
