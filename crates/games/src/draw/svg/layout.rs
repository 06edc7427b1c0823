//! Where everything lies, in units of the picture.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::picture::{Cell, Picture, Route, Tray};
use super::SvgOptions;

/// Width of the frame where coordinates stand, and where none do.
const LABELLED: f32 = 22.0;
const BARE: f32 = 10.0;
/// Between the frame and what stands beside it, and around everything.
const GAP: f32 = 10.0;
const AIR: f32 = 3.0;
/// The title of a tray, and room for it.
const NARROWEST: f32 = 74.0;
pub(super) const TITLE: f32 = 30.0;
/// Size of the text below the board and the height of its lines.
pub(super) const CAPTION: f32 = 15.0;
const LINE: f32 = 21.0;
/// How far right of the frame's edge a line begins that stands behind the disc of the side to move.
pub(super) const CAPTION_INDENT: f32 = 24.0;

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) w: f32,
    pub(super) h: f32,
}

impl Rect {
    pub(super) fn right(&self) -> f32 {
        self.x + self.w
    }

    pub(super) fn bottom(&self) -> f32 {
        self.y + self.h
    }

    pub(super) fn centre(&self) -> (f32, f32) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }
}

/// A tray and the boxes of its items.
pub(super) struct TrayBox {
    pub(super) rect: Rect,
    pub(super) items: Vec<Rect>,
    /// The side of a tile's squares in it.
    pub(super) unit: f32,
}

/// The whole picture.
pub(super) struct Layout {
    /// Width and height; the left upper corner is the origin.
    pub(super) size: (f32, f32),
    pub(super) frame: Rect,
    pub(super) grid: Rect,
    pub(super) cell: (f32, f32),
    /// One for each tray that is shown.
    pub(super) trays: Vec<TrayBox>,
    /// Base lines and texts.
    pub(super) captions: Vec<(f32, String)>,
}

impl Layout {
    pub(super) fn of(picture: &Picture, options: &SvgOptions) -> Layout {
        let labels = &picture.labels;
        let margin = |shown: bool| if shown && options.coordinates { LABELLED } else { BARE };
        let (top, bottom) = (margin(labels.top), margin(labels.bottom));
        let (left, right) = (margin(labels.left), margin(labels.right));
        let cell = (f32::from(picture.grid.cell.0), f32::from(picture.grid.cell.1));
        let (w, h) = (f32::from(picture.grid.columns) * cell.0, f32::from(picture.grid.rows) * cell.1);
        let shown: &[Tray] = if options.trays { &picture.trays } else { &[] };
        let shelves: Vec<Shelf> = shown.iter().map(|tray| Shelf::of(tray, cell, w + left + right)).collect();

        // Stands of tablets lie left of the board for the far side; everything else lies on the right.
        let far = |tray: &Tray| tray.side != picture.below;
        let on_left = |tray: &Tray| far(tray) && !is_rack(tray);
        let widest_left =
            shown.iter().zip(&shelves).filter(|(t, _)| on_left(t)).map(|(_, s)| s.width + GAP).fold(0.0, f32::max);
        let frame = Rect { x: AIR + widest_left, y: AIR, w: w + left + right, h: h + top + bottom };
        let grid = Rect { x: frame.x + left, y: frame.y + top, w, h };

        // Racks share the height of the frame; stands have what they need.
        let racks = shown.iter().filter(|t| is_rack(t)).count().max(1) as f32;
        let rack_height = (frame.h - GAP * (racks - 1.0)) / racks;
        let height =
            |tray: &Tray, shelf: &Shelf| if is_rack(tray) { shelf.height.max(rack_height) } else { shelf.height };
        // What stands on the right: the far side's from the top down, the near side's below it, at the lower edge if there is room.
        let far_height: f32 =
            shown.iter().zip(&shelves).filter(|(t, _)| far(t) && is_rack(t)).map(|(t, s)| height(t, s) + GAP).sum();
        let mut trays = Vec::new();
        for (tray, shelf) in shown.iter().zip(&shelves) {
            let (w, h) = (shelf.width, height(tray, shelf));
            let x = if on_left(tray) { frame.x - GAP - w } else { frame.right() + GAP };
            let y = if far(tray) { frame.y } else { (frame.bottom() - h).max(frame.y + far_height) };
            let items = shelf.items.iter().map(|r| Rect { x: r.x + x, y: r.y + y, ..*r }).collect();
            trays.push(TrayBox { rect: Rect { x, y, w, h }, items, unit: shelf.unit });
        }

        let mut width = trays.iter().map(|t| t.rect.right()).fold(frame.right(), f32::max) + AIR;
        let mut y = trays.iter().map(|t| t.rect.bottom()).fold(frame.bottom(), f32::max) + AIR;
        let mut captions = Vec::new();
        // Passing has no place on the board.
        let passes = picture.arrows.iter().filter(|arrow| arrow.route == Route::Pass);
        let passes: Vec<String> = passes.map(|arrow| format!("Pass: {}", arrow.label)).collect();
        if options.captions && picture.captions.len() + passes.len() > 0 {
            width = width.max(frame.x + NARROWEST);
            let room = ((width - frame.x - CAPTION_INDENT - AIR) / (CAPTION * 0.58)) as usize;
            for text in picture.captions.iter().chain(&passes).flat_map(|text| wrap(text, room)) {
                y += LINE;
                captions.push((y - LINE + CAPTION + 1.0, text));
            }
            y += if captions.is_empty() { 0.0 } else { AIR };
        }
        Layout { size: (width, y), frame, grid, cell, trays, captions }
    }

