//! Boards as text for a terminal.
//!
//! Only ASCII and characters that are two columns wide everywhere are used, so that columns stay straight in every terminal; the
//! circles, blocks and lines one would like to use are one column wide in some and two in others.
//!
//! Without colours: `v` marks White's pieces in shogi (as in KIF and BOD diagrams), `( )` the last move, `[ ]` a sign, `! !` a
//! king in check; in Go `X` and `O` are stones, `x` and `o` dead ones, `b` and `w` territory; in Blokus capital letters are
//! Black's tiles and small ones White's. Digits are the moves listed below the board.

mod ansi;
mod board;
mod cells;

use unicode_width::UnicodeWidthStr;
use yomi_core::Color;

use super::heat::Heat;
use super::picture::{Cell, Face, Item, Picture, Route, Scale, Shape, Tray};
use ansi::{clean, right};
use board::board;

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

/// A move in coordinates: `7g-7f`, `8h-2b+`, `P*5e`, `D4`, `e9 f9 f10`.
fn route_text(picture: &Picture, route: &Route) -> String {
    let name = |cell: &Cell| picture.labels.name(*cell);
    match route {
        Route::Move { from, to, promotes } => {
            format!("{}-{}{}", name(from), name(to), if *promotes { "+" } else { "" })
        }
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
    let name = |faces: &[Face], i: usize| faces.get(i).map_or(String::new(), |face| clean(&face.ascii));
    let columns = picture.seen(picture.grid.columns);
    let names: Vec<String> = columns.iter().map(|column| name(&picture.labels.columns, *column)).collect();
    let width = texts.iter().chain(&names).map(|text| text.width()).max().unwrap_or(1) + 1;
    let rows: Vec<(usize, String)> =
        picture.seen(picture.grid.rows).into_iter().map(|row| (row, name(&picture.labels.rows, row))).collect();
    let margin = rows.iter().map(|(_, name)| name.width()).max().unwrap_or(0);

    let meaning = match (picture.scale, heat.in_percent()) {
        (Scale::Share, true) => "heat, percent:",
        (Scale::Share, false) => "heat:",
        (Scale::Balance, _) => "balance, percent (Black's positive, White's negative):",
    };
    let mut out = format!("{meaning}\n{}", " ".repeat(margin));
    names.iter().for_each(|name| out += &right(name, width));
    out.push('\n');
    for (row, name) in rows {
        out += &right(&name, margin);
        columns.iter().for_each(|column| out += &right(&texts[row * columns.len() + column], width));
        out.push('\n');
    }
    out
}
