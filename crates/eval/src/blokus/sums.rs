//! The evaluation by difference: what a move changes, without the position after it.

use yomi_core::{Color, Position};
use yomi_games::blokus::{BlokusDuo, BlokusMove, CellSet};

use super::features::corners;
use super::field::Field;
use super::outline::{Outline, View};
use super::reach::{Closing, Corners, Reach};
use super::tables::{LANES, SCALE, Tables};

/// The value of a position and what is needed to follow the game.
#[derive(Clone)]
pub struct Sums {
    reach: Reach,
    occupied: [CellSet; 2],
    /// By side and bit of the square, what the dead squares count that there are.
    dead: [[i32; 256]; 2],
    /// By side and bit of the square, what a corner counts there by itself (d = 0), or would: more or less if it is fixed.
    corner: [[i32; 256]; 2],
    /// The value for Black, in small units.
    black: i32,
}

/// A position about whose moves questions are answered.
pub struct Ready<'a> {
    sums: &'a Sums,
    tables: &'a Tables,
    us: Color,
    /// What we lose by covering a square: all influence on it, our corner there, less the opponent's.
    covered: Field,
    /// What we lose by a square becoming dead: the same for us, a dead square less to be counted if it was dead before, and if it is a
    /// corner of the opponent, that is fixed from then on.
    beside: Field,
    ours: CellSet,
    theirs: Corners,
    /// Where no corner of ours can come to be: what is forbidden to us, and the corners we have.
    no_corner: CellSet,
}

impl Ready<'_> {
    /// By how much a legal move changes the value for the side that moves, in small units.
    #[inline]
    pub fn change(&self, mv: BlokusMove) -> i32 {
        let Some((shape, at)) = mv.footprint() else { return 0 };
        let Ready { sums, tables, us, .. } = *self;
        let (view, outline, closing) = (View::at(at), Outline::of(shape), Closing::of(shape));
        let mut total = tables.placed(us, mv) - outline.sum(view, &self.covered, &self.beside);
        let mut lanes = Lanes([0; LANES]);
        // Corners that vanish lose the influence that did not vanish with its squares.
        for (bit, corner) in view.squares((outline.cells | outline.beside) & view.of(self.ours)) {
            lanes.subtract(tables.lanes(us, corner), sums.reach.open(us, corner) & !closing.for_own(bit));
        }
        for (bit, corner) in view.squares(outline.diagonal & !view.of(self.no_corner)) {
            total += sums.corner[us.index()][usize::from(corner.bit())];
            lanes.add(tables.lanes(us, corner), sums.reach.open(us, corner) & !closing.for_own(bit));
        }
        closing.for_other(at, &self.theirs, |corner, closed| {
            lanes.add(tables.lanes(!us, corner), sums.reach.open(!us, corner) & closed);
        });
        total + lanes.total()
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
        let occupied = Color::BOTH.map(|color| position.occupied(color));
        let mut sums = Sums {
            reach: Reach::of(position),
            occupied,
            dead: [[0; 256]; 2],
            corner: Color::BOTH.map(|color| *tables.corners(color)),
            black: tables.black(position),
        };
        for color in Color::BOTH {
            sums.deaden(tables, color, occupied[color.index()].edge_neighbors());
        }
        sums
    }

    /// Squares become dead to a side; the opponent's corners there are fixed.
    #[inline]
    fn deaden(&mut self, tables: &Tables, color: Color, cells: CellSet) {
        for cell in cells.iter() {
            self.dead[color.index()][usize::from(cell.bit())] = tables.dead(color, cell);
            self.corner[(!color).index()][usize::from(cell.bit())] = tables.fixed(!color, cell);
        }
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
        self.occupied == Color::BOTH.map(|color| position.occupied(color))
    }

    /// Gets ready to be asked about many moves of the same position, whose sums these must be.
    #[inline]
    pub fn ready<'a>(&'a self, tables: &'a Tables, position: &BlokusDuo) -> Ready<'a> {
        let (us, them) = (position.turn(), !position.turn());
        let (ours, theirs) = (corners(position, us), corners(position, them));
        let worth = |color: Color, bit: u8| self.corner[color.index()][usize::from(bit)];
        let mut covered = Field::ZERO;
        for corner in ours.iter() {
            covered.add_around(corner, tables.around(us, corner), self.reach.open(us, corner));
            covered.add(corner, worth(us, corner.bit()));
        }
        let mut beside = covered.plus(&self.dead[us.index()]);
        for corner in theirs.iter() {
            let worth = worth(them, corner.bit());
            covered.add(corner, -worth);
            beside.add(corner, tables.fixed(them, corner) - worth);
        }
        let no_corner = !CellSet::BOARD | position.forbidden(us) | ours;
        Ready { sums: self, tables, us, covered, beside, ours, theirs: Corners::new(theirs), no_corner }
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
        self.occupied[color.index()] |= mv.cells();
        self.deaden(tables, color, mv.cells().edge_neighbors());
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
            let from_scratch = |mv: BlokusMove| {
                let mut child = position.clone();
                child.play(mv);
                Sums::of(&tables, &child).small_units(mover) - sums.small_units(mover)
            };
            assert_eq!(ready.change(mv), from_scratch(mv));
            let expected = sums.small_units(mover) + ready.change(mv);
            sums.play(&tables, &position, mv);
            position.play(mv);
            let fresh = Sums::of(&tables, &position);
            assert_eq!(sums.small_units(mover), expected);
            assert_eq!(sums.black, fresh.black, "{position}");
            assert_eq!((sums.occupied, sums.dead, sums.corner), (fresh.occupied, fresh.dead, fresh.corner));
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
