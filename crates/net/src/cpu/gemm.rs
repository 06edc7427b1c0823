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
        if self.inputs == 0 { 0 } else { self.data.len() / self.inputs * LANES }
    }

    /// `y = x * weights`: a row of `x` has `inputs` numbers, one of `y` has `outputs`. `R` rows are computed at a time.
    #[inline(always)]
    pub(super) fn multiply<const FMA: bool, const R: usize>(&self, x: &[f32], y: &mut [f32]) {
        let (inputs, outputs) = (self.inputs, self.outputs());
        let rows = x.len() / inputs;
        for (p, panel) in self.data.chunks_exact(inputs).enumerate() {
            let mut row = 0;
            while row < rows {
                let (x, y) = (&x[row * inputs..], &mut y[row * outputs + p * LANES..]);
                row += match rows - row {
                    n if n >= R => block::<FMA, R>(x, panel, y, outputs),
                    n if n >= 6 => block::<FMA, 6>(x, panel, y, outputs),
                    n if n >= 3 => block::<FMA, 3>(x, panel, y, outputs),
                    _ => block::<FMA, 1>(x, panel, y, outputs),
                };
            }
        }
    }
}

/// `R` rows times one panel; gives `R`. The sums stay in registers.
#[inline(always)]
fn block<const FMA: bool, const R: usize>(x: &[f32], panel: &[Lanes], y: &mut [f32], outputs: usize) -> usize {
    let inputs = panel.len();
    let rows: [&[f32]; R] = std::array::from_fn(|r| &x[r * inputs..][..inputs]);
    let mut sums = [Lanes::ZERO; R];
    for k in 0..inputs {
        let weights = &panel[k].0;
        for r in 0..R {
            let x = rows[r][k];
            for lane in 0..LANES {
                sums[r].0[lane] = mul_add::<FMA>(x, weights[lane], sums[r].0[lane]);
            }
        }
    }
    for r in 0..R {
        y[r * outputs..][..LANES].copy_from_slice(&sums[r].0);
    }
    R
}

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
            panels.multiply::<false, 8>(&x, &mut y);
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
