//! What stands on each cell of a terminal's board, in which colours, between which marks.

use unicode_width::UnicodeWidthStr;
use yomi_core::Color;

use super::super::heat::Heat;
use super::super::picture::{Cell, Picture, Piece, Route, Scale, Shape, Sign, Style};
use super::TextOptions;
use super::ansi::{Ink, clean, right};

/// One cell of the board.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) text: String,
    pub(super) ink: Ink,
    pub(super) mark: Option<Mark>,
}

/// Characters around a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mark {
    /// `[ ]`
    Sign,
    /// `! !`
    Danger,
    /// `( )`
    Last,
}

impl Mark {
    pub(super) fn open(self) -> char {
        ['[', '!', '('][self as usize]
    }

    pub(super) fn close(self) -> char {
        [']', '!', ')'][self as usize]
    }
}

/// Wood, light from dark; the last move; a warning; a sign.
const SHOGI_GROUND: u8 = 222;
const GO_GROUND: u8 = 179;
const HOLLOW: u8 = 254;
const BLACK_TILE: u8 = 98;
const WHITE_TILE: u8 = 208;
const LAST: u8 = 149;
const ORIGIN: u8 = 186;
const DANGER: u8 = 209;
const SIGN: u8 = 117;

/// All cells, row by row as Black sees the board.
pub(super) fn slots(picture: &Picture, options: &TextOptions) -> Vec<Slot> {
    let on_cells = picture.by_cell();
    let mut slots: Vec<Slot> = picture
        .grid
        .cells()
        .zip(&on_cells)
        .map(|(cell, piece)| {
            let (text, ink) = match piece {
                Some(piece) => occupied(piece, picture.grid.style, options),
                None => empty(picture, cell, options),
            };
            Slot { text, ink, mark: None }
        })
        .collect();
    heat(picture, options, &on_cells, &mut slots);
    numbers(picture, &mut slots);
    candidates(picture, &on_cells, &mut slots);
    signs(picture, &on_cells, &mut slots);
    last(picture, options, &mut slots);
    slots
}

fn occupied(piece: &Piece, style: Style, options: &TextOptions) -> (String, Ink) {
    let black = piece.side == Color::Black;
    match &piece.shape {
        Shape::Tablet { face, promoted, .. } => {
            let text = if options.ascii {
                let letters = clean(&face.ascii);
                right(&if black { letters.to_uppercase() } else { letters.to_lowercase() }, 2)
            } else {
                format!("{}{}", if black { ' ' } else { 'v' }, clean(&face.native))
            };
            let color = if *promoted {
                124
            } else if black {
                16
            } else {
                19
            };
            (text, Ink { bold: black, ..Ink::on(color, SHOGI_GROUND) })
        }
        Shape::Stone => {
            let (letter, color) = if black { ("X", 16) } else { ("O", 231) };
            // On squares a stone is as wide as an empty square.
            match style {
                Style::Squares if options.ascii => (format!(" {letter}"), Ink::on(color, SHOGI_GROUND).bold()),
                Style::Squares => (format!("  {letter}"), Ink::on(color, SHOGI_GROUND).bold()),
                _ => (letter.to_string(), Ink::on(color, GO_GROUND).bold()),
            }
        }
        Shape::Tile { name } => {
            let letter = if black { name.to_ascii_uppercase() } else { name.to_ascii_lowercase() };
            let blank = options.color && !options.ascii;
            // A coloured cell is two columns wide, which makes it square.
            let text = if blank { "  ".to_string() } else { format!("{}{}", pad(options), clean(&letter.to_string())) };
            (text, if black { Ink::on(231, BLACK_TILE) } else { Ink::on(16, WHITE_TILE) })
        }
    }
}

fn empty(picture: &Picture, cell: Cell, options: &TextOptions) -> (String, Ink) {
    let star = picture.grid.stars.contains(&cell);
    let dot = if star { "+" } else { "." };
    match picture.grid.style {
        Style::Squares if options.ascii => (" .".to_string(), Ink::on(137, SHOGI_GROUND)),
        Style::Squares => (" ・".to_string(), Ink::on(137, SHOGI_GROUND)),
        Style::Points => (dot.to_string(), Ink::on(94, GO_GROUND)),
        Style::Hollows => (format!("{}{dot}", pad(options)), Ink::on(if star { 236 } else { 249 }, HOLLOW)),
    }
}

/// In colours, what stands between tiles belongs to them.
fn pad(options: &TextOptions) -> &'static str {
    if options.color { " " } else { "" }
}

/// The slot of a cell, if it is on the board.
fn slot<'a>(picture: &Picture, slots: &'a mut [Slot], cell: Cell) -> Option<&'a mut Slot> {
    picture.grid.index(cell).and_then(|index| slots.get_mut(index))
}

