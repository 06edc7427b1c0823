//! Many tests at once: Holm's correction.

/// The p-values corrected for being several: among all that are called significant at a level, the chance that even one is false stays
/// below that level. In the order given.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    let mut corrected = vec![1.0; p.len()];
    let mut greatest = 0.0f64;
    for (rank, &i) in order.iter().enumerate() {
        greatest = greatest.max(p[i] * (p.len() - rank) as f64).min(1.0);
        corrected[i] = greatest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(holm(&[]), [0.0; 0]);
        assert_eq!(holm(&[0.03]), [0.03]);
        // Holm's own step: 4 tests, multiplied by 4, 3, 2, 1 in order, never falling.
        let ours = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (x, y) in ours.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((x - y).abs() < 1e-15, "{ours:?}");
        }
    }

    proptest! {
        /// Never below the plain value, never above Bonferroni's, and in the same order.
        #[test]
        fn between_plain_and_bonferroni(p in proptest::collection::vec(0.0..=1.0f64, 0..20)) {
            let ours = holm(&p);
            for i in 0..p.len() {
                prop_assert!(ours[i] >= p[i] && ours[i] <= (p[i] * p.len() as f64).min(1.0).max(ours[i].min(1.0)));
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || ours[i] <= ours[j]);
                }
            }
        }
    }
}
