//! Go on boards of 2x2 to 19x19.
//!
//! Reading order: [`Vertex`] and [`GoMove`] name points; [`Code`] is what a point sees around it; `board.rs` keeps stones, chains
//! and liberties; [`Go`] adds turns, ko and rules and is the [`yomi_core::Position`]; `score.rs` counts; `playout.rs` plays games
//! out; `twin.rs` does everything again slowly, to compare with; [`records`] reads and writes SGF.
//!
//! There are three types, by how much the arrays hold ([`Go9`], [`Go13`], [`Go19`]); the size itself is a value. Searches are
//! compiled for every type of position, so three are better than eighteen, and as fast.

mod board;
mod chains;
mod code;
mod game;
mod handicap;
mod liberties;
mod notation;
mod playout;
mod points;
mod position;
pub mod records;
mod rules;
mod score;
mod symmetry;
mod twin;
mod vertex;

use yomi_core::{Color, Move as _, Notation, Spec, TextError};

use board::Board;
pub use chains::Liberties;
pub use code::{Code, DIRECTIONS};
pub use handicap::fixed_handicap;
pub use playout::{Candidates, EveryMove};
pub use points::Points;
pub use rules::{Compensation, Ko, Rules, Scoring};
pub use score::Score;
pub use symmetry::Symmetry;
pub use vertex::{GoMove, Vertex};
use vertex::{cell, color_of};

/// Go on 2x2 to 9x9.
pub type Go9 = Go<128>;
/// Go on 10x10 to 13x13.
pub type Go13 = Go<256>;
/// Go on 14x14 to 19x19.
pub type Go19 = Go<512>;

/// The size of the board that a game's name asks for: 9 for `go9`. Names run from `go2` to `go19`.
pub fn size_of_name(name: &str) -> Option<usize> {
    let size = name.strip_prefix("go").filter(|digits| !digits.starts_with(['0', '+']))?.parse().ok()?;
    (2..=19).contains(&size).then_some(size)
}

/// The rules in force in a game, `go9(komi=6.5)`, whatever the size of its board.
pub fn rules_of(game: &Spec) -> Result<Rules, TextError> {
    Ok(match size_of_name(&game.name) {
        Some(10..=13) => Go13::start(game)?.ruleset(),
        Some(14..) => Go19::start(game)?.ruleset(),
        _ => Go9::start(game)?.ruleset(),
    })
}

/// A position of Go, in arrays of `LEN` cells: see [`Go9`], [`Go13`], [`Go19`].
pub struct Go<const LEN: usize> {
    board: Board<LEN>,
    rules: Rules,
    turn: Color,
    /// The point where a ko may not be taken back now; 0 for none.
    ko: u16,
    /// Passes in a row; two end the game.
    passes: u8,
    /// Stones that each side has taken off the board, by the side that keeps them.
    prisoners: [u32; 2],
    /// The last two moves, the newest first; 0 where nothing is known. They decide nothing: playouts and priors look there first.
    last: [u16; 2],
    /// How many stones the last move took: they were the last to become empty.
    taken: u16,
}

impl<const LEN: usize> Clone for Go<LEN> {
    fn clone(&self) -> Self {
        Go { ..*self }
    }

    /// Copies in place, without a detour over the stack: what playouts do first.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        let Go { board, rules, turn, ko, passes, prisoners, last, taken } = source;
        self.board = *board;
        (self.rules, self.turn, self.ko, self.passes, self.prisoners) = (*rules, *turn, *ko, *passes, *prisoners);
        (self.last, self.taken) = (*last, *taken);
    }
}

/// Positions are equal if the rules are and nothing that can happen from now on distinguishes them. The order of the list of empty
/// points, which playouts draw from, does not count.
impl<const LEN: usize> PartialEq for Go<LEN> {
    fn eq(&self, other: &Self) -> bool {
        let facts = |go: &Self| (go.size(), go.rules, go.turn, go.ko, go.passes, go.prisoners);
        facts(self) == facts(other) && self.vertices().all(|v| self.at(v) == other.at(v))
    }
}

