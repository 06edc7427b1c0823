//! Matrix products in panels of sixteen outputs.
//!
//! Kernels are plain loops over fixed-size arrays, which the compiler turns into vector instructions of whatever unit the surrounding
//! function was compiled for (`dispatch.rs`). Everything here is inlined into such a function.

/// Outputs that are computed together: a cache line, one vector of AVX-512, two of AVX2, four of NEON.
pub(super) const LANES: usize = 16;

/// Sixteen numbers on a cache line of their own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

impl Lanes {
    pub(super) const ZERO: Lanes = Lanes([0.0; LANES]);

    /// The first sixteen numbers of `from`.
    #[inline(always)]
    pub(super) fn load(from: &[f32]) -> Lanes {
        Lanes(*from.first_chunk().expect("callers cut slices long enough"))
    }

    /// Writes the numbers to the front of `to`. An assignment: a copy by address would keep the lanes in memory where checks are on.
    #[inline(always)]
    pub(super) fn store(self, to: &mut [f32]) {
        *to.first_chunk_mut().expect("callers cut slices long enough") = self.0;
    }

    /// Lane by lane. Arithmetic on whole lanes, one operation after the other, is what the compiler turns into vector instructions; a loop
    /// over lanes around a longer formula it may turn into gathers.
    #[inline(always)]
    pub(super) fn each(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        let mut out = Lanes::ZERO;
        for i in 0..LANES {
            out.0[i] = f(self.0[i], other.0[i]);
        }
        out
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Lanes) -> Lanes {
        self.each(other, |a, b| a + b)
    }

    #[inline(always)]
    pub(super) fn minus(self, other: Lanes) -> Lanes {
        self.each(other, |a, b| a - b)
    }

    /// `self * factor + other`.
    #[inline(always)]
    pub(super) fn times_plus<const FMA: bool>(self, factor: f32, other: Lanes) -> Lanes {
        self.each(other, |a, b| mul_add::<FMA>(factor, a, b))
    }
}

/// `n` rounded up to whole panels.
pub(super) const fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// `a * b + c`; in one rounding where the unit can, for a library call in its place would be slow.
#[inline(always)]
pub(super) fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Weights in the order in which products use them: panel by panel, input by input.
#[derive(Clone, Debug)]
pub(super) struct Panels {
    pub(super) inputs: usize,
    data: Vec<Lanes>,
}

impl Panels {
    /// The panels of `outputs` times `inputs` weights, which `weight` gives for an output and an input.
    pub(super) fn new(outputs: usize, inputs: usize, weight: impl Fn(usize, usize) -> f32) -> Panels {
        let mut data = Vec::with_capacity(outputs.div_ceil(LANES) * inputs);
        for panel in 0..outputs.div_ceil(LANES) {
            for input in 0..inputs {
                data.push(Lanes(std::array::from_fn(|lane| {
                    let output = panel * LANES + lane;
                    if output < outputs { weight(output, input) } else { 0.0 }
                })));
            }
        }
        Panels { inputs, data }
    }

    /// How many outputs there are, those of the last panel's padding included.
    pub(super) fn outputs(&self) -> usize {
        self.data.len().checked_div(self.inputs).unwrap_or(0) * LANES
    }

    /// `y = x * weights`: a row of `x` has `inputs` numbers, one of `y` has `outputs`. `WIDE` is for units with
    /// thirty-two registers of sixteen numbers.
    #[inline(always)]
    pub(super) fn multiply<const FMA: bool, const WIDE: bool>(&self, x: &[f32], y: &mut [f32]) {
        let (inputs, outputs) = (self.inputs, self.outputs());
        let rows = x.len() / inputs;
        for (p, panel) in self.data.chunks_exact(inputs).enumerate() {
            let mut row = 0;
            while row < rows {
                let (x, y) = (&x[row * inputs..], &mut y[row * outputs + p * LANES..]);
                row += match rows - row {
                    12.. if WIDE => block12::<FMA>(x, panel, y, outputs),
                    6.. => block6::<FMA>(x, panel, y, outputs),
                    3.. => block3::<FMA>(x, panel, y, outputs),
                    _ => block1::<FMA>(x, panel, y, outputs),
                };
            }
        }
    }
}

/// Some rows times one panel; gives how many. The sums stay in registers: each has a name of its own, for an array of them is a loop that
/// the compiler does not always unroll.
macro_rules! block {
    ($name:ident, $rows:literal: $($row:literal $x:ident $sum:ident),*) => {
        #[inline(always)]
        fn $name<const FMA: bool>(x: &[f32], panel: &[Lanes], y: &mut [f32], outputs: usize) -> usize {
            let inputs = panel.len();
            $(
                let $x = &x[$row * inputs..][..inputs];
                let mut $sum = Lanes::ZERO;
            )*
            for (k, weights) in panel.iter().enumerate() {
                $($sum = weights.times_plus::<FMA>($x[k], $sum);)*
            }
            $($sum.store(&mut y[$row * outputs..]);)*
            $rows
        }
    };
}

block!(block1, 1: 0 a sa);
block!(block3, 3: 0 a sa, 1 b sb, 2 c sc);
block!(block6, 6: 0 a sa, 1 b sb, 2 c sc, 3 d sd, 4 e se, 5 f sf);
block!(
    block12, 12:
    0 a sa, 1 b sb, 2 c sc, 3 d sd, 4 e se, 5 f sf, 6 g sg, 7 h sh, 8 i si, 9 j sj, 10 k2 sk, 11 l sl
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Any number of rows, outputs that fill no panel.
    #[test]
    fn products_are_products() {
        for (rows, outputs, inputs) in [(1, 1, 1), (2, 16, 7), (13, 35, 20), (29, 5, 3)] {
            let weight = |o: usize, i: usize| ((o * 31 + i * 17) % 13) as f32 - 6.0;
            let panels = Panels::new(outputs, inputs, weight);
            let x: Vec<f32> = (0..rows * inputs).map(|i| (i % 11) as f32 - 5.0).collect();
            let mut y = vec![f32::NAN; rows * panels.outputs()];
            panels.multiply::<false, true>(&x, &mut y);
            for row in 0..rows {
                for output in 0..panels.outputs() {
                    let sum = (0..inputs)
                        .map(|i| if output < outputs { x[row * inputs + i] * weight(output, i) } else { 0.0 });
                    assert_eq!(y[row * panels.outputs() + output], sum.sum::<f32>());
                }
            }
        }
    }
}
