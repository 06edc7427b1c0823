//! The sums behind a value, and how they change from one position to another.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Around, Bits, Shogi, Square, Variant, Watch};

use super::layout::{ATOMS, HELD, PLACES};
use super::tables::{Both, CELLS, Tables, apart, both};
use super::weights::SCALE;

/// What the weights of a position's features add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums<B> {
    /// Pieces on their squares, in hand and beside each other: for Black, for the side to move.
    pieces: Both,
    /// What each king sees: for its owner, for the side to move.
    kings: [Both; 2],
    /// The squares around each king.
    rings: [Ring<B>; 2],
}

/// The squares around a king.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ring<B> {
    /// For its owner, for the side to move.
    weights: Both,
    /// What decides it.
    watch: Watch<B>,
}

/// A square whose contents change, and what stood and stands there by its cell. The tables hold nothing but zeros for an empty one, so
/// coming, leaving and taking are one and the same.
#[derive(Clone, Copy, Default)]
struct Edit {
    square: u8,
    was: u8,
    is: u8,
}

/// A short list in place.
struct Few<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> Few<T, N> {
    #[inline]
    fn new() -> Self {
        Few { items: [T::default(); N], len: 0 }
    }

    /// Adds an item. What there is no room for is left out.
    #[inline]
    fn push(&mut self, item: T) {
        if let Some(slot) = self.items.get_mut(self.len) {
            *slot = item;
            self.len += 1;
        }
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        self.items.get(..self.len).unwrap_or_default()
    }
}

/// The pieces near a king by their atoms. A square is entered once, so there is room for all.
type View = Few<u16, PLACES>;

/// Beyond so many squares of difference, adding up from nothing is as quick.
const FAR: usize = 10;

impl<V: Variant> Tables<V> {
    /// The sums of a position, from nothing.
    pub fn sum(&self, position: &Shogi<V>) -> Sums<V::Bits> {
        let (cells, all) = (position.cells(), occupied(position));
        let (mut pieces, mut scene) = (0, V::Bits::EMPTY);
        all.each(|square| {
            let edit = Edit { square: square.index() as u8, was: 0, is: cells[square.index()] };
            pieces += self.beside(cells, edit, scene);
            scene |= V::Bits::of(square);
        });
        for color in Color::BOTH {
            for (kind, &held) in position.in_hand(color).iter().take(7).enumerate() {
                pieces += both(self.in_hand(color, kind, held), 0);
            }
        }
        Sums {
            pieces,
            kings: Color::BOTH.map(|color| self.look_around(position, color)),
            rings: Color::BOTH.map(|color| self.ring(position, color)),
        }
    }

    /// The sums of `next`, given those of `before` and the squares where the two differ: what stood there is taken away, what stands
    /// there now is entered among the pieces that have stayed; a king that has moved looks around anew.
    #[inline]
    pub fn change(&self, sums: &Sums<V::Bits>, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits) -> Sums<V::Bits> {
        if changed.len() as usize > FAR {
            return self.sum(next);
        }
        let (was, is) = (before.cells(), next.cells());
        let mut edits = Few::<Edit, FAR>::new();
        changed.each(|square| {
            let at = square.index();
            edits.push(Edit { square: at as u8, was: was[at], is: is[at] });
        });
        let edits = edits.as_slice();
        let kept = occupied(before).without(changed);
        let mut sums = *sums;
        for (i, &edit) in edits.iter().enumerate() {
            sums.pieces += self.beside(is, edit, kept);
            edits[i + 1..].iter().for_each(|&other| sums.pieces += self.pair_of(edit, other));
        }
        // Written out, so that the side is a constant in each.
        self.change_side(Color::Black, &mut sums, [before, next], edits, changed);
        self.change_side(Color::White, &mut sums, [before, next], edits, changed);
        sums
    }

    /// What edits change for one side: in what its king sees, around it, and in its hand.
    #[inline(always)]
    fn change_side(
        &self,
        color: Color,
        sums: &mut Sums<V::Bits>,
        [before, next]: [&Shogi<V>; 2],
        edits: &[Edit],
        changed: V::Bits,
    ) {
        let side = color.index();
        let king = next.king(color).filter(|&king| !changed.has(king));
        sums.kings[side] = match king {
            Some(king) => sums.kings[side] + self.seen(next, color, king, edits, changed),
            None => self.look_around(next, color),
        };
        let ring = &mut sums.rings[side];
        if king.is_none() || next.stirs(before, changed, color, ring.watch) {
            *ring = self.ring(next, color);
        }
        let (was, is) = (before.in_hand(color), next.in_hand(color));
        let mut differing = u64::from_le_bytes(*was) ^ u64::from_le_bytes(*is);
        while differing != 0 {
            let kind = differing.trailing_zeros() as usize / 8;
            differing &= !(0xff << (8 * kind));
            let more = self.in_hand(color, kind, is[kind]) - self.in_hand(color, kind, was[kind]);
            sums.pieces += both(more, 0);
        }
    }

    #[inline]
    fn in_hand(&self, color: Color, kind: usize, held: u8) -> i32 {
        self.hand[color.index()].get(kind).map_or(0, |counts| counts[usize::from(held).min(HELD + 1)])
    }

