//! Positions, moves and outcomes.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::Not;

/// The two sides. Black (sente, the first player) moves first in every game of Yomi.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The first player.
    Black = 0,
    /// The second player.
    White = 1,
}

impl Color {
    /// Both sides, first player first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// 0 for Black, 1 for White: the index of a side in a table of two.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side of an index; anything but 0 is White.
    #[inline]
    pub const fn from_index(index: usize) -> Color {
        if index == 0 { Color::Black } else { Color::White }
    }

    /// The other side, in constants.
    #[inline]
    pub const fn other(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        self.other()
    }
}

/// How a game ended, in absolute terms. The one place where it becomes a value for one side is [`Outcome::value_for`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// That side won.
    Win(Color),
    /// A draw.
    Draw,
}

impl Outcome {
    /// `win`, `0` or `-win`, as `side` sees it.
    #[inline]
    pub fn value_for(self, side: Color, win: f32) -> f32 {
        match self {
            Outcome::Draw => 0.0,
            Outcome::Win(winner) if winner == side => win,
            Outcome::Win(_) => -win,
        }
    }

    /// The same where a draw is worth `draw` to Black, and as much less than nothing to White: contempt.
    #[inline]
    pub fn value_with_draw(self, side: Color, win: f32, draw: f32) -> f32 {
        match self {
            Outcome::Draw if side == Color::Black => draw,
            // Not the negative: a draw that is worth nothing has no sign.
            Outcome::Draw => 0.0 - draw,
            Outcome::Win(_) => self.value_for(side, win),
        }
    }

    /// The outcome of a counted game: Black's points minus White's.
    #[inline]
    pub fn from_margin(black_minus_white: i32) -> Outcome {
        match black_minus_white {
            0 => Outcome::Draw,
            m if m > 0 => Outcome::Win(Color::Black),
            _ => Outcome::Win(Color::White),
        }
    }
}

/// A move, small enough for a tree to keep in sixteen bits.
///
/// The bits are the move's identity everywhere: order of generation, tree, files, seeds. They never change their meaning.
pub trait Move: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The move as sixteen bits.
    fn to_bits(self) -> u16;
    /// The move of these bits. Bits that encode nothing give a move that is legal nowhere.
    fn from_bits(bits: u16) -> Self;
}

/// What the repetition rules must remember of one position of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ply {
    /// What counts as "the same position" for the rule in force: with side to move or without, hands, ko.
    pub key: u64,
    /// Whether the side to move stood in check.
    pub check: bool,
}

/// A position. It knows the rules (and which variant of them is in force) and nothing of its past.
///
/// *Laws*, checked for every game by [`crate::conformance`]: moves come in strictly increasing order of their bits; exactly
/// the legal moves come; the key is a function of the position; every `play` hands the turn over; a finished game has no moves;
/// games end.
pub trait Position: Clone + Display + Send + Sync + 'static {
    /// The moves of this game; passing, where it exists, is one of them.
    type Move: Move;

    /// The family's name: `shogi`, `minishogi`, `go`, `blokus-duo`.
    const NAME: &'static str;

    /// Who moves.
    fn turn(&self) -> Color;

    /// Zobrist key of everything that decides the future, the side to move included.
    fn key(&self) -> u64;

    /// Replaces the contents of `moves` by the legal moves in increasing order of their bits, or leaves it empty and
    /// returns how the game has ended.
    fn generate(&self, moves: &mut Vec<Self::Move>) -> Option<Outcome>;

    /// Plays a move that [`Position::generate`] gave. Any other move may panic or leave nonsense, never undefined behaviour.
    fn play(&mut self, mv: Self::Move);

    /// The key after `mv`, without the position: what tabu lists and superko ask. Games override it where it is cheap.
    fn key_after(&self, mv: Self::Move) -> u64 {
        let mut child = self.clone();
        child.play(mv);
        child.key()
    }

    /// How many legal moves there are; 0 when the game is over. Games override it to count without listing.
    fn count(&self, moves: &mut Vec<Self::Move>) -> u64 {
        self.generate(moves);
        moves.len() as u64
    }

    /// How the game has ended, if it has, the past apart; `moves` is working memory. Games override it where that is cheaper than
    /// listing the moves.
    fn ended(&self, moves: &mut Vec<Self::Move>) -> Option<Outcome> {
        self.generate(moves)
    }

    /// Whether `mv` is legal here, the past apart.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut moves = Vec::new();
        self.generate(&mut moves);
        moves.contains(&mv)
    }

    /// What the repetition rules must remember of this position.
    fn ply(&self) -> Ply {
        Ply { key: self.key(), check: false }
    }

    /// The repetition rule: how the game ends because this position stands after `past` (oldest first, this one excluded).
    fn repetition(&self, past: &[Ply]) -> Option<Outcome> {
        let _ = past;
        None
    }

    /// Takes out of `moves` what the past forbids (superko). `past` includes the ply of this position as its last.
    fn restrict(&self, past: &[Ply], moves: &mut Vec<Self::Move>) {
        let _ = (past, moves);
    }
}

/// A game with quiet and noisy moves, so that a quiescence search makes sense in it.
pub trait Tactical: Position {
    /// Replaces the contents of `moves` by the legal captures and promotions (all evasions when in check), in any order.
    fn noisy(&self, moves: &mut Vec<Self::Move>);

    /// Whether the side to move stands in check.
    fn in_check(&self) -> bool;

    /// Whether `mv`, a legal move, gives check. Games override it where it is cheap.
    fn gives_check(&self, mv: Self::Move) -> bool {
        let mut child = self.clone();
        child.play(mv);
        child.in_check()
    }

    /// Replaces the contents of `moves` by the legal moves that give check: what a mate search tries.
    fn checks(&self, moves: &mut Vec<Self::Move>) {
        self.generate(moves);
        moves.retain(|&mv| self.gives_check(mv));
    }

    /// What `mv` takes and promotes, in hundredths of a pawn; 0 for a quiet move.
    fn gain(&self, mv: Self::Move) -> i32 {
        let _ = mv;
        0
    }

    /// Whether `mv` loses material once both sides have taken on its square as long as it pays.
    fn loses_exchange(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The same board with the turn handed over: the null move of a search. `None` in check, and where a game knows no such thing.
    fn pass(&self) -> Option<Self> {
        None
    }
}
