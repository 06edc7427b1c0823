//! The network at work, in whole numbers: sums of sixteen bits by difference, and two small layers behind them.

use yomi_core::{Color, Position};
use yomi_games::shogi::{Bits, Shogi, Square, Variant};

use super::parameters::{Groups, HIDDEN, UNIT, WIDTH};
use super::view::{Shape, View, Views};
use crate::difference::Summation;

/// One, as a sum has it.
pub(super) const ONE: i32 = 255;
/// One, as a weight of the hidden layer has it: eight bits reach up to two.
pub(super) const WEIGHT: i32 = 64;
/// One, as a weight of the last layer has it.
pub(super) const LAST: i32 = 512;
/// A logit, as the worth of a row has it.
pub(super) const WORTH: i32 = 4096;

/// The weights of one row.
type Row = [i16; WIDTH];

/// The sums of a position as each side sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accumulator {
    sums: [Row; 2],
    worth: [i32; 2],
    views: [View; 2],
}

/// The weights of a game, in whole numbers.
pub struct Network {
    pub(super) rows: Vec<Row>,
    pub(super) bias: Row,
    pub(super) worth: Vec<i32>,
    pub(super) hidden: Box<[[i16; 2 * WIDTH]; HIDDEN]>,
    pub(super) hidden_bias: [i32; HIDDEN],
    pub(super) last: [i32; HIDDEN],
    pub(super) last_bias: i32,
    views: Views,
}

/// Rows that come to a sum or leave it: few.
struct Few {
    rows: [u16; 8],
    len: usize,
}

impl Few {
    const NONE: Few = Few { rows: [0; 8], len: 0 };

    /// False if there is no room.
    #[inline]
    fn push(&mut self, row: usize) -> bool {
        let slot = self.rows.get_mut(self.len);
        self.len += usize::from(slot.is_some());
        slot.map(|slot| *slot = row as u16).is_some()
    }

    #[inline]
    fn as_slice(&self) -> &[u16] {
        &self.rows[..self.len]
    }
}

impl Network {
    /// Rounds parameters to whole numbers. What is too large becomes the nearest that fits, what is no number 0.
    pub fn round<V: Variant>(parameters: &[f32]) -> Network {
        let at = Groups::of::<V>();
        assert_eq!(parameters.len(), at.len(), "parameters of another game");
        let scaled = |i: usize, one: i32| (parameters[i] * one as f32).round();
        let small = |i: usize, one: i32| scaled(i, one) as i16;
        let row = |start: usize| -> Row { std::array::from_fn(|i| small(start + i, ONE)) };
        let mut hidden = Box::new([[0; 2 * WIDTH]; HIDDEN]);
        for (j, weights) in hidden.iter_mut().enumerate() {
            let start = at.hidden() + j * 2 * WIDTH;
            *weights = std::array::from_fn(|i| i16::from(scaled(start + i, WEIGHT) as i8));
        }
        Network {
            rows: (0..at.rows).map(|i| row(i * WIDTH)).collect(),
            bias: row(at.bias()),
            worth: (0..at.rows).map(|i| scaled(at.worth() + i, WORTH) as i32).collect(),
            hidden,
            hidden_bias: std::array::from_fn(|j| scaled(at.hidden_bias() + j, ONE * WEIGHT) as i32),
            last: std::array::from_fn(|j| i32::from(small(at.last() + j, LAST))),
            last_bias: scaled(at.last_bias(), ONE * LAST) as i32,
            views: Views::new::<V>(),
        }
    }

    /// A network without weights, to be filled in.
    pub(super) fn empty<V: Variant>() -> Network {
        let rows = Shape::of::<V>().rows();
        Network {
            rows: vec![[0; WIDTH]; rows],
            bias: [0; WIDTH],
            worth: vec![0; rows],
            hidden: Box::new([[0; 2 * WIDTH]; HIDDEN]),
            hidden_bias: [0; HIDDEN],
            last: [0; HIDDEN],
            last_bias: 0,
            views: Views::new::<V>(),
        }
    }

    /// The real numbers that these whole ones stand for.
    pub fn parameters(&self) -> Vec<f32> {
        let of = |number: i32, one: i32| number as f32 / one as f32;
        let wide = |numbers: &[i16], one: i32| numbers.iter().map(|&n| of(i32::from(n), one)).collect::<Vec<f32>>();
        let mut all = wide(self.rows.as_flattened(), ONE);
        all.extend(wide(&self.bias, ONE));
        all.extend(self.worth.iter().map(|&n| of(n, WORTH)));
        all.extend(wide(self.hidden.as_flattened(), WEIGHT));
        all.extend(self.hidden_bias.map(|n| of(n, ONE * WEIGHT)));
        all.extend(self.last.map(|n| of(n, LAST)));
        all.push(of(self.last_bias, ONE * LAST));
        all
    }

    /// The sums of one side, from nothing.
    fn sum_side<V: Variant>(&self, position: &Shogi<V>, side: Color, to: &mut Accumulator) {
        let (mut sums, mut worth) = (self.bias, 0);
        self.views.rows(position, side, |row| {
            worth += self.worth[row];
            for (sum, weight) in sums.iter_mut().zip(&self.rows[row]) {
                *sum = sum.wrapping_add(*weight);
            }
        });
        to.sums[side.index()] = sums;
        to.worth[side.index()] = worth;
        to.views[side.index()] = self.views.view(position, side);
    }