impl<const LEN: usize> Eq for Go<LEN> {}

impl<const LEN: usize> Go<LEN> {
    /// The sizes that this type of board is for.
    pub const SIZES: std::ops::RangeInclusive<usize> = match LEN {
        128 => 2..=9,
        256 => 10..=13,
        _ => 14..=19,
    };

    /// An empty board, or one with the fixed handicap that the rules ask for; White moves first then.
    pub fn new(size: usize, rules: Rules) -> Result<Self, TextError> {
        let even = Go::even(size, Rules { handicap: 0, ..rules })?;
        if rules.handicap == 0 {
            return Ok(even);
        }
        let points = fixed_handicap(size, usize::from(rules.handicap))?;
        let stones: Vec<Vertex> = points.into_iter().filter_map(|(column, row)| even.vertex(column, row)).collect();
        even.with_handicap(&stones)
    }

    /// An empty board without handicap.
    fn even(size: usize, rules: Rules) -> Result<Self, TextError> {
        if !Self::SIZES.contains(&size) {
            let (least, most) = (Self::SIZES.start(), Self::SIZES.end());
            return Err(TextError::new(format!("{size}x{size}: this board is for sizes from {least} to {most}")));
        }
        let (turn, ko, passes, prisoners) = (Color::Black, 0, 0, [0; 2]);
        Ok(Go { board: Board::new(size), rules, turn, ko, passes, prisoners, last: [0; 2], taken: 0 })
    }

    /// Rows and columns of the board.
    #[inline]
    pub fn size(&self) -> usize {
        self.board.size()
    }

    /// The rules in force.
    #[inline]
    pub fn ruleset(&self) -> Rules {
        self.rules
    }

    /// The point in this column and row, counted from 0 at A1.
    pub fn vertex(&self, column: usize, row: usize) -> Option<Vertex> {
        let on_board = column < self.size() && row < self.size();
        on_board.then(|| Vertex((row as u16 + 1) * Board::<LEN>::ROW + column as u16 + 1))
    }

    /// The column of a point, from 0 for A.
    #[inline]
    pub fn column(&self, v: Vertex) -> usize {
        usize::from(v.0 % Board::<LEN>::ROW).wrapping_sub(1)
    }

    /// The row of a point, from 0 for the lowest.
    #[inline]
    pub fn row(&self, v: Vertex) -> usize {
        usize::from(v.0 / Board::<LEN>::ROW).wrapping_sub(1)
    }

    /// The number of a point when all are counted row by row from A1: what tables over the board are indexed by.
    #[inline]
    pub fn index(&self, v: Vertex) -> usize {
        self.row(v) * self.size() + self.column(v)
    }

    /// The points of the board in increasing order: by rows from A1.
    pub fn vertices(&self) -> impl Iterator<Item = Vertex> + use<LEN> {
        self.board.vertices()
    }

