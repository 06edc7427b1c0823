//! The evaluation by difference: what a move changes, without the position after it.

use yomi_core::{Color, Position};
use yomi_games::blokus::{BlokusDuo, BlokusMove, Cell, CellSet, START};

use super::features::corners;
use super::outline::{Outline, View};
use super::reach::{BESIDE, CORNER, Closing, Covered, FIXED, Place, Reach};
use super::tables::{LANES, SCALE, Tables};

/// The value of a position and what is needed to follow the game.
#[derive(Clone)]
pub struct Sums {
    reach: Reach,
    covered: Covered,
    /// By side and bit of the square, what the dead squares count that there are.
    dead: [[i32; 256]; 2],
    /// The value for Black, in small units.
    black: i32,
}

/// Corners of a side that are kept at hand. Games have some ten; the rare positions with more than these are judged from scratch.
const MOST_CORNERS: usize = 32;

/// A corner with all it has: open targets, itself, and whether it is fixed.
#[derive(Clone, Copy)]
struct Corner {
    cell: Cell,
    place: Place,
    mask: u32,
}

/// The corners of a side.
struct Corners {
    list: [Corner; MOST_CORNERS],
    /// How many there are, which may be more than the list holds.
    len: usize,
}

impl Corners {
    #[inline]
    fn iter(&self) -> impl Iterator<Item = &Corner> {
        self.list[..self.len.min(MOST_CORNERS)].iter()
    }
}

/// A position about whose moves questions are answered.
pub struct Ready<'a> {
    sums: &'a Sums,
    tables: &'a Tables,
    position: &'a BlokusDuo,
    ours: Corners,
    theirs: Corners,
    /// Where no corner of ours can come to be: what is forbidden to us, and the corners we have.
    no_corner: CellSet,
}

impl Ready<'_> {
    /// By how much a legal move changes the value for the side that moves, in small units.
    #[inline]
    pub fn change(&self, mv: BlokusMove) -> i32 {
        let Some((shape, at)) = mv.footprint() else { return 0 };
        let Ready { sums, tables, position, .. } = *self;
        if self.ours.len.max(self.theirs.len) > MOST_CORNERS {
            return self.change_from_scratch(mv);
        }
        let (us, them) = (position.turn(), !position.turn());
        let closing = Closing::new(shape, at);
        let (view, outline) = (View::at(at), Outline::of(shape));

        // Squares covered, and squares that were not dead before.
        let [score, dead] = tables.placed(us, mv);
        let mut total = score + dead;
        total -= outline.sum_beside(view, &sums.dead[us.index()]);

        // Most corners lose nothing; finding out which would cost more than subtracting nothing.
        let mut lanes = Lanes([0; LANES]);
        for corner in self.ours.iter() {
            lanes.subtract(tables.lanes(us, corner.cell), corner.mask & closing.for_own(corner.place));
        }
        for corner in self.theirs.iter() {
            // Our new dead squares fix corners of theirs: that is the lane of BESIDE.
            lanes.add(tables.lanes(them, corner.cell), corner.mask & closing.for_other(corner.place));
        }
        for corner in view.squares(outline.diagonal & !view.of(self.no_corner)) {
            let has = sums.mask(us, corner) & !BESIDE;
            lanes.add(tables.lanes(us, corner), has & !closing.for_own(Place::of(corner)));
        }
        total + lanes.total()
    }

    #[cold]
    fn change_from_scratch(&self, mv: BlokusMove) -> i32 {
        let (mut child, us) = (self.position.clone(), self.position.turn());
        child.play(mv);
        Sums::of(self.tables, &child).small_units(us) - self.sums.small_units(us)
    }
}

/// Sums of many lanes, gathered at the end.
struct Lanes([i32; LANES]);

impl Lanes {
    #[inline]
    fn add(&mut self, weights: &[i32; LANES], mask: u32) {
        for (i, (sum, weight)) in self.0.iter_mut().zip(weights).enumerate() {
            *sum += if mask >> i & 1 != 0 { *weight } else { 0 };
        }
    }

    #[inline]
    fn subtract(&mut self, weights: &[i32; LANES], mask: u32) {
        for (i, (sum, weight)) in self.0.iter_mut().zip(weights).enumerate() {
            *sum -= if mask >> i & 1 != 0 { *weight } else { 0 };
        }
    }

    #[inline]
    fn total(&self) -> i32 {
        self.0.iter().sum()
    }
}

impl Sums {
    /// The sums of a position, from scratch.
    pub fn of(tables: &Tables, position: &BlokusDuo) -> Sums {
        let covered = Covered::of(position);
        let dead = Color::BOTH.map(|color| {
            let mut dead = [0; 256];
            covered.dead[color.index()]
                .iter()
                .for_each(|cell| dead[usize::from(cell.bit())] = tables.dead(color, cell));
            dead
        });
        Sums { reach: Reach::of(position), covered, dead, black: tables.black(position) }
    }

    /// The value for a side.
    #[inline]
    pub fn value(&self, side: Color) -> f64 {
        f64::from(self.small_units(side)) / SCALE
    }

    /// The value for a side in small units, [`SCALE`] to one.
    #[inline]
    pub fn small_units(&self, side: Color) -> i32 {
        if side == Color::Black { self.black } else { -self.black }
    }

