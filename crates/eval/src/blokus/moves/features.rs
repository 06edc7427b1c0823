//! What is counted about a move.

use yomi_games::blokus::BlokusMove;

use super::context::{MoveContext, RINGS, ZONES};
use crate::blokus::outline::{Outline, View};

/// Everything that is counted, by name, in the order of the weights: after these come the 21 pieces.
pub const NAMES: [&str; COUNTED] = [
    "covers-corner-of-theirs",
    "covers-1-from-theirs",
    "covers-2-from-theirs",
    "covers-3-from-theirs",
    "covers-own-corner",
    "covers-rim",
    "covers-zone-2",
    "covers-zone-3",
    "covers-zone-4",
    "covers-zone-5",
    "covers-zone-6",
    "covers-middle",
    "beside-theirs",
    "beside-rim",
    "beside-dead",
    "beside-own-corner",
    "beside-free",
    "gains-corner-room-0",
    "gains-corner-room-1",
    "gains-corner-room-2",
    "gains-corner-room-3",
    "gains-corner-room-4",
    "gains-safe-corner",
    "gains-corner-on-theirs",
];
const COUNTED: usize = 24;
const PIECES: usize = 21;

/// How many weights a phase of the game has.
pub const FEATURES: usize = COUNTED + PIECES;

/// The game has phases with weights of their own.
pub const PHASES: usize = 6;

/// The phase of a number of pieces on the board.
#[inline]
pub(super) fn phase(pieces: usize) -> usize {
    match pieces {
        0..=1 => 0,
        2..=5 => 1,
        6..=9 => 2,
        10..=15 => 3,
        16..=21 => 4,
        _ => 5,
    }
}

/// What a move has of each thing that is counted, and which piece it lays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Counts {
    pub(super) of: [u8; COUNTED],
    pub(super) piece: usize,
}

impl Counts {
    /// Counts for a placement; none for a pass.
    #[inline]
    pub fn of(context: &MoveContext, mv: BlokusMove) -> Option<Counts> {
        let (shape, at) = mv.footprint()?;
        let piece = mv.piece()?.index();
        let (view, &Outline { cells, beside, diagonal, .. }) = (View::at(at), Outline::of(shape));
        let mut of = [0; COUNTED];
        let mut next = 0;
        let mut count = |bits: u128| {
            of[next] = bits.count_ones() as u8;
            next += 1;
        };
        let corners = view.of(context.corners);
        for ring in 0..RINGS {
            count(cells & view.of(context.rings[ring]));
        }
        count(cells & corners);
        for zone in 0..ZONES {
            count(cells & view.of(context.zones[zone]));
        }
        let (theirs, outside, dead) = (view.of(context.theirs), view.of(context.outside), view.of(context.dead));
        count(beside & theirs);
        count(beside & outside);
        count(beside & dead);
        count(beside & corners);
        count(beside & !(theirs | outside | dead | corners));
        for room in context.room {
            count(diagonal & view.of(room));
        }
        count(diagonal & view.of(context.safe) & !corners);
        count(diagonal & view.of(context.rings[0]) & !corners);
        Some(Counts { of, piece })
    }

    /// Every feature that is there, by its index within the phase, and how often.
    pub fn nonzero(&self) -> impl Iterator<Item = (usize, f64)> {
        let counted = self.of.iter().enumerate().filter(|&(_, &n)| n > 0).map(|(i, &n)| (i, f64::from(n)));
        counted.chain([(COUNTED + self.piece, 1.0)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::features::random_position;
    use yomi_core::Position;
    use yomi_games::blokus::{BlokusDuo, CellSet};

    /// The same counts from sets of the whole board.
    fn slowly(position: &BlokusDuo, mv: BlokusMove) -> [u32; COUNTED] {
        let context = MoveContext::of(position);
        let (cells, corners) = (mv.cells(), mv.cells().corner_neighbors() - context.corners);
        let beside = cells.neighbors()[0] - cells;
        let mut found = Vec::new();
        found.extend(context.rings.map(|ring| (ring & cells).len()));
        found.push((cells & context.corners).len());
        found.extend(context.zones.map(|zone| (zone & cells).len()));
        let free = CellSet::BOARD - position.forbidden(position.turn()) - context.corners;
        let kinds = [context.theirs, !CellSet::BOARD, context.dead, context.corners, free];
        found.extend(kinds.map(|kind| (beside & kind).len()));
        found.extend(context.room.map(|room| (room & corners).len()));
        found.push((corners & context.safe).len());
        found.push((corners & context.rings[0]).len());
        found.try_into().unwrap()
    }

    #[test]
    fn windows_count_what_sets_count() {
        let mut moves = Vec::new();
        for seed in 0..30 {
            let position = random_position(seed, seed as usize);
            if position.generate(&mut moves).is_some() || moves[0].is_pass() {
                continue;
            }
            let context = MoveContext::of(&position);
            for &mv in moves.iter().step_by(7) {
                let counts = Counts::of(&context, mv).unwrap();
                assert_eq!(counts.of.map(u32::from), slowly(&position, mv), "{mv:?} {position}");
                assert_eq!(counts.piece, mv.piece().unwrap().index());
            }
        }
        assert_eq!(Counts::of(&MoveContext::of(&BlokusDuo::default()), BlokusMove::PASS), None);
    }
}
