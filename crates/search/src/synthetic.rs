//! The synthetic trees on which MENTS and TENTS were measured, for tests.

use yomi_core::zobrist::mix;

/// Values of the `k^d` leaves for the first player: sums of edges drawn from U[0,1], normalised to [0,1].
pub(crate) fn leaves(k: usize, d: usize, seed: u64) -> Vec<f64> {
    let edge = |level: usize, index: usize| {
        let state =
            seed.wrapping_mul(1_000_003).wrapping_add((level as u64).wrapping_mul(7919 * 1_000_003) + index as u64);
        (mix(state) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut sums = vec![0.0];
    for level in 1..=d {
        sums = (0..k.pow(level as u32)).map(|i| sums[i / k] + edge(level, i)).collect();
    }
    let lowest = sums.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    sums.iter().map(|x| (x - lowest) / (highest - lowest)).collect()
}
