//! The weights spread out: every symmetry that `layout` folds is unfolded, so that a look-up is one addition and one load.

use yomi_core::{Color, TextError};
use yomi_games::shogi::{Bits, Kind, Piece, Square, Variant};

use super::layout::{ATOMS, CODES, HELD, Layout, PLACES, RING, from_to, gait, place};
use super::weights::Weights;

/// A weight for its owner, and one for the side to move.
pub(crate) type Pair = [i16; 2];

/// Room for the squares of the larger board.
const SQUARES: usize = 81;
/// Marks two squares that are not near each other.
pub(crate) const NOT_NEAR: u8 = u8::MAX;

/// The tables of one game. Pieces are coded as Black sees them.
pub struct Tables<V: Variant> {
    /// What a piece on a square counts for Black.
    pub(crate) square: Box<[[i32; SQUARES]; CODES]>,
    /// What so many pieces of a kind in a hand count for Black.
    pub(crate) hand: [[[i32; HELD + 2]; 7]; 2],
    /// A piece as seen from a king, by code and distance.
    pub(crate) from_king: Vec<Pair>,
    /// Where a square lies in a grid twice as wide, so that a difference names a distance.
    pub(crate) grid: [i16; SQUARES],
    /// Distances, and the index of none.
    pub(crate) distances: usize,
    pub(crate) no_distance: i16,
    /// Two pieces near each other.
    pub(crate) pair: Vec<Pair>,
    /// Two pieces near a king.
    pub(crate) triple: Vec<Pair>,
    /// Where the second square lies as seen from the first, if it is near.
    pub(crate) place: Box<[[u8; SQUARES]; SQUARES]>,
    /// The squares near a square.
    pub(crate) near: Box<[V::Bits; SQUARES]>,
    /// The gait of a code, times the places; none for kings.
    pub(crate) atom: [Option<u16>; CODES],
    /// Free and attacked squares around a king.
    pub(crate) ring: [[[i32; 2]; RING]; RING],
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

        let mut square = Box::new([[0; SQUARES]; CODES]);
        let mut hand = [[[0; HELD + 2]; 7]; 2];
        for color in Color::BOTH {
            let sign = if color == Color::Black { 1 } else { -1 };
            for &sq in &squares {
                let home = if color == Color::Black { sq } else { sq.turned::<V>() };
                let (file, rank) = (usize::from(home.file::<V>()) - 1, usize::from(home.rank::<V>()) - 1);
                for kind in Kind::ALL {
                    let worth = owner(layout.piece(kind)) + owner(layout.square(kind, file, rank));
                    square[code(Piece { color, kind })][sq.index()] = sign * worth;
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
        let mut from_king = Vec::with_capacity(CODES * distances);
        for code in 0..CODES {
            for files in 1 - size..size {
                from_king.extend((1 - size..size).map(|ranks| of(layout.seen_from_king(code, files, ranks))));
            }
        }
        let mut grid = [0; SQUARES];
        let mut places = Box::new([[NOT_NEAR; SQUARES]; SQUARES]);
        let mut near = Box::new([V::Bits::EMPTY; SQUARES]);
        for &from in &squares {
            grid[from.index()] = i16::from(from.file::<V>()) * width as i16 + i16::from(from.rank::<V>());
            for &to in squares.iter().filter(|&&to| to != from) {
                let (files, ranks) = from_to::<V>(from, to, false);
                if let Some(place) = place(files, ranks) {
                    places[from.index()][to.index()] = place as u8;
                    near[from.index()] |= V::Bits::of(to);
                }
            }
        }

        let mut pair = Vec::with_capacity(CODES * CODES * PLACES);
        for a in 0..CODES {
            for b in 0..CODES {
                pair.extend((0..PLACES).map(|place| {
                    let folded = layout.pair(a, b, place);
                    let [black, mover] = of(folded.index as usize);
                    [black.saturating_mul(i16::from(folded.sign)), mover]
                }));
            }
        }
        let triple = (0..ATOMS * ATOMS).map(|entry| of(layout.triple(entry / ATOMS, entry % ATOMS))).collect();
        let atom = std::array::from_fn(|code| {
            let kind = Kind::ALL[code % 14];
            gait(kind).map(|gait| Layout::atom(code >= 14, gait, 0) as u16)
        });
        let ring =
            std::array::from_fn(|free| std::array::from_fn(|attacked| of(layout.ring(free, attacked)).map(i32::from)));
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
#[inline]
pub(crate) fn code(piece: Piece) -> usize {
    piece.color.index() * 14 + piece.kind.index()
}
