//! The first convolution, over the ones of sparse planes: additions only (S4.4 taken to its end).
//!
//! The sums of a position can be changed into those of another by adding and subtracting what differs: the children of a position are
//! computed from their parent's.

use crate::fold::Conv;
use crate::input::{Changes, Planes};

use super::gemm::{LANES, Lanes};
use super::winograd::in_lanes;

/// Where a square lies as its neighbours go: at the near edge, inside, or at the far edge, in each direction.
const CLASSES: usize = 9;

/// The weights of the first convolution, by plane.
#[derive(Clone, Debug)]
pub(super) struct Stem {
    board: usize,
    /// Panels of channels.
    panels: usize,
    bias: Vec<Lanes>,
    /// For each plane and panel, the weights of the nine taps.
    taps: Vec<[Lanes; 9]>,
    /// For each plane and class of square, the sum over the taps that lie on the board.
    sums: Vec<Lanes>,
}

impl Stem {
    pub(super) fn new(conv: &Conv, board: usize) -> Stem {
        let (mut taps, mut sums) = (Vec::new(), Vec::new());
        let channel_weights = |plane: usize, weight: &dyn Fn(&[f32]) -> f32| -> Vec<f32> {
            (0..conv.outputs).map(|output| weight(&conv.weight[(output * conv.inputs + plane) * 9..][..9])).collect()
        };
        for plane in 0..conv.inputs {
            let of_taps: [Vec<Lanes>; 9] =
                std::array::from_fn(|tap| in_lanes(&channel_weights(plane, &|weights| weights[tap])));
            taps.extend((0..of_taps[0].len()).map(|panel| std::array::from_fn(|tap| of_taps[tap][panel])));
            for class in 0..CLASSES {
                let inside = |place: usize, tap: usize| place != tap || place == 1;
                // At the near edge (0) tap 0 lies outside, at the far edge (2) tap 2 does.
                let on_board = |tap: usize| inside(class / 3, tap / 3) && inside(class % 3, tap % 3);
                let sum = |weights: &[f32]| (0..9).filter(|&tap| on_board(tap)).map(|tap| weights[tap]).sum();
                sums.extend(in_lanes(&channel_weights(plane, &sum)));
            }
        }
        Stem { board, panels: conv.outputs.div_ceil(LANES), bias: in_lanes(&conv.bias), taps, sums }
    }

    /// How many panels of sums a position has.
    pub(super) fn len(&self) -> usize {
        self.board * self.board * self.panels
    }

    /// The sums of a position, before the activation: `sums` has all panels of a square side by side. Panel by panel, with a border around the board,
    /// so that what is added to stays in the first-level cache and no neighbour has to be asked whether it is there.
    #[inline(always)]
    pub(super) fn sums(&self, planes: &Planes, bordered: &mut Vec<Lanes>, sums: &mut [Lanes]) {
        let (board, width) = (self.board, self.board + 2);
        bordered.resize(width * width, Lanes::ZERO);
        for panel in 0..self.panels {
            let added = self.constants(&planes.constants, panel);
            for row in 0..board {
                let squares = &mut bordered[(row + 1) * width + 1..][..board];
                for (column, square) in squares.iter_mut().enumerate() {
                    *square = self.bias[panel].plus(added[self.class(row, column)]);
                }
            }
            for &(plane, square) in &planes.ones {
                let (row, column) = (usize::from(square) / board, usize::from(square) % board);
                let taps = &self.taps[usize::from(plane) * self.panels + panel];
                let around = &mut bordered[row * width + column..][..2 * width + 3];
                // A square sees this one through tap 8 if it lies before it in both directions.
                for tap in 0..9 {
                    let sum = &mut around[(2 - tap / 3) * width + 2 - tap % 3];
                    *sum = sum.plus(taps[tap]);
                }
            }
            for (row, squares) in sums.chunks_exact_mut(board * self.panels).enumerate() {
                let from = &bordered[(row + 1) * width + 1..][..board];
                for (square, sum) in squares.chunks_exact_mut(self.panels).zip(from) {
                    square[panel] = *sum;
                }
            }
        }
    }

    /// Changes the sums of a position into those of another.
    #[inline(always)]
    pub(super) fn change(&self, changes: &Changes, sums: &mut [Lanes]) {
        self.add_constants(&changes.constants, sums);
        for change in &changes.squares {
            let (plane, square) = (usize::from(change.plane), usize::from(change.square));
            if change.appears {
                self.add::<true>(plane, square, sums);
            } else {
                self.add::<false>(plane, square, sums);
            }
        }
    }

