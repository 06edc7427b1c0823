//! The features of a position, counted by shifting sets of squares.

use yomi_core::Color;
use yomi_games::blokus::{BlokusDuo, Cell, CellSet};

use super::kinds::{KINDS, Kind, SQUARES};

/// The four steps to a square beside, as shifts of a set.
const STEPS: [i32; 4] = [1, 16, -1, -16];

/// The valid corners of a side: free squares diagonal to its pieces and not beside one.
pub(super) fn corners(position: &BlokusDuo, color: Color) -> CellSet {
    // Before its first piece a side has a start square to cover, which is no corner of anything.
    if position.occupied(color).is_empty() { CellSet::EMPTY } else { position.attach(color) }
}

/// Hands out the squares of each kind that a side has; influence comes once for each direction, so that squares under several
/// influences come several times.
pub(super) fn squares_of(position: &BlokusDuo, color: Color, mut add: impl FnMut(Kind, CellSet)) {
    let corners = corners(position, color);
    add(Kind::Score, position.occupied(color));
    add(Kind::Dead, position.occupied(color).edge_neighbors());
    add(Kind::Fixed, corners & position.occupied(!color).edge_neighbors());
    add(Kind::Corner, corners);
    // A square counts if it is empty and not dead; a way leads over squares without a piece of the opponent. Own pieces need no
    // mention: a square behind one is dead.
    let open = CellSet::BOARD - position.forbidden(color);
    let way = CellSet::BOARD - position.occupied(!color);
    // The board has a border of one square, so that every single step is cut back to the board before the next.
    let one = STEPS.map(|step| corners.shifted(step) & way);
    let two: [CellSet; 4] = std::array::from_fn(|i| one[i].shifted(STEPS[i]) & way);
    for (i, &step) in STEPS.iter().enumerate() {
        add(Kind::Influence1, one[i] & open);
        add(Kind::Influence2, two[i] & open);
        add(Kind::Influence3, two[i].shifted(step) & open);
        // The square diagonal to the corner has two shortest paths, and the corner is the same for both.
        let (j, side) = ((i + 1) % 4, STEPS[(i + 1) % 4]);
        let diagonal = one[i].shifted(side) & one[j].shifted(step) & way;
        add(Kind::Influence4, diagonal & open);
        // A knight's move has three: over the two squares straight ahead, and those over the diagonal square.
        add(Kind::Influence5, two[i].shifted(side) & diagonal.shifted(step) & open);
        add(Kind::Influence5, two[j].shifted(step) & diagonal.shifted(side) & open);
    }
}

/// The index of a square as a side sees it from its own start square: White's board is turned by half a turn.
#[inline]
pub(super) fn seen_by(color: Color, cell: Cell) -> usize {
    match color {
        Color::Black => cell.index(),
        Color::White => SQUARES - 1 - cell.index(),
    }
}

/// How often each kind occurs on each square: Black's squares minus White's, each as its owner sees the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    counts: [[i16; SQUARES]; KINDS],
}

impl Features {
    /// Counts the features of a position.
    pub fn of(position: &BlokusDuo) -> Features {
        let mut features = Features { counts: [[0; SQUARES]; KINDS] };
        for (color, sign) in Color::BOTH.into_iter().zip([1, -1]) {
            squares_of(position, color, |kind, cells| {
                let counts = &mut features.counts[kind as usize];
                cells.iter().for_each(|cell| counts[seen_by(color, cell)] += sign);
            });
        }
        features
    }

    /// Features with these counts.
    #[cfg(test)]
    pub(super) fn from_counts(count: impl Fn(Kind, usize) -> i16) -> Features {
        let of_kind = |kind: Kind| std::array::from_fn(|square| count(kind, square));
        Features { counts: Kind::ALL.map(of_kind) }
    }

    /// The count of a kind on a square (0 to 195, as the owner sees the board).
    pub fn at(&self, kind: Kind, square: usize) -> i16 {
        self.counts[kind as usize][square]
    }

    /// The count of a kind on all squares.
    pub fn total(&self, kind: Kind) -> i32 {
        self.counts[kind as usize].iter().map(|&n| i32::from(n)).sum()
    }

    /// Every weight index that counts, with its count: squares first, then what they share.
    pub fn nonzero(&self) -> impl Iterator<Item = (usize, f64)> {
        let squares = Kind::ALL.into_iter().flat_map(|kind| {
            let counts = self.counts[kind as usize].iter().enumerate();
            counts.filter(|(_, n)| **n != 0).map(move |(square, &n)| (kind.location(square), f64::from(n)))
        });
        let shared = Kind::ALL.into_iter().map(|kind| (kind.shared(), f64::from(self.total(kind))));
        squares.chain(shared.filter(|(_, n)| *n != 0.0))
    }

    /// `w·x`: what the position is worth to Black.
    pub fn value(&self, weights: &[f64]) -> f64 {
        self.nonzero().map(|(index, n)| weights[index] * n).sum()
    }
}

#[cfg(test)]
pub(in crate::blokus) use tests::random_position;

#[cfg(test)]
mod tests {
    use super::super::twin::slow_features;
    use super::*;
    use proptest::prelude::*;
    use yomi_core::{Position, Seed};
    use yomi_games::blokus::{BlokusMove, Rules, Symmetry};

