//! The position: what stands on the board, whose turn it is, and which rules are in force.

use std::fmt;

use yomi_core::{Color, Move, Outcome, Position, zobrist};

use super::cells::{Cell, CellSet, SIZE};
use super::directed::DIRECTED;
use super::movegen;
use super::moves::BlokusMove;
use super::pieces::{Piece, PieceSet};
use super::tables::{START, tables};

/// What may be chosen in the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// Whether a side may begin on either start square instead of its own.
    pub free_start: bool,
    /// Whether a side that has placed all its pieces gets 15 points more, and 5 on top if the monomino was the last.
    pub bonus: bool,
}

/// What one side has on the board and in hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) occupied: CellSet,
    /// Where this side can never again put a square: outside, occupied by either side, or beside an own square.
    pub(super) forbidden: CellSet,
    /// Squares one of which its next piece must cover: diagonal to an own square and not forbidden, or the start squares.
    pub(super) attach: CellSet,
    pub(super) remaining: PieceSet,
    /// The directed shapes of the remaining pieces, one bit each.
    pub(super) shapes: u128,
}

impl Side {
    /// Nothing placed yet.
    pub(super) fn new(color: Color, rules: Rules) -> Side {
        let attach = if rules.free_start { START.into_iter().collect() } else { CellSet::of(START[color.index()]) };
        let shapes = (1 << DIRECTED) - 1;
        Side { occupied: CellSet::EMPTY, forbidden: !CellSet::BOARD, attach, remaining: PieceSet::ALL, shapes }
    }

    /// Whether a piece stands on the board.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.remaining != PieceSet::ALL
    }
}

/// Blokus Duo: two sides lay 21 pieces each on a board of 14 by 14. A piece must touch an own one by a corner and may not touch an
/// own one by an edge. Who covers more squares wins.
///
/// A side passes when nothing fits, and only then; the game is over when nothing fits for either side.
#[derive(Clone, Debug)]
pub struct BlokusDuo {
    pub(super) sides: [Side; 2],
    pub(super) turn: Color,
    pub(super) rules: Rules,
    pub(super) key: u64,
    /// Sides that have passed. Squares only ever become forbidden, so they will never move again. This spares looking for moves
    /// and says nothing that the board does not say.
    pub(super) passed: [bool; 2],
    /// Sides whose 21st piece was the monomino, noted where the bonus counts.
    pub(super) monomino_last: [bool; 2],
}

/// Keys of a side's square, 256 to a side.
const CELL_KEYS: [u64; 512] = zobrist::table(0x626c_6f6b_7573);
/// Keys of a side's last piece having been the monomino, then of White's turn.
const OTHER_KEYS: [u64; 3] = zobrist::table(0x6475_6f21);

impl Default for BlokusDuo {
    fn default() -> BlokusDuo {
        BlokusDuo::new(Rules::default())
    }
}

impl BlokusDuo {
    /// The empty board.
    pub fn new(rules: Rules) -> BlokusDuo {
        let sides = Color::BOTH.map(|color| Side::new(color, rules));
        BlokusDuo { sides, turn: Color::Black, rules, key: 0, passed: [false; 2], monomino_last: [false; 2] }
    }

    /// The rules in force.
    pub fn rules_in_force(&self) -> Rules {
        self.rules
    }

