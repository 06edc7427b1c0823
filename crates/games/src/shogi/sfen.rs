//! SFEN: positions as text.

use std::fmt;
use std::fmt::Write as _;

use yomi_core::{Color, Position, TextError};

use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::rules::Rules;
use super::setup::Setup;
use super::square::Square;
use super::variant::Variant;

/// The order in which SFEN lists the pieces in hand.
const HAND_ORDER: [Kind; 7] =
    [Kind::Rook, Kind::Bishop, Kind::Gold, Kind::Silver, Kind::Knight, Kind::Lance, Kind::Pawn];

impl<V: Variant> Shogi<V> {
    /// The position of an SFEN (`startpos`, `sfen ...` or the bare four fields; the move number may be left out) under the
    /// usual rules.
    pub fn from_sfen(text: &str) -> Result<Self, TextError> {
        Self::from_sfen_with(text, Rules::default())
    }

    /// The position of an SFEN under the given rules.
    pub fn from_sfen_with(text: &str, rules: Rules) -> Result<Self, TextError> {
        let mut words = words(text);
        let mut next = |what: &str| {
            words.next().ok_or_else(|| TextError::at(text, text.len(), format!("{what} was expected here")))
        };
        let mut board = next("startpos or an SFEN")?;
        if board.1 == "startpos" {
            return match words.next() {
                Some((offset, _)) => Err(TextError::at(text, offset, "nothing was expected after startpos")),
                None => Self::from_sfen_with(V::START, rules),
            };
        }
        if board.1 == "sfen" {
            board = next("an SFEN")?;
        }
        let (turn, hands) = (next("the side to move, b or w,")?, next("the pieces in hand, or -,")?);
        let (number, more) = (words.next(), words.next());
        let fail = |(offset, _): (usize, &str), message: &str| TextError::at(text, offset, message);
        let mut setup = Setup::default();
        read_board::<V>(&mut setup, text, board)?;
        setup.turn = match turn.1 {
            "b" => Color::Black,
            "w" => Color::White,
            _ => return Err(fail(turn, "the side to move is b or w")),
        };
        read_hands::<V>(&mut setup, text, hands)?;
        if let Some(number) = number {
            let wanted = "the number of the move is a whole number from 1 to 1000000";
            let parsed = number.1.parse().ok().filter(|n| (1..=1_000_000).contains(n));
            setup.number = parsed.ok_or_else(|| fail(number, wanted))?;
        }
        match more {
            Some(more) => Err(fail(more, "nothing was expected after the number of the move")),
            None => setup.position(rules).map_err(|e| TextError::at(text, board.0, e.message)),
        }
    }

    /// The position in SFEN, without the word `sfen`.
    pub fn sfen(&self) -> String {
        let mut text = String::new();
        for rank in 1..=V::SIZE {
            let mut empty = 0;
            let flush = |text: &mut String, empty: &mut u8| {
                if *empty > 0 {
                    let _ = write!(text, "{empty}");
                    *empty = 0;
                }
            };
            for file in (1..=V::SIZE).rev() {
                match Square::new::<V>(file, rank).and_then(|sq| self.piece_at(sq)) {
                    None => empty += 1,
                    Some(piece) => {
                        flush(&mut text, &mut empty);
                        text.push_str(&piece.text());
                    }
                }
            }
            flush(&mut text, &mut empty);
            text.push(if rank < V::SIZE { '/' } else { ' ' });
        }
        let turn = if self.turn() == Color::Black { 'b' } else { 'w' };
        let _ = write!(text, "{turn} {} {}", self.hands_text(), self.number());
        text
    }

    fn hands_text(&self) -> String {
        let mut text = String::new();
        for color in Color::BOTH {
            for kind in HAND_ORDER {
                let count = self.hand(color, kind);
                if count > 1 {
                    let _ = write!(text, "{count}");
                }
                if count > 0 {
                    text.push_str(&Piece { color, kind }.text());
                }
            }
        }
        if text.is_empty() { "-".to_string() } else { text }
    }
}

