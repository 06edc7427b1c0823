//! The weights spread out: every symmetry that `layout` folds is unfolded, so that a look-up is one addition and one load.

use yomi_core::{Color, TextError};
use yomi_games::shogi::{Bits, Kind, Square, Variant};

use super::layout::{ATOMS, CODES, Code, GAITS, HELD, Layout, PLACES, RING, from_to, gait, other, place};
use super::weights::Weights;

/// A weight for its owner, and one for the side to move.
pub(crate) type Pair = [i16; 2];

/// A sum of weights for the owner and one for the side to move in a single number, so that one addition adds both: the former times
/// 2^32 plus the latter.
pub(crate) type Both = i64;

/// Two sums in one.
#[inline]
pub(crate) fn both(owner: i32, mover: i32) -> Both {
    (i64::from(owner) << 32) + i64::from(mover)
}

/// The two sums in one: for the owner, for the side to move.
#[inline]
pub(crate) fn apart(both: Both) -> [i32; 2] {
    let mover = both as i32;
    [((both - i64::from(mover)) >> 32) as i32, mover]
}

/// The place of all that is not near: no weights are there.
const FAR: u8 = ROOM as u8 - 1;

/// Room for the squares of the larger board.
pub(crate) const SQUARES: usize = 81;

/// The contents of a square as [`Shogi::cells`](yomi_games::shogi::Shogi::cells) codes them, and room for it.
pub(crate) const CELLS: usize = 32;
/// Places, and room for one that is not near, where no weights are.
const ROOM: usize = 32;
/// The atoms by what stands there and the place, and one more for kings and empty squares, which form no pairs.
pub(crate) const SEEN: usize = (2 * GAITS + 1) * ROOM;

/// The tables of one game. Pieces are looked up by their cells.
pub struct Tables<V: Variant> {
    /// What a piece on a square counts for Black.
    pub(crate) square: Box<[[i32; SQUARES]; CELLS]>,
    /// What this many pieces of a kind in hand count for Black.
    pub(crate) hand: [[[i32; HELD + 2]; 7]; 2],
    /// A piece as seen from each side's king, by cell and distance.
    pub(crate) from_king: [Vec<Both>; 2],
    /// Where a square lies in a grid twice as wide, so that a difference names a distance.
    pub(crate) grid: [i16; SQUARES],
    /// Distances, and the index of none.
    pub(crate) distances: usize,
    pub(crate) no_distance: i16,
    /// Two pieces near each other: a row for each cell, in it the places in turn, at each place what stands there.
    pub(crate) pair: Vec<[Both; CELLS * CELLS]>,
    /// Two pieces near a king.
    pub(crate) triple: Vec<[Pair; SEEN]>,
    /// Where the second square lies as seen from the first, if it is near: as Black sees it, as White does.
    pub(crate) place: [Box<[[u8; SQUARES]; SQUARES]>; 2],
    /// The squares near a square.
    pub(crate) near: Box<[V::Bits; SQUARES]>,
    /// The first atom of a cell as each side sees it; the place is added to it.
    pub(crate) atom: [[u16; CELLS]; 2],
    /// Free and attacked squares around a king.
    pub(crate) ring: [[Both; RING]; RING],
    /// To have the move.
    pub(crate) turn: i32,
}