    /// Whose square it is.
    pub fn at(&self, cell: Cell) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.occupied(color).contains(cell))
    }

    /// The squares that a side covers.
    pub fn occupied(&self, color: Color) -> CellSet {
        self.sides[color.index()].occupied
    }

    /// The squares a side can never again cover: occupied by either side, or beside an own square.
    pub fn forbidden(&self, color: Color) -> CellSet {
        self.sides[color.index()].forbidden & CellSet::BOARD
    }

    /// The squares one of which the next piece of a side must cover: free, diagonal to an own square and not beside one. For a
    /// first piece they are the start squares.
    pub fn attach(&self, color: Color) -> CellSet {
        self.sides[color.index()].attach
    }

    /// The pieces a side still has in hand.
    pub fn remaining(&self, color: Color) -> PieceSet {
        self.sides[color.index()].remaining
    }

    /// The points of a side: squares covered, and the bonus if the rules give one.
    pub fn score(&self, color: Color) -> i32 {
        let squares = self.occupied(color).len() as i32;
        let complete = self.rules.bonus && self.remaining(color).is_empty();
        let last = complete && self.monomino_last[color.index()];
        squares + if complete { 15 } else { 0 } + if last { 5 } else { 0 }
    }

    /// The most points that a side can still gain: all its pieces in hand, with the bonus, unless it has passed.
    pub fn points_left(&self, color: Color) -> i32 {
        if self.passed[color.index()] {
            return 0;
        }
        let hand: u32 = self.remaining(color).iter().map(Piece::size).sum();
        hand as i32 + if self.rules.bonus && hand > 0 { 20 } else { 0 }
    }

    /// Whether anything fits for a side.
    pub fn can_place(&self, color: Color) -> bool {
        !self.passed[color.index()] && movegen::any(&self.sides[color.index()])
    }

    /// Some placement that fits for a side, if there is any. It goes on fitting as long as its squares stay free and the side itself
    /// does not move.
    pub fn some_placement(&self, color: Color) -> Option<BlokusMove> {
        if self.passed[color.index()] {
            return None;
        }
        movegen::first(&self.sides[color.index()]).map(BlokusMove::placement)
    }

    /// Who would win if the game ended here.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome::from_margin(self.score(Color::Black) - self.score(Color::White))
    }

    /// Lays a placement down for `color`, whosever turn it is. The key follows.
    pub(super) fn place(&mut self, color: Color, id: u16) {
        let tables = tables();
        let (piece, cells) = (tables.shape(id).piece, tables.cells(id));
        let [beside, diagonal] = cells.neighbors();
        self.key ^= placement_key(color, cells);
        let [own, other] = self.sides_of(color);
        let attach = if own.has_begun() { own.attach } else { CellSet::EMPTY };
        own.occupied |= cells;
        own.forbidden |= cells | beside;
        own.attach = (attach | diagonal) - own.forbidden;
        own.remaining.remove(piece);
        own.shapes &= !tables.shapes_of[piece.index()];
        other.forbidden |= cells;
        other.attach = other.attach - cells;
        let last = piece == Piece::MONOMINO && own.remaining.is_empty();
        self.crown(color, last && self.rules.bonus);
    }

    /// Says whether the monomino was the last piece of a side.
    pub(super) fn crown(&mut self, color: Color, last: bool) {
        if self.monomino_last[color.index()] != last {
            self.monomino_last[color.index()] = last;
            self.key ^= OTHER_KEYS[color.index()];
        }
    }

    /// Gives the turn to `color`.
    pub(super) fn set_turn(&mut self, color: Color) {
        if color != self.turn {
            self.turn = color;
            self.key ^= OTHER_KEYS[2];
        }
    }

    fn sides_of(&mut self, color: Color) -> [&mut Side; 2] {
        let [black, white] = &mut self.sides;
        if color == Color::Black { [black, white] } else { [white, black] }
    }
}

/// What squares of a side contribute to the key.
fn placement_key(color: Color, cells: CellSet) -> u64 {
    cells.iter().fold(0, |key, cell| key ^ CELL_KEYS[256 * color.index() + usize::from(cell.bit())])
}

/// The key from scratch: the squares of both sides, whose last piece was the monomino, and the turn.
pub(super) fn full_key(occupied: [CellSet; 2], monomino_last: [bool; 2], turn: Color) -> u64 {
    let facts = [monomino_last[0], monomino_last[1], turn == Color::White];
    let squares = placement_key(Color::Black, occupied[0]) ^ placement_key(Color::White, occupied[1]);
    facts.iter().zip(OTHER_KEYS).filter(|&(&fact, _)| fact).fold(squares, |all, (_, key)| all ^ key)
}

impl Position for BlokusDuo {
    type Move = BlokusMove;
    const NAME: &'static str = "blokus-duo";

    fn turn(&self) -> Color {
        self.turn
    }

    /// Same-coloured pieces never share an edge, so the squares determine the pieces; the rules in force are not part of the key.
    fn key(&self) -> u64 {
        self.key
    }

    fn generate(&self, moves: &mut Vec<BlokusMove>) -> Option<Outcome> {
        moves.clear();
        if !self.passed[self.turn.index()] {
            movegen::list(&self.sides[self.turn.index()], moves);
        }
        if !moves.is_empty() {
            return None;
        }
        if self.can_place(!self.turn) {
            moves.push(BlokusMove::PASS);
            return None;
        }
        Some(self.outcome())
    }

    fn play(&mut self, mv: BlokusMove) {
        if mv.is_pass() {
            self.passed[self.turn.index()] = true;
        } else {
            self.place(self.turn, mv.to_bits());
        }
        self.set_turn(!self.turn);
    }

    fn key_after(&self, mv: BlokusMove) -> u64 {
        let mut key = self.key ^ OTHER_KEYS[2] ^ placement_key(self.turn, mv.cells());
        let last = self.remaining(self.turn).len() == 1 && mv.piece() == Some(Piece::MONOMINO);
        if self.rules.bonus && last {
            key ^= OTHER_KEYS[self.turn.index()];
        }
        key
    }

    fn count(&self, _: &mut Vec<BlokusMove>) -> u64 {
        let placements =
            if self.passed[self.turn.index()] { 0 } else { movegen::count(&self.sides[self.turn.index()]) };
        if placements == 0 { u64::from(self.can_place(!self.turn)) } else { placements }
    }

