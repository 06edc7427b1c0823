//! What is always there: frame, cells, lines, coordinates.

use std::fmt::Write;

use super::super::glyphs;
use super::super::picture::{Face, Sign, Style};
use super::layout::Rect;
use super::xml::{Factor, N};
use super::{Canvas, put};

impl Canvas<'_> {
    /// Frame and cells.
    pub(super) fn board(&mut self) {
        let theme = self.picture.theme;
        let (frame, grid) = (self.layout.frame, self.layout.grid);
        self.panel(frame);
        if theme.board != theme.frame {
            put!(self, "<path d=\"{}\" fill=\"{}\"/>", area(grid), theme.board);
        }
        self.grain(frame);
    }

    /// A piece of the stuff the board is made of.
    pub(super) fn panel(&mut self, r: Rect) {
        let theme = self.picture.theme;
        let paint = format!("fill=\"{}\" stroke=\"{}\" stroke-opacity=\".35\"", theme.frame, theme.line);
        put!(self, "<rect {} {paint}/>", rectangle(r, 4.0));
    }

    /// Faint, slowly waving lines from top to bottom.
    pub(super) fn grain(&mut self, r: Rect) {
        let Some(color) = self.picture.theme.grain else { return };
        let mut path = String::new();
        // Steps and bends that repeat late enough to look like none.
        let mut x = r.x + 5.0;
        let mut i = 0;
        while x < r.right() - 5.0 {
            let bend = [4.0, -3.0, 2.0, -4.5, 3.5][i % 5];
            let (a, b) = ((x + bend).clamp(r.x, r.right()), (x - bend).clamp(r.x, r.right()));
            let (upper, lower) = (N(r.y + r.h / 3.0), N(r.y + r.h / 1.5));
            let _ = write!(path, "M{} {}C{} {upper} {} {lower} {} {}", N(x), N(r.y), N(a), N(b), N(x), N(r.bottom()));
            x += [13.0, 5.0, 21.0, 9.0, 16.0, 6.0, 27.0][i % 7];
            i += 1;
        }
        put!(self, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-opacity=\".11\" stroke-width=\"1.6\"/>");
    }

    /// Coloured squares under the lines: the last move where pieces stand in squares, tints and warnings.
    pub(super) fn tints(&mut self) {
        let theme = self.picture.theme;
        if self.picture.grid.style == Style::Squares {
            for (i, cell) in self.picture.last.iter().enumerate() {
                if let Some(r) = self.rect(*cell) {
                    let strength = if i == 0 { 0.75 } else { 0.4 };
                    put!(
                        self,
                        "<path data-part=\"last\" d=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>",
                        area(r),
                        theme.last,
                        Factor(strength)
                    );
                }
            }
        }
        for (cell, sign) in &self.picture.signs {
            let (color, strength) = match sign {
                Sign::Tint => (theme.hint, 0.3),
                Sign::Danger => (theme.danger, 0.6),
                _ => continue,
            };
            if let Some(r) = self.rect(*cell) {
                put!(self, "<path d=\"{}\" fill=\"{color}\" fill-opacity=\"{}\"/>", area(r), Factor(strength));
            }
        }
    }

    /// The lines between cells or through them, and the stars.
    pub(super) fn lines(&mut self) {
        let theme = self.picture.theme;
        let (columns, rows) = (self.picture.grid.columns, self.picture.grid.rows);
        if self.picture.grid.is_empty() {
            return;
        }
        let (g, (w, h)) = (self.layout.grid, self.layout.cell);
        let mut path = String::new();
        match self.picture.grid.style {
            Style::Points => {
                for i in 0..columns {
                    let x = g.x + (f32::from(i) + 0.5) * w;
                    let _ = write!(path, "M{} {}V{}", N(x), N(g.y + h / 2.0), N(g.bottom() - h / 2.0));
                }
                for i in 0..rows {
                    let y = g.y + (f32::from(i) + 0.5) * h;
                    let _ = write!(path, "M{} {}H{}", N(g.x + w / 2.0), N(y), N(g.right() - w / 2.0));
                }
            }
            Style::Squares | Style::Hollows => {
                for i in 1..columns {
                    let _ = write!(path, "M{} {}V{}", N(g.x + f32::from(i) * w), N(g.y), N(g.bottom()));
                }
                for i in 1..rows {
                    let _ = write!(path, "M{} {}H{}", N(g.x), N(g.y + f32::from(i) * h), N(g.right()));
                }
                path.push_str(&area(g));
            }
        }
        let cap = if self.picture.grid.style == Style::Points { " stroke-linecap=\"square\"" } else { "" };
        put!(self, "<path d=\"{path}\" fill=\"none\" stroke=\"{}\"{cap}/>", theme.line);
        for star in &self.picture.grid.stars {
            let Some(r) = self.rect(*star) else { continue };
            let (x, y, radius) = match self.picture.grid.style {
                // The corner between four squares, whichever way the board lies.
                Style::Squares => {
                    let (right, down) = if self.picture.below == yomi_core::Color::Black { (w, h) } else { (0.0, 0.0) };
                    (r.x + right, r.y + down, 2.6)
                }
                Style::Points => (r.centre().0, r.centre().1, w * 0.09),
                Style::Hollows => (r.centre().0, r.centre().1, w * 0.2),
            };
            put!(self, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>", N(x), N(y), N(radius), theme.line);
        }
    }

    /// Coordinates on the frame.
    pub(super) fn labels(&mut self) {
        if !self.options.coordinates {
            return;
        }
        let picture = self.picture;
        let (f, g, labels) = (self.layout.frame, self.layout.grid, &picture.labels);
        let ys = [(labels.top, (f.y + g.y) / 2.0), (labels.bottom, (g.bottom() + f.bottom()) / 2.0)];
        let xs = [(labels.left, (f.x + g.x) / 2.0), (labels.right, (g.right() + f.right()) / 2.0)];
        self.group("labels", &format!("font-size=\"13\" fill=\"{}\"", picture.theme.text));
        for cell in picture.grid.cells() {
            let Some(r) = self.rect(cell) else { continue };
            let (x, y) = r.centre();
            if let (0, Some(face)) = (cell.row, labels.columns.get(usize::from(cell.column))) {
                ys.iter().filter(|(shown, _)| *shown).for_each(|(_, y)| self.label(face, (x, *y)));
            }
            if let (0, Some(face)) = (cell.column, labels.rows.get(usize::from(cell.row))) {
                xs.iter().filter(|(shown, _)| *shown).for_each(|(_, x)| self.label(face, (*x, y)));
            }
        }
        self.end_group();
    }

    fn label(&mut self, face: &Face, (x, y): (f32, f32)) {
        let text = face.text(self.options.letters);
        if let Some(id) = self.glyph(text) {
            // Thin strokes vanish at this size: a stroke of its own colour makes them heavier.
            let color = self.picture.theme.text;
            put!(
                self,
                "<use href=\"#{id}\" stroke=\"{color}\" stroke-width=\"3\" transform=\"translate({} {})scale(.14)\"/>",
                N(x - 7.0),
                N(y - 7.0)
            );
        } else {
            put!(self, "<text x=\"{}\" y=\"{}\">{}</text>", N(x), N(y + 4.6), super::Text(text));
        }
    }

    /// Makes sure that the outline of a character is among the shapes, and returns its id.
    pub(super) fn glyph(&mut self, text: &str) -> Option<String> {
        let outline = glyphs::outline(text)?;
        let id = glyphs::id(text);
        self.defs.entry(id.clone()).or_insert_with(|| format!("<path id=\"{id}\" d=\"{outline}\"/>"));
        Some(id)
    }
}

/// The place of a rectangle with rounded corners.
pub(super) fn rectangle(r: Rect, radius: f32) -> String {
    format!("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"", N(r.x), N(r.y), N(r.w), N(r.h), N(radius))
}

/// A rectangle as a path.
pub(super) fn area(r: Rect) -> String {
    format!("M{} {}h{}v{}h{}z", N(r.x), N(r.y), N(r.w), N(r.h), N(-r.w))
}
