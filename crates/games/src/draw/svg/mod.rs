//! Boards as SVG: one file without fonts, scripts or outside references, the same bytes for the same picture.
//!
//! Reading order: [`svg`] assembles; `layout` says where things lie; `board` draws what is always there, `pieces` what stands on
//! it and beside it, `marks` and `arrows` the annotations on top; `xml` makes numbers and text safe.
//!
//! Shapes that recur stand in `<defs>` under ids that say what they are (`yomi-wood-…`), so that several pictures in one page may
//! share them. There are no gradients and no style sheet: both go wrong when pictures are put inside a page.

mod arrows;
mod board;
mod layout;
mod marks;
mod pieces;
mod stage;
mod xml;

use std::collections::BTreeMap;
use std::fmt::Write;

use super::picture::{Cell, Picture, Piece};
use layout::{Layout, Rect};
pub use stage::Stage;
use xml::{N, Text};

/// Text outside the board: a grey that is readable on white and on black.
const OUTSIDE: &str = "#7d7d7d";

/// What a reader may choose about an SVG.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SvgOptions {
    /// Width in pixels; without it the picture fills the room it is given.
    pub width: Option<u32>,
    /// Letters instead of kanji.
    pub letters: bool,
    /// Coordinates at the edges.
    pub coordinates: bool,
    /// Hands and piece trays.
    pub trays: bool,
    /// Text below the board.
    pub captions: bool,
    /// Numbers on the heat map.
    pub heat_numbers: bool,
}

impl Default for SvgOptions {
    fn default() -> SvgOptions {
        SvgOptions { width: None, letters: false, coordinates: true, trays: true, captions: true, heat_numbers: true }
    }
}

/// Draws a picture as SVG.
pub fn svg(picture: &Picture, options: &SvgOptions) -> String {
    let layout = Layout::of(picture, options);
    let on_cells = picture.by_cell();
    let mut canvas = Canvas { picture, options, layout, on_cells, defs: BTreeMap::new(), out: String::new() };
    canvas.board();
    canvas.tints();
    canvas.lines();
    canvas.labels();
    canvas.heat();
    canvas.pieces();
    canvas.balance();
    canvas.last();
    canvas.numbers();
    canvas.signs();
    canvas.trays();
    canvas.arrows();
    canvas.captions();
    canvas.finish()
}

/// An SVG being written.
struct Canvas<'a> {
    picture: &'a Picture,
    options: &'a SvgOptions,
    layout: Layout,
    on_cells: Vec<Option<&'a Piece>>,
    /// Shapes used more than once, by id.
    defs: BTreeMap<String, String>,
    out: String,
}

/// Appends formatted text; writing into a string cannot fail.
macro_rules! put {
    ($canvas:expr, $($arg:tt)*) => {{ let _ = std::fmt::Write::write_fmt(&mut $canvas.out, format_args!($($arg)*)); }};
}
use put;

impl Canvas<'_> {
    fn finish(self) -> String {
        let (w, h) = self.layout.size;
        let grid = self.layout.grid;
        let (title, description) = (Text(&self.picture.title), Text(&self.picture.description));
        let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\"", N(w), N(h));
        if let Some(width) = self.options.width {
            let _ = write!(out, " width=\"{width}\" height=\"{}\"", (f64::from(width) * f64::from(h / w)).round());
        }
        // A page that wants clicks reads where the cells are.
        let cell = self.layout.cell;
        let _ = write!(out, " data-grid=\"{} {} {} {}\"", N(grid.x), N(grid.y), N(cell.0), N(cell.1));
        out.push_str(" role=\"img\" font-family=\"system-ui,sans-serif\" text-anchor=\"middle\">");
        let _ = write!(out, "<title>{title}</title>");
        if !self.picture.description.is_empty() {
            let _ = write!(out, "<desc>{description}</desc>");
        }
        if !self.defs.is_empty() {
            let shapes: String = self.defs.into_values().collect();
            let _ = write!(out, "<defs>{shapes}</defs>");
        }
        out + &self.out + "</svg>\n"
    }

    /// The rectangle of a cell as it is seen; `None` outside the board.
    fn rect(&self, cell: Cell) -> Option<Rect> {
        self.picture.seat(cell).map(|seat| self.layout.cell(seat))
    }

    /// What stands on a cell.
    fn on(&self, cell: Cell) -> Option<&Piece> {
        self.picture.grid.index(cell).and_then(|index| self.on_cells[index])
    }

    /// Opens a group that says what it holds.
    fn group(&mut self, part: &str, attributes: &str) {
        put!(self, "<g data-part=\"{part}\"{}{attributes}>", if attributes.is_empty() { "" } else { " " });
    }

    fn end_group(&mut self) {
        self.out.push_str("</g>");
    }

    /// Text with its middle at a point.
    fn text(&mut self, (x, y): (f32, f32), size: f32, text: &str, attributes: &str) {
        let y = y + size * 0.35;
        put!(self, "<text x=\"{}\" y=\"{}\" font-size=\"{}\" {attributes}>{}</text>", N(x), N(y), N(size), Text(text));
    }

    fn captions(&mut self) {
        let captions = std::mem::take(&mut self.layout.captions);
        if captions.is_empty() {
            return;
        }
        self.group(
            "captions",
            &format!("font-size=\"{}\" text-anchor=\"start\" fill=\"{OUTSIDE}\"", N(layout::CAPTION)),
        );
        // Where no tray says who moves, a disc in front of the first line does.
        let left = self.layout.frame.x;
        let disc = self.picture.turn.filter(|_| self.layout.trays.is_empty());
        if let Some(side) = disc {
            let (fill, y) = (self.flat(side), captions[0].0 - layout::CAPTION * 0.35);
            put!(
                self,
                "<circle cx=\"{}\" cy=\"{}\" r=\"6.5\" fill=\"{fill}\" stroke=\"{OUTSIDE}\" stroke-width=\"1.5\"/>",
                N(left + 11.0),
                N(y)
            );
        }
        let x = left + if disc.is_some() { layout::CAPTION_INDENT } else { 4.0 };
        for (y, text) in captions {
            put!(self, "<text x=\"{}\" y=\"{}\">{}</text>", N(x), N(y), Text(&text));
        }
        self.end_group();
    }
}