    fn ended(&self, _: &mut Vec<BlokusMove>) -> Option<Outcome> {
        (!self.can_place(self.turn) && !self.can_place(!self.turn)).then(|| self.outcome())
    }

    fn is_legal(&self, mv: BlokusMove) -> bool {
        let side = &self.sides[self.turn.index()];
        match mv.piece() {
            Some(piece) => {
                side.remaining.contains(piece)
                    && mv.cells().is_disjoint(side.forbidden)
                    && !mv.cells().is_disjoint(side.attach)
            }
            None => mv.is_pass() && !self.can_place(self.turn) && self.can_place(!self.turn),
        }
    }
}

/// The board with coordinates, then what each side has in hand.
impl fmt::Display for BlokusDuo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<String> = (0..SIZE).map(|x| char::from(b'a' + x).to_string()).collect();
        writeln!(f, "   {}", columns.join(" "))?;
        for y in 1..=SIZE {
            write!(f, "{:2}", SIZE + 1 - y)?;
            for cell in (1..=SIZE).filter_map(|x| Cell::new(x, y)) {
                let mark = match self.at(cell) {
                    Some(Color::Black) => 'x',
                    Some(Color::White) => 'o',
                    None if self.attach(self.turn).contains(cell) => '+',
                    None => '.',
                };
                write!(f, " {mark}")?;
            }
            writeln!(f)?;
        }
        for (color, mark) in Color::BOTH.into_iter().zip(['x', 'o']) {
            let turn = if color == self.turn { " to move" } else { "" };
            let hand: Vec<&str> = self.remaining(color).iter().map(Piece::name).collect();
            writeln!(f, "{mark} {} points{turn}, in hand: {}", self.score(color), hand.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::Seed;

    proptest! {
        /// What is kept from move to move is what a look at the board gives, in games with any rules.
        #[test]
        fn incremental_sets_are_the_sets_from_scratch(seed: u64, free_start: bool, bonus: bool) {
            let mut rng = Seed::new(seed).rng();
            let mut position = BlokusDuo::new(Rules { free_start, bonus });
            let mut moves = Vec::new();
            while position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
                prop_assert_eq!(position.ended(&mut Vec::new()), position.generate(&mut Vec::new()));
                for color in Color::BOTH {
                    let own = position.occupied(color);
                    let taken = own | position.occupied(!color);
                    prop_assert_eq!(position.forbidden(color), taken | own.edge_neighbors());
                    if !own.is_empty() {
                        prop_assert_eq!(position.attach(color), own.corner_neighbors() - taken);
                    }
                    let pieces: Vec<Piece> = position.pieces(color).iter().filter_map(|mv| mv.piece()).collect();
                    prop_assert_eq!(pieces.len() as u32 + position.remaining(color).len(), 21);
                    prop_assert!(pieces.iter().all(|&piece| !position.remaining(color).contains(piece)));
                }
            }
        }
    }

    #[test]
    fn sides_share_the_start_squares_if_they_like() {
        let mut position = BlokusDuo::new(Rules { free_start: true, bonus: false });
        let [e10, j5] = START.map(|cell| BlokusMove::from_cells(CellSet::of(cell)).unwrap());
        assert!(position.is_legal(e10) && position.is_legal(j5));
        position.play(j5);
        assert_eq!(position.attach(Color::White), CellSet::of(START[0]));
        position.play(e10);
        assert_eq!(position.attach(Color::Black).len(), 4, "the corners of the piece, not the other start square");
        assert!(BlokusDuo::default().is_legal(e10) && !BlokusDuo::default().is_legal(j5));
    }

    /// A side whose start square is covered can only pass, and must; the other goes on until nothing fits.
    #[test]
    fn a_side_that_is_shut_out_passes() {
        let black = ["e6,e7,e8,e9,e10", "f5,g5,h5", "i4,j4,j5"].map(|points| BlokusMove::from_points(points).unwrap());
        let mut position = BlokusDuo::set_up(Rules::default(), [&black, &[]], Color::White).unwrap();
        let mut moves = Vec::new();
        let mut plies = 0;
        while position.generate(&mut moves).is_none() {
            if position.turn() == Color::White {
                assert_eq!((moves.as_slice(), position.count(&mut Vec::new())), (&[BlokusMove::PASS][..], 1));
                assert!(position.is_legal(BlokusMove::PASS));
            } else {
                assert!(!position.is_legal(BlokusMove::PASS));
            }
            position.play(*moves.last().unwrap());
            plies += 1;
        }
        assert!(plies > 20, "{position}");
        assert_eq!(position.generate(&mut moves), Some(Outcome::Win(Color::Black)));
        assert!(!position.is_legal(BlokusMove::PASS), "the game is over");
        assert_eq!(position.count(&mut moves), 0);
    }
}
