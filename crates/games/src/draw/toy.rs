//! The toy games as pictures.

use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{Color, Notation};

use super::marks::Draw;
use super::picture::{Cell, Face, Grid, Labels, Picture, Piece, Route, Shape, Style};
use super::theme::Theme;

/// A board of stones from rows of `x`, `o` and `.`.
fn stones<P: Notation>(position: &P, rows: &[&str], style: Style) -> Picture {
    let columns = rows.first().map_or(0, |row| row.len()) as u8;
    let grid = Grid { columns, rows: rows.len() as u8, style, cell: (36, 36), stars: Vec::new() };
    let mut picture = Picture::new(P::NAME, Theme::KAYA, grid);
    picture.description = position.position_text();
    picture.turn = Some(position.turn());
    for (row, text) in (0..).zip(rows) {
        for (column, c) in (0..).zip(text.chars()) {
            let side = match c {
                'x' => Color::Black,
                'o' => Color::White,
                _ => continue,
            };
            picture.pieces.push((Cell::new(column, row), Piece { side, shape: Shape::Stone }));
        }
    }
    picture
}

impl Draw for TicTacToe {
    fn board(&self) -> Picture {
        let text = self.position_text();
        stones(self, &[&text[..3], &text[3..6], &text[6..]], Style::Points)
    }

    fn route(&self, mv: Self::Move) -> Route {
        Route::Place(vec![Cell::new(mv.0 % 3, mv.0 / 3)])
    }
}

impl Draw for ConnectFour {
    fn board(&self) -> Picture {
        let text = self.position_text();
        let rows: Vec<&str> = text.split('/').collect();
        let mut picture = stones(self, &rows, Style::Points);
        picture.labels =
            Labels { columns: (1..=7).map(|c| Face::plain(c.to_string())).collect(), top: true, ..Labels::default() };
        picture
    }

    /// The stone falls onto the lowest free cell of its column.
    fn route(&self, mv: Self::Move) -> Route {
        Route::Place(vec![Cell::new(mv.0, free_cells(self, mv.0).saturating_sub(1))])
    }

    /// The stone that fell last is the topmost of its column.
    fn trace(&self, last: Self::Move) -> Vec<Cell> {
        vec![Cell::new(last.0, free_cells(self, last.0))]
    }
}

/// How many cells of a column are free.
fn free_cells(position: &ConnectFour, column: u8) -> u8 {
    let text = position.position_text();
    text.split('/').filter(|row| row.as_bytes().get(usize::from(column)) == Some(&b'.')).count() as u8
}

/// The pile as a row of stones, as long as a row fits.
impl Draw for Nim {
    fn board(&self) -> Picture {
        let text = self.position_text();
        let pile: usize = text.split(' ').next().and_then(|pile| pile.parse().ok()).unwrap_or(0);
        let row = "o".repeat(pile.clamp(1, 60));
        let mut picture = stones(self, &[if pile == 0 { "." } else { &row }], Style::Points);
        picture.captions = vec![format!("{pile} left")];
        picture
    }

    fn route(&self, mv: Self::Move) -> Route {
        Route::Place((0..mv.0.min(3) as u8).map(|column| Cell::new(column, 0)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Marks, TextOptions, terminal};

    #[test]
    fn stones_stand_where_they_fell() {
        let position = ConnectFour::after("445").unwrap();
        let mv = position.parse_move("4").unwrap();
        assert_eq!(position.route(mv), Route::Place(vec![Cell::new(3, 3)]));
        let text = terminal(&position.picture(&Marks::new()), &TextOptions::default());
        assert_eq!(position.trace(position.parse_move("5").unwrap()), [Cell::new(4, 5)]);
        assert!(text.contains("1 2 3 4 5 6 7"), "{text}");
        assert_eq!(text.matches('X').count(), 2, "{text}");
    }
}
