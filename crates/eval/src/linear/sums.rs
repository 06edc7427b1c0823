//! The sums behind a value, and how they change from one position to another.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Bits, KingZone, Shogi, Square, Variant, Watch};

use super::layout::{HELD, PLACES};
use super::tables::{Both, CELLS, SEEN, SQUARES, Tables, apart, both};
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

/// A piece that comes or leaves: its square, and its cell.
#[derive(Clone, Copy)]
struct Placed {
    square: Square,
    cell: u8,
}

impl Placed {
    /// What stands on a square.
    #[inline]
    fn on(square: Square, cells: &[u8]) -> Placed {
        Placed { square, cell: cells[square.index()] }
    }
}

/// The pieces that stay, while others leave or come: where they stand, and the cells that say what they are.
#[derive(Clone, Copy)]
struct Scene<'a, B> {
    kept: B,
    cells: &'a [u8],
}

impl<V: Variant> Tables<V> {
    /// The sums of a position, from nothing.
    pub fn sum(&self, position: &Shogi<V>) -> Sums<V::Bits> {
        let cells = position.cells();
        let (mut pieces, mut met) = (0, V::Bits::EMPTY);
        occupied(position).each(|square| {
            pieces += self.beside(Scene { kept: met, cells }, [], [Placed::on(square, cells)]);
            met |= V::Bits::of(square);
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

    /// The sums of `next`, given those of `before` and the squares where the two differ: the pieces that have left are taken away from
    /// among those that stay, the others entered; a king that has moved looks around anew.
    #[inline]
    pub fn change(&self, sums: &Sums<V::Bits>, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits) -> Sums<V::Bits> {
        // Beyond this many squares, adding up from nothing is as quick.
        if changed.len() > u32::from(V::SIZE) {
            return self.sum(next);
        }
        let mut sums = *sums;
        let kings = Color::BOTH.map(|color| next.king(color).filter(|&king| !changed.has(king)));
        let (stood, stand) = (occupied(before), occupied(next));
        let (left, came) = (stood & changed, stand & changed);
        let scene = Scene { kept: stood.without(changed), cells: next.cells() };
        let first = |set: V::Bits, cells| Placed::on(set.first().unwrap_or(Square::from_index(0)), cells);
        let (a, b) = (first(left, before.cells()), first(left.rest(), before.cells()));
        let c = first(came, next.cells());
        // A drop, a move and a capture are each worked off in one go: the fewer loops over the pieces, the fewer wrong guesses of where
        // they end, which take longer than the sums.
        match (left.len(), came.len()) {
            (0, 1) => self.exchange(&mut sums, scene, kings, [], [c]),
            (1, 1) => self.exchange(&mut sums, scene, kings, [a], [c]),
            (2, 1) => self.exchange(&mut sums, scene, kings, [a, b], [c]),
            _ => self.exchange_many(&mut sums, [before, next], changed, kings),
        }
        for color in Color::BOTH {
            self.change_side(color, &mut sums, [before, next], kings[color.index()].is_none(), changed);
        }
        sums
    }

    /// Takes pieces away from among those that stay, and enters others.
    #[inline(always)]
    fn exchange<const L: usize, const C: usize>(
        &self,
        sums: &mut Sums<V::Bits>,
        scene: Scene<'_, V::Bits>,
        kings: [Option<Square>; 2],
        left: [Placed; L],
        came: [Placed; C],
    ) {
        sums.pieces += self.beside(scene, left, came);
        for color in Color::BOTH {
            if let Some(king) = kings[color.index()] {
                sums.kings[color.index()] += self.seen(scene, color, king, left, came);
            }
        }
    }

    /// The same for any number of squares: first all pieces leave, then all come, two at a time.
    #[inline(never)]
    fn exchange_many(
        &self,
        sums: &mut Sums<V::Bits>,
        [before, next]: [&Shogi<V>; 2],
        changed: V::Bits,
        kings: [Option<Square>; 2],
    ) {
        let mut scene = Scene { kept: occupied(before), cells: before.cells() };
        each_two(scene.kept & changed, |one, other| {
            let placed = |square| Placed::on(square, before.cells());
            scene.kept = scene.kept.without(V::Bits::of(one));
            if let Some(other) = other {
                scene.kept = scene.kept.without(V::Bits::of(other));
                self.exchange(sums, scene, kings, [placed(one), placed(other)], []);
            } else {
                self.exchange(sums, scene, kings, [placed(one)], []);
            }
        });
        scene.cells = next.cells();
        each_two(occupied(next) & changed, |one, other| {
            let placed = |square| Placed::on(square, next.cells());
            if let Some(other) = other {
                self.exchange(sums, scene, kings, [], [placed(one), placed(other)]);
                scene.kept |= V::Bits::of(other);
            } else {
                self.exchange(sums, scene, kings, [], [placed(one)]);
            }
            scene.kept |= V::Bits::of(one);
        });
    }

    /// What changes for one side: what a king sees that has moved, the squares around it, and its hand.
    #[inline(always)]
    fn change_side(
        &self,
        color: Color,
        sums: &mut Sums<V::Bits>,
        [before, next]: [&Shogi<V>; 2],
        king_moved: bool,
        changed: V::Bits,
    ) {
        let side = color.index();
        if king_moved {
            sums.kings[side] = self.look_around(next, color);
        }
        let ring = &mut sums.rings[side];
        if king_moved || next.king_zone_may_change(before, changed, color, ring.watch) {
            *ring = self.ring(next, color);
        }
        let (was, is) = (before.in_hand(color), next.in_hand(color));
        let mut differing = u64::from_le_bytes(*was) ^ u64::from_le_bytes(*is);
        // A move changes one number in a hand or none; for none it is that of the eighth kind, which is nothing.
        loop {
            let kind = ((differing.leading_zeros() as usize / 8) ^ 7) & 7;
            let more = self.in_hand(color, kind, is[kind]) - self.in_hand(color, kind, was[kind]);
            sums.pieces += both(more, 0);
            differing &= !(0xff << (8 * kind));
            if differing == 0 {
                break;
            }
        }
    }

    #[inline]
    fn in_hand(&self, color: Color, kind: usize, held: u8) -> i32 {
        self.hand[color.index()].get(kind).map_or(0, |counts| counts[usize::from(held).min(HELD + 1)])
    }

    /// What pieces that leave and pieces that come change on their squares, among themselves, and beside those near that stay.
    #[inline(always)]
    fn beside<const L: usize, const C: usize>(
        &self,
        Scene { kept, cells }: Scene<'_, V::Bits>,
        left: [Placed; L],
        came: [Placed; C],
    ) -> Both {
        let alone = |placed: Placed| self.square[cell(placed.cell)][placed.square.index()];
        let row = |placed: Placed| (&self.place[0][placed.square.index()], &self.pair[cell(placed.cell)]);
        let (taken, entered) = (left.map(row), came.map(row));
        let mut near = V::Bits::EMPTY;
        left.iter().chain(&came).for_each(|placed| near |= self.near[placed.square.index()]);
        let mut sum = both(came.map(alone).iter().sum::<i32>() - left.map(alone).iter().sum::<i32>(), 0);
        let pair = |one: Placed, other: Placed| {
            let place = usize::from(self.place[0][one.square.index()][other.square.index()] & 31);
            self.pair[cell(one.cell)][place * CELLS + cell(other.cell)]
        };
        if let [one, other] = left[..] {
            sum -= pair(one, other);
        }
        if let [one, other] = came[..] {
            sum += pair(one, other);
        }
        sum + (kept & near).total(|beside| {
            let piece = cell(cells[beside.index()]);
            let worth = |(places, pairs): (&[u8; SQUARES], &[Both; CELLS * CELLS])| {
                pairs[usize::from(places[beside.index()] & 31) * CELLS + piece]
            };
            entered.map(worth).iter().sum::<Both>() - taken.map(worth).iter().sum::<Both>()
        })
    }

    /// What pieces that leave and pieces that come change in what a king sees that has not moved itself.
    #[inline(always)]
    fn seen<const L: usize, const C: usize>(
        &self,
        Scene { kept, cells }: Scene<'_, V::Bits>,
        viewer: Color,
        king: Square,
        left: [Placed; L],
        came: [Placed; C],
    ) -> Both {
        let from_king = &self.from_king[viewer.index()];
        let here = self.no_distance - self.grid[king.index()];
        let alone = |placed: Placed| {
            from_king[cell(placed.cell) * self.distances + (self.grid[placed.square.index()] + here) as usize]
        };
        let seen = came.map(alone).iter().sum::<Both>() - left.map(alone).iter().sum::<Both>();
        let near = self.near[king.index()];
        let mut changed = V::Bits::EMPTY;
        left.iter().chain(&came).for_each(|placed| changed |= V::Bits::of(placed.square));
        if (near & changed).is_empty() {
            return seen;
        }
        let row = |placed: Placed| &self.triple[self.atom(viewer, king, placed.square, placed.cell)];
        let (taken, entered) = (left.map(row), came.map(row));
        let [mut owner, mut mover] = [0, 0];
        let pair =
            |one: Placed, other: Placed| row(one)[self.atom(viewer, king, other.square, other.cell)].map(i32::from);
        if let [one, other] = left[..] {
            [owner, mover] = pair(one, other).map(|weight| -weight);
        }
        if let [one, other] = came[..] {
            [owner, mover] = pair(one, other);
        }
        (kept & near).each(|square| {
            let at = self.atom(viewer, king, square, cells[square.index()]);
            for row in entered {
                owner += i32::from(row[at][0]);
                mover += i32::from(row[at][1]);
            }
            for row in taken {
                owner -= i32::from(row[at][0]);
                mover -= i32::from(row[at][1]);
            }
        });
        seen + both(owner, mover)
    }

    /// What stands on a square as a king's side sees it.
    #[inline]
    fn atom(&self, viewer: Color, king: Square, square: Square, contents: u8) -> usize {
        let first = self.atom[viewer.index()][cell(contents)];
        let place = self.place[viewer.index()][king.index()][square.index()];
        usize::from(first + u16::from(place)).min(SEEN - 1)
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
        let (mut view, mut len) = ([0; PLACES], 0);
        (others & self.near[king.index()]).each(|square| {
            let atom = self.atom(viewer, king, square, cells[square.index()]);
            let row = &self.triple[atom];
            let [mut owner, mut mover] = [0, 0];
            for &other in view.iter().take(len) {
                let weights = row[usize::from(other)];
                owner += i32::from(weights[0]);
                mover += i32::from(weights[1]);
            }
            seen += both(owner, mover);
            if let Some(slot) = view.get_mut(len) {
                *slot = atom as u16;
                len += 1;
            }
        });
        seen
    }

    /// What the squares around a king count.
    fn ring(&self, position: &Shogi<V>, owner: Color) -> Ring<V::Bits> {
        let Some(KingZone { around, attacked, watch }) = position.king_zone(owner) else { return Ring::default() };
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

/// Calls `f` for the squares of a set, two at a time; the last may be alone.
#[inline(always)]
fn each_two<B: Bits>(mut set: B, mut f: impl FnMut(Square, Option<Square>)) {
    while let Some(one) = set.first() {
        set = set.rest();
        f(one, set.first());
        set = set.rest();
    }
}

/// The contents of a square, as tables are looked up with.
#[inline]
fn cell(contents: u8) -> usize {
    usize::from(contents) & (CELLS - 1)
}
