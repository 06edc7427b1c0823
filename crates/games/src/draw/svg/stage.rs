//! A bare board and the shapes that stand on it: what a page needs to show every position of a game without a picture of each.
//!
//! Places are numbered: first the cells of the board, row by row, then the items of the trays. A position is then one number per place: which
//! shape stands there, 0 for none. Shapes are numbered in the order in which they are first seen.

use std::collections::BTreeMap;
use std::fmt::Write;

use yomi_core::Color;

use super::super::picture::{Cell, Item, Picture, Piece, Shape, Style};
use super::layout::{Layout, fitting, is_rack};
use super::xml::N;
use super::{Canvas, SvgOptions, Text};

/// A board to be filled.
pub struct Stage {
    /// The board with nothing on it; trays keep their items, so that the layout knows their places.
    bare: Picture,
    options: SvgOptions,
    shapes: Vec<Shown>,
    markup: Vec<String>,
    /// What shapes are made of, by id.
    parts: BTreeMap<String, String>,
}

/// What can stand at a place.
#[derive(Clone, PartialEq, Debug)]
enum Shown {
    /// A piece on the board.
    Piece(Piece),
    /// A square of a tile; a border is drawn where `open` says so: above, right, below, left.
    Square { side: Color, open: [bool; 4] },
    /// An item of a tray.
    Item(Item),
}

impl Stage {
    /// The stage of the board that a picture shows.
    pub fn new(picture: &Picture) -> Stage {
        let mut bare = Picture { turn: None, ..picture.clone() };
        bare.title = String::new();
        bare.description = String::new();
        bare.pieces.clear();
        bare.last.clear();
        bare.signs.clear();
        bare.captions.clear();
        for tray in &mut bare.trays {
            tray.title = if tray.side == Color::Black { "Black" } else { "White" }.to_string();
        }
        let options = SvgOptions { captions: false, ..SvgOptions::default() };
        Stage { bare, options, shapes: Vec::new(), markup: Vec::new(), parts: BTreeMap::new() }
    }

    /// Width and height.
    pub fn size(&self) -> (f32, f32) {
        Layout::of(&self.bare, &self.options).size
    }

    /// Width and height of a cell.
    pub fn cell(&self) -> (f32, f32) {
        Layout::of(&self.bare, &self.options).cell
    }

    /// How many of the places are cells of the board.
    pub fn cells(&self) -> usize {
        self.bare.grid.len()
    }

    /// How the last move is shown: the name of the grid's style, and the colour of the mark.
    pub fn mark(&self) -> (&'static str, &'static str) {
        match self.bare.grid.style {
            Style::Squares => ("squares", self.bare.theme.last),
            Style::Points => ("points", self.bare.theme.danger),
            Style::Hollows => ("hollows", "#ffffff"),
        }
    }

    /// Where the places are: the point that a shape is drawn around.
    pub fn places(&self) -> Vec<(f32, f32)> {
        let layout = Layout::of(&self.bare, &self.options);
        let cells = self.bare.grid.cells().map(|cell| layout.cell((cell.column, cell.row)).centre());
        let items = self.bare.trays.iter().zip(&layout.trays).flat_map(|(tray, place)| {
            // Tiles are drawn from their corner, pieces around their middle.
            let rack = is_rack(tray);
            place.items.iter().map(move |r| if rack { (r.x, r.y) } else { r.centre() })
        });
        cells.chain(items).collect()
    }

