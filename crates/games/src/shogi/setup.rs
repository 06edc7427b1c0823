//! From what stands where to a position that the rules can have: every text form goes through here.

use yomi_core::{Color, TextError};

use super::board::Board;
use super::piece::{Kind, Piece};
use super::position::Shogi;
use super::rules::Rules;
use super::square::Square;
use super::variant::Variant;

/// What stands on the board, what is in hand, and whose move it is; nothing of it has been checked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The pieces on the board, by the index of the square.
    pub cells: [Option<Piece>; 81],
    /// The pieces in hand, by colour and index of the kind.
    pub hands: [[u8; 7]; 2],
    /// Who moves.
    pub turn: Color,
    /// The number of the next move, from 1.
    pub number: u32,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { cells: [None; 81], hands: [[0; 7]; 2], turn: Color::Black, number: 1 }
    }
}

impl Setup {
    /// The position, if the rules allow it: no more pieces than a set has, none that could never move again, no two pawns of a
    /// side in a file, and no king that could be taken. A side may be without a king, as in mating problems.
    pub fn position<V: Variant>(&self, rules: Rules) -> Result<Shogi<V>, TextError> {
        let mut board = Board::<V>::empty();
        let mut used = [0u32; 8];
        for sq in Square::all::<V>() {
            let Some(piece) = self.cells[sq.index()] else { continue };
            used[piece.kind.plain().index()] += 1;
            self.check_place::<V>(sq, piece)?;
            board.put(sq, piece);
        }
        for color in Color::BOTH {
            for kind in Kind::HAND {
                let count = self.hands[color.index()][kind.index()];
                used[kind.index()] += u32::from(count);
                board.set_hand(color, kind, count.min(V::SET[kind.index()]));
            }
            if self.cells.iter().flatten().filter(|p| **p == Piece { color, kind: Kind::King }).count() > 1 {
                return Err(TextError::new(format!("{color:?} has more than one king")));
            }
        }
        for kind in &Kind::ALL[..8] {
            let (used, set) = (used[kind.index()], u32::from(V::SET[kind.index()]));
            if used > set {
                return Err(TextError::new(format!(
                    "there are {used} pieces of {}, but a set of {} has {set}",
                    kind.letter(),
                    V::NAME
                )));
            }
        }
        let position = Shogi::from_board(board, self.turn, self.number, rules);
        if position.can_take_king() {
            return Err(TextError::new(format!(
                "{:?} stands in check although it is {:?}'s move",
                !self.turn, self.turn
            )));
        }
        Ok(position)
    }

    /// A pawn, lance or knight that could never move again, or a second pawn in the file, stands on no board.
    fn check_place<V: Variant>(&self, sq: Square, piece: Piece) -> Result<(), TextError> {
        let at = || format!("the {:?} {:?} on {}", piece.color, piece.kind, sq.text::<V>());
        let ranks_ahead = match piece.color {
            Color::Black => sq.rank::<V>() - 1,
            Color::White => V::SIZE - sq.rank::<V>(),
        };
        if usize::from(ranks_ahead) < piece.kind.gait().dead_ranks() {
            return Err(TextError::new(format!("{} could never move again", at())));
        }
        let file = sq.file::<V>();
        let mut above = (1..sq.rank::<V>()).filter_map(|rank| Square::new::<V>(file, rank));
        if piece.kind == Kind::Pawn && above.any(|other| self.cells[other.index()] == Some(piece)) {
            return Err(TextError::new(format!("{} is the second one of that side in its file", at())));
        }
        Ok(())
    }
}
