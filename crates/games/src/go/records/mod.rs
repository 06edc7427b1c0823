//! Games of Go in SGF.
//!
//! ```
//! use yomi_games::go::{Go9, records};
//! use yomi_games::sgf;
//!
//! let text = sgf::decode(b"(;GM[1]SZ[9]KM[6.5]RE[B+R];B[ee];W[cc](;B[gg])(;B[gc]C[better]))");
//! for tree in sgf::trees(&text) {
//!     let tree = tree?;
//!     assert_eq!(records::size(&tree)?, 9);
//!     let record: yomi_core::Record<Go9> = records::read(&tree)?;
//!     assert_eq!(record.moves().len(), 3);
//!     assert!(records::write(&record).contains("C[better]"));
//! }
//! # Ok::<(), yomi_core::TextError>(())
//! ```
//!
//! Stones set up in the root are part of the start position. Stones set up later stay in the properties of their node (`AB`, `AW`,
//! `AE`, `PL`), and [`position_at`] applies them. Where one side moves twice in a row, the other is given a pass in between, so that
//! turns alternate. Values in properties are kept as they stand in the file, escapes and all.

mod facts;
mod read;
mod write;

use yomi_core::{Color, Position, Record, TextError};

use super::Go;
use super::vertex::{GoMove, Vertex};
use crate::sgf::Value;

pub use read::{read, size};
pub use write::write;

/// Properties that put stones on the board or take them away, with what they leave behind.
const SETUP: [(&str, Option<Color>); 3] = [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)];

/// The property of a move.
fn move_id(color: Color) -> &'static str {
    ["B", "W"][color.index()]
}

/// The side that a value like `B`, `w` or `black` names.
fn side(value: &str) -> Option<Color> {
    match value.trim_start().bytes().next()?.to_ascii_lowercase() {
        b'b' | b'1' => Some(Color::Black),
        b'w' | b'2' => Some(Color::White),
        _ => None,
    }
}

/// A point: two letters, column and row, counted from the top left.
fn read_point<const LEN: usize>(board: &Go<LEN>, text: &str) -> Option<Vertex> {
    let &[column, row] = text.trim().as_bytes() else { return None };
    let number = |letter: u8| letter.is_ascii_lowercase().then(|| usize::from(letter - b'a'));
    board.vertex(number(column)?, (board.size() - 1).checked_sub(number(row)?)?)
}

fn write_point<const LEN: usize>(board: &Go<LEN>, v: Vertex) -> String {
    let letter = |number: usize| char::from(b'a' + number as u8);
    [letter(board.column(v)), letter(board.size() - 1 - board.row(v))].iter().collect()
}

/// A move: a point, nothing for a pass, or `tt`, the pass of older files (it lies outside every board we have).
fn read_move<const LEN: usize>(board: &Go<LEN>, text: &str) -> Option<GoMove> {
    match text.trim() {
        "" | "tt" => Some(GoMove::PASS),
        point => read_point(board, point).map(GoMove::at),
    }
}

/// The points of one value of a list: one, or the corners of a rectangle.
fn read_points<const LEN: usize>(board: &Go<LEN>, value: Value<'_>) -> Option<Vec<Vertex>> {
    let (from, to) = value.parts().unwrap_or((value, value));
    let (a, b) = (read_point(board, from.0)?, read_point(board, to.0)?);
    let span = |a: usize, b: usize| a.min(b)..=a.max(b);
    let columns = span(board.column(a), board.column(b));
    let rows = span(board.row(a), board.row(b));
    Some(rows.flat_map(|row| columns.clone().filter_map(move |column| board.vertex(column, row))).collect())
}

/// Changes `position` as the setup properties among `properties` say. Whether there were any.
fn set_up<'v, const LEN: usize>(
    position: &mut Go<LEN>,
    properties: impl Iterator<Item = (&'v str, &'v str)>,
) -> Result<bool, TextError> {
    let mut changes = Vec::new();
    let mut turn = None;
    for (id, value) in properties {
        if let Some(&(_, stone)) = SETUP.iter().find(|(name, _)| *name == id) {
            // An empty list of points is allowed and means nothing.
            if value.trim().is_empty() {
                continue;
            }
            let points = read_points(position, Value(value));
            let points =
                points.ok_or_else(|| TextError::new(format!("{id}[{}]: not a point of the board", excerpt(value))))?;
            changes.extend(points.into_iter().map(|v| (v, stone)));
        } else if id == "PL" {
            let color = side(value).ok_or_else(|| TextError::new(format!("PL[{}]: not a side", excerpt(value))))?;
            turn = Some(color);
        }
    }
    let any = !changes.is_empty() || turn.is_some();
    if !changes.is_empty() {
        position.edit(changes)?;
    }
    if let Some(color) = turn {
        position.set_turn(color);
    }
    Ok(any)
}

/// A piece of a value that is short enough for a message.
fn excerpt(value: &str) -> String {
    value.chars().take(20).collect()
}

/// The position at a node of a record: moves and setup stones from the start to there.
pub fn position_at<const LEN: usize>(record: &Record<Go<LEN>>, node: usize) -> Result<Go<LEN>, TextError> {
    let mut path = vec![node];
    while let Some(&last) = path.last().filter(|&&i| i != record.nodes[i].parent) {
        path.push(record.nodes[last].parent);
    }
    let mut position = record.start.clone();
    for &i in path.iter().rev() {
        let node = &record.nodes[i];
        let values =
            node.properties.iter().flat_map(|(id, values)| values.iter().map(move |v| (id.as_str(), v.as_str())));
        set_up(&mut position, values).map_err(|e| e.context(format!("node {i}")))?;
        if let Some(mv) = node.mv {
            position.play(mv);
        }
    }
    Ok(position)
}
