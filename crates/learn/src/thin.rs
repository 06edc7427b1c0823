//! Fewer leaves, the same gradient on average.
//!
//! A gradient over a tree is `Σ c_i·g_i` over some hundred leaves, most of which count little, and each `g_i` costs a quiescence search. The sum
//! is estimated from at most `most` of them: leaves with `|c_i| ≥ θ` are kept as they are, the others are drawn with probability `|c_i|/θ` and
//! then count `±θ`. θ is the number for which `Σ min(1, |c_i|/θ) = most`. This is the estimate of least variance among all that keep so few
//! and have the right expectation (Fearnhead and Clifford 2003); the variance of a coefficient is `|c_i|·(θ - |c_i|) ≤ θ²/4`. Draws are
//! systematic, one random number for all, so that neighbours share out their weight: over any run of neighbours the sum of `|c|` is right to
//! within θ.

use yomi_core::Rng;

/// At most `most` of the nodes, with other coefficients where they count little; all of them where `most` is 0.
pub fn thin(nodes: &[(usize, f64)], most: usize, rng: &mut Rng) -> Vec<(usize, f64)> {
    match threshold(nodes, most) {
        None => nodes.to_vec(),
        Some(theta) => systematic(nodes, theta, f64::from(rng.unit())),
    }
}

/// The same for nodes that are looked at together, such as siblings: a family counts what its members do in sum, and stays or goes as a whole.
/// `family` names the one of a node; members stand side by side.
pub fn thin_families(
    nodes: &[(usize, f64)],
    family: impl Fn(usize) -> usize,
    most: usize,
    rng: &mut Rng,
) -> Vec<(usize, f64)> {
    let families: Vec<&[(usize, f64)]> = nodes.chunk_by(|a, b| family(a.0) == family(b.0)).collect();
    let size = |family: &[(usize, f64)]| family.iter().map(|(_, c)| c.abs()).sum::<f64>();
    let sizes: Vec<(usize, f64)> = families.iter().map(|family| size(family)).enumerate().collect();
    let kept = thin(&sizes, most, rng).into_iter().filter(|(_, now)| *now > 0.0);
    let scaled = kept.flat_map(|(i, now)| {
        let factor = now / sizes[i].1;
        families[i].iter().map(move |&(at, c)| (at, c * factor))
    });
    scaled.collect()
}

/// θ, or none where everything may stay.
fn threshold(nodes: &[(usize, f64)], most: usize) -> Option<f64> {
    if most == 0 || nodes.len() <= most {
        return None;
    }
    // Too high at first; each round takes out those that are large and shares the rest among fewer places.
    let mut theta = f64::INFINITY;
    loop {
        let (mut kept, mut rest) = (0, 0.0);
        nodes.iter().map(|(_, c)| c.abs()).for_each(|size| if size >= theta { kept += 1 } else { rest += size });
        let next = rest / most.saturating_sub(kept).max(1) as f64;
        if kept >= most || next.partial_cmp(&theta) != Some(std::cmp::Ordering::Less) {
            return Some(theta);
        }
        theta = next;
    }
}

/// What is small stays where the running sum of the small ones passes a multiple of θ; `start` of a step is behind it when it begins.
fn systematic(nodes: &[(usize, f64)], theta: f64, start: f64) -> Vec<(usize, f64)> {
    let mut left = theta * (1.0 - start);
    let mut kept = Vec::new();
    for &(at, c) in nodes {
        if c.abs() >= theta {
            kept.push((at, c));
            continue;
        }
        left -= c.abs();
        if left < 0.0 {
            left += theta;
            kept.push((at, theta.copysign(c)));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    /// Coefficients as trees have them: a few that count, many that hardly do, both signs.
    fn coefficients(seed: u64, count: usize) -> Vec<(usize, f64)> {
        let mut rng = Seed::new(seed).rng();
        let size = |rng: &mut Rng| (f64::from(rng.unit()) * 8.0 - 8.0).exp() * if rng.chance(0.5) { 1.0 } else { -1.0 };
        (0..count).map(|at| (at, size(&mut rng))).collect()
    }

    /// The mean over all random numbers, on a grid, is the list itself; what is large is never touched; the variance is what it should be.
    #[test]
    fn expectation_and_variance_are_right() {
        let (nodes, most) = (coefficients(1, 300), 24);
        let theta = threshold(&nodes, most).unwrap();
        let (mut sums, mut squares) = (vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
        let grid = 20_000;
        for i in 0..grid {
            let kept = systematic(&nodes, theta, (f64::from(i) + 0.5) / f64::from(grid));
            assert!(kept.len() <= most + 1 && kept.len() + 1 >= most, "{}", kept.len());
            for (at, c) in kept {
                sums[at] += c / f64::from(grid);
                squares[at] += c * c / f64::from(grid);
            }
        }
        for (at, c) in nodes {
            assert!((sums[at] - c).abs() <= theta / f64::from(grid) * 1.01, "{at}: {} for {c}", sums[at]);
            if c.abs() >= theta {
                assert!((squares[at] - c * c).abs() < 1e-12);
            } else {
                let variance = squares[at] - sums[at] * sums[at];
                let stated = c.abs() * (theta - c.abs());
                assert!((variance - stated).abs() < 1e-3 * theta * theta, "{at}: {variance} for {stated}");
                assert!(stated <= 0.25 * theta * theta);
            }
        }
    }

    /// The sum of sizes over any run of neighbours is right to within θ.
    #[test]
    fn neighbours_share_out_their_weight() {
        let nodes = coefficients(2, 400);
        let theta = threshold(&nodes, 16).unwrap();
        let mut now = vec![0.0; nodes.len()];
        systematic(&nodes, theta, 0.3).into_iter().for_each(|(at, c): (usize, f64)| now[at] = c.abs());
        for from in 0..nodes.len() {
            let mut apart = 0.0f64;
            for at in from..nodes.len() {
                apart += now[at] - nodes[at].1.abs();
                assert!(apart.abs() <= theta * (1.0 + 1e-9), "{from}..{at}: {apart}");
            }
        }
    }

    #[test]
    fn few_nodes_stay_as_they_are() {
        let (nodes, mut rng) = (coefficients(3, 20), Seed::new(1).rng());
        assert_eq!(thin(&nodes, 20, &mut rng), nodes);
        assert_eq!(thin(&nodes, 0, &mut rng), nodes);
        assert_eq!(thin(&[], 4, &mut rng), []);
        assert!(thin(&[(0, 0.0), (1, 0.0), (2, 5.0)], 2, &mut rng).contains(&(2, 5.0)));
    }

    /// Families stay or go as a whole, with one factor for all members.
    #[test]
    fn families_stay_together() {
        let (nodes, mut rng) = (coefficients(4, 200), Seed::new(2).rng());
        let kept = thin_families(&nodes, |at| at / 5, 12, &mut rng);
        assert!(kept.len() <= 13 * 5 && kept.len().is_multiple_of(5));
        for family in kept.chunks(5) {
            let factor = family[0].1 / nodes[family[0].0].1;
            for &(at, c) in family {
                assert_eq!(at / 5, family[0].0 / 5);
                assert!((c / nodes[at].1 - factor).abs() < 1e-9 * factor && factor >= 1.0 - 1e-9);
            }
        }
    }
}
