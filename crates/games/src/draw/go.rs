//! Go as pictures.

use yomi_core::{Color, Notation};

use super::marks::{Draw, status};
use super::picture::{Cell, Face, Grid, Labels, Picture, Piece, Route, Shape, Sign, Style};
use super::theme::Theme;
use crate::go::{Go, GoMove, Vertex};

/// Where a point lies in a picture.
pub fn cell<const LEN: usize>(position: &Go<LEN>, point: Vertex) -> Cell {
    let (column, row) = (position.column(point), position.row(point));
    let from_top = (position.size() - 1).wrapping_sub(row);
    // Points outside the board stay outside the picture.
    Cell::new(u8::try_from(column).unwrap_or(u8::MAX), u8::try_from(from_top).unwrap_or(u8::MAX))
}

/// Marks for a counted game: dead stones, and whose the empty points and those under dead stones are.
pub fn territory<const LEN: usize>(position: &Go<LEN>, dead: &[Vertex]) -> Vec<(Cell, Sign)> {
    let mut signs = Vec::new();
    for (point, owner) in position.vertices().zip(position.owners(dead)) {
        let stone = position.at(point);
        if stone.is_some() && stone != owner {
            signs.push((cell(position, point), Sign::Dead));
        }
        if let Some(side) = owner.filter(|_| stone.is_none()) {
            signs.push((cell(position, point), Sign::Territory(side)));
        }
    }
    signs
}

impl<const LEN: usize> Draw for Go<LEN> {
    fn board(&self) -> Picture {
        let (turn, caption) = status(self);
        let mut picture = goban(self.size() as u8);
        picture.title = format!("{}, {caption}", picture.title);
        picture.description = self.position_text();
        picture.turn = turn;
        for point in self.vertices() {
            if let Some(side) = self.at(point) {
                picture.pieces.push((cell(self, point), Piece { side, shape: Shape::Stone }));
            }
        }
        if let Some(ko) = self.ko() {
            picture.signs.push((cell(self, ko), Sign::Square));
        }
        let passed = if self.passes() == 1 { " after a pass" } else { "" };
        let result = if turn.is_none() { format!(" ({})", self.score(&[])) } else { String::new() };
        let prisoners = match Color::BOTH.map(|side| self.prisoners(side)) {
            [0, 0] => String::new(),
            [black, white] => format!(", prisoners {black} and {white}"),
        };
        picture.captions.push(format!("{caption}{passed}{result}, komi {}{prisoners}", self.ruleset().komi));
        picture
    }

    fn route(&self, mv: GoMove) -> Route {
        mv.vertex().map_or(Route::Pass, |point| Route::Place(vec![cell(self, point)]))
    }

    fn territory(&self) -> Vec<(Cell, Sign)> {
        territory(self, &[])
    }
}

/// An empty board with coordinates (no column is called I) and star points.
pub fn goban(size: u8) -> Picture {
    let grid = Grid { columns: size, rows: size, style: Style::Points, cell: (32, 32), stars: stars(size) };
    let mut picture = Picture::new(format!("Go {size}x{size}"), Theme::KAYA, grid);
    picture.labels = Labels {
        columns: ('A'..='Z').filter(|c| *c != 'I').take(size.into()).map(Face::plain).collect(),
        rows: (1..=size).rev().map(|row| Face::plain(row.to_string())).collect(),
        top: true,
        right: true,
        bottom: true,
        left: true,
        ..Labels::default()
    };
    picture
}

/// The points with dots: third line on small boards, fourth on large ones, and the middle of odd ones.
fn stars(size: u8) -> Vec<Cell> {
    if size < 7 {
        return Vec::new();
    }
    let near = if size < 13 { 2 } else { 3 };
    let (far, middle) = (size - 1 - near, size / 2);
    let mut stars = vec![(near, near), (far, near), (near, far), (far, far)];
    if size % 2 == 1 {
        stars.push((middle, middle));
    }
    if size % 2 == 1 && size >= 15 {
        stars.extend([(middle, near), (near, middle), (far, middle), (middle, far)]);
    }
    stars.into_iter().map(|(column, row)| Cell::new(column, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_where_boards_have_them() {
        assert_eq!([5, 9, 13, 18, 19].map(|size| stars(size).len()), [0, 5, 5, 4, 9]);
        assert!(stars(19).contains(&Cell::new(3, 9)) && stars(9).contains(&Cell::new(2, 6)));
    }

    #[test]
    fn no_column_is_called_i() {
        let names: String = goban(19).labels.columns.into_iter().map(|face| face.ascii).collect();
        assert_eq!(names, "ABCDEFGHJKLMNOPQRST");
        assert_eq!(goban(19).labels.name(Cell::new(8, 0)), "J19");
    }
}
