//! From each square of the board, which of the 24 squares around it would be under influence if a corner stood there.
//!
//! Pieces never leave the board, so squares are only ever closed. What a piece closes depends on its shape and on where it lies as
//! seen from the corner, and is looked up: a move costs a few dozen vector instructions.

use std::sync::LazyLock;

use yomi_core::Color;
use yomi_games::blokus::{BlokusDuo, BlokusMove, Cell, CellSet, SHAPES};

/// The squares within three steps of a corner. Bit i of a mask stands for the i-th.
pub(super) const TARGETS: [(i32, i32); 24] = {
    let mut targets = [(0, 0); 24];
    let (mut i, mut y) = (0, -3i32);
    while y <= 3 {
        let mut x = -3i32;
        while x <= 3 {
            if x.abs() + y.abs() <= 3 && (x != 0 || y != 0) {
                targets[i] = (x, y);
                i += 1;
            }
            x += 1;
        }
        y += 1;
    }
    targets
};

/// Rows of the grid are 32 masks long, and the board stands three squares from its top left corner: whatever lies within reach of
/// a piece is in it.
const STRIDE: usize = 32;
const MARGIN: usize = 3;
const GRID: usize = STRIDE * 27;

/// A piece closes squares for corners up to four squares outside of the rectangle around it, which is at most five squares wide. The
/// last column and row of a table stand for everything beyond.
const AROUND: u8 = 4;
const COLUMNS: usize = 16;
const ROWS: usize = 14;

/// The bits of the 24 targets.
const ALL_TARGETS: u32 = (1 << 24) - 1;

/// Masks of closed squares by the place of the corner as seen from the piece.
type Closed = [[u32; COLUMNS]; ROWS];

/// What the 91 oriented pieces close for corners of their own side, and for corners of the opponent.
struct Shapes {
    own: Vec<Closed>,
    other: Vec<Closed>,
    /// How many rows of the masks are not empty.
    rows: Vec<usize>,
    closing: Vec<Closing>,
}

static SHAPES_CLOSE: LazyLock<Shapes> = LazyLock::new(Shapes::new);

impl Shapes {
    fn new() -> Shapes {
        let mut shapes = Shapes {
            own: vec![[[0; COLUMNS]; ROWS]; SHAPES],
            other: vec![[[0; COLUMNS]; ROWS]; SHAPES],
            rows: vec![0; SHAPES],
            closing: vec![Closing { own: [0; 128], other: [0; 256], near: [0; 2] }; SHAPES],
        };
        for mv in BlokusMove::all_placements() {
            let Some((shape, at)) = mv.footprint() else { continue };
            if shapes.rows[shape] > 0 {
                continue;
            }
            let squares: Vec<(i32, i32)> = mv.cells().iter().map(|c| from_corner(c, at)).collect();
            shapes.rows[shape] =
                squares.iter().map(|s| s.1).max().map_or(0, |y| y as usize + 2 * usize::from(AROUND) + 1);
            let to_piece = |corner: (i32, i32)| squares.iter().map(|&s| distance(s, corner)).min().unwrap_or(i32::MAX);
            let for_own = |corner| closed(corner, |square| to_piece(square) <= 1, false);
            for (y, x) in (0..ROWS).flat_map(|y| (0..COLUMNS).map(move |x| (y, x))) {
                let corner = (x as i32 - i32::from(AROUND), y as i32 - i32::from(AROUND));
                // A piece that covers a corner, or that is laid beside one of its own side, closes all it had.
                shapes.own[shape][y][x] = if to_piece(corner) <= 1 { ALL_TARGETS } else { for_own(corner) };
                shapes.other[shape][y][x] = closed(corner, |square| squares.contains(&square), true);
            }
            let closing = &mut shapes.closing[shape];
            closing.own = std::array::from_fn(|bit| for_own(((bit % 16) as i32 - 1, (bit / 16) as i32 - 1)));
            closing.other[..ROWS * COLUMNS].copy_from_slice(shapes.other[shape].as_flattened());
            for (bit, _) in closing.other.iter().enumerate().filter(|(_, mask)| **mask != 0) {
                closing.near[bit / 128] |= 1 << (bit % 128);
            }
        }
        shapes
    }
}

/// A square as seen from the top left of a piece.
fn from_corner(cell: Cell, at: Cell) -> (i32, i32) {
    (i32::from(cell.x()) - i32::from(at.x()), i32::from(cell.y()) - i32::from(at.y()))
}

fn distance(a: (i32, i32), b: (i32, i32)) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// The targets of a corner that are barred, or, where paths matter, to which any shortest path leads over a barred square. The
/// squares on shortest paths between two squares are those of the rectangle that the two span.
fn closed(corner: (i32, i32), barred: impl Fn((i32, i32)) -> bool, paths: bool) -> u32 {
    let is_closed = |&(dx, dy): &(i32, i32)| {
        let mut rectangle =
            (0..=dx.abs()).flat_map(|x| (0..=dy.abs()).map(move |y| (x * dx.signum(), y * dy.signum())));
        let target = (dx, dy);
        rectangle.any(|(x, y)| (paths || (x, y) == target) && barred((corner.0 + x, corner.1 + y)))
    };
    let closed = TARGETS.iter().enumerate().filter(|(_, target)| is_closed(target));
    closed.fold(0, |mask, (i, _)| mask | 1 << i)
}

