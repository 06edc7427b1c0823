//! Boards as text for a terminal.
//!
//! Only ASCII and characters that are two columns wide everywhere are used, so that columns stay straight in every terminal; the
//! circles, blocks and lines one would like to use are one column wide in some and two in others.
//!
//! Without colours: `v` marks White's pieces in shogi (as in KIF and BOD diagrams), `( )` the last move, `[ ]` a sign, `! !` a
//! king in check; in Go `X` and `O` are stones, `x` and `o` dead ones, `b` and `w` territory; in Blokus capital letters are
//! Black's tiles and small ones White's. Digits are the moves listed below the board.

mod ansi;
mod cells;

use unicode_width::UnicodeWidthStr;
use yomi_core::Color;

use super::heat::Heat;
use super::picture::{Cell, Face, Item, Picture, Route, Scale, Shape, Style, Tray};
use ansi::{Ink, Line, clean, left, right};
use cells::{Slot, slots};

/// What a reader may choose about a board in a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextOptions {
    /// Escape codes for colours. Whether the terminal wants them is for the caller to find out.
    pub color: bool,
    /// Nothing but ASCII: letters for kanji.
    pub ascii: bool,
    /// Coordinates at the edges.
    pub coordinates: bool,
    /// Hands and pieces still to be placed.
    pub trays: bool,
    /// Text below the board, and the list of moves under consideration.
    pub captions: bool,
}

impl Default for TextOptions {
    fn default() -> TextOptions {
        TextOptions { color: false, ascii: false, coordinates: true, trays: true, captions: true }
    }
}

/// Draws a picture as lines of text.
pub fn terminal(picture: &Picture, options: &TextOptions) -> String {
    let mut out = String::new();
    let (far, near): (Vec<&Tray>, Vec<&Tray>) = picture.trays.iter().partition(|tray| tray.side != picture.below);
    if options.trays {
        far.iter().for_each(|tray| out += &tray_line(tray, options));
    }
    out += &board(picture, options);
    if options.trays {
        near.iter().for_each(|tray| out += &tray_line(tray, options));
    }
    if options.captions {
        picture.captions.iter().for_each(|text| out += &(plain_text(text, options) + "\n"));
        for (i, arrow) in picture.arrows.iter().enumerate() {
            let line = format!("{:>2} {} {}", i + 1, route_text(picture, &arrow.route), arrow.label);
            out += &(plain_text(line.trim_end(), options) + "\n");
        }
    }
    if !options.color {
        out += &heat_grid(picture);
    }
    out
}

/// Text of others, without control characters, and without anything but ASCII if so wished.
fn plain_text(text: &str, options: &TextOptions) -> String {
    let text = clean(text);
    if options.ascii { text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect() } else { text }
}

/// The rows of the board with coordinates.
fn board(picture: &Picture, options: &TextOptions) -> String {
    let slots = slots(picture, options);
    let frame = picture.grid.style == Style::Squares;
    // A column between cells holds the marks around them. Tablets need it only then, coloured tiles never.
    let gap = usize::from(match picture.grid.style {
        Style::Squares => !options.color && slots.iter().any(|slot| slot.mark.is_some()),
        Style::Points => true,
        Style::Hollows => !options.color,
    });
    let (columns, rows) = (usize::from(picture.grid.columns), usize::from(picture.grid.rows));
    let turned = |i: usize, n: usize| if picture.below == Color::Black { i } else { n - 1 - i };
    let label =
        |faces: &[Face], i: usize| faces.get(i).map_or(String::new(), |face| label_text(face, picture, options));

    let labels = &picture.labels;
    let shown = |edge: bool| edge && options.coordinates;
    let names: Vec<String> = (0..columns).map(|column| label(&labels.columns, turned(column, columns))).collect();
    let headed = shown(labels.top) || shown(labels.bottom);
    let texts = slots.iter().map(|slot| &slot.text).chain(names.iter().filter(|_| headed));
    let width = texts.map(|text| text.width()).max().unwrap_or(1);
    let row_labels: Vec<String> = (0..rows).map(|row| label(&labels.rows, turned(row, rows))).collect();
    let label_width = row_labels.iter().map(|text| text.width()).max().unwrap_or(0);
    let margin = |edge: bool| if shown(edge) { label_width } else { 0 };
    let side = usize::from(frame);
    let body = columns * (width + gap) + gap;

    let mut header = " ".repeat(margin(labels.left) + side);
    for name in &names {
        header += &" ".repeat(gap);
        // Over the character, which stands at the right end of a tablet's or a coloured tile's cell.
        header += &if frame || gap == 0 { right(name, width) } else { left(name, width) };
    }
    header += &(" ".repeat(gap + side + margin(labels.right)) + "\n");
    let rule =
        format!("{}+{}+{}\n", " ".repeat(margin(labels.left)), "-".repeat(body), " ".repeat(margin(labels.right)));

    let mut out = String::new();
    if shown(labels.top) {
        out += &header;
    }
    if frame {
        out += &rule;
    }
    for (row, name) in row_labels.iter().enumerate() {
        let cells = (0..columns).map(|column| turned(row, rows) * columns + turned(column, columns));
        let line: Vec<&Slot> = cells.filter_map(|index| slots.get(index)).collect();
        let mut text = Line::new(options.color);
        text.put(&right(if shown(labels.left) { name } else { "" }, margin(labels.left)), Ink::default());
        text.put(&"|".repeat(side), Ink::default());
        row_of_slots(&mut text, &line, width, gap > 0);
        text.put(&"|".repeat(side), Ink::default());
        text.put(&left(if shown(labels.right) { name } else { "" }, margin(labels.right)), Ink::default());
        out += &text.finish();
    }
    if frame {
        out += &rule;
    }
    if shown(labels.bottom) {
        out += &header;
    }
    out
}