/// The words of a text and where they begin.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - start, word))
}

fn read_board<V: Variant>(setup: &mut Setup, text: &str, (start, board): (usize, &str)) -> Result<(), TextError> {
    let (mut rank, mut file) = (1, V::SIZE);
    let mut promoted = false;
    let fail = |offset: usize, message: String| Err(TextError::at(text, start + offset, message));
    for (offset, c) in board.char_indices() {
        if promoted && !c.is_ascii_alphabetic() {
            return fail(offset, "a piece was expected after +".to_string());
        }
        match c {
            '/' if file > 0 => return fail(offset, format!("rank {rank} has too few squares")),
            '/' if rank == V::SIZE => return fail(offset, format!("a board of {} has {rank} ranks", V::NAME)),
            '/' => (rank, file) = (rank + 1, V::SIZE),
            '+' => promoted = true,
            '1'..='9' if c as u8 - b'0' <= file => file -= c as u8 - b'0',
            '1'..='9' => return fail(offset, format!("rank {rank} has too many squares")),
            _ => {
                let Some(kind) = Kind::from_letter(c).filter(|kind| V::KINDS.contains(kind)) else {
                    return fail(offset, format!("{c:?} is no piece of {}", V::NAME));
                };
                let Some(kind) = (if promoted { kind.promoted() } else { Some(kind) }) else {
                    return fail(offset, format!("{c:?} does not promote"));
                };
                let Some(square) = Square::new::<V>(file, rank) else {
                    return fail(offset, format!("rank {rank} has too many squares"));
                };
                let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
                setup.cells[square.index()] = Some(Piece { color, kind });
                (file, promoted) = (file - 1, false);
            }
        }
    }
    if promoted || file > 0 || rank < V::SIZE {
        return fail(board.len(), format!("the board ends too early, in rank {rank} of {}", V::SIZE));
    }
    Ok(())
}

fn read_hands<V: Variant>(setup: &mut Setup, text: &str, (start, hands): (usize, &str)) -> Result<(), TextError> {
    if hands == "-" {
        return Ok(());
    }
    let fail = |offset: usize, message: String| Err(TextError::at(text, start + offset, message));
    let mut count: Option<u8> = None;
    for (offset, c) in hands.char_indices() {
        if let Some(digit) = c.to_digit(10) {
            match u32::from(count.unwrap_or(0)) * 10 + digit {
                number @ 1..=18 => count = Some(number as u8),
                _ => return fail(offset, "a hand holds 1 to 18 pieces of a kind".to_string()),
            }
            continue;
        }
        let known = Kind::from_letter(c).filter(|&kind| kind != Kind::King && V::KINDS.contains(&kind));
        let Some(kind) = known else {
            return fail(offset, format!("{c:?} is no piece that a hand of {} can hold", V::NAME));
        };
        let color = if c.is_ascii_uppercase() { Color::Black } else { Color::White };
        let slot = &mut setup.hands[color.index()][kind.index()];
        if *slot > 0 {
            return fail(offset, format!("{c:?} is given twice"));
        }
        *slot = count.take().unwrap_or(1);
    }
    match count {
        Some(_) => fail(hands.len(), "a piece was expected after the number".to_string()),
        None => Ok(()),
    }
}

/// The board as Black sees it, with files and ranks at the edges, then the hands and the side to move.
impl<V: Variant> fmt::Display for Shogi<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: String = (1..=V::SIZE).rev().map(|file| format!("{file:>3}")).collect();
        writeln!(f, "{files}")?;
        for rank in 1..=V::SIZE {
            for file in (1..=V::SIZE).rev() {
                let piece = Square::new::<V>(file, rank).and_then(|sq| self.piece_at(sq));
                write!(f, "{:>3}", piece.map_or(".".to_string(), Piece::text))?;
            }
            writeln!(f, "  {}", (b'a' + rank - 1) as char)?;
        }
        write!(f, "in hand: {}, {:?} to move", self.hands_text(), self.turn())
    }
}
