//! What can lie over an attach point.
//!
//! A *directed shape* is an oriented piece together with one of its squares that sticks out towards a given diagonal: the squares
//! beside it in both directions of that diagonal are not part of the piece. Where an own square stands diagonally behind an attach
//! point, only such squares of a piece can lie on the point, because the squares between are forbidden. There are 127 of them for
//! each of the four diagonals, the same everywhere on the board, instead of the 414 placements over a square.

use super::cells::Cell;
use super::tables::Shape;

/// How many directed shapes there are for each diagonal.
pub(super) const DIRECTED: usize = 127;

/// The diagonal on which an own square stands behind an attach point, as the step of bits from the point to that square.
pub(super) const DIAGONALS: [i32; 4] = [-17, -15, 15, 17];

/// The directed shapes of one diagonal, sorted by piece.
pub(super) struct Directed {
    /// The squares as bits of a window of the board.
    masks: [u128; DIRECTED],
    /// The window begins this many bits after the attach point.
    pub(super) window: i32,
    /// The placement over the attach point (x, y) is `base + y * columns + x`.
    base: [i16; DIRECTED],
    columns: [i16; DIRECTED],
    /// The rows of squares that shapes reach into.
    rows: [Row; 8],
    /// For each row and each set of its squares, the shapes that cover any of them.
    barred: [u128; ROW_SETS],
}

/// A row of squares that directed shapes can cover.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Where the first of them lies, seen from the attach point.
    dx: i8,
    dy: i8,
    /// As many bits as there are squares.
    mask: u16,
    /// Where the entries of this row begin in [`Directed::barred`].
    from: u16,
}

/// The rows are 1, 3, 3, 7, 7, 5, 3 and 1 squares wide.
const ROW_SETS: usize = 2 + 8 + 8 + 128 + 128 + 32 + 8 + 2;

impl Directed {
    /// The shapes none of whose squares is taken when they lie over `point`, one bit each. `taken` has one entry per row of the board.
    ///
    /// Rows and columns wrap round, which does no harm: whatever reaches beyond the border covers a square of it.
    #[inline]
    pub(super) fn fitting(&self, point: Cell, taken: &[u16; 16]) -> u128 {
        self.rows.iter().fold(!0, |fitting, row| {
            let y = point.y().wrapping_add_signed(row.dy) & 15;
            let x = point.x().wrapping_add_signed(row.dx);
            let squares = taken[usize::from(y)].rotate_right(u32::from(x)) & row.mask;
            fitting & !self.barred[usize::from(row.from + squares)]
        })
    }

    /// The squares of a shape as bits of the window.
    #[inline]
    pub(super) fn mask(&self, shape: usize) -> u128 {
        self.masks[shape]
    }

    /// The placement of a shape over an attach point.
    #[inline]
    pub(super) fn id(&self, shape: usize, point: Cell) -> u16 {
        (self.base[shape] + i16::from(point.y()) * self.columns[shape] + i16::from(point.x())) as u16
    }

    pub(super) fn new(shapes: &[Shape], step: i32) -> Directed {
        // A piece reaches four squares away from the point on the far side of the diagonal, but only three on the near side: the
        // straight way there is barred. So 64 + 49 bits are enough.
        let window = if step < 0 { -49 } else { -64 };
        let (mut masks, mut base, mut columns) = ([0; DIRECTED], [0; DIRECTED], [0; DIRECTED]);
        for (i, (shape, (x, y))) in protruding(shapes, step).enumerate() {
            for &(cx, cy) in &shape.offsets {
                masks[i] |= 1u128 << (16 * i32::from(cy - y) + i32::from(cx - x) - window);
            }
            columns[i] = i16::from(shape.columns);
            // The reference square stands at the point less (x, y).
            let corner = i16::from(shape.corner.1 + y) * columns[i] + i16::from(shape.corner.0 + x);
            base[i] = shape.first_id as i16 - corner;
        }
        let (rows, barred) = Directed::by_rows(&masks, window);
        Directed { masks, window, base, columns, rows, barred }
    }

    fn by_rows(masks: &[u128; DIRECTED], window: i32) -> ([Row; 8], [u128; ROW_SETS]) {
        let (mut rows, mut barred) = ([Row::default(); 8], [0; ROW_SETS]);
        let (mut next, mut from) = (0, 0);
        for dy in -4..=4 {
            let covering = |dx: i8| {
                let bit = 16 * i32::from(dy) + i32::from(dx) - window;
                let covers = |i: &usize| (0..128).contains(&bit) && masks[*i] >> bit & 1 == 1;
                (0..DIRECTED).filter(covers).fold(0u128, |set, i| set | 1 << i)
            };
            let reached: Vec<i8> = (-4..=4).filter(|&dx| covering(dx) != 0).collect();
            let (Some(&dx), Some(&right)) = (reached.first(), reached.last()) else { continue };
            let width = right - dx + 1;
            for squares in 0..1u16 << width {
                let these = (0..width).filter(|k| squares >> k & 1 == 1);
                barred[usize::from(from + squares)] = these.fold(0, |set, k| set | covering(dx + k));
            }
            rows[next] = Row { dx, dy, mask: (1 << width) - 1, from };
            (next, from) = (next + 1, from + (1 << width));
        }
        (rows, barred)
    }
}

/// Every shape with every of its squares that sticks out towards a diagonal, in the order of the shapes.
pub(super) fn protruding(shapes: &[Shape], step: i32) -> impl Iterator<Item = (&Shape, (i8, i8))> {
    let dy = step.signum() as i8;
    let dx = (step - 16 * i32::from(dy)) as i8;
    shapes.iter().flat_map(move |shape| {
        let inside = move |x, y| shape.offsets.contains(&(x, y));
        let out = shape.offsets.iter().filter(move |&&(x, y)| !inside(x + dx, y) && !inside(x, y + dy));
        out.map(move |&square| (shape, square))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::cells::CellSet;
    use crate::blokus::pieces::Piece;
    use crate::blokus::tables::{PLACEMENTS, tables};

    /// Over every point and towards every diagonal the directed shapes are exactly the placements that stick out there.
    #[test]
    fn directed_shapes_are_the_protruding_placements() {
        let t = tables();
        for (directed, step) in t.directed.iter().zip(DIAGONALS) {
            assert_eq!(protruding(&t.shapes, step).count(), DIRECTED);
            let pieces: Vec<Piece> = protruding(&t.shapes, step).map(|(s, _)| s.piece).collect();
            assert!(
                (0..DIRECTED).all(|i| t.shapes_of[pieces[i].index()] >> i & 1 == 1),
                "sorted alike on all diagonals"
            );
            let vertical = 16 * step.signum();
            for point in Cell::all() {
                let beside = CellSet::of(point).shifted(vertical) | CellSet::of(point).shifted(step - vertical);
                let inside = (!CellSet::BOARD).rows();
                let mut ids: Vec<u16> = (0..DIRECTED)
                    .filter(|&i| directed.fitting(point, &inside) >> i & 1 == 1)
                    .map(|i| directed.id(i, point))
                    .collect();
                ids.sort_unstable();
                let sticks_out = |id: &u16| t.cells(*id).contains(point) && t.cells(*id).is_disjoint(beside);
                let expected: Vec<u16> = (0..PLACEMENTS as u16).filter(sticks_out).collect();
                assert_eq!(ids, expected, "{point} {step}");
            }
        }
    }
}