/// One row: if there are gaps, a column for marks before, between and behind the cells.
fn row_of_slots(text: &mut Line, line: &[&Slot], width: usize, gaps: bool) {
    let mark = |i: usize| line.get(i).and_then(|slot| slot.mark);
    for i in 0..=line.len() {
        if gaps {
            let sign = match (i.checked_sub(1).and_then(mark), mark(i)) {
                // Neighbours with the same mark share one pair of brackets.
                (before, here) if before == here => ' ',
                (_, Some(here)) => here.open(),
                (Some(before), None) => before.close(),
                (None, None) => ' ',
            };
            let ground = line.get(i).or(line.last()).and_then(|slot| slot.ink.ground);
            text.put(&sign.to_string(), Ink { text: Some(124), ground, bold: true });
        }
        if let Some(slot) = line.get(i) {
            text.put(&left(&slot.text, width), slot.ink);
        }
    }
}

/// A coordinate; digits are as wide as kanji where they stand over kanji.
fn label_text(face: &Face, picture: &Picture, options: &TextOptions) -> String {
    let text = clean(face.text(options.ascii));
    if options.ascii || picture.grid.style != Style::Squares {
        return text;
    }
    let widen = |c: char| if c.is_ascii_digit() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c };
    text.chars().map(widen).collect()
}

/// A hand or the pieces still to be placed: `White: 飛 歩3`.
fn tray_line(tray: &Tray, options: &TextOptions) -> String {
    let item = |item: &Item| {
        let name = match &item.piece.shape {
            Shape::Tablet { face, .. } => face.text(options.ascii).to_string(),
            Shape::Stone => if tray.side == Color::Black { "X" } else { "O" }.to_string(),
            Shape::Tile { name } if tray.side == Color::Black => name.to_ascii_uppercase().to_string(),
            Shape::Tile { name } => name.to_ascii_lowercase().to_string(),
        };
        if item.count > 1 { format!("{name}{}", item.count) } else { name }
    };
    let items: Vec<String> = tray.items.iter().filter(|item| item.count > 0).map(item).collect();
    let items = if items.is_empty() { "-".to_string() } else { items.join(" ") };
    plain_text(&format!("{}: {items}", tray.title), options) + "\n"
}

/// A move in coordinates: `7g-7f`, `P*5e`, `D4`, `e9 f9 f10`.
fn route_text(picture: &Picture, route: &Route) -> String {
    let name = |cell: &Cell| picture.labels.name(*cell);
    match route {
        Route::Move { from, to } => format!("{}-{}", name(from), name(to)),
        Route::Drop { side, item, to } => {
            let tray = picture.trays.iter().find(|tray| tray.side == *side);
            let piece = tray.and_then(|tray| tray.items.get(*item)).map(|item| &item.piece.shape);
            let letter = if let Some(Shape::Tablet { face, .. }) = piece { &face.ascii } else { "" };
            format!("{letter}*{}", name(to))
        }
        Route::Place(cells) => cells.iter().map(name).collect::<Vec<_>>().join(" "),
        Route::Pass => "pass".to_string(),
    }
}

/// The heat map as a table of numbers, with coordinates at the top and on the left.
fn heat_grid(picture: &Picture) -> String {
    let heat = Heat::of(picture);
    if heat.values().is_empty() {
        return String::new();
    }
    let mut texts = vec![".".to_string(); picture.grid.len()];
    for (cell, value) in heat.values() {
        if let Some(index) = picture.grid.index(*cell) {
            texts[index] = heat.text(*value);
        }
    }
    let (columns, rows) = (usize::from(picture.grid.columns), usize::from(picture.grid.rows));
    let turned = |i: usize, n: usize| if picture.below == Color::Black { i } else { n - 1 - i };
    let label = |faces: &[Face], i: usize| faces.get(i).map_or(String::new(), |face| clean(&face.ascii));
    let names: Vec<String> =
        (0..columns).map(|column| label(&picture.labels.columns, turned(column, columns))).collect();
    let width = texts.iter().chain(&names).map(|text| text.width()).max().unwrap_or(1) + 1;
    let margin = (0..rows).map(|row| label(&picture.labels.rows, row).width()).max().unwrap_or(0);

    let meaning = match (picture.scale, heat.in_percent()) {
        (Scale::Share, true) => "heat, percent:",
        (Scale::Share, false) => "heat:",
        (Scale::Balance, _) => "balance, percent (Black's positive, White's negative):",
    };
    let mut out = format!("{meaning}\n{}", " ".repeat(margin));
    names.iter().for_each(|name| out += &right(name, width));
    out.push('\n');
    for row in 0..rows {
        out += &right(&label(&picture.labels.rows, turned(row, rows)), margin);
        for column in 0..columns {
            out += &right(&texts[turned(row, rows) * columns + turned(column, columns)], width);
        }
        out.push('\n');
    }
    out
}