impl<V: Variant> Tables<V> {
    /// Spreads the weights of this game out.
    pub fn new(weights: &Weights) -> Result<Tables<V>, TextError> {
        if weights.game() != V::NAME {
            return Err(TextError::new(format!("these are weights of {}, not of {}", weights.game(), V::NAME)));
        }
        let layout = Layout::of::<V>();
        let of = |index: usize| weights.values()[index];
        let owner = |index: usize| i32::from(of(index)[0]);
        let size = i32::from(V::SIZE);
        let squares: Vec<Square> = Square::all::<V>().collect();

        let mut square = Box::new([[0; SQUARES]; CELLS]);
        let mut hand = [[[0; HELD + 2]; 7]; 2];
        for color in Color::BOTH {
            let sign = if color == Color::Black { 1 } else { -1 };
            for &sq in &squares {
                let home = if color == Color::Black { sq } else { sq.turned::<V>() };
                let (file, rank) = (usize::from(home.file::<V>()) - 1, usize::from(home.rank::<V>()) - 1);
                for kind in Kind::ALL {
                    let worth = owner(layout.piece(kind)) + owner(layout.square(kind, file, rank));
                    square[cell(code(color, kind))][sq.index()] = sign * worth;
                }
            }
            for kind in Kind::HAND {
                for n in 1..=HELD {
                    let more = owner(layout.hand(kind)) + owner(layout.held(kind, n));
                    let held = &mut hand[color.index()][kind.index()];
                    held[n] = held[n - 1] + sign * more;
                    held[HELD + 1] = held[HELD];
                }
            }
        }

        let width = 2 * size - 1;
        let distances = (width * width) as usize;
        let from_king = Color::BOTH.map(|viewer| {
            let mut table = vec![0; CELLS * distances];
            for code in 0..CODES {
                for (i, entry) in table[cell(code) * distances..][..distances].iter_mut().enumerate() {
                    let (files, ranks) = (i as i32 / width + 1 - size, i as i32 % width + 1 - size);
                    let [owner, mover] = match viewer {
                        Color::Black => of(layout.seen_from_king(code, files, ranks)),
                        Color::White => of(layout.seen_from_king(other(code), -files, -ranks)),
                    };
                    *entry = both(i32::from(owner), i32::from(mover));
                }
            }
            table
        });
        let mut grid = [0; SQUARES];
        let mut places = Color::BOTH.map(|_| Box::new([[FAR; SQUARES]; SQUARES]));
        let mut near = Box::new([V::Bits::EMPTY; SQUARES]);
        for &from in &squares {
            grid[from.index()] = i16::from(from.file::<V>()) * width as i16 + i16::from(from.rank::<V>());
            for &to in squares.iter().filter(|&&to| to != from) {
                let (files, ranks) = from_to::<V>(from, to, false);
                if let Some(place) = place(files, ranks) {
                    places[0][from.index()][to.index()] = place as u8;
                    places[1][from.index()][to.index()] = (PLACES - 1 - place) as u8;
                    near[from.index()] |= V::Bits::of(to);
                }
            }
        }

        let mut pair = vec![[0; CELLS * CELLS]; CELLS];
        for a in 0..CODES {
            for b in 0..CODES {
                for place in 0..PLACES {
                    let folded = layout.pair(a, b, place);
                    let [black, mover] = of(folded.index as usize);
                    let black = black.saturating_mul(i16::from(folded.sign));
                    pair[cell(a)][place * CELLS + cell(b)] = both(i32::from(black), i32::from(mover));
                }
            }
        }
        let mut triple = vec![[[0; 2]; SEEN]; SEEN];
        let roomy = |atom: usize| atom / PLACES * ROOM + atom % PLACES;
        for a in 0..ATOMS {
            for b in 0..ATOMS {
                triple[roomy(a)][roomy(b)] = of(layout.triple(a, b));
            }
        }
        let mut atom = [[(2 * GAITS * ROOM) as u16; CELLS]; 2];
        for code in 0..CODES {
            if let Some(gait) = gait(Kind::ALL[code % 14]) {
                atom[0][cell(code)] = roomy(Layout::atom(code >= 14, gait, 0)) as u16;
                atom[1][cell(code)] = roomy(Layout::atom(code < 14, gait, 0)) as u16;
            }
        }
        let ring = std::array::from_fn(|free| {
            std::array::from_fn(|attacked| {
                let [owner, mover] = of(layout.ring(free, attacked)).map(i32::from);
                both(owner, mover)
            })
        });
        Ok(Tables {
            square,
            hand,
            from_king,
            grid,
            distances,
            no_distance: ((size - 1) * width + size - 1) as i16,
            pair,
            triple,
            place: places,
            near,
            atom,
            ring,
            turn: i32::from(of(layout.turn())[1]),
        })
    }
}

/// A piece as Black sees it.
fn code(color: Color, kind: Kind) -> Code {
    color.index() * 14 + kind.index()
}

/// The cell of a piece as Black sees it.
fn cell(code: Code) -> usize {
    code % 14 + 1 + code / 14 * 16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of a board are far from 2^30.
    #[test]
    fn two_sums_in_one_come_apart_again() {
        let numbers = [0, 1, -1, 77, -77, i32::from(i16::MAX), i32::from(i16::MIN), 1 << 30, -(1 << 30)];
        for (owner, mover) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
            assert_eq!(apart(both(owner, mover)), [owner, mover]);
            assert_eq!(apart(both(owner, mover) + both(3, -5) - both(-7, 11)), [owner + 10, mover - 16]);
        }
    }
}
