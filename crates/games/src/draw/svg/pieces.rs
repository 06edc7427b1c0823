//! What stands on the board and beside it.

use std::collections::BTreeMap;
use std::fmt::Write;

use yomi_core::Color;

use super::super::outline::outline;
use super::super::picture::{Cell, Face, Item, Piece, Shape, Sign, Tray};
use super::layout::{Rect, TITLE, TrayBox, cut, fitting, is_rack};
use super::xml::{Factor, N, Text};
use super::{Canvas, put};

impl Canvas<'_> {
    /// Everything on the board.
    pub(super) fn pieces(&mut self) {
        let picture = self.picture;
        self.group("pieces", "");
        let dead: Vec<_> =
            picture.signs.iter().filter(|(_, sign)| *sign == Sign::Dead).map(|(cell, _)| *cell).collect();
        let mut tiles: BTreeMap<(Color, char), Vec<(i32, i32)>> = BTreeMap::new();
        for (cell, piece) in &picture.pieces {
            let Some((column, row)) = picture.seat(*cell) else { continue };
            if let Shape::Tile { name } = piece.shape {
                tiles.entry((piece.side, name)).or_default().push((i32::from(column), i32::from(row)));
            } else {
                self.piece(piece, self.layout.cell((column, row)), if dead.contains(cell) { 0.5 } else { 1.0 });
            }
        }
        let (g, (unit, _)) = (self.layout.grid, self.layout.cell);
        for side in Color::BOTH {
            let mine = tiles.iter().filter(|((owner, _), _)| *owner == side);
            let mine: Vec<Tile> =
                mine.map(|(_, cells)| Tile { cells: cells.clone(), at: (g.x, g.y), used: false }).collect();
            self.tiles(side, &mine, unit, "tile");
        }
        self.end_group();
    }

    /// A piece that fills one cell.
    fn piece(&mut self, piece: &Piece, r: Rect, opacity: f32) {
        self.piece_at(piece, r.centre(), opacity);
    }

    /// The same around a point.
    pub(super) fn piece_at(&mut self, piece: &Piece, (x, y): (f32, f32), opacity: f32) {
        let id = match &piece.shape {
            Shape::Tablet { face, promoted, size } => self.tablet(piece.side, face, *promoted, *size),
            Shape::Stone => self.stone(piece.side),
            Shape::Tile { .. } => return,
        };
        put!(self, "<use href=\"#{id}\" x=\"{}\" y=\"{}\"", N(x), N(y));
        if opacity < 1.0 {
            put!(self, " opacity=\"{}\"", Factor(opacity));
        }
        self.out.push_str("/>");
    }

    /// The id of a tablet with its character.
    fn tablet(&mut self, side: Color, face: &Face, promoted: bool, size: f32) -> String {
        let theme = self.picture.theme;
        let up = side == self.picture.below;
        let text = face.text(self.options.letters);
        let code: String = text.chars().map(|c| format!("-{:x}", u32::from(c))).collect();
        let (w, h) = self.layout.cell;
        let size = if size.is_finite() { size.clamp(0.3, 1.0) } else { 1.0 } * (w / 44.0).min(h / 48.0);
        let (way, red) = (if up { "up" } else { "down" }, if promoted { "-red" } else { "" });
        let id = format!("yomi-{}-{way}-{:.0}{red}{code}", theme.name, size * 100.0);
        if self.defs.contains_key(&id) {
            return id;
        }
        let ink = if promoted { theme.promoted } else { theme.tablet.ink };
        let mark = match self.glyph(text) {
            Some(glyph) => {
                format!("<use href=\"#{glyph}\" fill=\"{ink}\" transform=\"translate(-15 -12.5)scale(.3)\"/>")
            }
            None => {
                let size = fitting(text, 23.0, 22.0);
                let (y, size, text) = (N(3.0 + size * 0.36), N(size), Text(text));
                format!("<text y=\"{y}\" font-size=\"{size}\" font-weight=\"700\" fill=\"{ink}\">{text}</text>")
            }
        };
        let (body, turn) = (self.tablet_body(up), if up { "" } else { " transform=\"rotate(180)\"" });
        let scale = Factor(size);
        let shape = format!("<g transform=\"scale({scale})\"><use href=\"#{body}\"/><g{turn}>{mark}</g></g>");
        self.defs.insert(id.clone(), format!("<g id=\"{id}\">{shape}</g>"));
        id
    }

    /// The id of a bare tablet of full size. The light comes from above whichever way it points.
    fn tablet_body(&mut self, up: bool) -> String {
        let (theme, paint) = (self.picture.theme, self.picture.theme.tablet);
        let (way, path, lower_edge) = match up {
            true => ("up", "M0-21.5L14.2-16L18.6 20.5H-18.6L-14.2-16Z", "M-18.6 20.5H18.6"),
            false => ("down", "M0 21.5L-14.2 16L-18.6-20.5H18.6L14.2 16Z", "M-14.2 16L0 21.5L14.2 16"),
        };
        let id = format!("yomi-{}-{way}", theme.name);
        let shadow = format!(
            "<path d=\"{path}\" transform=\"translate(.8 1.6)\" stroke=\"none\" fill=\"#000\" fill-opacity=\".3\"/>"
        );
        let body = format!("<path d=\"{path}\" fill=\"{}\" stroke-width=\".9\"/>", paint.fill);
        let edge = format!("<path d=\"{lower_edge}\" fill=\"none\" stroke-width=\"1.6\" stroke-linecap=\"round\"/>");
        let shape =
            format!("<g id=\"{id}\" stroke=\"{}\" stroke-linejoin=\"round\">{shadow}{body}{edge}</g>", paint.dark);
        self.defs.entry(id.clone()).or_insert(shape);
        id
    }

    /// The id of a stone of the board's size.
    fn stone(&mut self, side: Color) -> String {
        let theme = self.picture.theme;
        let name = if side == Color::Black { "black" } else { "white" };
        let id = format!("yomi-{}-{name}-{}", theme.name, self.layout.cell.0);
        let (p, r) = (theme.stones[side.index()], self.layout.cell.0 * 0.475);
        // Flat discs, each a little brighter and nearer to the light, instead of a gradient.
        let shine: [(f32, f32, f32); 3] = match side {
            Color::Black => [(0.16, 0.62, 0.12), (0.26, 0.36, 0.14), (0.33, 0.16, 0.2)],
            Color::White => [(0.05, 0.9, 0.6), (0.1, 0.78, 0.6), (0.2, 0.5, 0.7)],
        };
        let disc = |(off, radius, strength): (f32, f32, f32)| {
            let (at, radius, strength) = (N(-off * r), N(radius * r), Factor(strength));
            format!("<circle cx=\"{at}\" cy=\"{at}\" r=\"{radius}\" fill=\"{}\" fill-opacity=\"{strength}\"/>", p.light)
        };
        let shine: String = shine.into_iter().map(disc).collect();
        let shadow = format!("<circle cx=\".8\" cy=\"1.4\" r=\"{}\" fill-opacity=\".28\"/>", N(r));
        let body =
            format!("<circle r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\".8\"/>", N(r - 0.4), p.fill, p.dark);
        let shape = format!("<g id=\"{id}\">{shadow}{body}{shine}</g>");
        self.defs.entry(id.clone()).or_insert(shape);
        id
    }

    /// Tiles of one side: bodies with borders, then light and shade on all their squares.
    fn tiles(&mut self, side: Color, tiles: &[Tile], unit: f32, part: &str) {
        if tiles.is_empty() {
            return;
        }
        let p = self.picture.theme.tiles[side.index()];
        let edge = unit * 0.07;
        put!(self, "<g fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\">", p.fill, p.dark, N(edge));
        let (mut light, mut shade) = (String::new(), String::new());
        for (index, tile) in tiles.iter().enumerate() {
            let used = if tile.used { " opacity=\".13\"" } else { "" };
            put!(self, "<path data-{part}=\"{index}\" d=\"{}\"{used}/>", border(&tile.cells, tile.at, unit));
            if tile.used {
                continue;
            }
            for (column, row) in &tile.cells {
                let (x, y) = (tile.at.0 + *column as f32 * unit, tile.at.1 + *row as f32 * unit);
                let (near, far) = (edge * 1.2, unit - edge * 1.2);
                let side = far - near;
                let _ = write!(light, "M{} {}v{}h{}", N(x + near), N(y + far), N(-side), N(side));
                let _ = write!(shade, "M{} {}v{}h{}", N(x + far), N(y + near), N(side), N(-side));
            }
        }
        let width = N(edge * 1.4);
        put!(self, "</g><g fill=\"none\" stroke-width=\"{width}\">");
        put!(self, "<path d=\"{shade}\" stroke=\"{}\" stroke-opacity=\".6\"/>", p.dark);
        put!(self, "<path d=\"{light}\" stroke=\"{}\"/></g>", p.light);
    }

    /// The border of cells of the board as a path.
    pub(super) fn border(&self, cells: &[Cell]) -> String {
        let seats = cells.iter().filter_map(|cell| self.picture.seat(*cell));
        let seats: Vec<(i32, i32)> = seats.map(|(column, row)| (column.into(), row.into())).collect();
        border(&seats, (self.layout.grid.x, self.layout.grid.y), self.layout.cell.0)
    }

    /// Hands and piece trays.
    pub(super) fn trays(&mut self) {
        let boxes = std::mem::take(&mut self.layout.trays);
        for (tray, place) in self.picture.trays.iter().zip(&boxes) {
            self.tray(tray, place);
        }
        self.layout.trays = boxes;
    }

    /// Trays with nothing in them.
    pub(super) fn empty_trays(&mut self) {
        let boxes = std::mem::take(&mut self.layout.trays);
        for (tray, place) in self.picture.trays.iter().zip(&boxes) {
            self.open_tray(tray, place);
            self.end_group();
        }
        self.layout.trays = boxes;
    }

    /// A tile of a rack, its corner at the origin.
    pub(super) fn rack_item(&mut self, item: &Item, unit: f32) {
        let tile = Tile::of_item(item, (0.0, 0.0));
        self.tiles(item.piece.side, &[tile], unit, "item");
    }

    /// The stuff of a tray and its title, the group left open.
    fn open_tray(&mut self, tray: &Tray, place: &TrayBox) {
        let (r, theme) = (place.rect, self.picture.theme);
        let side = if tray.side == Color::Black { "black" } else { "white" };
        self.group(&format!("tray-{side}"), "");
        self.panel(r);
        self.grain(r);
        self.badge(tray, (r.x + 14.0, r.y + TITLE / 2.0));
        let title = cut(&tray.title, 13.0, r.w - 30.0);
        let weight = if self.picture.turn == Some(tray.side) { "700" } else { "400" };
        let paint = format!("fill=\"{}\" font-weight=\"{weight}\" text-anchor=\"start\"", theme.text);
        self.text((r.x + 26.0, r.y + TITLE / 2.0), 13.0, &title, &paint);
    }

    fn tray(&mut self, tray: &Tray, place: &TrayBox) {
        self.open_tray(tray, place);
        let items = tray.items.iter().zip(&place.items);
        if is_rack(tray) {
            let tile = |(item, slot): (&Item, &Rect)| Tile::of_item(item, (slot.x, slot.y));
            self.tiles(tray.side, &items.map(tile).collect::<Vec<_>>(), place.unit, "item");
        } else {
            items.enumerate().for_each(|(index, (item, slot))| self.item(item, index, *slot));
        }
        self.end_group();
    }

    /// The side's colour beside the title; a ring around it says that it moves.
    fn badge(&mut self, tray: &Tray, (x, y): (f32, f32)) {
        let theme = self.picture.theme;
        let paint = if is_rack(tray) { theme.tiles[tray.side.index()] } else { theme.stones[tray.side.index()] };
        let turn = self.picture.turn == Some(tray.side);
        let (ring, width) = if turn { (theme.danger, 2.2) } else { (theme.line, 1.0) };
        let paint = format!("fill=\"{}\" stroke=\"{ring}\" stroke-width=\"{}\"", paint.fill, N(width));
        put!(self, "<circle cx=\"{}\" cy=\"{}\" r=\"6\" {paint}/>", N(x), N(y));
    }

    /// One kind of piece in a tray; what is used up leaves a faint trace.
    fn item(&mut self, item: &Item, index: usize, slot: Rect) {
        let theme = self.picture.theme;
        let used = if item.count == 0 { " opacity=\".13\"" } else { "" };
        put!(self, "<g data-item=\"{index}\"{used}>");
        self.piece(&item.piece, slot, 1.0);
        if item.count > 1 {
            let (count, at) = (item.count.to_string(), (slot.right() + 9.0, slot.y + slot.h * 0.6));
            let size = fitting(&count, 15.0, 20.0);
            self.text(at, size, &count, &format!("font-weight=\"700\" fill=\"{}\"", theme.text));
        }
        self.end_group();
    }
}

/// A tile somewhere in the picture.
struct Tile {
    cells: Vec<(i32, i32)>,
    /// Where its cell (0, 0) lies.
    at: (f32, f32),
    /// No longer there: only a trace is drawn.
    used: bool,
}

impl Tile {
    /// A tile of a rack.
    fn of_item(item: &Item, at: (f32, f32)) -> Tile {
        let cells = item.cells.iter().map(|c| (i32::from(c.column), i32::from(c.row))).collect();
        Tile { cells, at, used: item.count == 0 }
    }
}

/// The border of some cells as a path.
fn border(cells: &[(i32, i32)], (x, y): (f32, f32), unit: f32) -> String {
    let mut path = String::new();
    for polygon in outline(cells) {
        let mut at = polygon[0];
        let _ = write!(path, "M{} {}", N(x + at.0 as f32 * unit), N(y + at.1 as f32 * unit));
        for &(column, row) in &polygon[1..] {
            let _ = match (column - at.0, row - at.1) {
                (0, down) => write!(path, "v{}", N(down as f32 * unit)),
                (across, _) => write!(path, "h{}", N(across as f32 * unit)),
            };
            at = (column, row);
        }
        path.push('z');
    }
    path
}
