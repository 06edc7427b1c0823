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

impl Lanes {
    /// `x / (1 + exp(-x))` lane by lane, within a few units of the last place; the library's exponential has no vector form.
    #[inline(always)]
    pub(super) fn swish(self) -> Lanes {
        // exp(t) is 2^n exp(r) with |r| at most half the logarithm of 2. Adding 1.5 * 2^23 leaves n in the low bits of the sum.
        const SHIFT: f32 = 12_582_912.0;
        const HALF_EXPONENTS: f32 = 87.0;
        let t = self.each(self, |x, _| {
            let t = if -x > HALF_EXPONENTS { HALF_EXPONENTS } else { -x };
            if t < -HALF_EXPONENTS { -HALF_EXPONENTS } else { t }
        });
        let shifted = t.each(t, |t, _| t * std::f32::consts::LOG2_E + SHIFT);
        let n = shifted.each(shifted, |s, _| s - SHIFT);
        let r = t.each(n, |t, n| t - n * 0.693_359_4).each(n, |r, n| r + n * 2.121_944_4e-4);
        let power = shifted.each(shifted, |s, _| f32::from_bits(s.to_bits().wrapping_add(127) << 23));
        let mut series = r.each(r, |r, _| r * (1.0 / 720.0) + 1.0 / 120.0);
        for coefficient in [1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            series = series.each(r, |sum, r| sum * r + coefficient);
        }
        let exponential = series.each(power, |e, power| e * power);
        self.each(exponential, |x, e| x / (1.0 + e))
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
    /// Numbers from one row of inputs to the next.
    stride: usize,
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
        Panels { inputs, stride: inputs, data }
    }

    /// For inputs whose rows have more numbers than are used.
    #[must_use]
    pub(super) fn with_stride(self, stride: usize) -> Panels {
        Panels { stride, ..self }
    }

    /// How many outputs there are, those of the last panel's padding included.
    pub(super) fn outputs(&self) -> usize {
        self.data.len().checked_div(self.inputs).unwrap_or(0) * LANES
    }

    /// `y = x * weights`: a row of `x` has `inputs` numbers that count, one of `y` has `outputs`. `WIDE` is for units with
    /// thirty-two registers of sixteen numbers. Every sum goes over the inputs in their order, whatever else is computed beside it.
    #[inline(always)]
    pub(super) fn multiply<const FMA: bool, const WIDE: bool>(&self, x: &[f32], y: &mut [f32]) {
        let (inputs, stride, outputs) = (self.inputs, self.stride, self.outputs());
        let rows = x.len() / stride;
        let mut blocked = 0;
        for (p, panel) in self.data.chunks_exact(inputs).enumerate() {
            let mut row = 0;
            while rows - row >= 3 {
                let (x, y) = (&x[row * stride..], &mut y[row * outputs + p * LANES..]);
                row += match rows - row {
                    12.. if WIDE => block12::<FMA>(x, stride, panel, y, outputs),
                    8 | 11 if WIDE => block8::<FMA>(x, stride, panel, y, outputs),
                    6.. => block6::<FMA>(x, stride, panel, y, outputs),
                    4.. => block4::<FMA>(x, stride, panel, y, outputs),
                    _ => block3::<FMA>(x, stride, panel, y, outputs),
                };
            }
            blocked = row;
        }
        // Sums of one or two rows would wait for themselves: four panels at a time.
        for row in blocked..rows {
            let x = &x[row * stride..][..inputs];
            let y = &mut y[row * outputs..][..outputs];
            let mut fours = self.data.chunks_exact(4 * inputs);
            let mut places = y.chunks_exact_mut(4 * LANES);
            for (panels, y) in (&mut fours).zip(&mut places) {
                four_panels::<FMA>(x, panels, y);
            }
            let rest = fours.remainder().chunks_exact(inputs).zip(places.into_remainder().chunks_exact_mut(LANES));
            for (panel, y) in rest {
                block1::<FMA>(x, stride, panel, y, outputs);
            }
        }
    }
}