    /// Adds a one on a square of a plane to all the sums that see it, or takes it away.
    #[inline(always)]
    fn add<const APPEARS: bool>(&self, plane: usize, square: usize, sums: &mut [Lanes]) {
        let (row, column) = (square / self.board, square % self.board);
        for tap in 0..9 {
            // The square that sees this one through the tap, one more than its row and column.
            let (r, c) = (row + 2 - tap / 3, column + 2 - tap % 3);
            if (1..=self.board).contains(&r) && (1..=self.board).contains(&c) {
                let target = (r - 1) * self.board + c - 1;
                let weights = &self.taps[plane * self.panels..][..self.panels];
                for (sum, weights) in sums[target * self.panels..][..self.panels].iter_mut().zip(weights) {
                    for i in 0..LANES {
                        sum.0[i] += if APPEARS { weights[tap].0[i] } else { -weights[tap].0[i] };
                    }
                }
            }
        }
    }

    /// Adds planes that are the same everywhere.
    #[inline(always)]
    fn add_constants(&self, constants: &[(u16, f32)], sums: &mut [Lanes]) {
        if constants.is_empty() {
            return;
        }
        for panel in 0..self.panels {
            let added = self.constants(constants, panel);
            for (row, squares) in sums.chunks_exact_mut(self.board * self.panels).enumerate() {
                for (column, square) in squares.chunks_exact_mut(self.panels).enumerate() {
                    square[panel] = square[panel].plus(added[self.class(row, column)]);
                }
            }
        }
    }

    /// What planes that are the same everywhere add to the squares of each class, in one panel.
    #[inline(always)]
    fn constants(&self, constants: &[(u16, f32)], panel: usize) -> [Lanes; CLASSES] {
        let mut added = [Lanes::ZERO; CLASSES];
        for &(plane, value) in constants {
            let weights = &self.sums[usize::from(plane) * CLASSES * self.panels..][..CLASSES * self.panels];
            for (class, sum) in added.iter_mut().enumerate() {
                *sum = sum.each(weights[class * self.panels + panel], |sum, weight| sum + value * weight);
            }
        }
        added
    }

    /// The class of a square: which of its neighbours are on the board.
    #[inline(always)]
    fn class(&self, row: usize, column: usize) -> usize {
        let place = |at: usize| if at == 0 { 0 } else { 1 + usize::from(at == self.board - 1) };
        3 * place(row) + place(column)
    }
}

#[cfg(test)]
mod tests {
    use yomi_core::Seed;

    use super::*;

    /// Channel by channel and square by square, in the order in which the sums are made: bias, constants, ones as they come.
    fn slowly(conv: &Conv, board: usize, planes: &Planes, channel: usize, square: usize) -> f32 {
        let weights = |plane: u16| &conv.weight[(channel * conv.inputs + usize::from(plane)) * 9..][..9];
        let (row, column) = (square / board, square % board);
        // The tap through which the square sees another, if it does.
        let sees = |row: usize, column: usize, other: usize| {
            let (r, c) = (other / board + 1, other % board + 1);
            let (r, c) = (r.checked_sub(row)?, c.checked_sub(column)?);
            (r < 3 && c < 3).then_some(3 * r + c)
        };
        let mut constant = 0.0;
        for &(plane, value) in &planes.constants {
            let taps = (0..9).filter(|&tap| {
                let on = |at: usize, tap: usize| (1..=board).contains(&(at + tap));
                on(row, tap / 3) && on(column, tap % 3)
            });
            constant += value * taps.map(|tap| weights(plane)[tap]).sum::<f32>();
        }
        let mut sum = conv.bias[channel] + constant;
        for &(plane, other) in &planes.ones {
            if let Some(tap) = sees(row, column, usize::from(other)) {
                sum += weights(plane)[tap];
            }
        }
        sum
    }

    #[test]
    fn sums_are_what_they_are_defined_to_be_to_the_bit() {
        let mut rng = Seed::new(3).rng();
        for board in [2, 5, 9, 14] {
            let (inputs, outputs) = (7, 20);
            let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| rng.unit() - 0.5).collect() };
            let conv = Conv { inputs, outputs, weight: numbers(inputs * outputs * 9), bias: numbers(outputs) };
            let stem = Stem::new(&conv, board);
            let mut planes = Planes::default();
            for _ in 0..3 * board {
                planes.ones.push((rng.below(inputs) as u16, rng.below(board * board) as u16));
            }
            planes.constants.extend([(2, 1.0), (5, -0.7)]);
            // Memory of another position before it.
            let mut bordered = vec![Lanes([9.0; LANES]); 400];
            let mut sums = vec![Lanes::ZERO; stem.len()];
            stem.sums(&planes, &mut bordered, &mut sums);
            for square in 0..board * board {
                for channel in 0..outputs {
                    let found = sums[square * stem.panels + channel / LANES].0[channel % LANES];
                    let expected = slowly(&conv, board, &planes, channel, square);
                    assert_eq!(
                        found.to_bits(),
                        expected.to_bits(),
                        "board {board}, square {square}, channel {channel}"
                    );
                }
            }
        }
    }
}
