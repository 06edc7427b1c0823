//! The sums behind a value, and how they change from one position to another.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Bits, Shogi, Square, Variant};

use super::layout::{ATOMS, CODES, HELD, PLACES, other};
use super::tables::{Tables, code};
use super::weights::SCALE;

/// What the weights of a position's features add up to, the squares around the kings apart: those are looked at when a value is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// Pieces on their squares and in hand, for Black.
    pieces: i32,
    /// Relations of two pieces: for Black, for the side to move.
    pairs: [i32; 2],
    /// What each king sees: for its owner, for the side to move.
    kings: [[i32; 2]; 2],
}

/// A sum of weights, added or taken away as a whole.
#[derive(Clone, Copy, Default)]
struct Sum([i32; 2]);

impl Sum {
    #[inline]
    fn add(&mut self, [owner, mover]: [i16; 2]) {
        self.0[0] += i32::from(owner);
        self.0[1] += i32::from(mover);
    }

    #[inline]
    fn enter(self, sign: i32, total: &mut [i32; 2]) {
        total[0] += sign * self.0[0];
        total[1] += sign * self.0[1];
    }
}

/// The pieces of a position that stand on some of its squares.
struct Scene<'a, V: Variant> {
    position: &'a Shogi<V>,
    squares: V::Bits,
    /// The kings whose view is kept up to date piece by piece.
    kings: [Option<Square>; 2],
}

impl<V: Variant> Tables<V> {
    /// The sums of a position, from nothing.
    pub fn sum(&self, position: &Shogi<V>) -> Sums {
        let mut sums = Sums::default();
        let kings = Color::BOTH.map(|color| position.king(color));
        let mut scene = Scene { position, squares: V::Bits::EMPTY, kings };
        let all = position.pieces(Color::Black) | position.pieces(Color::White);
        all.each(|square| {
            self.enter(&scene, square, 1, &mut sums);
            scene.squares |= V::Bits::of(square);
        });
        for color in Color::BOTH {
            for (kind, &held) in position.in_hand(color).iter().take(7).enumerate() {
                sums.pieces += self.in_hand(color, kind, held);
            }
        }
        sums
    }

    /// The sums of `next`, given those of `before` and the squares where the two differ: what stood there is taken away piece by
    /// piece, what stands there now is entered; a king that has moved looks around anew.
    #[inline]
    pub fn change(&self, sums: Sums, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits) -> Sums {
        let mut sums = sums;
        let stays = |color: Color| before.king(color).filter(|&king| !changed.has(king));
        let kings = Color::BOTH.map(stays);
        let all = |position: &Shogi<V>| position.pieces(Color::Black) | position.pieces(Color::White);
        let mut scene = Scene { position: before, squares: all(before), kings };
        (changed & scene.squares).each(|square| {
            scene.squares = scene.squares.without(V::Bits::of(square));
            self.enter(&scene, square, -1, &mut sums);
        });
        let kept = scene.squares;
        let mut scene = Scene { position: next, squares: kept, kings };
        (changed & all(next)).each(|square| {
            self.enter(&scene, square, 1, &mut sums);
            scene.squares |= V::Bits::of(square);
        });
        for color in Color::BOTH {
            if kings[color.index()].is_none() {
                sums.kings[color.index()] = self.look_around(next, color);
            }
            let (was, is) = (before.in_hand(color), next.in_hand(color));
            if was != is {
                for kind in 0..7 {
                    if was[kind] != is[kind] {
                        sums.pieces += self.in_hand(color, kind, is[kind]) - self.in_hand(color, kind, was[kind]);
                    }
                }
            }
        }
        sums
    }

    #[inline]
    fn in_hand(&self, color: Color, kind: usize, held: u8) -> i32 {
        self.hand[color.index()][kind][usize::from(held).min(HELD + 1)]
    }

