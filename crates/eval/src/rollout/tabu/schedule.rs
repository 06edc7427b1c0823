//! The formulas of the tabu lists: how long the queues are, and how many candidates they can turn away.

use std::f64::consts::PI;

/// S2.5: the queue length L_k at a leaf that `k` plies of a game have led to, on a board of `places` = N² points. Whole up to a quarter of
/// the points, two thirds up to two thirds of them, one third after that.
pub fn shrunk(length: u32, k: usize, places: usize) -> u32 {
    let length = u64::from(length);
    let parts = match k {
        k if k <= places / 4 => 3,
        k if k <= 2 * places / 3 => 2,
        _ => 1,
    };
    (parts * length / 3) as u32
}

/// S2.6: what the mean number of tabu candidates per playout stays below, `(M·L/n)·(ln n + γ + L·π²/6)` with n = N² - L - M, for M queues of
/// length L on a board of N rows. None where the board is too small for a bound.
pub fn candidates_bound(rows: u32, length: u32, depth: u32) -> Option<f64> {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let (l, m) = (f64::from(length), f64::from(depth));
    let n = f64::from(rows) * f64::from(rows) - l - m;
    (n >= 1.0).then(|| m * l / n * (n.ln() + EULER + l * PI * PI / 6.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's own numbers: N = 19, L = 18.
    #[test]
    fn queues_shrink_as_in_the_paper() {
        let lengths = [0, 90, 91, 240, 241, 1000].map(|k| shrunk(18, k, 361));
        assert_eq!(lengths, [18, 18, 12, 12, 6, 6]);
        assert_eq!([0, 100, 361].map(|k| shrunk(2, k, 361)), [2, 1, 0]);
        assert_eq!([0, 20, 21, 54, 55].map(|k| shrunk(9, k, 81)), [9, 9, 6, 6, 3]);
        assert_eq!(shrunk(u32::MAX, 0, 361), u32::MAX);
    }

    /// T(19,12,5) < 4.562 in the paper; T(19,18,5) = 9.588 computed apart.
    #[test]
    fn the_bound_is_the_papers() {
        let bound = |l| candidates_bound(19, l, 5).unwrap();
        assert!((bound(12) - 4.562).abs() < 5e-4, "{}", bound(12));
        assert!((bound(18) - 9.588).abs() < 5e-4, "{}", bound(18));
        assert_eq!(bound(0), 0.0);
        assert_eq!(candidates_bound(2, 18, 5), None);
        assert_eq!(candidates_bound(0, 0, 0), None);
    }
}