/// The masks of the empty board: squares outside are closed.
static EMPTY: LazyLock<[u32; GRID]> = LazyLock::new(|| {
    let mut grid = [0; GRID];
    for cell in Cell::all() {
        let inside = |&(dx, dy): &(i32, i32)| {
            let on = |n: u8, d: i32| (1..=14).contains(&(i32::from(n) + d));
            on(cell.x(), dx) && on(cell.y(), dy)
        };
        let open = TARGETS.iter().enumerate().filter(|(_, target)| inside(target));
        grid[place(cell)] = open.fold(0, |mask, (i, _)| mask | 1 << i);
    }
    grid
});

#[inline]
fn place(cell: Cell) -> usize {
    (usize::from(cell.y()) + MARGIN) * STRIDE + usize::from(cell.x()) + MARGIN
}

/// What is open from every square, for each side.
#[derive(Clone)]
pub(super) struct Reach {
    open: [[u32; GRID]; 2],
}

impl Reach {
    /// What is open in a position.
    pub(super) fn of(position: &BlokusDuo) -> Reach {
        let mut reach = Reach { open: [*EMPTY; 2] };
        for color in Color::BOTH {
            // What a piece closes is what its squares close.
            position.occupied(color).iter().for_each(|cell| reach.close(color, MONOMINO, cell));
        }
        reach
    }

    /// The targets that are open from a square.
    #[inline]
    pub(super) fn open(&self, color: Color, corner: Cell) -> u32 {
        self.open[color.index()][place(corner)]
    }

    /// A side lays a shape down.
    #[inline]
    pub(super) fn close(&mut self, color: Color, shape: usize, at: Cell) {
        let shapes = &*SHAPES_CLOSE;
        // The place of the square `AROUND` before the piece in both directions.
        let first = (usize::from(at.y()) + MARGIN - usize::from(AROUND)) * STRIDE + usize::from(at.x()) + MARGIN
            - usize::from(AROUND);
        let [black, white] = &mut self.open;
        let [own, other] = if color == Color::Black { [black, white] } else { [white, black] };
        close_in(own, first, &shapes.own[shape], shapes.rows[shape]);
        close_in(other, first, &shapes.other[shape], shapes.rows[shape]);
    }
}

/// Closes targets of the corners from the place `first` on.
#[inline]
fn close_in(grid: &mut [u32; GRID], first: usize, closed: &Closed, rows: usize) {
    let (grid, _) = grid[first..].as_chunks_mut::<COLUMNS>();
    // A row of the grid is two chunks long, if one counts from `first`.
    for (open, closed) in grid.iter_mut().step_by(STRIDE / COLUMNS).zip(&closed[..rows]) {
        for (open, closed) in open.iter_mut().zip(closed) {
            *open &= !closed;
        }
    }
}

/// The index of the shape of a single square.
const MONOMINO: usize = 0;

/// What one placement would close.
#[derive(Clone)]
pub(super) struct Closing {
    /// By the bit of the window around the piece (see [`super::outline`]), what the piece covers or makes dead of the targets of a corner
    /// there of its own side.
    own: [u32; 128],
    /// By the bit of a set whose first is four rows and columns before the piece, what is closed for a corner there of the opponent.
    other: [u32; 256],
    /// Where that is anything.
    near: [u128; 2],
}

impl Closing {
    #[inline]
    pub(super) fn of(shape: usize) -> &'static Closing {
        &SHAPES_CLOSE.closing[shape]
    }

    /// What is covered or becomes dead around a bit of the piece's window.
    #[inline]
    pub(super) fn for_own(&self, bit: usize) -> u32 {
        self.own[bit & 127]
    }

    /// Hands out the opponent's corners for which anything is closed by the piece with this top left square, each with what that is.
    #[inline]
    pub(super) fn for_other(&self, at: Cell, corners: &Corners, mut closed: impl FnMut(Cell, u32)) {
        let first = usize::from(at.bit()) + Corners::MARGIN - Corners::BEFORE;
        for (near, skip) in self.near.into_iter().zip([0, 128]) {
            let mut bits = corners.window(first + skip) & near;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize + skip;
                bits &= bits - 1;
                closed(Cell::from_bit((first + bit - Corners::MARGIN) as u8), self.other[bit & 255]);
            }
        }
    }
}

/// The corners of a side, with room before and after: windows of them do not wrap round.
pub(super) struct Corners([u64; 8]);

impl Corners {
    /// Bits before the first.
    const MARGIN: usize = 64;
    /// From the first bit of a table of what is closed to the piece.
    const BEFORE: usize = 17 * AROUND as usize;

    pub(super) fn new(set: CellSet) -> Corners {
        let [low, high] = [set.window(0), set.window(128)];
        Corners([0, low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64, 0, 0, 0])
    }

    #[inline]
    fn window(&self, start: usize) -> u128 {
        let (word, shift) = (start >> 6, start & 63);
        let [a, b, c] = [0, 1, 2].map(|i| u128::from(self.0[(word + i) & 7]));
        // `shift` may be 0, hence the shift by two steps.
        (a | b << 64) >> shift | c << (127 - shift) << 1
    }
}
