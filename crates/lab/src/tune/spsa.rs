//! Simultaneous perturbation stochastic approximation (Spall 1992): all numbers are moved at once by the difference of two opposite points.

use yomi_core::Seed;

/// The gains: `a_k = a/(A + k)^0.602`, `c_k = c/k^0.101`, Spall's exponents; the constants are for coordinates from -1 to 1 and points of a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains {
    /// Size of a step.
    pub a: f64,
    /// Steps before steps become shorter.
    pub stability: f64,
    /// Size of a perturbation.
    pub c: f64,
}

impl Gains {
    /// Gains for this many steps: the first ones may move a fifth of the range for a clear result.
    pub fn for_steps(steps: u64) -> Gains {
        let stability = 0.1 * steps as f64;
        let c = 0.4;
        Gains { a: 0.4 * c * (stability + 1.0).powf(0.602), stability, c }
    }

    /// The length of step number k, from 1.
    pub fn step(&self, k: u64) -> f64 {
        self.a / (self.stability + k as f64).powf(0.602)
    }

    /// The perturbation of step number k.
    pub fn perturbation(&self, k: u64) -> f64 {
        self.c / (k as f64).powf(0.101)
    }
}

/// The signs by which coordinates are moved in step number k.
pub fn signs(dimensions: usize, k: u64, seed: Seed) -> Vec<f64> {
    let mut rng = seed.branch("spsa", k).rng();
    (0..dimensions).map(|_| if rng.below(2) == 0 { 1.0 } else { -1.0 }).collect()
}

/// The two points of a step.
pub fn points(theta: &[f64], signs: &[f64], perturbation: f64) -> [Vec<f64>; 2] {
    [1.0, -1.0]
        .map(|side| theta.iter().zip(signs).map(|(x, s)| (x + side * perturbation * s).clamp(-1.0, 1.0)).collect())
}

/// The point after a step in which the first point scored `difference` more per game than the second.
pub fn moved(theta: &[f64], signs: &[f64], difference: f64, step: f64, perturbation: f64) -> Vec<f64> {
    let along = |(x, s): (&f64, &f64)| (x + step * difference / (2.0 * perturbation * s)).clamp(-1.0, 1.0);
    theta.iter().zip(signs).map(along).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games whose log-odds are 1 - 6·(distance to (0.5, -0.3))²: 2,000 steps of two games come near the top.
    #[test]
    fn it_climbs() {
        let (top, steps) = ([0.5, -0.3], 2000);
        let gains = Gains::for_steps(steps);
        let (mut theta, mut rng) = (vec![-0.5, 0.5], Seed::new(4).rng());
        for k in 1..=steps {
            let signs = signs(2, k, Seed::new(8));
            let mut wins = points(&theta, &signs, gains.perturbation(k)).map(|point| {
                let far: f64 = point.iter().zip(top).map(|(x, t)| (x - t) * (x - t)).sum();
                f64::from(u8::from(f64::from(rng.unit()) < 1.0 / (1.0 + (6.0 * far - 1.0).exp())))
            });
            wins[0] -= wins[1];
            theta = moved(&theta, &signs, wins[0], gains.step(k), gains.perturbation(k));
        }
        assert!(theta.iter().zip(top).all(|(x, t)| (x - t).abs() < 0.2), "{theta:?}");
    }
}
