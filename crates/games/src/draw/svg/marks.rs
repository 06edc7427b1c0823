//! Annotations: last move, numbers, signs, heat.

use yomi_core::Color;

use super::super::heat::Heat;
use super::super::picture::{Cell, Scale, Shape, Sign, Style};
use super::board::area;
use super::layout::{Rect, fitting};
use super::xml::{Factor, N};
use super::{Canvas, put};

impl Canvas<'_> {
    /// The last move where it is not a tinted square: a ring on a stone, a border around a tile.
    pub(super) fn last(&mut self) {
        let picture = self.picture;
        match picture.grid.style {
            Style::Squares => {}
            Style::Points => {
                let numbered = picture.numbered();
                for cell in picture.last.iter().filter(|cell| !numbered.contains_key(cell)) {
                    let Some(r) = self.rect(*cell) else { continue };
                    let (path, ink, width) = (circle(r.centre(), r.w * 0.25), self.ink(*cell), N(r.w * 0.07));
                    let paint = format!("fill=\"none\" stroke=\"{ink}\" stroke-width=\"{width}\"");
                    put!(self, "<path data-part=\"last\" d=\"{path}\" {paint}/>");
                }
            }
            Style::Hollows => {
                let path = self.border(&picture.last);
                for (color, width) in [("#000", 0.2), ("#fff", 0.1)].into_iter().filter(|_| !path.is_empty()) {
                    let width = N(self.layout.cell.0 * width);
                    let paint =
                        format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"");
                    put!(self, "<path data-part=\"last\" d=\"{path}\" {paint}/>");
                }
            }
        }
    }

    /// A colour that can be read on whatever stands on a cell.
    fn ink(&self, cell: Cell) -> &'static str {
        let theme = &self.picture.theme;
        match self.on(cell) {
            None => theme.text,
            Some(piece) => match piece.shape {
                Shape::Tablet { .. } => theme.tablet.ink,
                Shape::Stone => theme.stones[piece.side.index()].ink,
                Shape::Tile { .. } => theme.tiles[piece.side.index()].ink,
            },
        }
    }

    /// The colour of a side without light and shade.
    pub(super) fn flat(&self, side: Color) -> &'static str {
        let paint = self.picture.theme.stones[side.index()];
        if side == Color::Black { paint.fill } else { paint.light }
    }

    /// Move numbers: on stones and tiles, and in the corner of squares with tablets.
    pub(super) fn numbers(&mut self) {
        let picture = self.picture;
        for (cell, number) in picture.numbered() {
            let Some(r) = self.rect(cell) else { continue };
            let text = number.to_string();
            if picture.grid.style == Style::Squares {
                self.text(
                    (r.right() - 9.0, r.y + 7.0),
                    fitting(&text, 10.0, 18.0),
                    &text,
                    &format!("fill=\"{}\"", picture.theme.text),
                );
            } else {
                let size = fitting(&text, r.w * 0.52, r.w * 0.74);
                let ink = if picture.last.first() == Some(&cell) { picture.theme.danger } else { self.ink(cell) };
                self.text(r.centre(), size, &text, &format!("font-weight=\"600\" fill=\"{ink}\""));
            }
        }
    }

    /// Shares of cells, under the pieces.
    pub(super) fn heat(&mut self) {
        let picture = self.picture;
        let heat = Heat::of(picture);
        if picture.scale != Scale::Share || heat.values().is_empty() {
            return;
        }
        self.group("heat", "");
        for &(cell, value) in heat.values() {
            let (Some((shade, _)), Some(r)) = (heat.shade(value), self.rect(cell)) else { continue };
            let at = r.centre();
            let strength = 0.3 + 0.6 * shade;
            if picture.grid.style == Style::Points {
                // Mixed with the board's colour, not transparent, so that lines and stars do not cross the number.
                let color = mix(picture.theme.board, ramp(shade), strength);
                put!(self, "<path d=\"{}\" fill=\"{color}\"/>", circle(at, r.w * 0.46));
            } else {
                let (color, strength) = (hex(ramp(shade)), Factor(strength));
                put!(self, "<path d=\"{}\" fill=\"{color}\" fill-opacity=\"{strength}\"/>", area(r));
            }
            if self.options.heat_numbers && self.on(cell).is_none() {
                let text = heat.text(value);
                let ink = if shade > 0.45 { "#fff" } else { picture.theme.text };
                self.text(at, fitting(&text, r.w * 0.4, r.w * 0.8), &text, &format!("fill=\"{ink}\""));
            }
        }
        self.end_group();
    }

    /// Whose each cell is, over the pieces: small squares, the surer the larger.
    pub(super) fn balance(&mut self) {
        let heat = Heat::of(self.picture);
        if self.picture.scale != Scale::Balance || heat.values().is_empty() {
            return;
        }
        let edge = self.picture.theme.line;
        self.group("heat", &format!("stroke=\"{edge}\" stroke-width=\".6\" fill-opacity=\".85\""));
        for &(cell, value) in heat.values() {
            let (Some((shade, white)), Some(r)) = (heat.shade(value), self.rect(cell)) else { continue };
            let color = self.flat(if white { Color::White } else { Color::Black });
            let path = square(r.centre(), r.w * 0.5 * shade.sqrt());
            put!(self, "<path d=\"{path}\" fill=\"{color}\"/>");
        }
        self.end_group();
    }

    /// Small marks.
    pub(super) fn signs(&mut self) {
        let picture = self.picture;
        for (cell, sign) in &picture.signs {
            let Some(r) = self.rect(*cell) else { continue };
            let (at, unit, ink) = (r.centre(), r.w.min(r.h), self.ink(*cell));
            let (hint, danger) = (picture.theme.hint, picture.theme.danger);
            match sign {
                Sign::Tint | Sign::Danger => {}
                Sign::Dot => {
                    put!(self, "<path d=\"{}\" fill=\"{hint}\" fill-opacity=\".8\"/>", circle(at, unit * 0.13));
                }
                Sign::Circle => self.stroke(&circle(at, unit * 0.25), ink, unit),
                Sign::Square => self.stroke(&square(at, unit * 0.44), ink, unit),
                Sign::Triangle => self.stroke(&triangle(at, unit * 0.48), ink, unit),
                Sign::Cross => self.stroke(&cross(at, unit * 0.4), ink, unit),
                Sign::Dead => self.stroke(&cross(at, unit * 0.34), danger, unit * 1.3),
                Sign::Territory(side) => {
                    let (color, edge) = (self.flat(*side), picture.theme.stones[side.index()].dark);
                    let path = square(at, unit * 0.3);
                    put!(self, "<path d=\"{path}\" fill=\"{color}\" stroke=\"{edge}\" stroke-width=\".6\"/>");
                }
                Sign::Text(text) => {
                    // On bare wood a letter needs the lines behind it wiped away.
                    if self.on(*cell).is_none() && picture.grid.style == Style::Points {
                        put!(self, "<path d=\"{}\" fill=\"{}\"/>", circle(at, unit * 0.32), picture.theme.board);
                    }
                    let size = fitting(text, unit * 0.55, unit * 0.9);
                    self.text(at, size, text, &format!("font-weight=\"600\" fill=\"{ink}\""));
                }
            }
        }
    }

    fn stroke(&mut self, path: &str, color: &str, unit: f32) {
        put!(self, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{}\"/>", N(unit * 0.06));
    }
}

