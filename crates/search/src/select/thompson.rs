//! The best of random draws: children's values are random variables, as in randomised best-first minimax (S0.5).

use yomi_core::Rng;

use super::{Buffers, Choice, Rule, exclude_lost};
use crate::score::WEIGHTLESS;
use crate::softmax;

/// One draw `N(E, σ²/(1 + n))` for each child; the highest is taken.
pub(super) fn rate(sigma: f32, choice: &Choice<'_>, buffers: &mut Buffers, rng: &mut Rng) -> Rule {
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores_or_own(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    for (x, &n) in rates.iter_mut().zip(&*visits) {
        if *x > WEIGHTLESS {
            *x += sigma / (1.0 + n).sqrt() * gauss(rng);
        }
    }
    exclude_lost(rates);
    Rule::Greedy
}

/// How often each child was taken so far: the probabilities have no closed form.
pub(super) fn frequencies(choice: &Choice<'_>, buffers: &mut Buffers) {
    choice.tree.read_visits(choice.block, &mut buffers.rates);
    let total = softmax::sum(&buffers.rates).max(1.0);
    buffers.rates.iter_mut().for_each(|n| *n /= total);
}

/// A standard normal number, by Marsaglia's polar method (one of the pair; in double precision, so that machines agree).
fn gauss(rng: &mut Rng) -> f32 {
    loop {
        let (x, y) = (2.0 * f64::from(rng.unit()) - 1.0, 2.0 * f64::from(rng.unit()) - 1.0);
        let s = x * x + y * y;
        if s > 0.0 && s < 1.0 {
            return (x * (-2.0 * s.ln() / s).sqrt()) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    #[test]
    fn gauss_is_normal() {
        let mut rng = Seed::new(9).rng();
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| f64::from(gauss(&mut rng))).collect();
        let moment = |k: i32| draws.iter().map(|x| x.powi(k)).sum::<f64>() / f64::from(n);
        // Six standard errors of the first four moments.
        assert!(moment(1).abs() < 0.014, "{}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.019, "{}", moment(2));
        assert!(moment(3).abs() < 0.052, "{}", moment(3));
        assert!((moment(4) - 3.0).abs() < 0.132, "{}", moment(4));
    }
}
