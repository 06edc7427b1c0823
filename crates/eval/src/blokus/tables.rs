//! The weights in the form that speed wants: whole numbers, one row of lanes per corner square and side.

use yomi_core::{Color, Move};
use yomi_games::blokus::{BlokusDuo, BlokusMove, Cell, CellSet, PLACEMENTS};

use super::features::{seen_by, squares_of};
use super::field::{Neighbourhood, around};
use super::kinds::{KINDS, Kind, SQUARES};
use super::reach::TARGETS;
use super::weights::Weights;

/// Sums are integers, so that they do not depend on the order of adding: this many make one unit of value.
pub const SCALE: f64 = 4096.0;

/// A corner's lanes: its 24 targets, and some that are 0. A loop over 24 is unrolled into branches, which halves the speed.
pub(super) const LANES: usize = 32;

/// Weights spread out for the sums.
pub struct Tables {
    /// By side and bit of the corner square: what its targets count.
    lanes: [Box<[[i32; LANES]; 256]>; 2],
    /// The same in the rows in which they lie.
    around: [Box<[Neighbourhood; 256]>; 2],
    /// By side and bit of the square: what a corner there counts that is fixed, which includes that it is a corner.
    fixed: [Box<[i32; 256]>; 2],
    /// By side and placement: its squares, and the squares beside it as if they were newly dead.
    placed: [Vec<i32>; 2],
    /// By side, kind and bit of the square.
    kinds: [Box<[[i32; 256]; KINDS]>; 2],
}

/// The nearest whole number of small units. Weights beyond all reason are cut off so that no sum overflows.
fn whole(weight: f64) -> i32 {
    const MOST: f64 = 1000.0;
    (weight.clamp(-MOST, MOST) * SCALE).round() as i32
}

impl Tables {
    /// Spreads weights out.
    pub fn new(weights: &Weights) -> Tables {
        let effective = |color: Color, kind: Kind, cell: Cell| whole(weights.effective(kind, seen_by(color, cell)));
        let kinds = Color::BOTH.map(|color| {
            let mut tables = Box::new([[0; 256]; KINDS]);
            for (kind, cell) in Kind::ALL.into_iter().flat_map(|kind| Cell::all().map(move |cell| (kind, cell))) {
                tables[kind as usize][usize::from(cell.bit())] = effective(color, kind, cell);
            }
            tables
        });
        let lanes = Color::BOTH.map(|color| {
            let mut lanes = Box::new([[0; LANES]; 256]);
            for cell in Cell::all() {
                let row = &mut lanes[usize::from(cell.bit())];
                for (lane, &(dx, dy)) in TARGETS.iter().enumerate() {
                    if let (Some(kind), Some(target)) = (Kind::influence(dx, dy), moved(cell, dx, dy)) {
                        row[lane] = effective(color, kind, target);
                    }
                }
            }
            lanes
        });
        let in_rows = |lanes: &[[i32; LANES]; 256]| {
            let mut rows = Box::new([[0; 64]; 256]);
            rows.iter_mut().zip(lanes).for_each(|(row, lanes)| *row = around(|lane| lanes[lane]));
            rows
        };
        let around = [in_rows(&lanes[0]), in_rows(&lanes[1])];
        let fixed = Color::BOTH.map(|color| {
            let of = |kind: Kind, bit: usize| kinds[color.index()][kind as usize][bit];
            Box::new(std::array::from_fn(|bit| of(Kind::Corner, bit) + of(Kind::Fixed, bit)))
        });
        let placed = Color::BOTH.map(|color| {
            let sum = |kind: Kind, cells: CellSet| sum(&kinds[color.index()][kind as usize], cells);
            let of = |mv: BlokusMove| sum(Kind::Score, mv.cells()) + sum(Kind::Dead, mv.cells().edge_neighbors());
            BlokusMove::all_placements().map(of).collect::<Vec<_>>()
        });
        debug_assert_eq!((placed[0].len(), SQUARES), (PLACEMENTS, 196));
        Tables { lanes, around, fixed, placed, kinds }
    }

    /// The value of a position for Black, from scratch, in small units.
    pub fn black(&self, position: &BlokusDuo) -> i32 {
        let [black, white] = Color::BOTH.map(|color| {
            let mut total = 0;
            squares_of(position, color, |kind, cells| total += sum(&self.kinds[color.index()][kind as usize], cells));
            total
        });
        black - white
    }

    /// What the targets of a corner count.
    #[inline]
    pub(super) fn lanes(&self, color: Color, corner: Cell) -> &[i32; LANES] {
        &self.lanes[color.index()][usize::from(corner.bit())]
    }

    /// The same in the rows in which they lie.
    #[inline]
    pub(super) fn around(&self, color: Color, corner: Cell) -> &Neighbourhood {
        &self.around[color.index()][usize::from(corner.bit())]
    }

    /// What corners count by themselves, by the bit of their square.
    #[inline]
    pub(super) fn corners(&self, color: Color) -> &[i32; 256] {
        &self.kinds[color.index()][Kind::Corner as usize]
    }

    /// What a corner counts by itself that is fixed.
    #[inline]
    pub(super) fn fixed(&self, color: Color, corner: Cell) -> i32 {
        self.fixed[color.index()][usize::from(corner.bit())]
    }

    /// What a placement's squares count, and all squares beside it as if they were newly dead.
    #[inline]
    pub(super) fn placed(&self, color: Color, mv: BlokusMove) -> i32 {
        self.placed[color.index()][usize::from(mv.to_bits())]
    }

    /// What a dead square counts.
    #[inline]
    pub(super) fn dead(&self, color: Color, cell: Cell) -> i32 {
        self.kinds[color.index()][Kind::Dead as usize][usize::from(cell.bit())]
    }
}

/// The sum of a table over some squares.
#[inline]
fn sum(table: &[i32; 256], cells: CellSet) -> i32 {
    cells.iter().map(|cell| table[usize::from(cell.bit())]).sum()
}

/// The square some steps away, if it is on the board.
fn moved(cell: Cell, dx: i32, dy: i32) -> Option<Cell> {
    let step = |n: u8, d: i32| u8::try_from(i32::from(n) + d).ok();
    Cell::new(step(cell.x(), dx)?, step(cell.y(), dy)?)
}
