//! Annotations on a board, in terms of the moves of a game.

use std::collections::BTreeMap;

use yomi_core::{Color, Outcome, Position};

use super::picture::{Arrow, Cell, Picture, Route, Scale, Sign};

/// Marks on a board, to be drawn over a position of moves `M`.
///
/// ```
/// use yomi_games::draw::Marks;
/// let marks = Marks::new().last(3).arrow(5, 0.7, "70%").arrow(6, 0.2, "20%");
/// assert_eq!(marks.arrows.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Marks<M> {
    /// The move that led here.
    pub last: Option<M>,
    /// Moves under consideration in this position: weight 0 to 1 and a few characters.
    pub arrows: Vec<(M, f32, String)>,
    /// A value for each of some cells.
    pub heat: Vec<(Cell, f32)>,
    /// What the heat means.
    pub scale: Scale,
    /// Small marks and tints.
    pub highlights: Vec<(Cell, Sign)>,
    /// Moves played before, and their numbers.
    pub numbers: Vec<(M, u32)>,
}

impl<M> Default for Marks<M> {
    fn default() -> Marks<M> {
        Marks {
            last: None,
            arrows: Vec::new(),
            heat: Vec::new(),
            scale: Scale::Share,
            highlights: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl<M> Marks<M> {
    /// No marks.
    pub fn new() -> Marks<M> {
        Marks::default()
    }

    /// Marks the move that led here.
    pub fn last(mut self, mv: M) -> Marks<M> {
        self.last = Some(mv);
        self
    }

    /// Adds a move under consideration.
    pub fn arrow(mut self, mv: M, weight: f32, label: impl Into<String>) -> Marks<M> {
        self.arrows.push((mv, weight, label.into()));
        self
    }

    /// Adds a value of a cell.
    pub fn heat(mut self, cell: Cell, value: f32) -> Marks<M> {
        self.heat.push((cell, value));
        self
    }

    /// Adds a small mark.
    pub fn highlight(mut self, cell: Cell, sign: Sign) -> Marks<M> {
        self.highlights.push((cell, sign));
        self
    }

    /// Adds the number of a move played before.
    pub fn number(mut self, mv: M, number: u32) -> Marks<M> {
        self.numbers.push((mv, number));
        self
    }
}

/// A game that can be drawn.
pub trait Draw: Position {
    /// The board, the pieces and what lies beside them, without marks.
    fn board(&self) -> Picture;

    /// Where a move of the side to move begins and ends. Of other moves at least the cells on the board are right.
    fn route(&self, mv: Self::Move) -> Route;

    /// The cells of the move that led here, the one it ended on first.
    fn trace(&self, last: Self::Move) -> Vec<Cell> {
        self.route(last).cells()
    }

    /// Whose the empty cells are if the game ended here ([`Sign::Territory`]), where games are counted by them.
    fn territory(&self) -> Vec<(Cell, Sign)> {
        Vec::new()
    }

    /// Cells that the next piece of the side to move builds on, where only some are ([`Sign::Dot`]).
    fn anchors(&self) -> Vec<(Cell, Sign)> {
        Vec::new()
    }

    /// The board with marks on it.
    fn picture(&self, marks: &Marks<Self::Move>) -> Picture {
        let mut picture = self.board();
        picture.last = marks.last.map_or(Vec::new(), |mv| self.trace(mv));
        picture.arrows.extend(marks.arrows.iter().map(|(mv, weight, label)| Arrow {
            route: self.route(*mv),
            weight: *weight,
            label: label.clone(),
        }));
        picture.heat.extend(&marks.heat);
        picture.scale = marks.scale;
        picture.signs.extend(marks.highlights.iter().cloned());
        let numbers = marks.numbers.iter().filter_map(|(mv, n)| Some((*self.route(*mv).targets().first()?, *n)));
        picture.numbers.extend(numbers);
        picture
    }

    /// A heat map of moves: each cell gets the sum of the values of the moves that end on it.
    fn heat_of_moves(&self, moves: &[(Self::Move, f32)]) -> Vec<(Cell, f32)> {
        let mut sums: BTreeMap<Cell, f32> = BTreeMap::new();
        for (mv, value) in moves {
            for cell in self.route(*mv).targets() {
                *sums.entry(cell).or_default() += value;
            }
        }
        sums.into_iter().collect()
    }
}

/// What a side is called in captions.
pub(super) fn side_name(side: Color) -> &'static str {
    match side {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// Who moves, and the same in words; how the game ended, if it has.
pub(crate) fn status<P: Position>(position: &P) -> (Option<Color>, String) {
    match position.generate(&mut Vec::new()) {
        Some(Outcome::Win(side)) => (None, format!("{} has won", side_name(side))),
        Some(Outcome::Draw) => (None, "drawn".to_string()),
        None => (Some(position.turn()), format!("{} to move", side_name(position.turn()))),
    }
}
