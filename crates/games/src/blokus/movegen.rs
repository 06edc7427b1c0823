//! Which placements are legal: the directed shapes that fit over the attach points.
//!
//! Lists are made anew for each position. Keeping them from one move of a side to its next (dropping what no longer fits, adding what
//! fits over new attach points) was measured to cost 1.2 times as much, unsorted, because fitting is so cheap.

use super::cells::Cell;
use super::directed::Directed;
use super::moves::BlokusMove;
use super::position::Side;
use super::tables::{PLACEMENTS, START, tables};

/// What fits over one attach point: one bit a directed shape.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    pub(super) point: Cell,
    pub(super) directed: &'static Directed,
    pub(super) shapes: u128,
}

impl Fit {
    /// How many placements these are.
    #[inline]
    pub(super) fn len(self) -> usize {
        self.shapes.count_ones() as usize
    }

    /// The placement of an index below [`Fit::len`].
    #[inline]
    pub(super) fn nth(self, index: usize) -> u16 {
        let (low, high) = (self.shapes as u64, (self.shapes >> 64) as u64);
        let in_low = low.count_ones() as usize;
        let shape = if index < in_low { nth_bit(low, index) } else { 64 + nth_bit(high, index - in_low) };
        self.directed.id(shape, self.point)
    }

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

/// Where the bit of an index stands among those that are set, which must be more.
#[inline]
fn nth_bit(mut bits: u64, mut index: usize) -> usize {
    let mut at = 0;
    for half in [32, 16, 8, 4, 2, 1] {
        let below = (bits & ((1 << half) - 1)).count_ones() as usize;
        if index >= below {
            index -= below;
            bits >>= half;
            at += half;
        }
    }
    at
}

/// The directed shapes that can lie over an attach point of a side that has begun: those of a diagonal on which an own square
/// stands. Where there are several such diagonals, any of them will do.
#[inline]
pub(super) fn directed_at(side: &Side, point: Cell) -> &'static Directed {
    // Bits 0, 2, 32 and 34 of this window are the four squares diagonal to the point, in the order of the table.
    let diagonal = side.occupied.window(i32::from(point.bit()) - 17) as u64 & 0x5_0000_0005;
    let first = diagonal.trailing_zeros() as usize;
    &tables().directed[(first >> 4 | first >> 1) & 3]
}

/// What fits over each attach point of a side that has begun. A placement over several attach points comes once: a point that
/// was dealt with counts as forbidden for the next ones.
#[inline]
pub(super) fn fits(side: &Side) -> impl Iterator<Item = Fit> {
    let mut forbidden = side.forbidden.rows();
    let remaining = side.shapes;
    side.attach.iter().map(move |point| {
        let directed = directed_at(side, point);
        let shapes = directed.fitting(point, &forbidden) & remaining;
        forbidden[usize::from(point.y())] |= 1 << point.x();
        Fit { point, directed, shapes }
    })
}

/// The legal first pieces of a side, one after the other for each start square that it may cover.
pub(super) fn openings(side: &Side) -> impl Iterator<Item = u16> {
    let squares = START.into_iter().zip(&tables().openings).filter(|&(square, _)| side.attach.contains(square));
    squares.flat_map(|(_, ids)| ids).copied().filter(move |&id| tables().cells(id).is_disjoint(side.forbidden))
}

/// Replaces `moves` by the legal placements in increasing order.
pub(super) fn list(side: &Side, moves: &mut Vec<BlokusMove>) {
    // One bit per placement: this sorts without comparing.
    let mut found = [0u64; PLACEMENTS / 64 + 1];
    let mut mark = |id: u16| found[usize::from(id) / 64] |= 1 << (id % 64);
    if side.has_begun() {
        fits(side).flat_map(Fit::ids).for_each(&mut mark);
    } else {
        openings(side).for_each(&mut mark);
    }
    spell_out(&found, moves);
}

/// Replaces `moves` by the placements of the bits that are set. Most words have few bits and how many is hard to predict, so four
/// moves are written a word, come what may, and the next word overwrites what was too much.
fn spell_out(found: &[u64], moves: &mut Vec<BlokusMove>) {
    const STEP: usize = 4;
    let total: usize = found.iter().map(|bits| bits.count_ones() as usize).sum();
    moves.resize(total + STEP, BlokusMove::PASS);
    let mut end = 0;
    for (i, &word) in (0..).zip(found) {
        let mut bits = word;
        let mut at = end;
        end += word.count_ones() as usize;
        loop {
            for slot in &mut moves[at..at + STEP] {
                *slot = BlokusMove::placement(64 * i + bits.trailing_zeros() as u16);
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
            at += STEP;
        }
    }
    moves.truncate(total);
}

/// How many placements are legal.
pub(super) fn count(side: &Side) -> u64 {
    if side.has_begun() { fits(side).map(|fit| fit.len() as u64).sum() } else { openings(side).count() as u64 }
}

/// Some legal placement.
pub(super) fn first(side: &Side) -> Option<u16> {
    if side.has_begun() { fits(side).find(|fit| fit.shapes != 0).map(|fit| fit.nth(0)) } else { openings(side).next() }
}

/// Whether any placement is legal.
pub(super) fn any(side: &Side) -> bool {
    if side.has_begun() { fits(side).any(|fit| fit.shapes != 0) } else { openings(side).next().is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_by_their_index() {
        for bits in [1u64, 1 << 63, !0, 0x8000_0001_0010_0408, 0xaaaa_5555_0f0f_1234] {
            let places: Vec<usize> = (0..64).filter(|&i| bits >> i & 1 == 1).collect();
            assert!(places.iter().enumerate().all(|(index, &place)| nth_bit(bits, index) == place), "{bits:x}");
        }
    }
}
