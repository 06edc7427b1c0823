//! dlshogi's planes, computed from the packed pieces of shogi.
//!
//! For each side, own first: 14 planes of pieces by kind, 14 of the squares that the pieces of a kind attack, 3 of squares attacked at least
//! once, twice, three times. Then constants: for each side pawns (up to 8), lances, knights, silvers, golds (4 each), bishops and rooks (2
//! each) in hand, and one that is set in check.

use yomi_core::Color;
use yomi_games::shogi::{Bits as _, Kind, Shogi, Square, Variant};

use super::shogi::seen;
use super::{PackedPosition, Planes};

/// Planes of the first input, which lie on squares.
pub(super) const FIRST: usize = 62;
/// All planes.
pub(super) const PLANES: usize = FIRST + 57;
const SIDE: usize = 31;
/// Planes of squares attacked once, twice, three times.
const COUNTS: usize = 28;
/// Kinds in hand in dlshogi's order, with how many planes each has.
const HAND: [(Kind, u8); 7] = [
    (Kind::Pawn, 8),
    (Kind::Lance, 4),
    (Kind::Knight, 4),
    (Kind::Silver, 4),
    (Kind::Gold, 4),
    (Kind::Bishop, 2),
    (Kind::Rook, 2),
];
const HAND_SIDE: usize = 28;
const CHECK: usize = PLANES - 1;

/// (file, rank) differences.
type Steps = &'static [(i32, i32)];

const UP: (i32, i32) = (0, -1);
const DIAGONALS: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
const STRAIGHTS: [(i32, i32); 4] = [(0, -1), (-1, 0), (1, 0), (0, 1)];
const GOLD: [(i32, i32); 6] = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];

/// Steps, and directions to slide in, as (file, rank) differences for the viewer, who moves towards rank 1.
fn gait(kind: Kind) -> (Steps, Steps) {
    match kind {
        Kind::Pawn => (&[UP], &[]),
        Kind::Lance => (&[], &[UP]),
        Kind::Knight => (&[(-1, -2), (1, -2)], &[]),
        Kind::Silver => (&[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)], &[]),
        Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => (&GOLD, &[]),
        Kind::Bishop => (&[], &DIAGONALS),
        Kind::Rook => (&[], &STRAIGHTS),
        Kind::Horse => (&STRAIGHTS, &DIAGONALS),
        Kind::Dragon => (&DIAGONALS, &STRAIGHTS),
        Kind::King => (&[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)], &[]),
    }
}

/// Calls `visit` with every square that a piece attacks; `forward` is 1 for the viewer and -1 for the opponent.
fn attacks(packed: &PackedPosition, kind: Kind, from: usize, forward: i32, mut visit: impl FnMut(usize)) {
    let at =
        |file: i32, rank: i32| ((0..9).contains(&file) && (0..9).contains(&rank)).then_some((9 * file + rank) as usize);
    let (file, rank) = ((from / 9) as i32, (from % 9) as i32);
    let (steps, slides) = gait(kind);
    for &(dx, dy) in steps {
        if let Some(to) = at(file + forward * dx, rank + forward * dy) {
            visit(to);
        }
    }
    for &(dx, dy) in slides {
        for distance in 1..9 {
            let Some(to) = at(file + forward * dx * distance, rank + forward * dy * distance) else { break };
            visit(to);
            if packed.0[to] != 0 {
                break;
            }
        }
    }
}

/// The first `count` of some planes.
fn hand(planes: &mut Planes, first: usize, count: u8, most: u8) {
    for k in 0..count.min(most) {
        planes.constant(first + usize::from(k), 1.0);
    }
}

pub(super) fn expand(packed: &PackedPosition, planes: &mut Planes) {
    // Bits of the kinds that attack a square, and how often it is attacked, for each side.
    let mut attacked = [[0u16; 81]; 2];
    let mut times = [[0u8; 81]; 2];
    let mut king = None;
    for square in 0..81 {
        let Some(index) = usize::from(packed.0[square]).checked_sub(1).filter(|&index| index < 28) else { continue };
        let (side, kind) = (index / 14, Kind::ALL[index % 14]);
        planes.one(side * SIDE + kind.index(), square);
        if (side, kind) == (0, Kind::King) {
            king = Some(square);
        }
        attacks(packed, kind, square, if side == 0 { 1 } else { -1 }, |to| {
            attacked[side][to] |= 1 << kind.index();
            times[side][to] += 1;
        });
    }
    for side in 0..2 {
        for square in 0..81 {
            for kind in (0..14).filter(|kind| attacked[side][square] >> kind & 1 != 0) {
                planes.one(side * SIDE + 14 + kind, square);
            }
            for k in 0..usize::from(times[side][square].min(3)) {
                planes.one(side * SIDE + COUNTS + k, square);
            }
        }
        let mut first = FIRST + side * HAND_SIDE;
        for (kind, most) in HAND {
            hand(planes, first, packed.0[81 + 7 * side + kind.index()], most);
            first += usize::from(most);
        }
    }
    if king.is_some_and(|square| times[1][square] > 0) {
        planes.constant(CHECK, 1.0);
    }
}

/// The same from the position's own attack tables.
pub(super) fn planes_slowly<V: Variant>(position: &Shogi<V>, viewer: Color, planes: &mut Planes) {
    for (side, color) in [viewer, !viewer].into_iter().enumerate() {
        let pieces = |kind| Square::all::<V>().filter(move |&square| position.pieces_of(color, kind).has(square));
        for kind in Kind::ALL {
            pieces(kind).for_each(|square| planes.one(side * SIDE + kind.index(), seen::<V>(square, viewer)));
        }
        for target in Square::all::<V>() {
            let attacking = |kind| pieces(kind).filter(|&from| position.attacks_from(from).has(target)).count();
            for kind in Kind::ALL.into_iter().filter(|&kind| attacking(kind) > 0) {
                planes.one(side * SIDE + 14 + kind.index(), seen::<V>(target, viewer));
            }
            let times: usize = Kind::ALL.into_iter().map(attacking).sum();
            (0..times.min(3)).for_each(|k| planes.one(side * SIDE + COUNTS + k, seen::<V>(target, viewer)));
        }
        let mut first = FIRST + side * HAND_SIDE;
        for (kind, most) in HAND {
            hand(planes, first, position.hand(color, kind), most);
            first += usize::from(most);
        }
    }
    let check = position.king(viewer).is_some_and(|king| !position.attackers_to(!viewer, king).is_empty());
    planes.constant(CHECK, f32::from(u8::from(check)));
}
