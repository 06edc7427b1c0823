//! Large patterns: what lies around a point, ring by ring, as one number that turning, mirroring and exchanging colours do not change.

use std::sync::OnceLock;

use yomi_core::{Color, zobrist};
use yomi_games::go::{Go, Symmetry, Vertex};

/// The widest ring. Distances are `|x| + |y| + max(|x|, |y|)`, which makes rings nearly round (Coulom 2007).
pub const WIDEST: usize = 10;
/// The narrowest ring that is wider than a 3x3 shape.
pub const NARROWEST: usize = 4;

/// The distance of a point so many columns and rows away.
pub fn distance(x: i32, y: i32) -> usize {
    let (x, y) = (x.unsigned_abs() as usize, y.unsigned_abs() as usize);
    x + y + x.max(y)
}

/// A point of a ring and its keys: by symmetry, then by what lies there.
struct Cell {
    x: i32,
    y: i32,
    distance: usize,
    keys: [[u64; 4]; 8],
}

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
                    [0, 1, 2, 3]
                        .map(|there| if there == 0 { 0 } else { zobrist::mix(0x60_70_00_00 + place * 4 + there) })
                });
                Cell { x, y, distance: distance(x, y), keys }
            })
            .collect();
        cells.sort_by_key(|cell| (cell.distance, cell.y, cell.x));
        cells
    })
}

/// Tells `visit` the pattern of every ring from the narrowest to the widest around `v`, as `color` sees it, until it says stop.
pub fn rings<const LEN: usize>(go: &Go<LEN>, v: Vertex, color: Color, mut visit: impl FnMut(usize, u64) -> bool) {
    let (column, row) = (go.column(v) as i32, go.row(v) as i32);
    let mut hashes = [0u64; 8];
    let cells = cells();
    let mut at = 0;
    for ring in 2..=WIDEST {
        while let Some(cell) = cells.get(at).filter(|cell| cell.distance == ring) {
            let (x, y) = (column + cell.x, row + cell.y);
            let there = match (usize::try_from(x), usize::try_from(y)) {
                (Ok(x), Ok(y)) => {
                    go.vertex(x, y).map_or(3, |u| go.at(u).map_or(0, |stone| 1 + usize::from(stone != color)))
                }
                _ => 3,
            };
            if there != 0 {
                hashes.iter_mut().zip(&cell.keys).for_each(|(hash, keys)| *hash ^= keys[there]);
            }
            at += 1;
        }
        if ring < NARROWEST {
            continue;
        }
        let least = hashes.iter().copied().min().unwrap_or(0);
        if !visit(ring, zobrist::mix(least ^ (ring as u64) << 56)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::{Position, Seed, Simulate};
    use yomi_games::go::{Go9, GoMove, Rules};

    fn all_rings(go: &Go9, v: Vertex, color: Color) -> Vec<u64> {
        let mut found = Vec::new();
        rings(go, v, color, |_, hash| {
            found.push(hash);
            true
        });
        found
    }

    #[test]
    fn rings_are_round() {
        assert_eq!([(1, 0), (1, 1), (2, 0), (2, 1), (3, -3), (0, 5)].map(|(x, y)| distance(x, y)), [2, 3, 4, 5, 9, 10]);
        assert_eq!(cells().len(), 72);
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
        let mut different = std::collections::BTreeSet::new();
        for v in go.empties() {
            let here = all_rings(&go, v, Color::Black);
            assert_eq!(here.len(), WIDEST - NARROWEST + 1);
            assert_eq!(all_rings(&swapped, v, Color::White), here);
            for symmetry in Symmetry::ALL {
                let turned = go.transformed(symmetry);
                assert_eq!(all_rings(&turned, go.transformed_vertex(v, symmetry), Color::Black), here);
            }
            different.insert(*here.last().unwrap());
        }
        assert_eq!(different.len(), go.empties().len());
        assert!(GoMove::PASS.vertex().is_none());
    }
}
