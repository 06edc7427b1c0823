//! Connect four on seven columns of six: the first player wins by starting in the middle.

use std::fmt;

use crate::conformance::Twin;
use crate::notation::{Notation, Rule};
use crate::policy::{Simulate, Step, draw_from_list};
use crate::position::{Color, Move, Outcome, Position};
use crate::rng::Rng;
use crate::spec::Spec;
use crate::text::TextError;

/// A column, 0 to 6 from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column(pub u8);

impl Move for Column {
    fn to_bits(self) -> u16 {
        u16::from(self.0)
    }
    fn from_bits(bits: u16) -> Self {
        Column(bits.min(255) as u8)
    }
}

const WIDTH: u8 = 7;
const HEIGHT: u8 = 6;
/// One bit per cell, a column in seven bits of which the topmost stays free: no line runs over the edge.
const STRIDE: u8 = HEIGHT + 1;

/// The board: columns of seven bits, lowest cell first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectFour {
    stones: [u64; 2],
    turn: Color,
}

impl Default for ConnectFour {
    fn default() -> Self {
        ConnectFour { stones: [0; 2], turn: Color::Black }
    }
}

impl ConnectFour {
    fn is_open(&self, column: u8) -> bool {
        (self.stones[0] | self.stones[1]) >> (column * STRIDE + HEIGHT - 1) & 1 == 0
    }

    /// The position after the columns in `digits`, counted from 1: the common way to write test positions.
    pub fn after(digits: &str) -> Result<ConnectFour, TextError> {
        let mut position = ConnectFour::default();
        for (offset, digit) in digits.char_indices() {
            let mv = position.parse_move(digit.encode_utf8(&mut [0; 4]));
            position.play(mv.map_err(|e| TextError::at(digits, offset, e.message))?);
        }
        Ok(position)
    }
}

