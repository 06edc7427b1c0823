//! Blokus Duo as pictures.

use yomi_core::{Color, Notation, Position};

use super::marks::{Draw, side_name, status};
use super::picture::{Cell, Face, Grid, Item, Labels, Picture, Piece, Route, Shape, Sign, Style, Tray};
use super::theme::Theme;
use crate::blokus::cells::SIZE;
use crate::blokus::tables::START;
use crate::blokus::{self, BlokusDuo, BlokusMove, CellSet};

/// Where a square lies in a picture.
pub fn cell(square: blokus::Cell) -> Cell {
    Cell::new(square.x() - 1, square.y() - 1)
}

/// Coordinates as Pentobi has them: `a` to `n` from the left, 1 to 14 from the bottom.
pub fn points() -> Labels {
    Labels {
        columns: (0..SIZE).map(|x| Face::plain(char::from(b'a' + x))).collect(),
        rows: (1..=SIZE).rev().map(|y| Face::plain(y.to_string())).collect(),
        bottom: true,
        left: true,
        ..Labels::default()
    }
}

/// Coordinates of the contest code: hexadecimal, columns from the left and rows from the top.
pub fn contest() -> Labels {
    let digits = || (1..=SIZE).map(|n| Face::plain(format!("{n:x}"))).collect();
    Labels { columns: digits(), rows: digits(), top: true, left: true, ..Labels::default() }
}

/// Dots on the squares one of which the next piece of a side must cover.
pub fn attach_points(position: &BlokusDuo, side: Color) -> Vec<(Cell, Sign)> {
    position.attach(side).iter().map(|square| (cell(square), Sign::Dot)).collect()
}

impl Draw for BlokusDuo {
    fn board(&self) -> Picture {
        let grid = Grid {
            columns: SIZE,
            rows: SIZE,
            style: Style::Hollows,
            cell: (28, 28),
            stars: START.iter().map(|square| cell(*square)).collect(),
        };
        let (turn, caption) = status(self);
        let [black, white] = Color::BOTH.map(|side| self.score(side));
        let mut picture = Picture::new(format!("Blokus Duo, {caption}, {black} to {white}"), Theme::TRAY, grid);
        picture.description = self.position_text();
        picture.turn = turn;
        picture.labels = points();
        for side in Color::BOTH {
            for tile in tiles(self.occupied(side)) {
                let name = BlokusMove::from_cells(tile).and_then(BlokusMove::piece).map_or('?', blokus::Piece::letter);
                let piece = Piece { side, shape: Shape::Tile { name } };
                picture.pieces.extend(tile.iter().map(|square| (cell(square), piece.clone())));
            }
            let items = blokus::Piece::all().map(|piece| Item {
                piece: Piece { side, shape: Shape::Tile { name: piece.letter() } },
                cells: cells_of(piece),
                count: self.remaining(side).contains(piece).into(),
            });
            let title = format!("{} {}", side_name(side), self.score(side));
            picture.trays.push(Tray { side, title, items: items.collect() });
        }
        picture.captions.push(format!("{caption}, {black} to {white}"));
        picture
    }

    fn route(&self, mv: BlokusMove) -> Route {
        let cells: Vec<Cell> = mv.cells().iter().map(cell).collect();
        if cells.is_empty() { Route::Pass } else { Route::Place(cells) }
    }

    fn anchors(&self) -> Vec<(Cell, Sign)> {
        attach_points(self, self.turn())
    }
}

/// The pieces a side has laid: its pieces never share an edge, so each is what hangs together.
fn tiles(mut occupied: CellSet) -> Vec<CellSet> {
    let mut tiles = Vec::new();
    while let Some(first) = occupied.first() {
        let mut tile = CellSet::of(first);
        loop {
            let more = (tile | tile.edge_neighbors()) & occupied;
            if more == tile {
                break;
            }
            tile = more;
        }
        occupied = occupied - tile;
        tiles.push(tile);
    }
    tiles
}

/// The squares of a piece as the contests drew it, from its upper left corner.
fn cells_of(piece: blokus::Piece) -> Vec<Cell> {
    let offsets: Vec<(i8, i8)> = piece.oriented(0).collect();
    let left = offsets.iter().map(|o| o.0).min().unwrap_or(0);
    let top = offsets.iter().map(|o| o.1).min().unwrap_or(0);
    offsets.iter().map(|(x, y)| Cell::new((x - left) as u8, (y - top) as u8)).collect()
}