/// A circle as a path.
pub(super) fn circle((x, y): (f32, f32), radius: f32) -> String {
    let (r, across) = (N(radius), N(2.0 * radius));
    format!("M{} {}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z", N(x - radius), N(y))
}

/// A square around a point.
fn square((x, y): (f32, f32), side: f32) -> String {
    area(Rect { x: x - side / 2.0, y: y - side / 2.0, w: side, h: side })
}

/// A triangle around a point, pointing up.
fn triangle((x, y): (f32, f32), side: f32) -> String {
    format!("M{} {}l{} {}h{}z", N(x), N(y - side * 0.58), N(side / 2.0), N(side * 0.87), N(-side))
}

/// Two crossing strokes.
fn cross((x, y): (f32, f32), side: f32) -> String {
    let (there, back) = (N(side), N(-side));
    format!("M{} {}l{there} {there}m0 {back}l{back} {there}", N(x - side / 2.0), N(y - side / 2.0))
}

/// Red, green and blue, 0 to 255.
type Rgb = [f32; 3];

/// From yellow-green (little) over teal to blue (much).
fn ramp(shade: f32) -> Rgb {
    const STOPS: [Rgb; 3] = [[178.0, 203.0, 92.0], [36.0, 158.0, 140.0], [26.0, 84.0, 196.0]];
    let at = shade.clamp(0.0, 1.0) * 2.0;
    let (low, part) = if at < 1.0 { (0, at) } else { (1, at - 1.0) };
    between(STOPS[low], STOPS[low + 1], part)
}

fn between(a: Rgb, b: Rgb, part: f32) -> Rgb {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * part)
}

/// A colour laid over a ground written `#rrggbb`.
fn mix(ground: &str, color: Rgb, strength: f32) -> String {
    let number = ground.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let ground = number.map(|n| [16, 8, 0].map(|shift| (n >> shift & 255) as f32));
    hex(between(ground.unwrap_or(color), color, strength))
}

fn hex(color: Rgb) -> String {
    let [r, g, b] = color.map(|c| c.round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}
