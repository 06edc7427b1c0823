//! Patterns as numbers that turning, mirroring and exchanging colours do not change: what lies around a point, ring by ring, and who
//! touches it with how many liberties.

use std::sync::OnceLock;

use yomi_core::{Color, zobrist};
use yomi_games::go::{DIRECTIONS, Go, Symmetry, Vertex};

/// The widest ring. Distances are `|x| + |y| + max(|x|, |y|)`, which makes rings nearly round (Coulom 2007).
pub const WIDEST: usize = 14;
/// The narrowest ring that is wider than a 3x3 shape.
pub const NARROWEST: usize = 4;
/// The farthest that a stone is answered from, as far as patterns go.
const ANSWERS: usize = 9;

/// The distance of a point this many columns and rows away.
pub fn distance(x: i32, y: i32) -> usize {
    let (x, y) = (x.unsigned_abs() as usize, y.unsigned_abs() as usize);
    x + y + x.max(y)
}

/// A point of a ring and its keys: by symmetry, then by what lies there.
struct Cell {
    x: i32,
    y: i32,
    distance: usize,
    keys: [[u64; 5]; 8],
}

/// What lies on a point, for keys.
const EMPTY: usize = 0;
const OWN: usize = 1;
const OTHER: usize = 2;
const OUTSIDE: usize = 3;
/// The stone played last.
const LAST: usize = 4;

/// All points up to the widest ring, from the inside out.
fn cells() -> &'static [Cell] {
    static CELLS: OnceLock<Vec<Cell>> = OnceLock::new();
    CELLS.get_or_init(|| {
        const REACH: i32 = WIDEST as i32 / 2;
        let square = (-REACH..=REACH).flat_map(|y| (-REACH..=REACH).map(move |x| (x, y)));
        let mut cells: Vec<Cell> = square
            .filter(|&(x, y)| (1..=WIDEST).contains(&distance(x, y)))
            .map(|(x, y)| {
                let keys = Symmetry::ALL.map(|symmetry| {
                    let (x, y) = symmetry.apply_direction((x, y));
                    let place = ((y + 16) * 32 + x + 16) as u64;
                    [EMPTY, OWN, OTHER, OUTSIDE, LAST].map(|there| match there {
                        EMPTY => 0,
                        LAST => zobrist::mix(0x60_80_00_00 + place),
                        _ => zobrist::mix(0x60_70_00_00 + place * 4 + there as u64),
                    })
                });
                Cell { x, y, distance: distance(x, y), keys }
            })
            .collect();
        cells.sort_by_key(|cell| (cell.distance, cell.y, cell.x));
        cells
    })
}

/// The name of a pattern: forty bits, enough to distinguish a million patterns, and short in files.
fn short(hash: u64) -> u64 {
    zobrist::mix(hash) >> 24
}

/// Calls `visit` with the pattern of every ring from `first` to the widest around `v`, as `color` sees it, until it returns false. A stone on
/// `last` looks different from all others.
fn rings_from<const LEN: usize>(
    go: &Go<LEN>,
    v: Vertex,
    color: Color,
    (first, last): (usize, Option<Vertex>),
    mut visit: impl FnMut(u64) -> bool,
) {
    let (column, row) = (go.column(v) as i32, go.row(v) as i32);
    let mut hashes = [0u64; 8];
    let cells = cells();
    let mut at = 0;
    for ring in 2..=WIDEST {
        while let Some(cell) = cells.get(at).filter(|cell| cell.distance == ring) {
            let (x, y) = (column + cell.x, row + cell.y);
            let there = match (usize::try_from(x), usize::try_from(y)) {
                (Ok(x), Ok(y)) => go.vertex(x, y).map_or(OUTSIDE, |u| match go.at(u) {
                    None => EMPTY,
                    Some(_) if last == Some(u) => LAST,
                    Some(stone) if stone == color => OWN,
                    Some(_) => OTHER,
                }),
                _ => OUTSIDE,
            };
            if there != EMPTY {
                hashes.iter_mut().zip(&cell.keys).for_each(|(hash, keys)| *hash ^= keys[there]);
            }
            at += 1;
        }
        if ring < first {
            continue;
        }
        let least = hashes.iter().copied().min().unwrap_or(0);
        if !visit(short(least ^ (ring as u64) << 56)) {
            return;
        }
    }
}

/// Calls `visit` with the pattern of every ring from the narrowest to the widest around `v`, as `color` sees it, until it returns false.
pub fn rings<const LEN: usize>(go: &Go<LEN>, v: Vertex, color: Color, visit: impl FnMut(u64) -> bool) {
    rings_from(go, v, color, (NARROWEST, None), visit);
}

/// The same with the stone played last marked, from the ring on which it lies: shapes that answer it. Nothing if it is far away.
pub fn answers<const LEN: usize>(go: &Go<LEN>, v: Vertex, color: Color, last: Vertex, visit: impl FnMut(u64) -> bool) {
    let (x, y) = (go.column(v) as i32 - go.column(last) as i32, go.row(v) as i32 - go.row(last) as i32);
    let near = distance(x, y);
    if near <= ANSWERS {
        rings_from(go, v, color, (near.max(3), Some(last)), visit);
    }
}

