//! The position: whose discs lie where, and whose turn it is.

use std::fmt;

use yomi_core::{Color, Outcome, Position, zobrist};

use super::board::{SIZE, flips, legal};
use super::moves::OthelloMove;

/// Othello: a disc must flip at least one row of the opponent's discs that it encloses, and flips all of them. Who has more discs in the end
/// wins.
///
/// A side passes when no disc flips anything, and only then; the game is over when that holds for both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Othello {
    /// The discs of Black and of White.
    pub(super) discs: [u64; 2],
    pub(super) turn: Color,
}

/// Keys of the squares of a position: one for each disc of Black, then of White, then of White's turn.
const KEYS: [u64; 3] = zobrist::table(0x006f_7468_656c_6c6f);

impl Default for Othello {
    /// Black's discs on e4 and d5, White's on d4 and e5.
    fn default() -> Othello {
        Othello { discs: [1 << 28 | 1 << 35, 1 << 27 | 1 << 36], turn: Color::Black }
    }
}

impl Othello {
    /// The discs of a side as bits: see [`board`](super::board).
    pub fn discs(&self, color: Color) -> u64 {
        self.discs[color.index()]
    }

    /// Whose disc lies on a square, 0 (a1) to 63 (h8).
    pub fn at(&self, square: u8) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.discs(color) >> (square % 64) & 1 == 1)
    }

    /// The squares where a side may put a disc, as bits.
    #[inline]
    pub fn legal(&self, color: Color) -> u64 {
        legal(self.discs[color.index()], self.discs[(!color).index()])
    }

    /// Black's discs minus White's.
    #[inline]
    pub fn margin(&self) -> i32 {
        self.discs[0].count_ones() as i32 - self.discs[1].count_ones() as i32
    }
}

impl Position for Othello {
    type Move = OthelloMove;
    const NAME: &'static str = "othello";

    fn turn(&self) -> Color {
        self.turn
    }

    /// A mix of the two bitboards: quicker than adding up a number for every disc that flips.
    #[inline]
    fn key(&self) -> u64 {
        let [black, white] = self.discs;
        let turn = if self.turn == Color::White { KEYS[2] } else { 0 };
        zobrist::mix(zobrist::mix(black ^ KEYS[0]) ^ white ^ KEYS[1]) ^ turn
    }

    #[inline]
    fn generate(&self, moves: &mut Vec<OthelloMove>) -> Option<Outcome> {
        moves.clear();
        let mut squares = self.legal(self.turn);
        while squares != 0 {
            moves.push(OthelloMove::at(squares.trailing_zeros() as u8));
            squares &= squares - 1;
        }
        if moves.is_empty() {
            if self.legal(!self.turn) == 0 {
                return Some(Outcome::from_margin(self.margin()));
            }
            moves.push(OthelloMove::PASS);
        }
        None
    }

    #[inline]
    fn play(&mut self, mv: OthelloMove) {
        if let Some(square) = mv.square() {
            let [own, other] = [self.turn.index(), (!self.turn).index()];
            let flipped = flips(self.discs[own], self.discs[other], square);
            self.discs[own] |= flipped | 1 << square;
            self.discs[other] &= !flipped;
        }
        self.turn = !self.turn;
    }

    #[inline]
    fn count(&self, _: &mut Vec<OthelloMove>) -> u64 {
        match self.legal(self.turn) {
            0 => u64::from(self.legal(!self.turn) != 0),
            squares => squares.count_ones().into(),
        }
    }

    #[inline]
    fn ended(&self, _: &mut Vec<OthelloMove>) -> Option<Outcome> {
        let over = self.legal(self.turn) == 0 && self.legal(!self.turn) == 0;
        over.then(|| Outcome::from_margin(self.margin()))
    }

    fn is_legal(&self, mv: OthelloMove) -> bool {
        match mv.square() {
            Some(square) => self.legal(self.turn) >> square & 1 == 1,
            None => mv == OthelloMove::PASS && self.legal(self.turn) == 0 && self.legal(!self.turn) != 0,
        }
    }
}

/// The board with coordinates: `x` for Black, `o` for White, `+` where the side to move may go.
impl fmt::Display for Othello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  a b c d e f g h")?;
        for y in 0..SIZE {
            write!(f, "{}", y + 1)?;
            for square in SIZE * y..SIZE * (y + 1) {
                let mark = match self.at(square) {
                    Some(Color::Black) => 'x',
                    Some(Color::White) => 'o',
                    None if self.legal(self.turn) >> square & 1 == 1 => '+',
                    None => '.',
                };
                write!(f, " {mark}")?;
            }
            writeln!(f)?;
        }
        let [black, white] = self.discs.map(u64::count_ones);
        writeln!(f, "x {black}, o {white}, {} to move", if self.turn == Color::Black { 'x' } else { 'o' })
    }
}
