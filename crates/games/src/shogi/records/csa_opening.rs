//! What stands before the first move of a CSA file: names, the board, whose turn it is.

use yomi_core::{Color, TextError};

use super::super::piece::{Kind, Piece};
use super::super::position::Shogi;
use super::super::square::Square;
use super::super::variant::{Nine, Variant};
use super::csa::{code, kind, signed};
use super::diagram::Diagram;

/// What stands before the first move.
#[derive(Default)]
pub(super) struct Opening {
    pub(super) headers: Vec<(String, String)>,
    pub(super) comments: Vec<String>,
    pub(super) diagram: Diagram,
    /// The side that has all pieces not named otherwise in hand.
    all: Option<Color>,
    pub(super) turn: Option<Color>,
    /// The last line about the board.
    line: (usize, String),
}

impl Opening {
    pub(super) fn take(&mut self, number: usize, line: &str) -> Result<(), TextError> {
        let header = |key: &str, value: &str| (key.trim().to_string(), value.trim().to_string());
        // Each game of a file may begin with its encoding.
        let first = self.headers.is_empty() && self.comments.is_empty() && self.line.0 == 0;
        if line.is_empty() || line.starts_with('V') || (first && line.starts_with("'CSA encoding")) {
            return Ok(());
        }
        if let Some(comment) = line.strip_prefix('\'') {
            self.comments.push(comment.to_string());
        } else if let Some(name) = line.strip_prefix("N+") {
            self.headers.push(header("N+", name));
        } else if let Some(name) = line.strip_prefix("N-") {
            self.headers.push(header("N-", name));
        } else if line.starts_with('$') {
            // Either colon ends a key, as in KIF, so that a key means the same in both formats.
            let (key, value) =
                line.split_once([':', '：']).ok_or_else(|| TextError::new("a header looks like $EVENT:name"))?;
            self.headers.push(header(key, value));
        } else if let Some(board) = line.strip_prefix('P') {
            self.line = (number, line.to_string());
            self.take_board(board)?;
        } else if let Some(turn) = line.strip_prefix(['+', '-']).and(line.chars().next()).filter(|_| line.len() == 1) {
            self.turn = signed(turn);
        } else {
            return Err(TextError::new("no line of CSA begins like this"));
        }
        Ok(())
    }

    /// A line about the board, without its P.
    fn take_board(&mut self, text: &str) -> Result<(), TextError> {
        let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
        match first {
            "I" => {
                self.diagram.rows = start_rows();
                self.place(rest, None)
            }
            "+" => self.place(rest, Some(Color::Black)),
            "-" => self.place(rest, Some(Color::White)),
            _ if first.parse() == Ok(self.diagram.rows.len() + 1) => {
                self.diagram.rows.push(row(rest)?);
                Ok(())
            }
            _ => Err(TextError::new(format!("rank P{} was expected", self.diagram.rows.len() + 1))),
        }
    }

    /// Pieces with their squares, `63FU00KI00AL`: to be put there, or without a colour to be taken away.
    fn place(&mut self, text: &str, color: Option<Color>) -> Result<(), TextError> {
        if self.diagram.rows.is_empty() {
            self.diagram.rows = vec![vec![None; Nine::SIZE.into()]; Nine::SIZE.into()];
        }
        let size = self.diagram.rows.len();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let fault =
                || TextError::new(format!("a piece looks like 82HI, not {}", rest.chars().take(4).collect::<String>()));
            let (item, after) = rest.split_at_checked(4).filter(|(item, _)| item.is_ascii()).ok_or_else(fault)?;
            let (file, rank) = square(&item[..2]).ok_or_else(fault)?;
            rest = after.trim_start();
            if &item[2..] == "AL" && (file, rank) == (0, 0) {
                self.all = color;
                continue;
            }
            let kind = kind(&item[2..]).ok_or_else(fault)?;
            let column = size.checked_sub(file);
            if (file, rank) == (0, 0) {
                let held = color.and_then(|color| self.diagram.hands[color.index()].get_mut(kind.index()));
                let held = held.filter(|held| **held < u8::MAX).ok_or_else(fault)?;
                *held += 1;
            } else if let Some(cell) = column.and_then(|c| self.diagram.rows.get_mut(rank - 1)?.get_mut(c)) {
                if color.is_none() && cell.is_none_or(|piece| piece.kind != kind) {
                    return Err(TextError::new(format!("there is no {} on {file}{rank} to take away", code(kind))));
                }
                *cell = color.map(|color| Piece { color, kind });
            } else {
                return Err(TextError::new(format!("the board has no square {file}{rank}")));
            }
        }
        Ok(())
    }

    /// The position in which the first move is played.
    pub(super) fn start<V: Variant>(&mut self) -> Result<Shogi<V>, TextError> {
        if let Some(color) = self.all {
            self.fill_hand::<V>(color);
        }
        if self.diagram.rows.is_empty() {
            self.diagram.rows = start_rows();
        }
        let (number, line) = &self.line;
        self.diagram.position::<V>().map_err(|error| TextError::in_line(*number, line, error.message))
    }

    /// Gives a side all pieces of the set that neither side has.
    fn fill_hand<V: Variant>(&mut self, color: Color) {
        for kind in Kind::HAND {
            let on_board =
                self.diagram.rows.iter().flatten().flatten().filter(|piece| piece.kind.plain() == kind).count();
            let held: usize = self.diagram.hands.iter().map(|hand| usize::from(hand[kind.index()])).sum();
            let left = usize::from(V::SET[kind.index()]).saturating_sub(on_board + held);
            self.diagram.hands[color.index()][kind.index()] += left as u8;
        }
    }
}

/// The rows of the start position of shogi.
fn start_rows() -> Vec<Vec<Option<Piece>>> {
    let start = Shogi::<Nine>::default();
    let cell = |file, rank| Square::new::<Nine>(file, rank).and_then(|square| start.piece_at(square));
    (1..=Nine::SIZE).map(|rank| (1..=Nine::SIZE).rev().map(|file| cell(file, rank)).collect()).collect()
}

/// A row of the board: `-KY-KE * …`, with as many spaces as people leave.
fn row(text: &str) -> Result<Vec<Option<Piece>>, TextError> {
    let mut row = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let piece = signed(c).zip(rest.get(1..3).and_then(kind)).map(|(color, kind)| Piece { color, kind });
        let length = match (c, piece) {
            ('*', _) => 1,
            (_, Some(_)) => 3,
            _ => {
                return Err(TextError::new(format!(
                    "a square is * or looks like -FU, not {}",
                    rest.chars().take(3).collect::<String>()
                )));
            }
        };
        row.push(piece);
        rest = rest[length..].trim_start();
    }
    if row.len() > 9 {
        return Err(TextError::new("a rank has nine squares, or five"));
    }
    Ok(row)
}

/// Two digits.
pub(super) fn square(text: &str) -> Option<(usize, usize)> {
    let &[file @ b'0'..=b'9', rank @ b'0'..=b'9'] = text.as_bytes() else { return None };
    let square = (usize::from(file - b'0'), usize::from(rank - b'0'));
    (square == (0, 0) || (square.0 > 0 && square.1 > 0)).then_some(square)
}