/// Whether four of the stones stand in a row.
fn has_four(stones: u64) -> bool {
    [1, STRIDE, STRIDE - 1, STRIDE + 1].iter().any(|&step| {
        let pairs = stones & stones >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

impl Position for ConnectFour {
    type Move = Column;
    const NAME: &'static str = "connect-four";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        crate::zobrist::mix(self.stones[0] ^ crate::zobrist::mix(self.stones[1]))
    }

    fn generate(&self, moves: &mut Vec<Column>) -> Option<Outcome> {
        moves.clear();
        if has_four(self.stones[(!self.turn).index()]) {
            return Some(Outcome::Win(!self.turn));
        }
        moves.extend((0..WIDTH).filter(|&c| self.is_open(c)).map(Column));
        moves.is_empty().then_some(Outcome::Draw)
    }

    fn play(&mut self, mv: Column) {
        let taken = self.stones[0] | self.stones[1];
        let column = 0x7f << (mv.0 * STRIDE);
        self.stones[self.turn.index()] |= (taken + (1 << (mv.0 * STRIDE))) & column & !taken;
        self.turn = !self.turn;
    }
}

impl Simulate for ConnectFour {
    type Sampler = Vec<Column>;
    fn draw(&self, moves: &mut Vec<Column>, rng: &mut Rng) -> Step<Column> {
        draw_from_list(self, moves, rng)
    }
    /// One more than the longest game, whose last move may win.
    fn horizon(&self) -> usize {
        usize::from(WIDTH * HEIGHT) + 1
    }
}

impl Notation for ConnectFour {
    const RULES: &'static [Rule] = &[];

    fn start(spec: &Spec) -> Result<Self, TextError> {
        spec.reject_unused_of(Self::RULES.iter().map(Rule::line))?;
        Ok(ConnectFour::default())
    }

    fn rules(&self) -> String {
        Self::NAME.to_string()
    }

    /// Rows from the top, `/` between them, of `x`, `o` and `.`.
    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let mut stones = [0u64; 2];
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != usize::from(HEIGHT) || rows.iter().any(|r| r.len() != usize::from(WIDTH)) {
            return Err(TextError::new("a board is six rows of seven cells with / between them"));
        }
        for (offset, c) in text.char_indices() {
            let (row, column) = ((offset / 8) as u8, (offset % 8) as u8);
            let bit = 1u64 << (column.min(WIDTH - 1) * STRIDE + HEIGHT - 1 - row);
            match c {
                '.' | '/' => {}
                'x' => stones[0] |= bit,
                'o' => stones[1] |= bit,
                _ => return Err(TextError::at(text, offset, "a cell is x, o or .")),
            }
        }
        let surplus = stones[0].count_ones().wrapping_sub(stones[1].count_ones());
        if surplus > 1 || floats(stones[0] | stones[1]) {
            return Err(TextError::new("x has as many stones as o or one more, and stones do not float"));
        }
        Ok(ConnectFour { stones, turn: Color::from_index(surplus as usize) })
    }

    fn position_text(&self) -> String {
        let cell = |row: u8, column: u8| {
            let bit = column * STRIDE + HEIGHT - 1 - row;
            match (self.stones[0] >> bit & 1, self.stones[1] >> bit & 1) {
                (1, _) => 'x',
                (_, 1) => 'o',
                _ => '.',
            }
        };
        let rows: Vec<String> = (0..HEIGHT).map(|r| (0..WIDTH).map(|c| cell(r, c)).collect()).collect();
        rows.join("/")
    }

    fn parse_move(&self, text: &str) -> Result<Column, TextError> {
        let column = text.parse().ok().and_then(|n: u8| n.checked_sub(1)).map(Column);
        column
            .filter(|&mv| self.is_legal(mv))
            .ok_or_else(|| TextError::at(text, 0, "an open column from 1 to 7 is a move"))
    }

    fn move_text(&self, mv: Column) -> String {
        (mv.0 + 1).to_string()
    }
}

/// Whether some stone has an empty cell below it.
fn floats(taken: u64) -> bool {
    (0..WIDTH).any(|c| {
        let column = taken >> (c * STRIDE) & 0x3f;
        column & (column + 1) != 0
    })
}

impl Twin for ConnectFour {
    fn slow_legal(&self, mv: Column) -> bool {
        let text = self.position_text();
        let rows: Vec<&[u8]> = text.split('/').map(str::as_bytes).collect();
        let at = |r: i32, c: i32| -> u8 {
            if (0..6).contains(&r) && (0..7).contains(&c) { rows[r as usize][c as usize] } else { b'.' }
        };
        let won = (0..6).any(|r| {
            (0..7).any(|c| {
                [(0, 1), (1, 0), (1, 1), (1, -1)]
                    .iter()
                    .any(|&(dr, dc)| at(r, c) != b'.' && (1..4).all(|k| at(r + k * dr, c + k * dc) == at(r, c)))
            })
        });
        !won && mv.0 < WIDTH && rows[0][usize::from(mv.0)] == b'.'
    }

    fn slow_key(&self) -> u64 {
        self.parse_position(&self.position_text()).expect("own text").key()
    }
}

impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.position_text().replace('/', "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{Effort, check};
    use crate::perft::perft;

    #[test]
    fn obeys_the_laws() {
        check(&ConnectFour::default(), Effort { games: 200, max_plies: 42, ends: true, brute_force_every: 50 }, 1);
    }

    /// Tromp's and others' published perft of connect four.
    #[test]
    fn perft_is_the_known_one() {
        let counts: Vec<u64> = (1..=8).map(|d| perft(&ConnectFour::default(), d)).collect();
        assert_eq!(counts, [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234]);
    }

    #[test]
    fn floating_stones_are_rejected() {
        let start = ConnectFour::default();
        assert!(start.parse_position("......./......./......./x....../......./.......").is_err());
        assert!(start.parse_position("......./......./......./......./......./x......").is_ok());
    }
}
