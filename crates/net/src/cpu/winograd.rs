//! Convolutions of 3 by 3 by Winograd's F(3x3, 3x3) (Lavin and Gray 2016).
//!
//! A tile of 3 by 3 outputs is computed from 5 by 5 inputs with 25 multiplications for each pair of channels in place of 81. Boards of 9
//! by 9 are nine tiles without waste; on others the last row and column of tiles overlap the edge. The points are 0, 1, -1, 2 and infinity.

use crate::architecture::Activation;
use crate::fold::Conv;

use super::gemm::{LANES, Lanes, Panels, padded};

/// Inputs of a tile in each direction; there are its square many products.
const N: usize = 5;
/// Outputs of a tile in each direction.
const M: usize = 3;

/// The transformation of weights (G in the literature).
const WEIGHTS: [[f32; 3]; N] = [
    [0.5, 0.0, 0.0],
    [-0.5, -0.5, -0.5],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 6.0, 2.0 / 6.0, 4.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// The transformation of inputs (B transposed): rows (2,-1,-2,1,0), (0,-2,-1,1,0), (0,2,-3,1,0), (0,-1,0,1,0), (0,2,-1,-2,1).
#[inline(always)]
fn inputs<const FMA: bool>([a, b, c, d, e]: [Lanes; N]) -> [Lanes; N] {
    let t = d.minus(b);
    [
        a.minus(c).times_plus::<FMA>(2.0, t),
        d.minus(b.times_plus::<FMA>(2.0, c)),
        b.times_plus::<FMA>(2.0, c.times_plus::<FMA>(-3.0, d)),
        t,
        t.times_plus::<FMA>(-2.0, e.minus(c)),
    ]
}

/// The transformation of outputs (A transposed): rows (1,1,1,1,0), (0,1,-1,2,0), (0,1,1,4,1).
#[inline(always)]
fn outputs<const FMA: bool>([a, b, c, d, e]: [Lanes; N]) -> [Lanes; M] {
    let sum = b.plus(c);
    [a.plus(sum).plus(d), d.times_plus::<FMA>(2.0, b.minus(c)), d.times_plus::<FMA>(4.0, sum.plus(e))]
}

/// Tiles along an edge of the board.
pub(super) const fn tiles_along(board: usize) -> usize {
    board.div_ceil(M)
}

/// Memory for transformed inputs and products.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    inputs: Vec<f32>,
    products: Vec<f32>,
}

/// A convolution with transformed weights. Channels are padded to whole panels with zeros.
#[derive(Clone, Debug)]
pub(super) struct Winograd {
    channels: usize,
    /// The weights of each of the 25 products.
    products: Vec<Panels>,
    bias: Vec<Lanes>,
}

impl Winograd {
    pub(super) fn new(conv: &Conv) -> Winograd {
        let transformed: Vec<[f32; N * N]> = conv.weight.as_chunks::<9>().0.iter().map(transform).collect();
        let channels = padded(conv.inputs);
        let products = (0..N * N)
            .map(|product| {
                let weight = |output: usize, input: usize| transformed[output * conv.inputs + input][product];
                Panels::new(conv.outputs, conv.inputs, weight).with_stride(channels)
            })
            .collect();
        Winograd { channels, products, bias: in_lanes(&conv.bias) }
    }

    /// Convolves boards whose squares hold their channels side by side: `y = activation(conv(x) + skip)`.
    #[inline(always)]
    pub(super) fn convolve<const FMA: bool, const WIDE: bool>(
        &self,
        board: usize,
        x: &[f32],
        skip: Option<&[f32]>,
        activation: Activation,
        y: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let (channels, along) = (self.channels, tiles_along(board));
        let outputs = self.bias.len() * LANES;
        let boards = x.len() / (board * board * channels);
        let tiles = boards * along * along;
        let Scratch { inputs, products } = scratch;
        inputs.resize(N * N * tiles * channels, 0.0);
        products.resize(N * N * tiles * outputs, 0.0);
        for tile in 0..tiles {
            self.transform_tile::<FMA>(board, tile, tiles, x, inputs);
        }
        let parts = inputs.chunks_exact(tiles * channels).zip(products.chunks_exact_mut(tiles * outputs));
        for (panels, (v, m)) in self.products.iter().zip(parts) {
            panels.multiply::<FMA, WIDE>(v, m);
        }
        for tile in 0..tiles {
            self.finish_tile::<FMA>(board, tile, tiles, products, skip, activation, y);
        }
    }

    /// Transforms the inputs of one tile.
    #[inline(always)]
    fn transform_tile<const FMA: bool>(&self, board: usize, tile: usize, tiles: usize, x: &[f32], v: &mut [f32]) {
        let channels = self.channels;
        let (first, top, left) = place(board, tile);
        for chunk in 0..channels / LANES {
            let mut d = [[Lanes::ZERO; N]; N];
            for (a, row) in d.iter_mut().enumerate() {
                for (e, lanes) in row.iter_mut().enumerate() {
                    // One more than the row and the column: 0 lies outside.
                    let (r, c) = (top + a, left + e);
                    if (1..=board).contains(&r) && (1..=board).contains(&c) {
                        let square = first + (r - 1) * board + c - 1;
                        *lanes = Lanes::load(&x[square * channels + chunk * LANES..]);
                    }
                }
            }
            let rows = [
                inputs::<FMA>(d[0]),
                inputs::<FMA>(d[1]),
                inputs::<FMA>(d[2]),
                inputs::<FMA>(d[3]),
                inputs::<FMA>(d[4]),
            ];
            #[allow(clippy::needless_range_loop, reason = "a column of the matrix `rows`")]
            for e in 0..N {
                let column = inputs::<FMA>([rows[0][e], rows[1][e], rows[2][e], rows[3][e], rows[4][e]]);
                for (a, lanes) in column.iter().enumerate() {
                    let at = ((a * N + e) * tiles + tile) * channels + chunk * LANES;
                    lanes.store(&mut v[at..]);
                }
            }
        }
    }

