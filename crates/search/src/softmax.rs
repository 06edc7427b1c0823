//! Exponentials of a whole column, and a logarithm: the arithmetic where searches spend their time.
//!
//! Everything is plain loops over `LANES` numbers at a time that the compiler turns into vector instructions, in a fixed order of
//! additions: the same bits on every machine, which `f32::exp` of the system's library would not promise.

use yomi_core::Rng;

use crate::score::WEIGHTLESS;

/// How many numbers a step takes. Sums are kept one per lane and added at the end, whatever the machine's vectors are.
const LANES: usize = 16;
/// Width of the step for the rest of a column: most columns are short, and one by one takes as long as ten steps.
const FEW: usize = 4;

/// The smallest temperature that differs from zero: below it only the best child has weight.
pub const COLDEST: f32 = 1e-30;

/// `exp(x)` for `x <= 0`, with a relative error below 1.2e-7 (measured by the test); 0 below -87.
///
/// `x = n·ln 2 + r` with |r| <= ln 2 / 2, and a polynomial for `exp(r)` (the Taylor series, economised).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Adding 1.5·2^23 rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let bounded = if x > -87.0 { x } else { -87.0 };
    let rounded = bounded * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    // ln 2 in two parts, the first exact in few bits, so that n·ln 2 loses nothing.
    let r = (bounded - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let p = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2) * r + 1.666_666_5e-1)
        * r
        + 0.5;
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    let result = (p * r * r + r + 1.0) * power;
    if x > -87.0 { result } else { 0.0 }
}

/// `ln(x)` for positive normal `x`, with an error below 1e-7 of the larger of 1 and the result (measured by the test).
///
/// `x = m·2^e` with m between √½ and √2, and a polynomial for `ln(m)` around 1.
#[inline]
pub fn ln(x: f32) -> f32 {
    // Taking away the bits of √½ makes the exponent's field count from there.
    let shifted = x.to_bits().wrapping_sub(0x3f35_04f3);
    let e = (shifted as i32 >> 23) as f32;
    let m = f32::from_bits((shifted & 0x007f_ffff) + 0x3f35_04f3) - 1.0;
    let square = m * m;
    let p = 7.037_683_6e-2 * m - 1.151_461e-1;
    let p = (p * m + 1.167_699_9e-1) * m - 1.242_014_1e-1;
    let p = (p * m + 1.424_932_3e-1) * m - 1.666_805_8e-1;
    let p = (p * m + 2.000_071_5e-1) * m - 2.499_999_4e-1;
    let p = (p * m + 3.333_333e-1) * m * square;
    // ln 2 in two parts, as in `exp`.
    m + (p - 0.5 * square - e * 2.121_944_4e-4) + e * 0.693_359_4
}

/// The largest of the values; minus infinity if there is none.
#[inline]
pub fn maximum(values: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let mut take = |values: &[f32]| lanes.iter_mut().zip(values).for_each(|(lane, &x)| *lane = larger(*lane, x));
    let (chunks, rest) = values.as_chunks::<LANES>();
    chunks.iter().for_each(|chunk| take(chunk));
    let (fews, ones) = rest.as_chunks::<FEW>();
    fews.iter().for_each(|few| take(few));
    ones.iter().fold(fold(lanes, larger), |a, &b| larger(a, b))
}

/// All lanes as one: halves by halves.
#[inline(always)]
fn fold(mut lanes: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = f(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Sum of the values, in the order of lanes.
#[inline]
pub fn sum(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut total = 0.0;
    for chunk in chunks {
        total += sum_of_chunk(chunk);
    }
    total + rest.iter().sum::<f32>()
}

#[inline(always)]
fn sum_of_chunk(chunk: &[f32; LANES]) -> f32 {
    fold(*chunk, |a, b| a + b)
}

/// Replaces values by Boltzmann weights `exp((x - max)/t)` (S0.2 without its `Z`); lost and unseen children get none.
#[inline]
pub fn weigh(values: &mut [f32], t: f32) {
    let max = maximum(values);
    let scale = 1.0 / t.max(COLDEST);
    let weigh = |x: &mut f32| {
        let weight = exp((*x - max) * scale);
        *x = if *x > WEIGHTLESS { weight } else { 0.0 };
    };
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    chunks.iter_mut().for_each(|chunk| chunk.iter_mut().for_each(weigh));
    let (fews, ones) = rest.as_chunks_mut::<FEW>();
    fews.iter_mut().for_each(|few| few.iter_mut().for_each(weigh));
    ones.iter_mut().for_each(weigh);
}

/// What the exponentials of a column sum up to.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// The largest value.
    pub max: f32,
    /// `Σ exp((x - max)/t)`.
    pub z: f32,
    /// `Σ exp((x - max)/t)·(x - max)`.
    pub first: f32,
}

impl Moments {
    /// Sums over all values that have weight; none if nothing has.
    #[inline]
    pub fn of(values: &[f32], t: f32) -> Option<Moments> {
        let max = maximum(values);
        (max > WEIGHTLESS).then(|| Moments::below(max, values, t))
    }

    /// The same, where the largest value is known already and has weight.
    #[inline]
    pub fn below(max: f32, values: &[f32], t: f32) -> Moments {
        let scale = 1.0 / t.max(COLDEST);
        let (mut z, mut first) = ([0.0; LANES], [0.0; LANES]);
        let add = |x: f32, z: &mut f32, first: &mut f32| {
            let weight = exp((x - max) * scale);
            let weight = if x > WEIGHTLESS { weight } else { 0.0 };
            *z += weight;
            *first += weight * (x - max);
        };
        let (chunks, rest) = values.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &x) in chunk.iter().enumerate() {
                add(x, &mut z[lane], &mut first[lane]);
            }
        }
        let (fews, ones) = rest.as_chunks::<FEW>();
        let lanes = z.as_chunks_mut::<FEW>().0.iter_mut().zip(first.as_chunks_mut::<FEW>().0);
        for (few, (z, first)) in fews.iter().zip(lanes) {
            for (lane, &x) in few.iter().enumerate() {
                add(x, &mut z[lane], &mut first[lane]);
            }
        }
        for (lane, &x) in ones.iter().enumerate() {
            let lane = (FEW * fews.len() + lane) % LANES;
            add(x, &mut z[lane], &mut first[lane]);
        }
        Moments { max, z: sum_of_chunk(&z), first: sum_of_chunk(&first) }
    }

    /// `Σ π x` under the Boltzmann distribution π (S0.3).
    #[inline]
    pub fn expectation(self) -> f32 {
        self.max + self.first / self.z
    }
}

