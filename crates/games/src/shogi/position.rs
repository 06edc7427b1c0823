//! A position of shogi or minishogi.

use yomi_core::{Color, Outcome, Ply, Position};

use super::bits::Bits;
use super::board::{Board, TURN_KEY};
use super::moves::ShogiMove;
use super::piece::{Kind, Piece};
use super::rules::{self, Entering, Rules};
use super::sinks::{Count, Find, List};
use super::square::Square;
use super::variant::Variant;

/// A position. It keeps about as much as an SFEN says and knows nothing of its past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shogi<V: Variant> {
    pub(super) board: Board<V>,
    /// The enemy pieces that give check to the side to move.
    pub(super) checkers: V::Bits,
    pub(super) turn: Color,
    /// The number of the next move, as an SFEN counts.
    pub(super) number: u32,
    pub(super) rules: Rules,
}

impl<V: Variant> Shogi<V> {
    /// A position of a board that has been checked.
    pub(super) fn from_board(board: Board<V>, turn: Color, number: u32, rules: Rules) -> Self {
        let occupied = board.occupied();
        let checkers = board.king(turn).map_or(V::Bits::EMPTY, |king| board.attackers(!turn, king, occupied));
        Shogi { board, checkers, turn, number, rules }
    }

    /// The piece on a square of the board; nothing stands on squares outside of it.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        if square.index() < V::NO_CELLS.as_ref().len() { self.board.piece(square) } else { None }
    }

    /// What stands on each square, by its index: 0 nothing, otherwise one more than the index of the kind, plus 16 for White. What an
    /// evaluation looks up tables with.
    #[inline]
    pub fn cells(&self) -> &[u8] {
        self.board.cells()
    }

    /// How many pieces of a kind a side has in hand; none of those that are never in hand.
    #[inline]
    pub fn hand(&self, color: Color, kind: Kind) -> u8 {
        if kind.index() < 7 { self.board.hand(color, kind) } else { 0 }
    }

    /// Where a side's king stands, if it has one.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.board.king(color)
    }

    /// The pieces of a side, all kinds together.
    #[inline]
    pub fn pieces(&self, color: Color) -> V::Bits {
        self.board.color(color)
    }

    /// The enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> V::Bits {
        self.checkers
    }

    /// The number of the next move, as an SFEN counts: 1 at the start.
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The rules in force.
    #[inline]
    pub fn choices(&self) -> Rules {
        self.rules
    }

    /// Whether the king of the side that has just moved could be taken: no position of a game.
    pub(super) fn can_take_king(&self) -> bool {
        let occupied = self.board.occupied();
        self.king(!self.turn).is_some_and(|king| !self.board.attackers(self.turn, king, occupied).is_empty())
    }

    /// How the game has ended, unless it was by mate: a king stands where the other side's king began, under the try rule; or the
    /// number of moves that was agreed on is over.
    #[inline]
    pub(super) fn tried(&self) -> Option<Outcome> {
        let Rules { entering, max_moves, .. } = self.rules;
        if entering != Entering::Try && max_moves == 0 {
            return None;
        }
        self.king_tried().or_else(|| self.ran_out())
    }

    fn king_tried(&self) -> Option<Outcome> {
        if self.rules.entering != Entering::Try {
            return None;
        }
        let middle = V::SIZE / 2 + 1;
        let goal = |color| Square::new::<V>(middle, if color == Color::Black { 1 } else { V::SIZE });
        [!self.turn, self.turn].into_iter().find(|&side| self.king(side) == goal(side)).map(Outcome::Win)
    }

    /// The last move that was agreed on has been played, and it did not mate.
    fn ran_out(&self) -> Option<Outcome> {
        if self.rules.max_moves == 0 || self.number <= self.rules.max_moves {
            return None;
        }
        let mut count = Count::default();
        self.walk(&mut count);
        (count.0 > 0).then_some(Outcome::Draw)
    }

    /// Whether a legal move is found at a glance: a piece that nothing can pin has somewhere to go. No is no answer.
    #[inline]
    fn surely_moves(&self) -> bool {
        let own = self.board.color(self.turn);
        let free = match self.board.king(self.turn) {
            Some(king) => own.without(self.king_lines(king)).without(V::Bits::of(king)),
            None => own,
        };
        let mut squares = free.squares();
        self.checkers.is_empty() && squares.any(|from| !self.attacks_from(from).without(own).is_empty())
    }

    /// The pieces that give check after `piece` went from `from` (none: dropped) to `to`.
    #[inline]
    fn find_checkers(&self, piece: Piece, from: Option<Square>, to: Square) -> V::Bits {
        let Some(king) = self.board.king(!piece.color) else { return V::Bits::EMPTY };
        let occupied = self.board.occupied();
        let mut checkers = V::Bits::EMPTY;
        let reach = V::TABLES.reach[piece.color.index()][piece.kind.gait() as usize][to.index()];
        if reach.has(king) && (V::TABLES.between[to.index()][king.index()] & occupied).is_empty() {
            checkers |= V::Bits::of(to);
        }
        if from.is_some_and(|from| self.king_lines(king).has(from)) {
            checkers |= self.board.slider_attackers(piece.color, king, occupied);
        }
        checkers
    }
}

