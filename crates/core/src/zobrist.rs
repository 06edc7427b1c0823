//! Random keys for hashing positions: fixed at compile time, so a key in a file means the same forever.

/// The step of the SplitMix64 generator from its `state`-th value to a key.
pub const fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A table of `N` keys, different for every `seed`.
pub const fn table<const N: usize>(seed: u64) -> [u64; N] {
    let mut keys = [0; N];
    let mut i = 0;
    let base = mix(seed);
    while i < N {
        keys[i] = mix(base.wrapping_add((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        i += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ() {
        let mut keys: Vec<u64> = [table::<2000>(1), table::<2000>(2)].concat();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4000);
    }
}