    /// What stands at each place in a picture of the same board.
    pub fn frame(&mut self, picture: &Picture) -> Vec<u16> {
        let mut frame = vec![0; self.cells()];
        let tiles: BTreeMap<Cell, (Color, char)> = picture
            .pieces
            .iter()
            .filter_map(|(cell, piece)| match piece.shape {
                Shape::Tile { name } => Some((*cell, (piece.side, name))),
                _ => None,
            })
            .collect();
        for (cell, piece) in &picture.pieces {
            let Some(place) = self.bare.grid.index(*cell) else { continue };
            frame[place] = match piece.shape {
                Shape::Tile { .. } => {
                    let mine = tiles.get(cell);
                    let open = |x: i8, y: i8| {
                        let beside = cell.column.checked_add_signed(x).zip(cell.row.checked_add_signed(y));
                        beside.is_none_or(|(column, row)| tiles.get(&Cell { column, row }) != mine)
                    };
                    self.number(Shown::Square {
                        side: piece.side,
                        open: [open(0, -1), open(1, 0), open(0, 1), open(-1, 0)],
                    })
                }
                _ => self.number(Shown::Piece(piece.clone())),
            };
        }
        for item in picture.trays.iter().flat_map(|tray| &tray.items) {
            let number = self.number(Shown::Item(item.clone()));
            frame.push(number);
        }
        frame
    }

    /// The number of a shape, new or not.
    fn number(&mut self, shown: Shown) -> u16 {
        let known = self.shapes.iter().position(|shape| *shape == shown);
        let place = known.unwrap_or_else(|| {
            let markup = self.draw(&shown);
            self.shapes.push(shown);
            self.markup.push(markup);
            self.shapes.len() - 1
        });
        u16::try_from(place + 1).unwrap_or(0)
    }