    /// A position some plies into a random game.
    pub(in crate::blokus) fn random_position(seed: u64, plies: usize) -> BlokusDuo {
        let mut rng = Seed::new(seed).rng();
        let (mut position, mut moves) = (BlokusDuo::default(), Vec::new());
        for _ in 0..plies {
            if position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
            }
        }
        position
    }

    fn set_up(black: &[&str], white: &[&str]) -> BlokusDuo {
        let moves = |points: &[&str]| points.iter().map(|p| BlokusMove::parse(p).unwrap()).collect::<Vec<_>>();
        let (black, white) = (moves(black), moves(white));
        BlokusDuo::set_up(Rules::default(), [&black, &white], Color::Black).unwrap()
    }

    fn squares(position: &BlokusDuo, wanted: Kind) -> Vec<String> {
        let mut found = Vec::new();
        squares_of(position, Color::Black, |kind, cells| {
            if kind == wanted {
                found.extend(cells.iter().map(|cell| cell.to_string()));
            }
        });
        found.sort();
        found
    }

    /// Black's monomino on its start square alone: four corners, four dead squares, and the figure of S1.2 around each corner.
    #[test]
    fn worked_example_of_one_square() {
        let position = set_up(&["e10"], &[]);
        assert_eq!(squares(&position, Kind::Score), ["e10"]);
        assert_eq!(squares(&position, Kind::Dead), ["d10", "e11", "e9", "f10"]);
        assert_eq!(squares(&position, Kind::Corner), ["d11", "d9", "f11", "f9"]);
        assert_eq!(squares(&position, Kind::Fixed), Vec::<String>::new());
        // Each corner has two free squares beside it; the other two are dead.
        let one = ["c11", "c9", "d12", "d8", "f12", "f8", "g11", "g9"];
        assert_eq!(squares(&position, Kind::Influence1), one);
        // Two steps straight on. Between two corners lies a dead square: f11 reaches d11 and f9, which are valid corners and thereby
        // open, over squares without an opponent's piece. So each corner counts twice more.
        let two =
            ["b11", "b9", "d11", "d11", "d13", "d7", "d9", "d9", "f11", "f11", "f13", "f7", "f9", "f9", "h11", "h9"];
        assert_eq!(squares(&position, Kind::Influence2), two);
        // The diagonal squares of f11: g12, e12, g10 and e10, the last of which is covered.
        let four = ["c10", "c10", "c12", "c8", "e12", "e12", "e8", "e8", "g10", "g10", "g12", "g8"];
        assert_eq!(squares(&position, Kind::Influence4), four);
        let features = Features::of(&position);
        let totals = Kind::ALL.map(|kind| features.total(kind));
        assert_eq!(&totals[..4], &[1, 4, 0, 4]);
        // Of eight knight's moves of f11 two end on dead squares: e9 and d10.
        assert_eq!(features.total(Kind::Influence5), 4 * 6);
        // Three straight steps from f11: f14, i11, c11 and f8.
        assert_eq!(features.total(Kind::Influence3), 4 * 4);
    }

    /// An opponent's piece on any shortest path closes a square; one beside all paths does not.
    #[test]
    fn every_shortest_path_must_be_free() {
        // Black's corner h7 looks right along row 7; White stands on j7.
        let black = ["e10,e9,f9", "g8"];
        let open = set_up(&black, &[]);
        let closed = set_up(&black, &["j5,j6,j7"]);
        assert_eq!(squares(&open, Kind::Corner), squares(&closed, Kind::Corner));
        let lost = |kind: Kind| {
            let mut lost = squares(&open, kind);
            for kept in squares(&closed, kind) {
                lost.remove(lost.iter().position(|s| *s == kept).unwrap());
            }
            lost
        };
        assert_eq!(lost(Kind::Influence1), Vec::<String>::new());
        assert_eq!(lost(Kind::Influence2), ["j7"]);
        assert_eq!(lost(Kind::Influence3), ["k7"], "behind j7 on the straight path");
        // Knight's moves from h7 over j7 end on j6 (covered) and j8, whose path h7-i7-j7-j8 is blocked although two others are free;
        // from the corner h9 it stays in reach.
        assert_eq!(lost(Kind::Influence5), ["j6", "j8"]);
        assert_eq!(lost(Kind::Influence4), Vec::<String>::new());
    }

    /// A corner beside an opponent's piece is fixed: the opponent cannot go there.
    #[test]
    fn fixed_squares_are_corners_that_only_we_can_take() {
        let position = set_up(&["e10,e9,e8,e7,e6"], &["j5,i5,h5,g5"]);
        assert_eq!(squares(&position, Kind::Corner), ["d11", "d5", "f11", "f5"]);
        assert_eq!(squares(&position, Kind::Fixed), ["f5"], "beside g5");
        // The view of White: Black's corner is not White's, and its own features count with the other sign on the turned board.
        let features = Features::of(&position);
        let f5 = Cell::parse("f5").unwrap();
        assert_eq!(features.at(Kind::Fixed, f5.index()), 1);
        let g5 = Cell::parse("g5").unwrap();
        assert_eq!(features.at(Kind::Score, SQUARES - 1 - g5.index()), -1);
    }

    proptest! {
        /// The literal reading of the text and the shifted sets agree, to the end of games.
        #[test]
        fn sets_agree_with_the_slow_twin(seed: u64, plies in 0..34usize) {
            let position = random_position(seed, plies);
            prop_assert_eq!(Features::of(&position), slow_features(&position));
        }

        /// Exchanging colours by half a turn changes the sign and nothing else.
        #[test]
        fn colours_are_alike(seed: u64, plies in 0..34usize) {
            let position = random_position(seed, plies);
            let (here, there) = (Features::of(&position), Features::of(&Symmetry::Rotate.position(&position)));
            for kind in Kind::ALL {
                prop_assert!((0..SQUARES).all(|square| here.at(kind, square) == -there.at(kind, square)));
            }
        }
    }
}
