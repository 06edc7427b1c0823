//! The rows of a board, with a frame, coordinates and marks.

use unicode_width::UnicodeWidthStr;

use super::super::picture::{Face, Picture, Style};
use super::TextOptions;
use super::ansi::{Ink, Line, clean, left, right};
use super::cells::{Slot, slots};

/// The rows of the board with coordinates. All of them take the same number of columns.
pub(super) fn board(picture: &Picture, options: &TextOptions) -> String {
    let slots = slots(picture, options);
    let labels = &picture.labels;
    let name = |faces: &[Face], i: usize| faces.get(i).map_or(String::new(), |face| label(face, picture, options));
    let columns = picture.seen(picture.grid.columns);
    let names: Vec<String> = columns.iter().map(|column| name(&labels.columns, *column)).collect();
    let [top, right_edge, bottom, left_edge] =
        [labels.top, labels.right, labels.bottom, labels.left].map(|edge| edge && options.coordinates);

    // A column between cells holds the marks around them. Tablets need it only then, coloured tiles never.
    let gap = usize::from(match picture.grid.style {
        Style::Squares => !options.color && slots.iter().any(|slot| slot.mark.is_some()),
        Style::Points => true,
        Style::Hollows => !options.color,
    });
    let headings = names.iter().filter(|_| top || bottom);
    let width = slots.iter().map(|slot| &slot.text).chain(headings).map(|text| text.width()).max().unwrap_or(1);

    let mut rows = Vec::new();
    for row in picture.seen(picture.grid.rows) {
        let cells = columns.iter().filter_map(|column| slots.get(row * columns.len() + column));
        let line: Vec<&Slot> = cells.collect();
        rows.push((name(&labels.rows, row), line));
    }
    let margin = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let (before, behind) = (if left_edge { margin } else { 0 }, if right_edge { margin } else { 0 });
    let bar = if picture.grid.style == Style::Squares { "|" } else { "" };

    // Names stand over the character, which is at the right end of a tablet's or a coloured tile's cell.
    let at_right = picture.grid.style == Style::Squares || gap == 0;
    let heading = |name: &String| " ".repeat(gap) + &if at_right { right(name, width) } else { left(name, width) };
    let header: String = names.iter().map(heading).collect();
    let header = " ".repeat(before + bar.len()) + &header + &" ".repeat(gap + bar.len() + behind) + "\n";
    let dashes = "-".repeat(columns.len() * (width + gap) + gap);
    let rule = format!("{}+{dashes}+{}\n", " ".repeat(before), " ".repeat(behind));

    let mut out = String::new();
    let mut put_if = |shown: bool, text: &str| out.push_str(if shown { text } else { "" });
    put_if(top, &header);
    put_if(!bar.is_empty(), &rule);
    for (name, line) in &rows {
        let mut text = Line::new(options.color);
        text.put(&(right(if left_edge { name } else { "" }, before) + bar), Ink::default());
        put_slots(&mut text, line, width, gap > 0);
        text.put(&(bar.to_string() + &left(if right_edge { name } else { "" }, behind)), Ink::default());
        put_if(true, &text.finish());
    }
    put_if(!bar.is_empty(), &rule);
    put_if(bottom, &header);
    out
}

/// One row of cells: if there are gaps, a column for marks before, between and behind them.
fn put_slots(text: &mut Line, line: &[&Slot], width: usize, gaps: bool) {
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
fn label(face: &Face, picture: &Picture, options: &TextOptions) -> String {
    let text = clean(face.text(options.ascii));
    if options.ascii || picture.grid.style != Style::Squares {
        return text;
    }
    let widen = |c: char| if c.is_ascii_digit() { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c };
    text.chars().map(widen).collect()
}
