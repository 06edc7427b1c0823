//! Tic-tac-toe: a draw.

use std::fmt;

use crate::conformance::Twin;
use crate::notation::{Notation, Rule};
use crate::policy::{Simulate, Step, draw_from_list};
use crate::position::{Color, Move, Outcome, Position};
use crate::rng::Rng;
use crate::spec::Spec;
use crate::text::TextError;

/// A square of the board, 0 to 8, row by row from the top.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(pub u8);

impl Move for Square {
    fn to_bits(self) -> u16 {
        u16::from(self.0)
    }
    fn from_bits(bits: u16) -> Self {
        Square(bits.min(255) as u8)
    }
}

/// The game: three in a row wins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TicTacToe {
    /// Squares of Black (X) and of White (O), one bit each.
    stones: [u16; 2],
    turn: Color,
}

/// The eight rows, columns and diagonals.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
const FULL: u16 = 0o777;

impl Default for TicTacToe {
    fn default() -> Self {
        TicTacToe { stones: [0; 2], turn: Color::Black }
    }
}

impl Position for TicTacToe {
    type Move = Square;
    const NAME: &'static str = "tic-tac-toe";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        crate::zobrist::mix(u64::from(self.stones[0]) << 9 | u64::from(self.stones[1]))
    }

    fn generate(&self, moves: &mut Vec<Square>) -> Option<Outcome> {
        moves.clear();
        let last = self.stones[(!self.turn).index()];
        let taken = self.stones[0] | self.stones[1];
        if LINES.iter().any(|line| !last & line == 0) {
            return Some(Outcome::Win(!self.turn));
        }
        if taken == FULL {
            return Some(Outcome::Draw);
        }
        moves.extend((0..9).filter(|i| taken >> i & 1 == 0).map(Square));
        None
    }

    fn play(&mut self, mv: Square) {
        self.stones[self.turn.index()] |= 1 << mv.0;
        self.turn = !self.turn;
    }
}

impl Simulate for TicTacToe {
    type Sampler = Vec<Square>;
    fn draw(&self, moves: &mut Vec<Square>, rng: &mut Rng) -> Step<Square> {
        draw_from_list(self, moves, rng)
    }
    /// One more than the longest game, whose last move may win.
    fn horizon(&self) -> usize {
        10
    }
}

impl Notation for TicTacToe {
    const RULES: &'static [Rule] = &[];

    fn start(spec: &Spec) -> Result<Self, TextError> {
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Ok(TicTacToe::default())
    }

    fn rules(&self) -> String {
        Self::NAME.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let mut stones = [0u16; 2];
        for (i, (offset, c)) in text.char_indices().enumerate() {
            match c {
                _ if i >= 9 => return Err(TextError::at(text, offset, "the board has nine squares")),
                '.' => {}
                'x' => stones[0] |= 1 << i,
                'o' => stones[1] |= 1 << i,
                _ => return Err(TextError::at(text, offset, "a square is x, o or .")),
            }
        }
        let surplus = stones[0].count_ones().wrapping_sub(stones[1].count_ones());
        if text.len() != 9 || surplus > 1 {
            return Err(TextError::new("nine squares, and as many o as x or one fewer"));
        }
        Ok(TicTacToe { stones, turn: Color::from_index(surplus as usize) })
    }

    fn position_text(&self) -> String {
        let cell = |i: u16| match (self.stones[0] >> i & 1, self.stones[1] >> i & 1) {
            (1, _) => 'x',
            (_, 1) => 'o',
            _ => '.',
        };
        (0..9).map(cell).collect()
    }

    fn parse_move(&self, text: &str) -> Result<Square, TextError> {
        let square = text.parse().ok().and_then(|n: u8| n.checked_sub(1)).map(Square);
        square
            .filter(|&mv| self.is_legal(mv))
            .ok_or_else(|| TextError::at(text, 0, "an empty square from 1 to 9 is a move"))
    }

    fn move_text(&self, mv: Square) -> String {
        (mv.0 + 1).to_string()
    }
}

impl Twin for TicTacToe {
    fn slow_legal(&self, mv: Square) -> bool {
        let text: Vec<u8> = self.position_text().into_bytes();
        let rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
        let won = rows.iter().any(|r| text[r[0]] != b'.' && r.iter().all(|&i| text[i] == text[r[0]]));
        !won && text.get(usize::from(mv.0)) == Some(&b'.')
    }

    fn slow_key(&self) -> u64 {
        self.parse_position(&self.position_text()).expect("own text").key()
    }
}

impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.position_text();
        write!(f, "{}\n{}\n{}", &text[..3], &text[3..6], &text[6..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Effort, check};
    use crate::perft::perft;

    #[test]
    fn obeys_the_laws() {
        check(&TicTacToe::default(), Effort { games: 300, max_plies: 9, ends: true, brute_force_every: 20 }, 1);
    }

    /// The published counts of tic-tac-toe: 9!, less the games won early.
    #[test]
    fn perft_is_the_known_one() {
        let start = TicTacToe::default();
        let counts: Vec<u64> = (0..=9).map(|d| perft(&start, d)).collect();
        assert_eq!(counts, [1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872]);
    }
}
