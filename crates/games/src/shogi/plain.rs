//! The rules once more, in the plainest way: no bits, no tables, every question answered by walking over the board.
//!
//! It is slow. It says why a move is illegal, and the fast generator is compared with it on every position of the tests.

use std::fmt;

use yomi_core::conformance::Twin;
use yomi_core::{Color, Move, Position};

use super::board::{Board, TURN_KEY};
use super::moves::ShogiMove;
use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::rules::Entering;
use super::square::Square;
use super::variant::Variant;

/// Why a move is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Illegal {
    /// It names squares or pieces that do not exist.
    Nonsense,
    /// The game is over.
    GameOver,
    /// There is no piece on the square it starts from.
    NoPiece,
    /// The piece belongs to the other side.
    NotYours,
    /// There is no such piece in hand.
    NotInHand,
    /// A piece of one's own is in the way.
    OwnPiece,
    /// Pieces are dropped on empty squares only.
    NotEmpty,
    /// The piece does not move like that, or something is in between.
    Unreachable,
    /// The piece has no other side, or is promoted already.
    CannotPromote,
    /// The move neither begins nor ends in the promotion zone.
    OutsideZone,
    /// The piece could never move again from there, so it must promote.
    MustPromote,
    /// A piece dropped there could never move again.
    DeadDrop,
    /// There is another unpromoted pawn of the same side in the file (nifu).
    TwoPawns,
    /// The king would stand in check.
    LeavesCheck,
    /// A dropped pawn may not mate (uchifuzume).
    DropPawnMate,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Illegal::Nonsense => "there is no such square or piece",
            Illegal::GameOver => "the game is over",
            Illegal::NoPiece => "there is no piece on that square",
            Illegal::NotYours => "that piece belongs to the other side",
            Illegal::NotInHand => "there is no such piece in hand",
            Illegal::OwnPiece => "a piece of the same side stands there",
            Illegal::NotEmpty => "pieces are dropped on empty squares only",
            Illegal::Unreachable => "the piece does not move there",
            Illegal::CannotPromote => "that piece does not promote",
            Illegal::OutsideZone => "the move neither begins nor ends in the promotion zone",
            Illegal::MustPromote => "the piece must promote, for it could never move again",
            Illegal::DeadDrop => "a piece dropped there could never move again",
            Illegal::TwoPawns => "there is another pawn in that file (nifu)",
            Illegal::LeavesCheck => "the king would stand in check",
            Illegal::DropPawnMate => "a dropped pawn may not mate (uchifuzume)",
        })
    }
}

/// A coordinate pair: file and rank, both from 1.
type Place = (i8, i8);

/// A board of cells.
#[derive(Clone)]
struct Plain {
    size: i8,
    camp: i8,
    try_rule: bool,
    cells: [[Option<Piece>; 10]; 10],
    hands: [[u8; 7]; 2],
    turn: Color,
}

impl Plain {
    fn of<V: Variant>(position: &Shogi<V>) -> Plain {
        let mut cells = [[None; 10]; 10];
        for file in 1..=V::SIZE {
            for rank in 1..=V::SIZE {
                let square = Square::new::<V>(file, rank);
                cells[usize::from(file)][usize::from(rank)] = square.and_then(|sq| position.piece_at(sq));
            }
        }
        Plain {
            size: V::SIZE as i8,
            camp: V::CAMP as i8,
            try_rule: position.choices().entering == Entering::Try,
            cells,
            hands: Color::BOTH.map(|color| Kind::HAND.map(|kind| position.hand(color, kind))),
            turn: position.turn(),
        }
    }

    fn at(&self, (file, rank): Place) -> Option<Piece> {
        self.cells[file as usize][rank as usize]
    }

    fn set(&mut self, (file, rank): Place, piece: Option<Piece>) {
        self.cells[file as usize][rank as usize] = piece;
    }

    fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let size = self.size;
        (1..=size).flat_map(move |file| (1..=size).map(move |rank| (file, rank)))
    }

    fn find(&self, wanted: Piece) -> Option<Place> {
        self.places().find(|&place| self.at(place) == Some(wanted))
    }

    /// Ranks between a place and the far edge, as `color` sees it.
    fn ranks_ahead(&self, color: Color, (_, rank): Place) -> i8 {
        if color == Color::Black { rank - 1 } else { self.size - rank }
    }

    /// Whether a piece on `from` attacks `to`.
    fn reaches(&self, piece: Piece, from: Place, to: Place) -> bool {
        let (right, forward) = match piece.color {
            Color::Black => (from.0 - to.0, from.1 - to.1),
            Color::White => (to.0 - from.0, to.1 - from.1),
        };
        let near = right.abs() <= 1 && forward.abs() <= 1 && (right, forward) != (0, 0);
        let straight = (right == 0) != (forward == 0);
        let diagonal = right.abs() == forward.abs() && right != 0;
        let gold = near && (forward >= 0 || right == 0);
        match piece.kind {
            Kind::Pawn => (right, forward) == (0, 1),
            Kind::Lance => right == 0 && forward > 0 && self.is_open(from, to),
            Kind::Knight => right.abs() == 1 && forward == 2,
            Kind::Silver => near && (diagonal || forward == 1),
            Kind::Bishop => diagonal && self.is_open(from, to),
            Kind::Rook => straight && self.is_open(from, to),
            Kind::Gold | Kind::ProPawn | Kind::ProLance | Kind::ProKnight | Kind::ProSilver => gold,
            Kind::King => near,
            Kind::Horse => near || diagonal && self.is_open(from, to),
            Kind::Dragon => near || straight && self.is_open(from, to),
        }
    }

    /// Whether all places strictly between two on a line are empty.
    fn is_open(&self, from: Place, to: Place) -> bool {
        let step = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let mut place = (from.0 + step.0, from.1 + step.1);
        while place != to {
            if self.at(place).is_some() {
                return false;
            }
            place = (place.0 + step.0, place.1 + step.1);
        }
        true
    }

    /// Whether the king of `color` can be taken.
    fn in_check(&self, color: Color) -> bool {
        let Some(king) = self.find(Piece { color, kind: Kind::King }) else { return false };
        self.places().any(|from| self.at(from).is_some_and(|p| p.color != color && self.reaches(p, from, king)))
    }

    /// Whether the game is over by the try rule.
    fn is_over(&self) -> bool {
        let middle = (self.size + 1) / 2;
        let on_goal = |color, rank| self.at((middle, rank)) == Some(Piece { color, kind: Kind::King });
        self.try_rule && (on_goal(Color::Black, 1) || on_goal(Color::White, self.size))
    }

    /// Whether the side to move may take the piece on `from` to `to`.
    fn judge_move(&self, from: Place, to: Place, promotes: bool) -> Result<(), Illegal> {
        let piece = self.at(from).ok_or(Illegal::NoPiece)?;
        if piece.color != self.turn {
            return Err(Illegal::NotYours);
        }
        if self.at(to).is_some_and(|taken| taken.color == self.turn) {
            return Err(Illegal::OwnPiece);
        }
        if from == to || !self.reaches(piece, from, to) {
            return Err(Illegal::Unreachable);
        }
        let up = piece.kind.promoted();
        if promotes {
            if up.is_none() {
                return Err(Illegal::CannotPromote);
            }
            if self.ranks_ahead(self.turn, from) >= self.camp && self.ranks_ahead(self.turn, to) >= self.camp {
                return Err(Illegal::OutsideZone);
            }
        } else if self.ranks_ahead(self.turn, to) < needed_ahead(piece.kind) {
            return Err(Illegal::MustPromote);
        }
        let mut after = self.clone();
        after.set(from, None);
        after.set(to, Some(Piece { kind: if promotes { up.unwrap_or(piece.kind) } else { piece.kind }, ..piece }));
        if after.in_check(self.turn) { Err(Illegal::LeavesCheck) } else { Ok(()) }
    }

    /// Whether the side to move may drop a piece on `to`.
    fn judge_drop(&self, kind: Kind, to: Place) -> Result<(), Illegal> {
        let piece = Piece { color: self.turn, kind };
        if self.hands[self.turn.index()][kind.index()] == 0 {
            return Err(Illegal::NotInHand);
        }
        if self.at(to).is_some() {
            return Err(Illegal::NotEmpty);
        }
        if self.ranks_ahead(self.turn, to) < needed_ahead(kind) {
            return Err(Illegal::DeadDrop);
        }
        if kind == Kind::Pawn && (1..=self.size).any(|rank| self.at((to.0, rank)) == Some(piece)) {
            return Err(Illegal::TwoPawns);
        }
        let mut after = self.clone();
        after.set(to, Some(piece));
        after.hands[self.turn.index()][kind.index()] -= 1;
        if after.in_check(self.turn) {
            return Err(Illegal::LeavesCheck);
        }
        after.turn = !self.turn;
        if kind == Kind::Pawn && after.in_check(after.turn) && !after.can_move() {
            return Err(Illegal::DropPawnMate);
        }
        Ok(())
    }

    /// Whether the side to move has any legal move.
    fn can_move(&self) -> bool {
        self.places().any(|to| {
            Kind::HAND.iter().any(|&kind| self.judge_drop(kind, to).is_ok())
                || self
                    .places()
                    .any(|from| self.judge_move(from, to, false).is_ok() || self.judge_move(from, to, true).is_ok())
        })
    }
}

/// How many ranks a piece needs ahead of it to move again.
fn needed_ahead(kind: Kind) -> i8 {
    match kind {
        Kind::Pawn | Kind::Lance => 1,
        Kind::Knight => 2,
        _ => 0,
    }
}

impl<V: Variant> Shogi<V> {
    /// Judges a move by the plain rules: slow, and says why it is illegal.
    pub fn judge(&self, mv: ShogiMove) -> Result<(), Illegal> {
        let place = |square: Square| -> Result<Place, Illegal> {
            let on_board = square.index() < usize::from(V::SIZE) * usize::from(V::SIZE);
            on_board.then(|| (square.file::<V>() as i8, square.rank::<V>() as i8)).ok_or(Illegal::Nonsense)
        };
        let to = place(mv.to())?;
        let plain = Plain::of(self);
        if plain.is_over() {
            return Err(Illegal::GameOver);
        }
        match (mv.from(), mv.dropped()) {
            (Some(from), _) if mv.to_bits() < 1 << 15 => plain.judge_move(place(from)?, to, mv.promotes()),
            (None, Some(kind)) if mv == ShogiMove::drop(kind, mv.to()) => plain.judge_drop(kind, to),
            _ => Err(Illegal::Nonsense),
        }
    }
}

impl<V: Variant> Twin for Shogi<V> {
    fn slow_legal(&self, mv: ShogiMove) -> bool {
        self.judge(mv).is_ok()
    }

    fn slow_key(&self) -> u64 {
        let mut board = Board::<V>::empty();
        for square in Square::all::<V>() {
            if let Some(piece) = self.piece_at(square) {
                board.put(square, piece);
            }
        }
        for color in Color::BOTH {
            for kind in Kind::HAND {
                board.set_hand(color, kind, self.hand(color, kind));
            }
        }
        board.key() ^ if self.turn() == Color::White { TURN_KEY } else { 0 }
    }
}