    /// Draws with the canvas of the bare board. Shapes of more than one part are kept.
    fn with_canvas(&self, draw: impl FnOnce(&mut Canvas<'_>)) -> (String, BTreeMap<String, String>) {
        let mut canvas = Canvas {
            picture: &self.bare,
            options: &self.options,
            layout: Layout::of(&self.bare, &self.options),
            on_cells: self.bare.by_cell(),
            defs: BTreeMap::new(),
            out: String::new(),
        };
        draw(&mut canvas);
        (canvas.out, canvas.defs)
    }

    fn draw(&mut self, shown: &Shown) -> String {
        let (w, h) = self.cell();
        let unit = Layout::of(&self.bare, &self.options).trays.first().map_or(w, |tray| tray.unit);
        let (markup, parts) = self.with_canvas(|canvas| match shown {
            Shown::Piece(piece) => canvas.piece_at(piece, (0.0, 0.0), 1.0),
            Shown::Square { side, open } => canvas.tile_square(*side, *open, w),
            Shown::Item(item) if !item.cells.is_empty() => canvas.rack_item(item, unit),
            Shown::Item(item) => {
                canvas.piece_at(&item.piece, (0.0, 0.0), if item.count == 0 { 0.13 } else { 1.0 });
                if item.count > 1 {
                    let (count, ink) = (item.count.to_string(), canvas.picture.theme.text);
                    let size = fitting(&count, 15.0, 20.0);
                    canvas.text((w / 2.0 + 9.0, h * 0.1), size, &count, &format!("font-weight=\"700\" fill=\"{ink}\""));
                }
            }
        });
        self.parts.extend(parts);
        markup
    }

    /// The bare board and all shapes seen so far, to stand in the `<defs>` of a page: `NAME-board` and `NAME-1`, `NAME-2`, ….
    pub fn defs(&self, name: &str) -> String {
        let (board, mut parts) = self.with_canvas(|canvas| {
            canvas.board();
            canvas.lines();
            canvas.labels();
            canvas.empty_trays();
        });
        parts.extend(self.parts.clone());
        let name = Text(name);
        let mut out: String = parts.into_values().collect();
        let _ = write!(out, "<g id=\"{name}-board\">{board}</g>");
        for (number, markup) in (1..).zip(&self.markup) {
            let _ = write!(out, "<g id=\"{name}-{number}\">{markup}</g>");
        }
        out
    }
}

impl Canvas<'_> {
    /// One square of a tile around the origin, with a border where the tile ends.
    fn tile_square(&mut self, side: Color, open: [bool; 4], unit: f32) {
        let p = self.picture.theme.tiles[side.index()];
        let (edge, half) = (unit * 0.07, unit / 2.0);
        let (near, length) = (half - edge * 1.2, unit - edge * 2.4);
        let sides = ["M{a} {a}H{b}", "M{b} {a}V{b}", "M{b} {b}H{a}", "M{a} {b}V{a}"];
        let (a, b) = (N(-half).to_string(), N(half).to_string());
        let border = sides.iter().zip(open).filter(|(_, open)| *open);
        let border: String = border.map(|(path, _)| path.replace("{a}", &a).replace("{b}", &b)).collect();
        let (low, high, there, back) = (N(-near), N(near), N(length), N(-length));
        let _ = write!(
            self.out,
            "<path d=\"M{a} {a}H{b}V{b}H{a}z\" fill=\"{fill}\"/><g fill=\"none\" stroke-width=\"{thick}\">\
             <path d=\"M{high} {low}v{there}h{back}\" stroke=\"{dark}\" stroke-opacity=\".6\"/>\
             <path d=\"M{low} {high}v{back}h{there}\" stroke=\"{light}\"/></g>\
             <path d=\"{border}\" stroke=\"{dark}\" stroke-width=\"{edge}\" stroke-linecap=\"square\"/>",
            fill = p.fill,
            thick = N(edge * 1.4),
            dark = p.dark,
            light = p.light,
            edge = N(edge),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::BlokusDuo;
    use crate::draw::{Draw, Marks};
    use crate::go::{Go9, Rules};
    use crate::shogi::Minishogi;
    use yomi_core::Notation;

    /// Every position of a game is a frame: as many places as there are, every number a shape that is defined.
    fn check<P: Notation + Draw>(start: P, moves: &str) -> (Stage, Vec<Vec<u16>>) {
        let mut stage = Stage::new(&start.picture(&Marks::new()));
        let mut position = start;
        let mut frames = vec![stage.frame(&position.picture(&Marks::new()))];
        for word in moves.split(' ') {
            let mv = position.parse_move(word).unwrap();
            position.play(mv);
            frames.push(stage.frame(&position.picture(&Marks::new())));
        }
        let defs = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", stage.defs("a"));
        let document = roxmltree::Document::parse(&defs).unwrap();
        let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        for reference in document.descendants().filter_map(|node| node.attribute("href")) {
            assert!(ids.contains(&&reference[1..]), "{reference}");
        }
        assert!(ids.contains(&"a-board"));
        for frame in &frames {
            assert_eq!(frame.len(), stage.places().len());
            assert!(frame.iter().all(|&shape| shape == 0 || ids.contains(&format!("a-{shape}").as_str())));
        }
        (stage, frames)
    }

    #[test]
    fn stones_pieces_in_hand_and_tiles_are_shapes() {
        let (_, go) = check(Go9::new(9, Rules::default()).unwrap(), "E5 pass C3");
        assert_eq!(go[0].iter().filter(|&&shape| shape > 0).count(), 0);
        assert_eq!(go[1], go[2], "a pass changes nothing");
        assert_eq!(go[3].iter().filter(|&&shape| shape > 0).count(), 2);
        let (stage, shogi) = check(Minishogi::default(), "3e2d 5a5d");
        // The rook takes the pawn: two cells and the hand.
        let changed = |a: &[u16], b: &[u16]| a.iter().zip(b).filter(|(a, b)| a != b).count();
        assert_eq!(changed(&shogi[0], &shogi[1]), 2);
        assert_eq!(changed(&shogi[1], &shogi[2]), 3);
        assert_eq!(stage.cells(), 25);
        let (_, blokus) = check(BlokusDuo::default(), &first_move());
        // A tile fills its cells and leaves its tray.
        assert_eq!(blokus[0].iter().filter(|&&shape| shape > 0).count(), 42);
        assert!(changed(&blokus[0], &blokus[1]) > 1);
    }

    fn first_move() -> String {
        let start = BlokusDuo::default();
        let mut moves = Vec::new();
        yomi_core::Line::new(start.clone()).generate(&mut moves);
        start.move_text(*moves.last().unwrap())
    }
}