impl<V: Variant> Position for Shogi<V> {
    type Move = ShogiMove;
    const NAME: &'static str = V::NAME;

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn key(&self) -> u64 {
        self.board.key() ^ if self.turn == Color::White { TURN_KEY } else { 0 }
    }

    #[inline]
    fn generate(&self, moves: &mut Vec<ShogiMove>) -> Option<Outcome> {
        moves.clear();
        if let Some(outcome) = self.tried() {
            return Some(outcome);
        }
        self.walk_in_order(&mut List(moves));
        moves.is_empty().then_some(Outcome::Win(!self.turn))
    }

    #[inline]
    fn play(&mut self, mv: ShogiMove) {
        let piece = self.board.play(self.turn, mv);
        self.checkers = self.find_checkers(piece, mv.from(), mv.to());
        self.turn = !self.turn;
        self.number = self.number.saturating_add(1);
    }

    #[inline]
    fn key_after(&self, mv: ShogiMove) -> u64 {
        self.board.key_after(self.turn, mv) ^ if self.turn == Color::Black { TURN_KEY } else { 0 }
    }

    #[inline]
    fn count(&self, _moves: &mut Vec<ShogiMove>) -> u64 {
        if self.tried().is_some() {
            return 0;
        }
        let mut count = Count::default();
        self.walk(&mut count);
        count.0
    }

    #[inline]
    fn ended(&self, moves: &mut Vec<ShogiMove>) -> Option<Outcome> {
        match self.tried() {
            None if self.surely_moves() => None,
            None => (self.count(moves) == 0).then_some(Outcome::Win(!self.turn)),
            tried => tried,
        }
    }

    fn is_legal(&self, mv: ShogiMove) -> bool {
        self.may_play(mv)
    }

    #[inline]
    fn ply(&self) -> Ply {
        Ply { key: self.key(), check: !self.checkers.is_empty() }
    }

    #[inline]
    fn repetition(&self, past: &[Ply]) -> Option<Outcome> {
        rules::repetition(self.rules.repetition, self.ply(), self.turn, past)
    }
}

impl<V: Variant> Shogi<V> {
    /// Whether a move is legal, by looking at the one piece it moves.
    fn may_play(&self, mv: ShogiMove) -> bool {
        let squares = V::NO_CELLS.as_ref().len();
        let exists = |square: Square| square.index() < squares;
        if !exists(mv.to()) || !mv.from().is_none_or(exists) || self.tried().is_some() {
            return false;
        }
        let mut find = Find { mv, to: V::Bits::of(mv.to()), found: false };
        let sight = self.sight();
        match mv.from() {
            Some(from) => self.walk_pieces(&sight, self.movers() & V::Bits::of(from), &mut find),
            None => self.walk_drops(&sight, &Kind::HAND, &mut find),
        }
        find.found
    }
}
