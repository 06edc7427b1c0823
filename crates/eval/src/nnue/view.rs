//! What a network sees: the board as each side has it before itself, in sparse features.
//!
//! A side sees own and enemy pieces, kings included, with itself playing upwards and its king on the right half of the board: what a
//! mirror makes equal is equal here. Where its king stands (the *bucket*) chooses among tables of weights. A hand of three pawns is the
//! first, the second and the third pawn in hand.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Kind, Shogi, Square, Variant};

/// Kinds of piece, own and enemy.
const CODES: usize = 28;
/// Room for the squares of the larger board.
const SQUARES: usize = 81;
/// The contents of a square as [`Shogi::cells`] codes them, and room for it.
const CELLS: usize = 32;

/// How many features and buckets a game has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    squares: usize,
    /// Where the pieces in hand of each kind begin within a hand; last, the size of a hand.
    hand: [usize; 8],
    /// Buckets.
    pub buckets: usize,
}

impl Shape {
    /// The shape of a game.
    pub const fn of<V: Variant>() -> Shape {
        let mut hand = [0; 8];
        let mut kind = 0;
        while kind < 7 {
            hand[kind + 1] = hand[kind] + V::SET[kind] as usize;
            kind += 1;
        }
        Shape { squares: V::SIZE as usize * V::SIZE as usize, hand, buckets: if V::SIZE == 5 { 12 } else { 10 } }
    }

    /// Features of one bucket.
    pub const fn features(&self) -> usize {
        CODES * self.squares + 2 * self.hand[7]
    }

    /// Rows of weights: the features of all buckets. They fit sixteen bits.
    pub const fn rows(&self) -> usize {
        self.buckets * self.features()
    }
}

/// The bucket of a king, by file and rank from 0 as its side sees them, the file not beyond the middle. The last rank is home.
const fn bucket(size: u8, file: usize, rank: usize) -> usize {
    match (size, rank) {
        (5, 0 | 1) => 9 + file,
        (5, _) => (4 - rank) * 3 + file,
        (_, 8) => [0, 1, 1, 2, 3][file],
        (_, 7) => [4, 4, 5, 6, 6][file],
        (_, 6) => 7,
        (_, 3..=5) => 8,
        _ => 9,
    }
}

/// How a side sees the board: from which bucket, and which of the four images of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct View {
    /// The first row of its bucket.
    first: u16,
    /// 1 if the board is mirrored, 2 more if it is turned.
    image: u8,
}

/// Everything about views, as tables.
pub(crate) struct Views {
    shape: Shape,
    /// By the colour of a side and the square of its king.
    view: [[View; SQUARES]; 2],
    /// By image and square.
    square: [[u8; SQUARES]; 4],
    /// By the colour of a side and the contents of a square: the first feature of the piece.
    code: [[u16; CELLS]; 2],
}

impl Views {
    pub(crate) fn new<V: Variant>() -> Views {
        let shape = Shape::of::<V>();
        let size = usize::from(V::SIZE);
        let view = [[View::default(); SQUARES]; 2];
        let mut views = Views { shape, view, square: [[0; SQUARES]; 4], code: [[0; CELLS]; 2] };
        for square in Square::all::<V>() {
            for turned in [false, true] {
                let seen = if turned { square.turned::<V>() } else { square };
                let (file, rank) = (usize::from(seen.file::<V>()) - 1, usize::from(seen.rank::<V>()) - 1);
                let beside = (size - 1 - file) * size + rank;
                let image = 2 * usize::from(turned);
                views.square[image][square.index()] = seen.index() as u8;
                views.square[image + 1][square.index()] = beside as u8;
                let mirrored = file > size / 2;
                let file = if mirrored { size - 1 - file } else { file };
                let first = (bucket(V::SIZE, file, rank) * shape.features()) as u16;
                let view = View { first, image: (image + usize::from(mirrored)) as u8 };
                views.view[usize::from(turned)][square.index()] = view;
            }
        }
        for (side, codes) in views.code.iter_mut().enumerate() {
            for color in 0..2 {
                for kind in Kind::ALL {
                    let code = kind.index() + if color == side { 0 } else { CODES / 2 };
                    codes[1 + kind.index() + 16 * color] = (code * shape.squares) as u16;
                }
            }
        }
        views
    }

    /// How a side sees a position. A side without a king sees it as if the king were far away from home.
    #[inline]
    pub(crate) fn view<V: Variant>(&self, position: &Shogi<V>, side: Color) -> View {
        let king = position.king(side).map_or(0, Square::index);
        self.view[side.index()][king]
    }

    /// The row of what stands on a square that is not empty.
    #[inline]
    pub(crate) fn piece(&self, view: View, side: Color, cell: u8, square: Square) -> usize {
        let seen = self.square[usize::from(view.image & 3)][square.index()];
        let code = self.code[side.index()][usize::from(cell) & (CELLS - 1)];
        usize::from(view.first) + usize::from(code) + usize::from(seen)
    }

    /// The row of the `n`-th piece of a kind in a hand, from 1; none beyond a full set.
    #[inline]
    pub(crate) fn held(&self, view: View, side: Color, owner: Color, kind: usize, n: u8) -> Option<usize> {
        let (start, end) = (self.shape.hand[kind], self.shape.hand[kind + 1]);
        let at = start + usize::from(n) - 1;
        let hand = CODES * self.shape.squares + if owner == side { 0 } else { self.shape.hand[7] };
        (at < end).then_some(usize::from(view.first) + hand + at)
    }

    /// Hands every row that a side sees in a position to `emit`: the definition.
    pub(crate) fn rows<V: Variant>(&self, position: &Shogi<V>, side: Color, mut emit: impl FnMut(usize)) {
        let view = self.view(position, side);
        for (square, &cell) in Square::all::<V>().zip(position.cells()) {
            if cell != 0 {
                emit(self.piece(view, side, cell, square));
            }
        }
        for owner in Color::BOTH {
            for (kind, &count) in position.in_hand(owner)[..7].iter().enumerate() {
                (1..=count).filter_map(|n| self.held(view, side, owner, kind, n)).for_each(&mut emit);
            }
        }
    }
}

/// Finds the rows of many positions.
pub struct Seer(Views);

impl Seer {
    /// For a game.
    pub fn new<V: Variant>() -> Seer {
        Seer(Views::new::<V>())
    }

    /// The rows that the side to move sees, and those that the other side sees.
    pub fn rows<V: Variant>(&self, position: &Shogi<V>) -> [Vec<u16>; 2] {
        [position.turn(), !position.turn()].map(|side| {
            let mut rows = Vec::with_capacity(40);
            self.0.rows(position, side, |row| rows.push(row as u16));
            rows
        })
    }
}