/// The 3x3 shape around `v` with the liberties of the chains that touch it, up to four; `None` if no stone does.
pub fn contact<const LEN: usize>(
    go: &Go<LEN>,
    v: Vertex,
    color: Color,
    liberties: impl Fn(Vertex) -> usize,
) -> Option<u64> {
    let code = go.code(v);
    let mut there = [EMPTY; 8];
    let mut touched = false;
    for (d, there) in there.iter_mut().enumerate() {
        let kind = match code.field(d) {
            0 => continue,
            3 => OUTSIDE,
            stone if (stone == 1) == (color == Color::Black) => OWN,
            _ => OTHER,
        };
        let stone = d < 4 && kind != OUTSIDE;
        touched |= stone;
        *there = kind + if stone { 4 * liberties(go.step(v, d)).clamp(1, 4) } else { 0 };
    }
    touched.then(|| {
        let keys = contact_keys();
        let hash =
            |turned: &[[u64; 20]; 8]| there.iter().zip(turned).fold(0, |hash, (&there, keys)| hash ^ keys[there]);
        short(keys.iter().map(hash).min().unwrap_or(0))
    })
}

/// Keys of the eight directions: by symmetry, then by direction, then by what lies there.
fn contact_keys() -> &'static [[[u64; 20]; 8]; 8] {
    static KEYS: OnceLock<[[[u64; 20]; 8]; 8]> = OnceLock::new();
    KEYS.get_or_init(|| {
        Symmetry::ALL.map(|symmetry| {
            DIRECTIONS.map(|direction| {
                let (x, y) = symmetry.apply_direction(direction);
                let place = ((y + 1) * 3 + x + 1) as u64;
                std::array::from_fn(|there| zobrist::mix(0x60_90_00_00 + place * 32 + there as u64))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Notation, Position, Seed, Simulate};
    use yomi_games::go::{Go9, Rules};

    /// Every pattern around `v`: rings, the contact, answers to the first stone of the board.
    fn all_patterns(go: &Go9, v: Vertex, color: Color, last: Vertex) -> Vec<u64> {
        let mut found = Vec::new();
        rings(go, v, color, |hash| {
            found.push(hash);
            true
        });
        answers(go, v, color, last, |hash| {
            found.push(hash);
            true
        });
        found.extend(contact(go, v, color, |u| go.liberties::<4>(u).len()));
        found
    }

    #[test]
    fn rings_are_round() {
        assert_eq!([(1, 0), (1, 1), (2, 0), (2, 1), (3, -3), (0, 5)].map(|(x, y)| distance(x, y)), [2, 3, 4, 5, 9, 10]);
        assert_eq!(cells().iter().filter(|cell| cell.distance <= 10).count(), 72);
        assert!(cells().is_sorted_by_key(|cell| cell.distance));
    }

    /// Turned boards and exchanged colours have the same patterns; other positions have others.
    #[test]
    fn patterns_know_neither_direction_nor_colour() {
        let mut rng = Seed::new(9).rng();
        let mut sampler = Default::default();
        let mut go = Go9::new(9, Rules::default()).unwrap();
        for _ in 0..30 {
            if let std::ops::ControlFlow::Continue(mv) = go.draw(&mut sampler, &mut rng) {
                go.play(mv);
            }
        }
        let mut swapped = Go9::new(9, Rules::default()).unwrap();
        swapped.edit(go.vertices().map(|v| (v, go.at(v).map(|color| !color)))).unwrap();
        let last = go.vertices().find(|&v| go.at(v).is_some()).unwrap();
        let (mut different, mut answered) = (std::collections::BTreeSet::new(), 0);
        for v in go.empties() {
            let here = all_patterns(&go, v, Color::Black, last);
            let rings = WIDEST - NARROWEST + 1;
            assert!(here.len() >= rings);
            answered += usize::from(here.len() > rings + 1);
            assert_eq!(all_patterns(&swapped, v, Color::White, last), here);
            for symmetry in Symmetry::ALL {
                let turned = go.transformed(symmetry);
                let [v, last] = [v, last].map(|v| go.transformed_vertex(v, symmetry));
                assert_eq!(all_patterns(&turned, v, Color::Black, last), here);
            }
            different.insert(here[rings - 1]);
        }
        assert_eq!(different.len(), go.empties().len());
        assert!(answered > 3, "{answered}");
    }

    /// A chain with fewer liberties is another contact.
    #[test]
    fn contacts_know_liberties() {
        let at = |rows: &str| Go9::new(3, Rules::default()).unwrap().parse_position(&format!("{rows} b")).unwrap();
        let of = |rows: &str| {
            let go = at(rows);
            contact(&go, go.parse_vertex("B3").unwrap(), Color::Black, |u| go.liberties::<4>(u).len())
        };
        assert_eq!(of(".../.../..w"), None);
        assert!(of(".../.b./...").is_some());
        assert_ne!(of(".../.b./..."), of(".../.b./.w."));
        assert_ne!(of(".../.b./..."), of(".../.w./..."));
    }
}