    /// Whether these are the sums of this board. Whose turn it is does not matter to them.
    #[inline]
    pub fn is_of(&self, position: &BlokusDuo) -> bool {
        self.covered.occupied == Color::BOTH.map(|color| position.occupied(color))
    }

    /// What a corner of a side has: its open targets, itself, and whether it is fixed or can be.
    #[inline]
    fn mask(&self, color: Color, corner: Cell) -> u32 {
        let fixed = if self.covered.dead[(!color).index()].contains(corner) { FIXED } else { BESIDE };
        self.reach.open(color, corner) | CORNER | fixed
    }

    /// Gets ready to be asked about many moves of the same position, whose sums these must be.
    #[inline]
    pub fn ready<'a>(&'a self, tables: &'a Tables, position: &'a BlokusDuo) -> Ready<'a> {
        let gather = |color: Color| {
            let nothing = Corner { cell: START[0], place: Place::of(START[0]), mask: 0 };
            let mut found = Corners { list: [nothing; MOST_CORNERS], len: 0 };
            for cell in corners(position, color).iter() {
                if let Some(corner) = found.list.get_mut(found.len) {
                    *corner = Corner { cell, place: Place::of(cell), mask: self.mask(color, cell) };
                }
                found.len += 1;
            }
            found
        };
        let (us, them) = (position.turn(), !position.turn());
        let no_corner = !CellSet::BOARD | position.forbidden(us) | corners(position, us);
        Ready { sums: self, tables, position, ours: gather(us), theirs: gather(them), no_corner }
    }

    /// Follows a legal move. `position` is the one before it.
    pub fn play(&mut self, tables: &Tables, position: &BlokusDuo, mv: BlokusMove) {
        let (us, change) = (position.turn(), self.ready(tables, position).change(mv));
        self.black += if us == Color::Black { change } else { -change };
        self.lay(tables, us, mv);
    }

    /// The same without the value, which is meaningless from then on: for those who only compare moves.
    pub(super) fn lay(&mut self, tables: &Tables, color: Color, mv: BlokusMove) {
        let Some((shape, at)) = mv.footprint() else { return };
        self.reach.close(color, shape, at);
        let Covered { occupied, dead } = &mut self.covered;
        let beside = mv.cells().edge_neighbors();
        occupied[color.index()] |= mv.cells();
        dead[color.index()] |= beside;
        let dead = &mut self.dead[color.index()];
        beside.iter().for_each(|cell| dead[usize::from(cell.bit())] = tables.dead(color, cell));
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::{Features, random_position};
    use super::super::kinds::Kind;
    use super::super::weights::{Weights, random_weights};
    use super::*;
    use proptest::prelude::*;
    use yomi_core::Seed;

    /// Weights that are whole numbers of small units, so that sums are exact.
    fn exact_weights(seed: u64) -> Weights {
        let mut weights = random_weights(seed);
        weights.all_mut().iter_mut().for_each(|w| *w = (*w * 64.0).round() / 64.0);
        weights
    }

    #[test]
    fn sums_from_scratch_are_weights_times_features() {
        let weights = exact_weights(3);
        let tables = Tables::new(&weights);
        for (seed, plies) in (0..60).zip((0..34).cycle()) {
            let position = random_position(seed, plies);
            let sums = Sums::of(&tables, &position);
            assert_eq!(sums.value(Color::Black), Features::of(&position).value(weights.all()), "{position}");
            assert_eq!(sums.value(Color::White), -sums.value(Color::Black));
        }
    }

    /// A single weight shows which kind would be wrong.
    #[test]
    fn every_kind_is_followed() {
        for kind in Kind::ALL {
            let mut weights = Weights::default();
            weights.all_mut()[kind.shared()] = 1.0;
            follow(&weights, 7);
        }
    }

    /// Follows a random game by difference and compares with sums from scratch after every move.
    fn follow(weights: &Weights, seed: u64) {
        let tables = Tables::new(weights);
        let mut rng = Seed::new(seed).rng();
        let (mut position, mut moves) = (BlokusDuo::default(), Vec::new());
        let mut sums = Sums::of(&tables, &position);
        while position.generate(&mut moves).is_none() {
            let mv = moves[rng.below(moves.len())];
            let mover = position.turn();
            let ready = sums.ready(&tables, &position);
            assert_eq!(ready.change(mv), ready.change_from_scratch(mv));
            let expected = sums.small_units(mover) + ready.change(mv);
            sums.play(&tables, &position, mv);
            position.play(mv);
            let fresh = Sums::of(&tables, &position);
            assert_eq!(sums.small_units(mover), expected);
            assert_eq!(sums.black, fresh.black, "{position}");
            assert_eq!(sums.covered, fresh.covered);
            assert!(sums.is_of(&position));
            for (color, corner) in
                Color::BOTH.into_iter().flat_map(|c| corners(&position, c).iter().map(move |x| (c, x)))
            {
                assert_eq!(sums.reach.open(color, corner), fresh.reach.open(color, corner));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Difference and scratch agree to the last bit in whole games.
        #[test]
        fn difference_is_scratch(seed: u64) {
            follow(&random_weights(seed), seed ^ 1);
        }
    }
}