    /// The empty points, in no particular order.
    pub fn empties(&self) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        self.board.empties().iter().map(|&v| Vertex(v))
    }

    /// The stone on a point.
    #[inline]
    pub fn at(&self, v: Vertex) -> Option<Color> {
        color_of(self.board.cell(v.0))
    }

    /// Whether `v` is an empty point of this board.
    #[inline]
    pub fn is_empty(&self, v: Vertex) -> bool {
        self.board.cell(v.0) == cell::EMPTY
    }

    /// What lies around a point.
    #[inline]
    pub fn code(&self, v: Vertex) -> Code {
        self.board.code(v.0)
    }

    /// How many stones a side has on the board.
    #[inline]
    pub fn stones(&self, color: Color) -> u32 {
        u32::from(self.board.stones(color))
    }

    /// How many stones a side has captured.
    #[inline]
    pub fn prisoners(&self, color: Color) -> u32 {
        self.prisoners[color.index()]
    }

    /// The point where a ko may not be taken back now.
    #[inline]
    pub fn ko(&self) -> Option<Vertex> {
        (self.ko != 0).then_some(Vertex(self.ko))
    }

    /// How many passes in a row led here; two end the game.
    #[inline]
    pub fn passes(&self) -> u32 {
        u32::from(self.passes)
    }

    /// The move before this position (`ago` = 0) or the one before that (1), as far as this position saw them played.
    #[inline]
    pub fn last_move(&self, ago: usize) -> Option<GoMove> {
        self.last.get(ago).filter(|&&bits| bits != 0).map(|&bits| GoMove::from_bits(bits))
    }

    /// The points that the last move emptied by taking stones of the side to move, in no particular order.
    pub fn just_emptied(&self) -> impl ExactSizeIterator<Item = Vertex> + '_ {
        let empties = self.board.empties();
        let first = empties.len().saturating_sub(usize::from(self.taken));
        empties[first..].iter().map(|&v| Vertex(v))
    }

    /// Zobrist key of the stones alone.
    #[inline]
    pub fn stones_key(&self) -> u64 {
        self.board.key()
    }

    /// Hands the turn to `color`, as if it had not been touched: for setting up positions.
    pub fn set_turn(&mut self, color: Color) {
        self.turn = color;
        (self.ko, self.passes) = (0, 0);
        (self.last, self.taken) = ([0; 2], 0);
    }

    /// Plays on under other rules. The handicap that was given stays what it was.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = Rules { handicap: self.rules.handicap, ..rules };
    }

    /// Changes what White gets for moving second; the stones stay.
    pub fn set_komi(&mut self, komi: Points) {
        self.rules.komi = komi;
    }

    /// Lets a game go on after both sides have passed; `take_back` also lifts the ban of a ko.
    pub(crate) fn resume(&mut self, take_back: bool) {
        self.passes = self.passes.min(1);
        if take_back {
            self.ko = 0;
        }
    }

    /// Puts stones on points and takes them away, as setting up a position does: nothing is captured and prisoners stay, but ko and
    /// passes are forgotten. No chain may be left without a liberty; on an error nothing has changed.
    pub fn edit(&mut self, changes: impl IntoIterator<Item = (Vertex, Option<Color>)>) -> Result<(), TextError> {
        let mut cells: Vec<Option<Color>> = self.vertices().map(|v| self.at(v)).collect();
        for (v, color) in changes {
            if self.board.cell(v.0) == cell::BORDER {
                return Err(TextError::new("a stone outside the board"));
            }
            cells[self.index(v)] = color;
        }
        let mut board = Board::new(self.size());
        // A chain of a legal position has a liberty at every stage of laying out the stones, in any order.
        for (v, color) in self.vertices().zip(cells) {
            let Some(color) = color else { continue };
            let placed = board.place(v.0, color);
            if placed.captured + placed.lost > 0 {
                let name = self.vertex_text(v);
                return Err(TextError::new(format!("the stones around {name} leave a chain without liberties")));
            }
        }
        self.board = board;
        (self.ko, self.passes) = (0, 0);
        (self.last, self.taken) = ([0; 2], 0);
        Ok(())
    }

    /// The position turned or mirrored.
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        let mut board = Board::new(self.size());
        for v in self.vertices() {
            if let Some(color) = self.at(v) {
                board.place(self.transformed_vertex(v, symmetry).0, color);
            }
        }
        let ko = self.ko().map_or(0, |v| self.transformed_vertex(v, symmetry).0);
        let turned = |bits: u16| match bits {
            0 => 0,
            bits => self.transformed_move(GoMove::from_bits(bits), symmetry).to_bits(),
        };
        // The stones just taken cannot be distinguished from the others on a board set up anew.
        Go { board, ko, last: self.last.map(turned), taken: 0, ..*self }
    }

    /// Where a point goes when the board is turned or mirrored.
    pub fn transformed_vertex(&self, v: Vertex, symmetry: Symmetry) -> Vertex {
        let (column, row) = symmetry.apply(self.size(), (self.column(v), self.row(v)));
        self.vertex(column, row).expect("a symmetry maps the board onto itself")
    }

    /// The move on the turned or mirrored board.
    pub fn transformed_move(&self, mv: GoMove, symmetry: Symmetry) -> GoMove {
        mv.vertex().map_or(GoMove::PASS, |v| GoMove::at(self.transformed_vertex(v, symmetry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_sizes() {
        assert_eq!(size_of_name("go9"), Some(9));
        assert_eq!(size_of_name("go19"), Some(19));
        for wrong in ["go", "go1", "go20", "go09", "go+9", "shogi", "go9x", "go99999999999999999999"] {
            assert_eq!(size_of_name(wrong), None, "{wrong}");
        }
        assert_eq!((Go9::SIZES, Go13::SIZES, Go19::SIZES), (2..=9, 10..=13, 14..=19));
        assert!(Go9::new(10, Rules::default()).is_err() && Go19::new(13, Rules::default()).is_err());
        assert!(Go9::new(1, Rules::default()).is_err() && Go9::new(usize::MAX, Rules::default()).is_err());
    }

    #[test]
    fn points_count_from_a1() {
        let board = Go13::new(11, Rules::default()).unwrap();
        for (i, v) in board.vertices().enumerate() {
            assert_eq!((board.index(v), board.column(v), board.row(v)), (i, i % 11, i / 11));
            assert_eq!(board.vertex(i % 11, i / 11), Some(v));
        }
        assert_eq!(board.vertices().count(), 121);
        assert_eq!((board.vertex(11, 0), board.vertex(0, 11)), (None, None));
    }

    /// What was played last is remembered, passes too, and what it took.
    #[test]
    fn the_last_moves_are_known() {
        use yomi_core::{Notation, Position};
        let mut board = Go9::new(3, Rules::default()).unwrap();
        let play = |board: &mut Go9, text: &str| board.play(board.parse_move(text).unwrap());
        let last = |board: &Go9, ago| board.last_move(ago).map(|mv| board.move_text(mv));
        assert_eq!((last(&board, 0), last(&board, 1)), (None, None));
        for mv in ["A2", "A1", "pass", "B2", "B1"] {
            play(&mut board, mv);
        }
        assert_eq!((last(&board, 0), last(&board, 1), last(&board, 2)), (Some("B1".into()), Some("B2".into()), None));
        assert_eq!(board.just_emptied().map(|v| board.vertex_text(v)).collect::<Vec<_>>(), ["A1"]);
        let turned = board.transformed(Symmetry::ALL[4]);
        assert_eq!(last(&turned, 0), Some("A2".into()));
        play(&mut board, "C2");
        assert_eq!(board.just_emptied().count(), 0);
        play(&mut board, "pass");
        assert_eq!(board.last_move(0), Some(GoMove::PASS));
        board.set_turn(Color::Black);
        assert_eq!(board.last_move(0), None);
    }

    #[test]
    fn editing_keeps_chains_alive() {
        let mut board = Go9::new(2, Rules::default()).unwrap();
        let [a1, b1, a2, b2] = ["A1", "B1", "A2", "B2"].map(|t| board.parse_vertex(t).unwrap());
        let black = Some(Color::Black);
        board.edit([(a1, black), (b1, black), (a2, black)]).unwrap();
        assert!(board.edit([(b2, black)]).is_err());
        assert_eq!(board.at(b2), None, "an error changes nothing");
        board.edit([(b1, None), (b2, Some(Color::White))]).unwrap();
        assert_eq!([a1, b1, a2, b2].map(|v| board.at(v)), [black, None, black, Some(Color::White)]);
    }
}