/// Draws an index with probability in proportion to its weight; none if no weight is positive.
#[inline]
pub fn draw(weights: &[f32], rng: &mut Rng) -> Option<usize> {
    let total = sum(weights);
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let mut left = rng.unit() * total;
    let mut start = 0;
    let (chunks, _) = weights.as_chunks::<LANES>();
    for chunk in chunks {
        let weight = sum_of_chunk(chunk);
        if left < weight {
            break;
        }
        left -= weight;
        start += LANES;
    }
    for (i, &weight) in weights.iter().enumerate().skip(start) {
        if left < weight {
            return Some(i);
        }
        left -= weight;
    }
    // Rounding left a crumb over: it belongs to the last that has weight.
    weights.iter().rposition(|&weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use yomi_core::Seed;

    #[test]
    fn exp_is_as_good_as_promised() {
        let (mut worst, mut at) = (0.0f64, 0.0);
        for i in 0..2_000_000 {
            let x = -87.0 * i as f32 / 2_000_000.0;
            let truth = f64::from(x).exp();
            let error = ((f64::from(exp(x)) - truth) / truth).abs();
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        assert!(worst < 1.2e-7, "relative error {worst:e} at {at}");
        assert_eq!(exp(0.0), 1.0);
        for x in [-87.0, -1e10, f32::NEG_INFINITY] {
            assert_eq!(exp(x), 0.0);
        }
    }

    #[test]
    fn ln_is_as_good_as_promised() {
        let (mut worst, mut at) = (0.0f64, 0.0);
        for i in 0..2_000_000u32 {
            let x = f32::from_bits(0x0080_0000 + i * 1061);
            let truth = f64::from(x).ln();
            let error = (f64::from(ln(x)) - truth).abs() / truth.abs().max(1.0);
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        assert!(worst < 1e-7, "error {worst:e} at {at:e}");
        assert_eq!(ln(1.0), 0.0);
    }

    /// χ² with 99 degrees of freedom; 180 is beyond the 1 - 1e-6 quantile (about 174), and the seed is fixed.
    #[test]
    fn draws_follow_the_weights() {
        let weights: Vec<f32> = (0..100).map(|i| (i % 10) as f32 + 0.5).collect();
        let total: f32 = weights.iter().sum();
        let mut rng = Seed::new(5).rng();
        let mut counts = [0u32; 100];
        let n = 200_000;
        for _ in 0..n {
            counts[draw(&weights, &mut rng).unwrap()] += 1;
        }
        let chi2: f64 = counts
            .iter()
            .zip(&weights)
            .map(|(&c, &w)| {
                let expected = f64::from(n) * f64::from(w) / f64::from(total);
                (f64::from(c) - expected).powi(2) / expected
            })
            .sum();
        assert!(chi2 < 180.0, "χ² = {chi2}");
    }

    #[test]
    fn nothing_can_be_drawn_from_nothing() {
        let mut rng = Seed::new(1).rng();
        assert_eq!(draw(&[], &mut rng), None);
        assert_eq!(draw(&[0.0; 40], &mut rng), None);
        let mut only = [0.0; 40];
        only[33] = 1e-30;
        assert_eq!(draw(&only, &mut rng), Some(33));
    }

    proptest! {
        #[test]
        fn moments_match_their_definition(values in prop::collection::vec(-50.0f32..50.0, 1..100), t in 0.1f32..1000.0) {
            let max = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weight = |x: f32| (f64::from(x - max) / f64::from(t)).exp();
            let z: f64 = values.iter().map(|&x| weight(x)).sum();
            let expectation = values.iter().map(|&x| weight(x) * f64::from(x)).sum::<f64>() / z;
            let moments = Moments::of(&values, t).unwrap();
            prop_assert!((f64::from(moments.z) / z - 1.0).abs() < 2e-5, "{} {z}", moments.z);
            prop_assert!((f64::from(moments.expectation()) - expectation).abs() < 1e-3, "{} {expectation}", moments.expectation());
        }
    }
}