    /// The rows that leave and those that come for a side whose view stays; none if they are many.
    #[inline]
    fn differences<V: Variant>(
        &self,
        [before, next]: [&Shogi<V>; 2],
        changed: V::Bits,
        side: Color,
        view: View,
    ) -> Option<[Few; 2]> {
        let (mut left, mut came) = (Few::NONE, Few::NONE);
        let mut fits = true;
        changed.each(|square: Square| {
            let (was, is) = (before.cells()[square.index()], next.cells()[square.index()]);
            if was != 0 {
                fits &= left.push(self.views.piece(view, side, was, square));
            }
            if is != 0 {
                fits &= came.push(self.views.piece(view, side, is, square));
            }
        });
        for owner in Color::BOTH {
            let (was, is) = (before.in_hand(owner), next.in_hand(owner));
            if was == is {
                continue;
            }
            for (kind, (&was, &is)) in was[..7].iter().zip(&is[..7]).enumerate() {
                for n in is + 1..=was {
                    fits &= self.views.held(view, side, owner, kind, n).is_none_or(|row| left.push(row));
                }
                for n in was + 1..=is {
                    fits &= self.views.held(view, side, owner, kind, n).is_none_or(|row| came.push(row));
                }
            }
        }
        fits.then_some([left, came])
    }

    /// The sums with some rows less and some more. Kept out of line for the same reason as the layers.
    #[inline(never)]
    fn exchange(&self, from: &Row, to: &mut Row, left: &[u16], came: &[u16]) {
        let row = |&index: &u16| &self.rows[usize::from(index)];
        match (left, came) {
            ([a], [b]) => {
                let (a, b) = (row(a), row(b));
                for i in 0..WIDTH {
                    to[i] = from[i].wrapping_add(b[i]).wrapping_sub(a[i]);
                }
            }
            ([a, b], [c, d]) => {
                let (a, b, c, d) = (row(a), row(b), row(c), row(d));
                for i in 0..WIDTH {
                    let more = c[i].wrapping_add(d[i]);
                    to[i] = from[i].wrapping_add(more).wrapping_sub(a[i].wrapping_add(b[i]));
                }
            }
            _ => {
                *to = *from;
                for weights in left.iter().map(row) {
                    to.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = sum.wrapping_sub(*weight));
                }
                for weights in came.iter().map(row) {
                    to.iter_mut().zip(weights).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
                }
            }
        }
    }

    /// What the layers make of the sums, in the unit of values. Kept out of line so that it is compiled in this crate, at this crate's
    /// optimisation level.
    #[inline(never)]
    fn conclude(&self, own: &Row, others: &Row, worth: i32) -> f32 {
        let mut inputs = [0i16; 2 * WIDTH];
        for i in 0..WIDTH {
            inputs[i] = own[i].clamp(0, ONE as i16);
            inputs[WIDTH + i] = others[i].clamp(0, ONE as i16);
        }
        let mut total = self.last_bias;
        for j in 0..HIDDEN {
            let sum = self.hidden_bias[j] + dot(&inputs, &self.hidden[j]);
            total += sum.clamp(0, ONE * WEIGHT) / WEIGHT * self.last[j];
        }
        let logits = worth as f32 * (0.5 / WORTH as f32) + total as f32 * (1.0 / (ONE * LAST) as f32);
        logits * UNIT
    }
}

/// The product of two vectors. Sums side by side, as many as inputs are read at a time, are what compilers turn into products of pairs in
/// the widest registers; one sum alone fills half of them.
#[inline]
fn dot(inputs: &[i16; 2 * WIDTH], weights: &[i16; 2 * WIDTH]) -> i32 {
    const LANES: usize = 32;
    let mut sums = [0i32; LANES];
    for (inputs, weights) in inputs.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0) {
        for i in 0..LANES {
            sums[i] += i32::from(inputs[i]) * i32::from(weights[i]);
        }
    }
    sums.iter().sum()
}

impl<V: Variant> Summation<V> for Network {
    type Sums = Accumulator;

    fn sum(&self, position: &Shogi<V>) -> Accumulator {
        let mut sums = Accumulator { sums: [[0; WIDTH]; 2], worth: [0; 2], views: [View::default(); 2] };
        Color::BOTH.into_iter().for_each(|side| self.sum_side(position, side, &mut sums));
        sums
    }

    /// A king that leaves its bucket or its half of the board sees everything anew; else few rows leave and few come.
    #[inline]
    fn follow(&self, sums: &Accumulator, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits, to: &mut Accumulator) {
        for side in Color::BOTH {
            let i = side.index();
            let view = self.views.view(next, side);
            let exchanged = (view == sums.views[i]).then(|| self.differences([before, next], changed, side, view));
            let Some([left, came]) = exchanged.flatten() else {
                self.sum_side(next, side, to);
                continue;
            };
            let worth = |few: &Few| few.as_slice().iter().map(|&row| self.worth[usize::from(row)]).sum::<i32>();
            to.views[i] = view;
            to.worth[i] = sums.worth[i] + worth(&came) - worth(&left);
            self.exchange(&sums.sums[i], &mut to.sums[i], left.as_slice(), came.as_slice());
        }
    }

    #[inline]
    fn worth(&self, position: &Shogi<V>, Accumulator { sums, worth, .. }: &Accumulator) -> f32 {
        let (own, other) = (position.turn().index(), (!position.turn()).index());
        self.conclude(&sums[own], &sums[other], worth[own] - worth[other])
    }
}
