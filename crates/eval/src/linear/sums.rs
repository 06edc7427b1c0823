//! The sums behind a value, and how they change from one position to another.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Around, Bits, Shogi, Square, Variant};

use super::layout::{HELD, PLACES};
use super::tables::{CELLS, Tables};
use super::weights::SCALE;

/// What the weights of a position's features add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums<B> {
    /// Pieces on their squares and in hand, for Black.
    pieces: i32,
    /// Relations of two pieces: for Black, for the side to move.
    pairs: [i32; 2],
    /// What each king sees: for its owner, for the side to move.
    kings: [[i32; 2]; 2],
    /// The squares around each king.
    rings: [Ring<B>; 2],
}

/// The squares around a king.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ring<B> {
    /// For its owner, for the side to move.
    weights: [i32; 2],
    /// The squares that decide it.
    decided_by: B,
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

/// What a king that stays where it is sees: the pieces near it that are entered so far, by their atoms.
struct View {
    king: Square,
    atoms: [u16; PLACES],
    len: usize,
}

impl View {
    fn new(king: Square) -> View {
        View { king, atoms: [0; PLACES], len: 0 }
    }

    #[inline]
    fn push(&mut self, atom: u16) {
        // A square is entered once, so there is room for all.
        if let Some(slot) = self.atoms.get_mut(self.len) {
            *slot = atom;
            self.len += 1;
        }
    }
}

impl<V: Variant> Tables<V> {
    /// The sums of a position, from nothing.
    pub fn sum(&self, position: &Shogi<V>) -> Sums<V::Bits> {
        let mut sums = Sums::default();
        let mut views = Color::BOTH.map(|color| position.king(color).map(View::new));
        self.enter(position, V::Bits::EMPTY, occupied(position), 1, &mut views, &mut sums);
        for color in Color::BOTH {
            for (kind, &held) in position.in_hand(color).iter().take(7).enumerate() {
                sums.pieces += self.in_hand(color, kind, held);
            }
            sums.rings[color.index()] = self.ring(position, color);
        }
        sums
    }