/// Grounds from little to much, and from White's to Black's.
fn heat(picture: &Picture, options: &TextOptions, on_cells: &[Option<&Piece>], slots: &mut [Slot]) {
    const SHARE: [u8; 6] = [186, 150, 114, 73, 32, 26];
    const BLACKS: [u8; 4] = [137, 101, 240, 235];
    const WHITES: [u8; 4] = [180, 187, 253, 231];
    if !options.color {
        return;
    }
    let heat = Heat::of(picture);
    for &(cell, value) in heat.values() {
        let (Some((shade, white)), Some(slot)) = (heat.shade(value), slot(picture, slots, cell)) else { continue };
        let ramp: &[u8] = match picture.scale {
            Scale::Share => &SHARE,
            Scale::Balance if white => &WHITES,
            Scale::Balance => &BLACKS,
        };
        // A stone that belongs to its own side stays on wood: black on black cannot be read.
        let owner = if white { Color::White } else { Color::Black };
        let piece = picture.grid.index(cell).and_then(|index| on_cells[index]);
        if picture.scale == Scale::Balance && piece.is_some_and(|piece| piece.side == owner) {
            continue;
        }
        let step = ((shade * ramp.len() as f32) as usize).min(ramp.len() - 1);
        slot.ink = slot.ink.ground(ramp[step]);
    }
}

/// Move numbers behind what stands on a cell.
fn numbers(picture: &Picture, slots: &mut [Slot]) {
    for (cell, number) in picture.numbered() {
        if let Some(slot) = slot(picture, slots, cell) {
            slot.text += &number.to_string();
        }
    }
}

/// Moves under consideration on single empty points: their place in the list below the board.
fn candidates(picture: &Picture, on_cells: &[Option<&Piece>], slots: &mut [Slot]) {
    for (arrow, digit) in picture.arrows.iter().zip('1'..='9') {
        let Route::Place(cells) = &arrow.route else { continue };
        let &[cell] = cells.as_slice() else { continue };
        let bare = picture.grid.index(cell).is_some_and(|index| on_cells[index].is_none());
        if let Some(slot) = slot(picture, slots, cell).filter(|_| bare) {
            slot.text = right(&digit.to_string(), slot.text.width());
            let on_dark = matches!(slot.ink.ground, Some(26 | 32 | 73));
            slot.ink = Ink { text: Some(if on_dark { 231 } else { 16 }), ..slot.ink }.bold();
        }
    }
}

fn signs(picture: &Picture, on_cells: &[Option<&Piece>], slots: &mut [Slot]) {
    for (cell, sign) in &picture.signs {
        let bare = picture.grid.index(*cell).is_some_and(|index| on_cells[index].is_none());
        let Some(slot) = slot(picture, slots, *cell) else { continue };
        match sign {
            Sign::Dead => slot.text = slot.text.to_lowercase(),
            Sign::Danger => {
                slot.mark = slot.mark.max(Some(Mark::Danger));
                slot.ink = slot.ink.ground(DANGER);
            }
            Sign::Territory(side) if bare => {
                slot.text = if *side == Color::Black { "b" } else { "w" }.to_string();
                slot.ink.text = Some(if *side == Color::Black { 16 } else { 231 });
            }
            Sign::Dot if bare => {
                let width = slot.text.width();
                slot.text = right(":", width);
                slot.ink.text = Some(21);
            }
            // How wide a terminal draws other characters is unknown.
            Sign::Text(text) if bare && text.len() == 1 && text.as_bytes()[0].is_ascii_graphic() => {
                slot.text = right(text, slot.text.width());
                slot.ink = slot.ink.bold();
            }
            _ => {
                slot.mark = slot.mark.max(Some(Mark::Sign));
                slot.ink = slot.ink.ground(SIGN);
            }
        }
    }
}

fn last(picture: &Picture, options: &TextOptions, slots: &mut [Slot]) {
    for (i, cell) in picture.last.iter().enumerate() {
        let Some(slot) = slot(picture, slots, *cell) else { continue };
        slot.mark = Some(Mark::Last);
        slot.ink = match picture.grid.style {
            Style::Squares => slot.ink.ground(if i == 0 { LAST } else { ORIGIN }),
            Style::Points => slot.ink,
            Style::Hollows => {
                if options.color && !options.ascii {
                    slot.text = "::".to_string();
                }
                // The tile's own colour, paler.
                slot.ink.ground(match slot.ink.ground {
                    Some(BLACK_TILE) => 141,
                    Some(WHITE_TILE) => 222,
                    other => other.unwrap_or(HOLLOW),
                })
            }
        };
    }
}
