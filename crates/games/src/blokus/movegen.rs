//! Which placements are legal: the directed shapes that fit over the attach points.

use super::cells::{Cell, CellSet};
use super::moves::BlokusMove;
use super::position::Side;
use super::tables::{DIAGONALS, Directed, PLACEMENTS, tables};

/// What fits over one attach point: one bit a directed shape.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    pub(super) point: Cell,
    pub(super) directed: &'static Directed,
    pub(super) shapes: u128,
}

impl Fit {
    /// The placements.
    #[inline]
    pub(super) fn ids(self) -> impl Iterator<Item = u16> {
        let halves = [self.shapes as u64, (self.shapes >> 64) as u64];
        halves.into_iter().enumerate().flat_map(move |(half, mut bits)| {
            std::iter::from_fn(move || {
                let shape = 64 * half + bits.trailing_zeros() as usize;
                (bits != 0).then(|| bits &= bits - 1).map(|()| self.directed.id(shape, self.point))
            })
        })
    }
}

/// The attach points of a side that has begun, each with the directed shapes of a diagonal on which an own square stands.
#[inline]
pub(super) fn attach_points(side: &Side) -> impl Iterator<Item = (Cell, &'static Directed)> {
    let mut left = side.attach;
    let occupied = side.occupied;
    DIAGONALS.iter().zip(&tables().directed).flat_map(move |(&step, directed)| {
        let points = left & occupied.shifted(-step);
        left = left - points;
        points.iter().map(move |point| (point, directed))
    })
}

/// What fits over each attach point of a side that has begun. A placement over several attach points comes once: a point that
/// was dealt with counts as forbidden for the next ones.
#[inline]
pub(super) fn fits(side: &Side) -> impl Iterator<Item = Fit> {
    let mut forbidden = side.forbidden;
    let remaining = side.shapes;
    attach_points(side).map(move |(point, directed)| {
        let window = forbidden.window(i32::from(point.bit()) + directed.window);
        forbidden.insert(point);
        Fit { point, directed, shapes: directed.fitting(window) & remaining }
    })
}

/// The legal first pieces of a side.
pub(super) fn openings(side: &Side) -> impl Iterator<Item = u16> {
    let tables = tables();
    let free = |id: u16| {
        let cells = tables.placements[usize::from(id)].cells;
        cells.is_disjoint(side.forbidden) && !cells.is_disjoint(side.attach)
    };
    tables.openings.iter().flatten().copied().filter(move |&id| free(id))
}

/// Appends the legal placements in increasing order.
pub(super) fn list(side: &Side, moves: &mut Vec<BlokusMove>) {
    // One bit a placement: sorts without comparing.
    let mut found = [0u64; PLACEMENTS / 64 + 1];
    let mut mark = |id: u16| found[usize::from(id) / 64] |= 1 << (id % 64);
    if side.has_begun() {
        fits(side).flat_map(Fit::ids).for_each(&mut mark);
    } else {
        openings(side).for_each(&mut mark);
    }
    for (i, mut bits) in (0..).zip(found) {
        while bits != 0 {
            moves.push(BlokusMove::placement(64 * i + bits.trailing_zeros() as u16));
            bits &= bits - 1;
        }
    }
}

/// How many placements are legal.
pub(super) fn count(side: &Side) -> u64 {
    if side.has_begun() {
        fits(side).map(|fit| u64::from(fit.shapes.count_ones())).sum()
    } else {
        openings(side).count() as u64
    }
}

/// Whether any placement is legal.
pub(super) fn any(side: &Side) -> bool {
    if side.has_begun() { fits(side).any(|fit| fit.shapes != 0) } else { openings(side).next().is_some() }
}

/// The attach set from nothing but the squares of a side, for checks.
#[cfg(test)]
pub(super) fn attach_from_scratch(side: &Side) -> CellSet {
    side.occupied.corner_neighbors() - side.forbidden
}
