//! The slow twin: the rules once more, square by square, on a board of letters. It shares nothing with the fast code but the position's
//! own text and the keys.

use yomi_core::conformance::Twin;
use yomi_core::{Color, Notation, zobrist};

use super::moves::OthelloMove;
use super::position::Othello;

/// The letters of the squares, row by row.
fn squares(position: &Othello) -> Vec<Vec<char>> {
    let text = position.position_text();
    let letters: Vec<char> = text.chars().take(64).collect();
    letters.chunks(8).map(<[char]>::to_vec).collect()
}

/// Whether a disc of `own` on this square encloses a row of `other`.
fn encloses(board: &[Vec<char>], (x, y): (i32, i32), own: char, other: char) -> bool {
    let at = |x: i32, y: i32| board.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied();
    let directions = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).filter(|&way| way != (0, 0));
    at(x, y) == Some('-')
        && directions.into_iter().any(|(dx, dy)| {
            let row = (1..).take_while(|&n| at(x + n * dx, y + n * dy) == Some(other)).count() as i32;
            row > 0 && at(x + (row + 1) * dx, y + (row + 1) * dy) == Some(own)
        })
}

fn any(board: &[Vec<char>], own: char, other: char) -> bool {
    (0..8).any(|y| (0..8).any(|x| encloses(board, (x, y), own, other)))
}

impl Twin for Othello {
    fn slow_legal(&self, mv: OthelloMove) -> bool {
        let board = squares(self);
        let (own, other) = if self.turn == Color::Black { ('X', 'O') } else { ('O', 'X') };
        match mv.square() {
            Some(square) => encloses(&board, (i32::from(square) % 8, i32::from(square) / 8), own, other),
            None => mv == OthelloMove::PASS && !any(&board, own, other) && any(&board, other, own),
        }
    }

    fn slow_key(&self) -> u64 {
        let board = squares(self);
        let bits = |letter: char| {
            let squares = board.iter().flatten().enumerate().filter(|&(_, &found)| found == letter);
            squares.fold(0, |bits, (square, _)| bits | 1u64 << square)
        };
        let [black, white, turn] = zobrist::table::<3>(0x006f_7468_656c_6c6f);
        let key = zobrist::mix(zobrist::mix(bits('X') ^ black) ^ bits('O') ^ white);
        if self.turn == Color::White { key ^ turn } else { key }
    }
}
