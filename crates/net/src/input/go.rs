//! Go: stones, liberties, ko, the last two moves, komi.
//!
//! Packed: bytes 0..46 the own stones, one bit per point, row by row from A1; 46..92 those of the opponent; 92..94 the point where a ko may
//! not be taken back, 94..96 the last move, 96..98 the one before (little-endian; 65535 for none, 65534 for a pass); 98..100 the points that
//! the viewer gets before anything is counted, in halves (komi for White, less than nothing for Black); 100 bit 0 whether territory is
//! counted.

use yomi_core::Color;
use yomi_games::go::{Go, GoMove, Scoring, Vertex};

use super::{Encode, Layout, PackedPosition, Planes};

/// All planes.
pub(super) const PLANES: usize = 15;
/// 0 and 1: own stones, the opponent's; then for each of them chains with one, two, more liberties.
const LIBERTIES: usize = 2;
const KO: usize = 8;
/// The last move and the one before.
const LAST: usize = 9;
/// Ones everywhere: where convolutions see the edge of the board.
const BOARD: usize = 11;
/// The last move was a pass.
const PASSED: usize = 12;
/// Komi as the viewer sees it, in units of 15 points.
const KOMI: usize = 13;
const TERRITORY: usize = 14;

const OPPONENT_AT: usize = 46;
const KO_AT: usize = 92;
const LAST_AT: usize = 94;
const KOMI_AT: usize = 98;
const FLAGS_AT: usize = 100;
/// Bytes that are used.
pub(super) const PACKED: usize = FLAGS_AT + 1;

const NONE: u16 = u16::MAX;
const PASS: u16 = u16::MAX - 1;

fn komi_value(halves: i16) -> f32 {
    f32::from(halves) / 30.0
}

pub(super) fn expand(size: usize, packed: &PackedPosition, planes: &mut Planes) {
    let points = size * size;
    for side in 0..2 {
        for point in (0..points).filter(|&point| packed.bit(OPPONENT_AT * side, point)) {
            planes.one(side, point);
        }
        for_chains(size, packed, side, |chain, liberties| {
            let plane = LIBERTIES + 3 * side + liberties.clamp(1, 3) - 1;
            chain.iter().for_each(|&point| planes.one(plane, usize::from(point)));
        });
    }
    let mut marked = |plane: usize, point: u16| {
        if usize::from(point) < points {
            planes.one(plane, usize::from(point));
        }
    };
    marked(KO, packed.u16_at(KO_AT));
    marked(LAST, packed.u16_at(LAST_AT));
    marked(LAST + 1, packed.u16_at(LAST_AT + 2));
    planes.constant(BOARD, 1.0);
    planes.constant(PASSED, f32::from(u8::from(packed.u16_at(LAST_AT) == PASS)));
    planes.constant(KOMI, komi_value(packed.u16_at(KOMI_AT) as i16));
    planes.constant(TERRITORY, f32::from(packed.0[FLAGS_AT] & 1));
}

/// Calls `visit` with the points of every chain of a side and how many liberties it has.
fn for_chains(size: usize, packed: &PackedPosition, side: usize, mut visit: impl FnMut(&[u16], usize)) {
    let stone = |point: usize, side: usize| packed.bit(OPPONENT_AT * side, point);
    let mut seen = [false; 361];
    // The number of the chain that a liberty was last counted for.
    let mut counted = [u16::MAX; 361];
    let mut chain = Vec::with_capacity(64);
    for first in 0..size * size {
        if !stone(first, side) || seen[first] {
            continue;
        }
        chain.clear();
        chain.push(first as u16);
        seen[first] = true;
        let (mut done, mut liberties) = (0, 0);
        while let Some(&point) = chain.get(done) {
            done += 1;
            let point = usize::from(point);
            let (column, row) = (point % size, point / size);
            let beside = [
                (column > 0).then(|| point - 1),
                (column + 1 < size).then_some(point + 1),
                (row > 0).then(|| point - size),
                (row + 1 < size).then_some(point + size),
            ];
            for next in beside.into_iter().flatten() {
                if stone(next, side) {
                    if !std::mem::replace(&mut seen[next], true) {
                        chain.push(next as u16);
                    }
                } else if !stone(next, 1 - side) && counted[next] != first as u16 {
                    counted[next] = first as u16;
                    liberties += 1;
                }
            }
        }
        visit(&chain, liberties);
    }
}

/// Komi as a side sees it, in half points.
fn bonus<const LEN: usize>(position: &Go<LEN>, viewer: Color) -> i16 {
    let halves = position.ruleset().white_bonus().in_halves();
    (if viewer == Color::White { halves } else { -halves }) as i16
}

impl<const LEN: usize> Encode for Go<LEN> {
    fn layout(&self) -> Layout {
        Layout::Go(self.size() as u8)
    }

    fn pack(&self, viewer: Color) -> PackedPosition {
        let mut packed = PackedPosition::EMPTY;
        for v in self.vertices() {
            if let Some(color) = self.at(v) {
                packed.set_bit(if color == viewer { 0 } else { OPPONENT_AT }, self.index(v));
            }
        }
        let index = |v: Vertex| self.index(v) as u16;
        let move_index = |mv: GoMove| mv.vertex().map_or(PASS, index);
        packed.set_u16(KO_AT, self.ko().map_or(NONE, index));
        packed.set_u16(LAST_AT, self.last_move(0).map_or(NONE, move_index));
        packed.set_u16(LAST_AT + 2, self.last_move(1).map_or(NONE, move_index));
        packed.set_u16(KOMI_AT, bonus(self, viewer) as u16);
        packed.0[FLAGS_AT] = u8::from(self.ruleset().scoring == Scoring::Territory);
        packed
    }

    fn planes_slowly(&self, layout: Layout, viewer: Color) -> Option<Planes> {
        if layout != Encode::layout(self) {
            return None;
        }
        let mut planes = Planes::default();
        for v in self.vertices() {
            let Some(color) = self.at(v) else { continue };
            let side = usize::from(color != viewer);
            planes.one(side, self.index(v));
            planes.one(LIBERTIES + 3 * side + self.liberties::<3>(v).len() - 1, self.index(v));
        }
        if let Some(v) = self.ko() {
            planes.one(KO, self.index(v));
        }
        for ago in 0..2 {
            if let Some(v) = self.last_move(ago).and_then(GoMove::vertex) {
                planes.one(LAST + ago, self.index(v));
            }
        }
        planes.constant(BOARD, 1.0);
        planes.constant(PASSED, f32::from(u8::from(self.last_move(0) == Some(GoMove::PASS))));
        planes.constant(KOMI, komi_value(bonus(self, viewer)));
        planes.constant(TERRITORY, f32::from(u8::from(self.ruleset().scoring == Scoring::Territory)));
        Some(planes)
    }

    /// Points row by row from A1, then the pass.
    fn label(&self, mv: GoMove) -> usize {
        mv.vertex().map_or(self.size() * self.size(), |v| self.index(v))
    }
}
