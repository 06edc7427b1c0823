//! The weights in the form that speed wants: whole numbers, one row of lanes per corner square and side.

use yomi_core::{Color, Move};
use yomi_games::blokus::{BlokusMove, Cell, PLACEMENTS};

use super::features::seen_by;
use super::kinds::{Kind, SQUARES};
use super::reach::{CORNER, FIXED, TARGETS};
use super::weights::Weights;

/// Sums are whole numbers, so that they do not depend on the order of adding: so many make one unit of value.
pub const SCALE: f64 = 4096.0;

/// A corner's lanes: its 24 targets, the corner itself, and the fixed square.
pub(super) const LANES: usize = 32;

/// Weights spread out for the sums.
pub struct Tables {
    /// By side and bit of the corner square.
    lanes: [Box<[[i32; LANES]; 256]>; 2],
    /// By side and placement: its squares, and the squares beside it.
    placed: [Vec<[i32; 2]>; 2],
    /// By side and bit of the square.
    dead: [[i32; 256]; 2],
    score: [[i32; 256]; 2],
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
        let by_cell = |kind: Kind| {
            Color::BOTH.map(|color| {
                let mut table = [0; 256];
                Cell::all().for_each(|cell| table[usize::from(cell.bit())] = effective(color, kind, cell));
                table
            })
        };
        let lanes = Color::BOTH.map(|color| {
            let mut lanes = Box::new([[0; LANES]; 256]);
            for cell in Cell::all() {
                let row = &mut lanes[usize::from(cell.bit())];
                for (lane, &(dx, dy)) in TARGETS.iter().enumerate() {
                    if let (Some(kind), Some(target)) = (Kind::influence(dx, dy), moved(cell, dx, dy)) {
                        row[lane] = effective(color, kind, target);
                    }
                }
                row[CORNER.trailing_zeros() as usize] = effective(color, Kind::Corner, cell);
                row[FIXED.trailing_zeros() as usize] = effective(color, Kind::Fixed, cell);
            }
            lanes
        });
        let (score, dead) = (by_cell(Kind::Score), by_cell(Kind::Dead));
        let placed = Color::BOTH.map(|color| {
            let sum = |table: &[i32; 256], cells: yomi_games::blokus::CellSet| {
                cells.iter().map(|cell| table[usize::from(cell.bit())]).sum::<i32>()
            };
            let (score, dead) = (&score[color.index()], &dead[color.index()]);
            let of = |mv: BlokusMove| [sum(score, mv.cells()), sum(dead, mv.cells().edge_neighbors())];
            BlokusMove::all_placements().map(of).collect::<Vec<_>>()
        });
        debug_assert_eq!((placed[0].len(), SQUARES), (PLACEMENTS, 196));
        Tables { lanes, placed, dead, score }
    }

    /// What the targets of a corner count, then the corner itself, then its being fixed.
    #[inline]
    pub(super) fn lanes(&self, color: Color, corner: Cell) -> &[i32; LANES] {
        &self.lanes[color.index()][usize::from(corner.bit())]
    }

    /// What a placement's squares count, and what all squares beside it would count if they were newly dead.
    #[inline]
    pub(super) fn placed(&self, color: Color, mv: BlokusMove) -> [i32; 2] {
        self.placed[color.index()][usize::from(mv.to_bits())]
    }

    /// What a dead square counts.
    #[inline]
    pub(super) fn dead(&self, color: Color, cell: Cell) -> i32 {
        self.dead[color.index()][usize::from(cell.bit())]
    }

    /// What a covered square counts.
    #[inline]
    pub(super) fn score(&self, color: Color, cell: Cell) -> i32 {
        self.score[color.index()][usize::from(cell.bit())]
    }
}

/// The square some steps away, if it is on the board.
fn moved(cell: Cell, dx: i32, dy: i32) -> Option<Cell> {
    let step = |n: u8, d: i32| u8::try_from(i32::from(n) + d).ok();
    Cell::new(step(cell.x(), dx)?, step(cell.y(), dy)?)
}
