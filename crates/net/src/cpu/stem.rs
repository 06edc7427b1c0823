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
    /// For each plane and tap, the weights of all channels.
    taps: Vec<Lanes>,
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
            for tap in 0..9 {
                taps.extend(in_lanes(&channel_weights(plane, &|weights| weights[tap])));
            }
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

    /// The sums of a position, before the activation.
    #[inline(always)]
    pub(super) fn sums(&self, planes: &Planes, sums: &mut [Lanes]) {
        for square in sums.chunks_exact_mut(self.panels) {
            square.copy_from_slice(&self.bias);
        }
        self.add_constants(&planes.constants, sums);
        for &(plane, square) in &planes.ones {
            self.add::<true>(usize::from(plane), usize::from(square), sums);
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
                let weights = &self.taps[(plane * 9 + tap) * self.panels..][..self.panels];
                for (sum, weight) in sums[target * self.panels..][..self.panels].iter_mut().zip(weights) {
                    for i in 0..LANES {
                        sum.0[i] += if APPEARS { weight.0[i] } else { -weight.0[i] };
                    }
                }
            }
        }
    }

    /// Adds planes that are the same everywhere: what they add to a square depends on which of its neighbours are on the board.
    #[inline(always)]
    fn add_constants(&self, constants: &[(u16, f32)], sums: &mut [Lanes]) {
        if constants.is_empty() {
            return;
        }
        let last = self.board - 1;
        let place = |at: usize| if at == 0 { 0 } else { 1 + usize::from(at == last) };
        // Panel by panel, so that what is added to each class of squares has room on the stack.
        for panel in 0..self.panels {
            let mut added = [Lanes::ZERO; CLASSES];
            for &(plane, value) in constants {
                let weights = self.sums[usize::from(plane) * CLASSES * self.panels..].iter().skip(panel);
                for (sum, weight) in added.iter_mut().zip(weights.step_by(self.panels)) {
                    for i in 0..LANES {
                        sum.0[i] += value * weight.0[i];
                    }
                }
            }
            for (row, squares) in sums.chunks_exact_mut(self.board * self.panels).enumerate() {
                for (column, square) in squares.chunks_exact_mut(self.panels).enumerate() {
                    let more = &added[3 * place(row) + place(column)];
                    for i in 0..LANES {
                        square[panel].0[i] += more.0[i];
                    }
                }
            }
        }
    }
}
