//! What there is to know about a position before its moves are looked at.

use super::features::phase;
use yomi_core::Position;
use yomi_games::blokus::{BlokusDuo, Cell, CellSet};

/// How many steps around the opponent's corners count as within reach.
pub(super) const RINGS: usize = 4;
/// Squares by their distance from the rim.
pub(super) const ZONES: usize = 7;

/// Sets of squares that features count, for the side to move.
pub struct MoveContext {
    /// The opponent's corners, then squares one, two and three steps from them that the opponent may cover.
    pub(super) rings: [CellSet; RINGS],
    /// Squares of the opponent.
    pub(super) theirs: CellSet,
    /// Outside of the board.
    pub(super) outside: CellSet,
    /// Squares on the board that are forbidden to us and not the opponent's: beside our own.
    pub(super) dead: CellSet,
    /// Our corners.
    pub(super) corners: CellSet,
    /// Squares free to us and no corner of ours yet, by how many of the four squares beside them are free to us.
    pub(super) room: [CellSet; 5],
    /// Squares free to us where the opponent may never go.
    pub(super) safe: CellSet,
    /// Squares by their distance from the rim, the rim first.
    pub(super) zones: [CellSet; ZONES],
    /// Pieces on the board.
    pieces: usize,
}

impl MoveContext {
    /// Looks at a position.
    pub fn of(position: &BlokusDuo) -> MoveContext {
        let (us, them) = (position.turn(), !position.turn());
        let open = CellSet::BOARD - position.forbidden(them);
        let mut rings = [position.attach(them); RINGS];
        let mut reached = rings[0];
        for ring in &mut rings[1..] {
            *ring = (reached.neighbors()[0] & open) - reached;
            reached |= *ring;
        }
        let free = CellSet::BOARD - position.forbidden(us);
        let corners = position.attach(us);
        let theirs = position.occupied(them);
        let dead = position.forbidden(us) - theirs - position.occupied(us);
        let placed = [us, them].map(|side| 21 - position.remaining(side).len() as usize);
        MoveContext {
            rings,
            theirs,
            outside: !CellSet::BOARD,
            dead,
            corners,
            room: by_free_neighbors(free).map(|set| (set & free) - corners),
            safe: free & position.forbidden(them),
            zones: *zones(),
            pieces: placed[0] + placed[1],
        }
    }

    /// Which weights count.
    #[inline]
    pub fn phase(&self) -> usize {
        phase(self.pieces)
    }
}

/// The squares that have no, one, … four squares of a set beside them.
fn by_free_neighbors(free: CellSet) -> [CellSet; 5] {
    // Counted in three binary digits.
    let [mut ones, mut twos, mut fours] = [CellSet::EMPTY; 3];
    for step in [1, -1, 16, -16] {
        let one = free.shifted(step);
        let carry = ones & one;
        ones = (ones | one) - carry;
        fours |= twos & carry;
        twos = (twos | carry) - (twos & carry);
    }
    [!(ones | twos | fours), ones - twos, twos - ones, ones & twos, fours]
}

/// The squares of the board by their distance from the rim.
fn zones() -> &'static [CellSet; ZONES] {
    static ZONES_OF_BOARD: std::sync::LazyLock<[CellSet; ZONES]> = std::sync::LazyLock::new(|| {
        let distance = |cell: Cell| [cell.x() - 1, cell.y() - 1, 14 - cell.x(), 14 - cell.y()].into_iter().min();
        std::array::from_fn(|zone| Cell::all().filter(|&cell| distance(cell) == Some(zone as u8)).collect())
    });
    &ZONES_OF_BOARD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::features::random_position;

    #[test]
    fn neighbors_are_counted_and_zones_are_frames() {
        for seed in 0..20 {
            let position = random_position(seed, seed as usize);
            let free = CellSet::BOARD - position.forbidden(position.turn());
            let counted = by_free_neighbors(free);
            for cell in Cell::all() {
                let beside = CellSet::of(cell).edge_neighbors() & free;
                for (n, set) in counted.iter().enumerate() {
                    assert_eq!(set.contains(cell), beside.len() as usize == n, "{cell} {n}");
                }
            }
        }
        assert_eq!(zones().map(CellSet::len), [52, 44, 36, 28, 20, 12, 4]);
    }
}
