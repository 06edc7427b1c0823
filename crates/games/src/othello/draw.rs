//! Othello as pictures: discs on green felt.

use yomi_core::{Color, Notation, Position};

use super::board::SIZE;
use super::moves::OthelloMove;
use super::position::Othello;
use crate::draw::{Cell, Draw, Face, Grid, Labels, Picture, Piece, Route, Shape, Style, Theme, status};

/// Green felt in a dark frame.
pub const FELT: Theme = Theme {
    name: "felt",
    frame: "#3b2f26",
    board: "#2f8558",
    grain: None,
    line: "#14462c",
    text: "#e9e2d6",
    last: "#e0c341",
    hint: "#ffd75e",
    other: "#bfe3cd",
    ..Theme::WOOD
};

fn cell(square: u8) -> Cell {
    Cell::new(square % SIZE, square / SIZE)
}

impl Draw for Othello {
    fn board(&self) -> Picture {
        // The dots stand on the crossings two lines away from the edges, as on every board that is sold.
        let stars = [(1, 1), (5, 1), (1, 5), (5, 5)].map(|(column, row)| Cell::new(column, row)).to_vec();
        let grid = Grid { columns: SIZE, rows: SIZE, style: Style::Squares, cell: (40, 40), stars };
        let (turn, caption) = status(self);
        let [black, white] = Color::BOTH.map(|side| self.discs(side).count_ones());
        let mut picture = Picture::new(format!("Othello, {caption}, {black} to {white}"), FELT, grid);
        picture.description = self.position_text();
        picture.turn = turn;
        picture.labels = Labels {
            columns: ('a'..='h').map(Face::plain).collect(),
            rows: (1..=SIZE).map(|row| Face::plain(row.to_string())).collect(),
            top: true,
            left: true,
            ..Labels::default()
        };
        let discs =
            (0..64).filter_map(|square| Some((cell(square), Piece { side: self.at(square)?, shape: Shape::Stone })));
        picture.pieces.extend(discs);
        let passes = self.is_legal(OthelloMove::PASS);
        picture.captions.push(format!("{caption}{}, {black} to {white}", if passes { " and must pass" } else { "" }));
        picture
    }

    fn route(&self, mv: OthelloMove) -> Route {
        mv.square().map_or(Route::Pass, |square| Route::Place(vec![cell(square)]))
    }
}