/// Some rows times one panel; gives how many. The sums stay in registers: each has a name of its own, for an array of them is a loop that
/// the compiler does not always unroll.
macro_rules! block {
    ($name:ident, $rows:literal: $($row:literal $x:ident $sum:ident),*) => {
        #[inline(always)]
        fn $name<const FMA: bool>(x: &[f32], stride: usize, panel: &[Lanes], y: &mut [f32], outputs: usize) -> usize {
            let inputs = panel.len();
            $(
                let $x = &x[$row * stride..][..inputs];
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
block!(block4, 4: 0 a sa, 1 b sb, 2 c sc, 3 d sd);
block!(block6, 6: 0 a sa, 1 b sb, 2 c sc, 3 d sd, 4 e se, 5 f sf);
block!(block8, 8: 0 a sa, 1 b sb, 2 c sc, 3 d sd, 4 e se, 5 f sf, 6 g sg, 7 h sh);
block!(
    block12, 12:
    0 a sa, 1 b sb, 2 c sc, 3 d sd, 4 e se, 5 f sf, 6 g sg, 7 h sh, 8 i si, 9 j sj, 10 k2 sk, 11 l sl
);

/// One row times four panels.
#[inline(always)]
fn four_panels<const FMA: bool>(x: &[f32], panels: &[Lanes], y: &mut [f32]) {
    let inputs = x.len();
    let (a, rest) = panels.split_at(inputs);
    let (b, rest) = rest.split_at(inputs);
    let (c, d) = rest.split_at(inputs);
    let d = &d[..inputs];
    let (mut sa, mut sb, mut sc, mut sd) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
    for k in 0..inputs {
        sa = a[k].times_plus::<FMA>(x[k], sa);
        sb = b[k].times_plus::<FMA>(x[k], sb);
        sc = c[k].times_plus::<FMA>(x[k], sc);
        sd = d[k].times_plus::<FMA>(x[k], sd);
    }
    for (i, sum) in [sa, sb, sc, sd].into_iter().enumerate() {
        sum.store(&mut y[i * LANES..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library's exponential is the definition.
    #[test]
    fn swish_is_swish() {
        use crate::architecture::Activation;
        let numbers = (-4000..4000).map(|i| i as f32 * 0.025).chain([0.0, -0.0, 1e-30, -1e4, 1e30]);
        for x in numbers {
            let (found, expected) = (Lanes([x; LANES]).swish().0, Activation::Swish.apply(x));
            for y in found {
                assert!((y - expected).abs() <= 4e-7 * expected.abs().max(1e-20), "{x}: {y}, {expected}");
            }
        }
    }

    /// Any number of rows, outputs that fill no panel.
    #[test]
    fn products_are_products() {
        let strides = [0, 3];
        let shapes = (1..=30).map(|rows| (rows, [1, 16, 35, 64, 100][rows % 5], [1, 7, 20][rows % 3]));
        for ((rows, outputs, inputs), more) in shapes.flat_map(|shape| strides.map(|more| (shape, more))) {
            let stride = inputs + more;
            let weight = |o: usize, i: usize| ((o * 31 + i * 17) % 13) as f32 - 6.0;
            let panels = Panels::new(outputs, inputs, weight).with_stride(stride);
            let x: Vec<f32> = (0..rows * stride).map(|i| (i % 11) as f32 - 5.0).collect();
            let mut y = vec![f32::NAN; rows * panels.outputs()];
            panels.multiply::<false, true>(&x, &mut y);
            let mut narrow = y.clone();
            panels.multiply::<false, false>(&x, &mut narrow);
            assert_eq!(y, narrow);
            for row in 0..rows {
                for output in 0..panels.outputs() {
                    let sum = (0..inputs)
                        .map(|i| if output < outputs { x[row * stride + i] * weight(output, i) } else { 0.0 });
                    assert_eq!(y[row * panels.outputs() + output], sum.sum::<f32>());
                }
            }
        }
    }
}