    /// The rectangle of a cell.
    pub(super) fn cell(&self, (column, row): (u8, u8)) -> Rect {
        let (w, h) = self.cell;
        Rect { x: self.grid.x + f32::from(column) * w, y: self.grid.y + f32::from(row) * h, w, h }
    }
}

/// Whether a tray holds tiles made of squares; otherwise each of its items fills a cell.
pub(super) fn is_rack(tray: &Tray) -> bool {
    tray.items.iter().any(|item| !item.cells.is_empty())
}

/// A tray that has no place yet.
struct Shelf {
    width: f32,
    height: f32,
    unit: f32,
    items: Vec<Rect>,
}

impl Shelf {
    fn of(tray: &Tray, cell: (f32, f32), board_width: f32) -> Shelf {
        if is_rack(tray) { Shelf::rack(tray, cell, board_width) } else { Shelf::stand(tray, cell) }
    }

    /// Pieces of one cell, one below the other, with room for a count.
    fn stand(tray: &Tray, (w, h): (f32, f32)) -> Shelf {
        let items: Vec<Rect> = (0..tray.items.len()).map(|i| Rect { x: 6.0, y: TITLE + i as f32 * h, w, h }).collect();
        Shelf { width: (w + 30.0).max(NARROWEST), height: TITLE + tray.items.len() as f32 * h + 6.0, unit: w, items }
    }

    /// Tiles in lines, left to right and down.
    fn rack(tray: &Tray, (w, _): (f32, f32), board_width: f32) -> Shelf {
        let unit = w * 0.42;
        let widest = tray.items.iter().map(|item| extent(&item.cells).0 * unit).fold(0.0, f32::max);
        let width = (board_width * 0.68).max(widest + 2.0 * GAP).max(NARROWEST);
        let (mut x, mut y, mut line) = (GAP, TITLE, 0.0_f32);
        let mut items = Vec::new();
        for item in &tray.items {
            let (columns, rows) = extent(&item.cells);
            let (w, h) = (columns * unit, rows * unit);
            if x + w > width - GAP && x > GAP {
                (x, y, line) = (GAP, y + line + unit * 0.8, 0.0);
            }
            items.push(Rect { x, y, w, h });
            x += w + unit * 0.8;
            line = line.max(h);
        }
        Shelf { width, height: y + line + GAP, unit, items }
    }
}

/// Columns and rows of a tile.
fn extent(cells: &[Cell]) -> (f32, f32) {
    let columns = cells.iter().map(|c| c.column).max().unwrap_or(0);
    let rows = cells.iter().map(|c| c.row).max().unwrap_or(0);
    (f32::from(columns) + 1.0, f32::from(rows) + 1.0)
}

/// Breaks a text at spaces into lines of at most `room` columns; a longer word is cut.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    let (mut lines, mut line) = (Vec::new(), String::new());
    let mut used = 0;
    for word in text.split_whitespace() {
        if used > 0 && used + 1 + word.width() > room {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let width = c.width().unwrap_or(1);
            if used + width > room {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += width;
        }
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines
}

/// The width of a text in a proportional font, guessed.
pub(super) fn text_width(text: &str, size: f32) -> f32 {
    text.width() as f32 * size * 0.58
}

/// The largest size up to `size` in which a text is at most `room` wide.
pub(super) fn fitting(text: &str, size: f32, room: f32) -> f32 {
    size.min(room / text_width(text, 1.0).max(0.1))
}

/// As much from the front of a text as is at most `room` wide.
pub(super) fn cut(text: &str, size: f32, room: f32) -> String {
    let mut left = room;
    let fits = |c: &char| {
        left -= c.width().unwrap_or(1) as f32 * size * 0.58;
        left >= 0.0
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_never_exceed_their_room() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("先手の番です", 5), ["先手", "の番", "です"]);
        assert!(wrap("  ", 5).is_empty());
        assert!(wrap(&"x".repeat(1000), 0).iter().all(|l| l.width() <= 2));
    }
}