    /// Enters the piece on a square among those of the scene, or with a negative sign takes it away from them.
    #[inline]
    fn enter(&self, scene: &Scene<'_, V>, square: Square, sign: i32, sums: &mut Sums) {
        let Some(piece) = scene.position.piece_at(square) else { return };
        let code = code(piece);
        sums.pieces += sign * self.square[code][square.index()];
        let mut pairs = Sum::default();
        let row = &self.pair[code * CODES * PLACES..(code + 1) * CODES * PLACES];
        let places = &self.place[square.index()];
        (scene.squares & self.near[square.index()]).each(|beside| {
            if let Some(piece) = scene.position.piece_at(beside) {
                pairs.add(row[self::code(piece) * PLACES + usize::from(places[beside.index()])]);
            }
        });
        pairs.enter(sign, &mut sums.pairs);
        for viewer in Color::BOTH {
            if let Some(king) = scene.kings[viewer.index()]
                && king != square
            {
                let mut seen = Sum::default();
                self.see(scene, viewer, king, code, square, &mut seen);
                seen.enter(sign, &mut sums.kings[viewer.index()]);
            }
        }
    }

    /// What a king sees in a piece on a square, alone and together with the pieces of the scene.
    #[inline]
    fn see(&self, scene: &Scene<'_, V>, viewer: Color, king: Square, code: usize, square: Square, seen: &mut Sum) {
        let away = self.grid[square.index()] - self.grid[king.index()];
        let (code, away) = if viewer == Color::Black { (code, away) } else { (other(code), -away) };
        seen.add(self.from_king[code * self.distances + (away + self.no_distance) as usize]);
        if !self.near[king.index()].has(square) {
            return;
        }
        let Some(atom) = self.atom_at(viewer, king, code, square) else { return };
        let row = &self.triple[atom * ATOMS..(atom + 1) * ATOMS];
        (scene.squares & self.near[king.index()]).each(|beside| {
            let piece = scene.position.piece_at(beside);
            let seen_as = |code: usize| if viewer == Color::Black { code } else { other(code) };
            if let Some(other) = piece.and_then(|p| self.atom_at(viewer, king, seen_as(self::code(p)), beside)) {
                seen.add(row[other]);
            }
        });
    }

    #[inline]
    fn atom_at(&self, viewer: Color, king: Square, code: usize, square: Square) -> Option<usize> {
        let place = usize::from(self.place[king.index()][square.index()]);
        let place = if viewer == Color::Black { place } else { PLACES - 1 - place };
        self.atom[code].map(|atom| usize::from(atom) + place)
    }

    /// All that a king sees.
    fn look_around(&self, position: &Shogi<V>, viewer: Color) -> [i32; 2] {
        let mut seen = Sum::default();
        if let Some(king) = position.king(viewer) {
            let mut scene = Scene { position, squares: V::Bits::EMPTY, kings: [None; 2] };
            let all = position.pieces(Color::Black) | position.pieces(Color::White);
            all.without(V::Bits::of(king)).each(|square| {
                if let Some(piece) = position.piece_at(square) {
                    self.see(&scene, viewer, king, code(piece), square, &mut seen);
                }
                scene.squares |= V::Bits::of(square);
            });
        }
        seen.0
    }

    /// Worth of a position for the side to move, given its sums.
    #[inline]
    pub fn value(&self, position: &Shogi<V>, sums: Sums) -> f32 {
        let mut black = sums.pieces + sums.pairs[0] + sums.kings[0][0] - sums.kings[1][0];
        let mut mover = sums.pairs[1] + sums.kings[0][1] + sums.kings[1][1] + self.turn;
        for viewer in Color::BOTH {
            if let Some((around, attacked)) = position.around_king(viewer) {
                let free = around.without(attacked).without(position.pieces(viewer));
                let [owner, either] = self.ring[free.len() as usize][attacked.len() as usize];
                black += if viewer == Color::Black { owner } else { -owner };
                mover += either;
            }
        }
        let value = if position.turn() == Color::Black { black + mover } else { mover - black };
        value as f32 * (1.0 / SCALE)
    }
}