    /// The sums of `next`, given those of `before` and the squares where the two differ: what stood there is taken away, what stands
    /// there now is entered among the pieces that have stayed; a king that has moved looks around anew.
    #[inline]
    pub fn change(&self, sums: Sums<V::Bits>, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits) -> Sums<V::Bits> {
        let mut sums = sums;
        let (was, is) = (occupied(before), occupied(next));
        let kept = was.without(changed);
        let mut views = Color::BOTH.map(|viewer| {
            let mut view = View::new(before.king(viewer).filter(|&king| !changed.has(king))?);
            let near = self.near[view.king.index()];
            if !(near & changed).is_empty() {
                (near & kept).each(|square| view.push(self.atom_at(next, viewer, view.king, square)));
            }
            Some(view)
        });
        let lens = views.each_ref().map(|view| view.as_ref().map_or(0, |view| view.len));
        self.enter(before, kept, changed & was, -1, &mut views, &mut sums);
        for (view, len) in views.iter_mut().zip(lens) {
            view.iter_mut().for_each(|view| view.len = len);
        }
        self.enter(next, kept, changed & is, 1, &mut views, &mut sums);
        for color in Color::BOTH {
            let moved = views[color.index()].is_none();
            if moved {
                sums.kings[color.index()] = self.look_around(next, color);
            }
            let ring = &mut sums.rings[color.index()];
            if moved || !(changed & (ring.decided_by | next.sliders(!color))).is_empty() {
                *ring = self.ring(next, color);
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

    /// Enters the pieces on these squares one after the other among those of `scene`, or with a negative sign takes them away from
    /// among them. The views hold what stands in the scene near the kings.
    #[inline]
    fn enter(
        &self,
        position: &Shogi<V>,
        mut scene: V::Bits,
        squares: V::Bits,
        sign: i32,
        views: &mut [Option<View>; 2],
        sums: &mut Sums<V::Bits>,
    ) {
        let cells = position.cells();
        squares.each(|square| {
            let cell = cell_at(cells, square);
            sums.pieces += sign * self.square[cell][square.index()];
            let mut pairs = Sum::default();
            let (row, places) = (&self.pair[cell], &self.place[0][square.index()]);
            (scene & self.near[square.index()]).each(|beside| {
                pairs.add(row[usize::from(places[beside.index()] & 31) * CELLS + cell_at(cells, beside)]);
            });
            pairs.enter(sign, &mut sums.pairs);
            for viewer in Color::BOTH {
                if let Some(view) = &mut views[viewer.index()]
                    && view.king != square
                {
                    let mut seen = Sum::default();
                    self.see(position, viewer, view, square, &mut seen);
                    seen.enter(sign, &mut sums.kings[viewer.index()]);
                }
            }
            scene |= V::Bits::of(square);
        });
    }

    /// What a king sees in the piece on a square, alone and together with those that its view holds, and now holds that too.
    #[inline]
    fn see(&self, position: &Shogi<V>, viewer: Color, view: &mut View, square: Square, seen: &mut Sum) {
        let king = view.king;
        let away = self.grid[square.index()] - self.grid[king.index()] + self.no_distance;
        let cell = cell_at(position.cells(), square);
        seen.add(self.from_king[viewer.index()][cell * self.distances + away as usize]);
        if self.near[king.index()].has(square) {
            let atom = self.atom_at(position, viewer, king, square);
            let row = &self.triple[usize::from(atom)];
            view.atoms.iter().take(view.len).for_each(|&other| seen.add(row[usize::from(other)]));
            view.push(atom);
        }
    }

    /// The piece on a square near a king as its side sees it.
    #[inline]
    fn atom_at(&self, position: &Shogi<V>, viewer: Color, king: Square, square: Square) -> u16 {
        let first = self.atom[viewer.index()][cell_at(position.cells(), square)];
        first + u16::from(self.place[viewer.index()][king.index()][square.index()])
    }

    /// All that a king sees.
    fn look_around(&self, position: &Shogi<V>, viewer: Color) -> [i32; 2] {
        let mut seen = Sum::default();
        if let Some(king) = position.king(viewer) {
            let mut view = View::new(king);
            let others = occupied(position).without(V::Bits::of(king));
            others.each(|square| self.see(position, viewer, &mut view, square, &mut seen));
        }
        seen.0
    }

    /// What the squares around a king count.
    fn ring(&self, position: &Shogi<V>, owner: Color) -> Ring<V::Bits> {
        let Some(Around { around, attacked, decided_by }) = position.around_king(owner) else { return Ring::default() };
        let free = around.without(attacked).without(position.pieces(owner));
        Ring { weights: self.ring[free.len() as usize][attacked.len() as usize], decided_by }
    }

    /// Worth of a position for the side to move, given its sums.
    #[inline]
    pub fn value(&self, position: &Shogi<V>, sums: Sums<V::Bits>) -> f32 {
        let mut black = sums.pieces + sums.pairs[0];
        let mut mover = sums.pairs[1] + self.turn;
        for viewer in Color::BOTH {
            let (king, ring) = (sums.kings[viewer.index()], sums.rings[viewer.index()].weights);
            let owner = king[0] + ring[0];
            black += if viewer == Color::Black { owner } else { -owner };
            mover += king[1] + ring[1];
        }
        let value = if position.turn() == Color::Black { black + mover } else { mover - black };
        value as f32 * (1.0 / SCALE)
    }
}

#[inline]
fn occupied<V: Variant>(position: &Shogi<V>) -> V::Bits {
    position.pieces(Color::Black) | position.pieces(Color::White)
}

/// The contents of a square, as tables are looked up with.
#[inline]
fn cell_at(cells: &[u8], square: Square) -> usize {
    usize::from(cells[square.index()]) & (CELLS - 1)
}