    /// What an edit changes on its square and beside those pieces of `scene` that are near.
    #[inline(always)]
    fn beside(&self, cells: &[u8], Edit { square, was, is }: Edit, scene: V::Bits) -> Both {
        let (square, was, is) = (usize::from(square), cell(was), cell(is));
        let (before, after, places) = (&self.pair[was], &self.pair[is], &self.place[0][square]);
        let alone = self.square[is][square] - self.square[was][square];
        both(alone, 0)
            + (scene & self.near[square]).total(|beside| {
                let at = usize::from(places[beside.index()] & 31) * CELLS + cell(cells[beside.index()]);
                after[at] - before[at]
            })
    }

    /// What two edits change beside each other.
    #[inline]
    fn pair_of(&self, one: Edit, other: Edit) -> Both {
        let place = self.place[0][usize::from(one.square)][usize::from(other.square)];
        if !self.near[usize::from(one.square)].has(Square::from_index(usize::from(other.square))) {
            return 0;
        }
        let at = usize::from(place & 31) * CELLS;
        self.pair[cell(one.is)][at + cell(other.is)] - self.pair[cell(one.was)][at + cell(other.was)]
    }

    /// What edits change in what a king sees that has not moved itself.
    #[inline(always)]
    fn seen(&self, next: &Shogi<V>, viewer: Color, king: Square, edits: &[Edit], changed: V::Bits) -> Both {
        let from_king = &self.from_king[viewer.index()];
        let here = self.no_distance - self.grid[king.index()];
        let mut seen = 0;
        for edit in edits {
            let away = (self.grid[usize::from(edit.square)] + here) as usize;
            seen +=
                from_king[cell(edit.is) * self.distances + away] - from_king[cell(edit.was) * self.distances + away];
        }
        let near = self.near[king.index()];
        if (near & changed).is_empty() {
            return seen;
        }
        let (mut view, cells) = (View::new(), next.cells());
        let kept = near & occupied(next).without(changed);
        kept.each(|square| view.push(self.atom(viewer, king, square.index(), cells[square.index()])));
        // Those among the edits that are near: their atoms before and after.
        let mut edited = Few::<[u16; 2], FAR>::new();
        for &Edit { square, was, is } in edits {
            let at = usize::from(square);
            if near.has(Square::from_index(at)) {
                let atoms = [was, is].map(|cell| self.atom(viewer, king, at, cell));
                seen += self.together(atoms[1], view.as_slice()) - self.together(atoms[0], view.as_slice());
                for other in edited.as_slice() {
                    seen += self.together(atoms[1], &other[1..]) - self.together(atoms[0], &other[..1]);
                }
                edited.push(atoms);
            }
        }
        seen
    }

    /// What a piece near a king counts together with others; kings and empty squares count nothing.
    #[inline(always)]
    fn together(&self, atom: u16, others: &[u16]) -> Both {
        if usize::from(atom) >= ATOMS {
            return 0;
        }
        let row = &self.triple[usize::from(atom)];
        let [mut owner, mut mover] = [0, 0];
        for &other in others {
            let weights = row[usize::from(other)];
            owner += i32::from(weights[0]);
            mover += i32::from(weights[1]);
        }
        both(owner, mover)
    }

    /// What stands on a square near a king as the king's side sees it.
    #[inline]
    fn atom(&self, viewer: Color, king: Square, square: usize, contents: u8) -> u16 {
        let first = self.atom[viewer.index()][cell(contents)];
        first + u16::from(self.place[viewer.index()][king.index()][square])
    }

    /// All that a king sees.
    fn look_around(&self, position: &Shogi<V>, viewer: Color) -> Both {
        let Some(king) = position.king(viewer) else { return 0 };
        let cells = position.cells();
        let from_king = &self.from_king[viewer.index()];
        let here = self.no_distance - self.grid[king.index()];
        let others = occupied(position).without(V::Bits::of(king));
        let mut seen = others.total(|square| {
            let away = (self.grid[square.index()] + here) as usize;
            from_king[cell(cells[square.index()]) * self.distances + away]
        });
        let mut view = View::new();
        (others & self.near[king.index()]).each(|square| {
            let atom = self.atom(viewer, king, square.index(), cells[square.index()]);
            seen += self.together(atom, view.as_slice());
            view.push(atom);
        });
        seen
    }

    /// What the squares around a king count.
    fn ring(&self, position: &Shogi<V>, owner: Color) -> Ring<V::Bits> {
        let Some(Around { around, attacked, watch }) = position.around_king(owner) else { return Ring::default() };
        let free = around.without(attacked).without(position.pieces(owner));
        Ring { weights: self.ring[free.len() as usize][attacked.len() as usize], watch }
    }

    /// Worth of a position for the side to move, given its sums.
    #[inline]
    pub fn value(&self, position: &Shogi<V>, sums: &Sums<V::Bits>) -> f32 {
        let [mut black, mut mover] = apart(sums.pieces);
        mover += self.turn;
        for viewer in Color::BOTH {
            let side = viewer.index();
            let [owner, turn] = apart(sums.kings[side] + sums.rings[side].weights);
            black += if viewer == Color::Black { owner } else { -owner };
            mover += turn;
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
fn cell(contents: u8) -> usize {
    usize::from(contents) & (CELLS - 1)
}