    /// Transforms the products of one tile back and writes its outputs that lie on the board.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "a step of `convolve`, in a function of its own to be read")]
    fn finish_tile<const FMA: bool>(
        &self,
        board: usize,
        tile: usize,
        tiles: usize,
        m: &[f32],
        skip: Option<&[f32]>,
        activation: Activation,
        y: &mut [f32],
    ) {
        let channels = self.bias.len() * LANES;
        let (first, top, left) = place(board, tile);
        let (high, wide) = (M.min(board - top), M.min(board - left));
        for (chunk, bias) in self.bias.iter().enumerate() {
            let mut rows = [[Lanes::ZERO; N]; M];
            for e in 0..N {
                let mut column = [Lanes::ZERO; N];
                for (a, lanes) in column.iter_mut().enumerate() {
                    *lanes = Lanes::load(&m[((a * N + e) * tiles + tile) * channels + chunk * LANES..]);
                }
                let column = outputs::<FMA>(column);
                for (row, lanes) in rows.iter_mut().zip(column) {
                    row[e] = lanes;
                }
            }
            for (a, &row) in rows.iter().enumerate().take(high) {
                for (e, lanes) in outputs::<FMA>(row).iter().enumerate().take(wide) {
                    let square = first + (top + a) * board + left + e;
                    let at = square * channels + chunk * LANES;
                    let mut sum = lanes.plus(*bias);
                    if let Some(skip) = skip {
                        sum = sum.plus(Lanes::load(&skip[at..]));
                    }
                    activated(activation, sum).store(&mut y[at..]);
                }
            }
        }
    }
}

/// The first square of a tile's board, and the row and the column of the tile's first output.
#[inline(always)]
fn place(board: usize, tile: usize) -> (usize, usize, usize) {
    let along = tiles_along(board);
    let within = tile % (along * along);
    (tile / (along * along) * board * board, within / along * M, within % along * M)
}

#[inline(always)]
pub(super) fn activated(activation: Activation, lanes: Lanes) -> Lanes {
    match activation {
        // Not `max`, whose rules for NaN cost instructions.
        Activation::Relu => lanes.each(lanes, |x, _| if x > 0.0 { x } else { 0.0 }),
        Activation::Swish => lanes.swish(),
    }
}

/// Numbers in whole panels, zeros after the last.
pub(super) fn in_lanes(values: &[f32]) -> Vec<Lanes> {
    values.chunks(LANES).map(|part| Lanes(std::array::from_fn(|i| part.get(i).copied().unwrap_or(0.0)))).collect()
}

/// The weights of one pair of channels, transformed in both directions.
fn transform(weight: &[f32; 9]) -> [f32; N * N] {
    std::array::from_fn(|at| {
        let (a, e) = (&WEIGHTS[at / N], &WEIGHTS[at % N]);
        (0..9).map(|tap| a[tap / 3] * weight[tap] * e[tap % 3]).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::reference;
    use yomi_core::Seed;

    /// All boards, channels that fill no panel, several boards at once, against the definition.
    #[test]
    fn convolutions_are_convolutions() {
        let mut rng = Seed::new(4).rng();
        let mut random = |count: usize| -> Vec<f32> { (0..count).map(|_| rng.unit() - 0.5).collect() };
        for (board, channels, boards) in [(9, 20, 2), (5, 16, 3), (14, 3, 1), (13, 8, 1), (19, 5, 1), (2, 4, 2)] {
            let squares = board * board;
            let conv = Conv {
                inputs: channels,
                outputs: channels,
                weight: random(channels * channels * 9),
                bias: random(channels),
            };
            let wide = padded(channels);
            let planes = random(boards * channels * squares);
            let mut x = vec![0.0; boards * squares * wide];
            for (i, value) in planes.iter().enumerate() {
                let (b, c, s) = (i / (channels * squares), i / squares % channels, i % squares);
                x[(b * squares + s) * wide + c] = *value;
            }
            let mut y = vec![f32::NAN; x.len()];
            let mut scratch = Scratch::default();
            Winograd::new(&conv).convolve::<false, false>(board, &x, Some(&x), Activation::Relu, &mut y, &mut scratch);
            for b in 0..boards {
                let own = &planes[b * channels * squares..][..channels * squares];
                let expected = reference::conv(&conv, own, board);
                for (i, value) in expected.iter().enumerate() {
                    let (c, s) = (i / squares, i % squares);
                    let found = y[(b * squares + s) * wide + c];
                    let value = (value + own[i]).max(0.0);
                    assert!((found - value).abs() < 1e-4, "{board}: {found} {value}");
                }
            }
        }
    }
}
