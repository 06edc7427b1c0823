//! Positions, and their images under the symmetries of the board.

use yomi_core::{Color, Position, Question, Seed};
use yomi_games::shogi::{Kind, Piece, Setup, Shogi, Square, Variant};

/// Positions without a king or with crowded hands.
pub(crate) const ODD_POSITIONS: [&str; 4] = [
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
    "9/9/9/9/4k4/9/9/9/9 b P 1",
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "4k4/9/9/9/9/9/9/9/4K4 w 18p 1",
];

/// The positions of a random game of at most this many plies.
pub(crate) fn random_game<V: Variant>(seed: &Seed, plies: usize) -> Vec<Shogi<V>> {
    let mut rng = seed.rng();
    let mut line = vec![Shogi::<V>::default()];
    let mut moves = Vec::new();
    while line.len() < plies && line[line.len() - 1].generate(&mut moves).is_none() {
        let mut next = line[line.len() - 1];
        next.play(moves[rng.below(moves.len())]);
        line.push(next);
    }
    line
}

pub(crate) fn leaf<V: Variant>(position: &Shogi<V>, depth: u32) -> Question<'_, Shogi<V>> {
    Question { depth, ..Question::of(position, &[]) }
}

/// The position with its squares moved by `to` and, if asked, the sides exchanged.
pub(crate) fn image<V: Variant>(position: &Shogi<V>, exchanged: bool, to: impl Fn(Square) -> Square) -> Shogi<V> {
    let side = |color: Color| if exchanged { !color } else { color };
    let mut setup = Setup { turn: side(position.turn()), ..Setup::default() };
    for square in Square::all::<V>() {
        let piece = position.piece_at(square).map(|p| Piece { color: side(p.color), ..p });
        setup.cells[to(square).index()] = piece;
    }
    for color in Color::BOTH {
        setup.hands[side(color).index()] = Kind::HAND.map(|kind| position.hand(color, kind));
    }
    setup.position(position.choices()).expect("the image of a position is a position")
}

/// The square on the other side of the middle file.
pub(crate) fn mirror<V: Variant>(square: Square) -> Square {
    Square::new::<V>(V::SIZE + 1 - square.file::<V>(), square.rank::<V>()).expect("a square of the board")
}
