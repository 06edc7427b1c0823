//! The likelihood ratio of two hypotheses about a match, whatever else is true: the heart of the generalized SPRT.
//!
//! A hypothesis fixes one number, the expected score or the normalized Elo. Among all distributions of results that agree
//! with it, the one under which the observed counts are likeliest is found by a Lagrange multiplier; the ratio of the two
//! greatest likelihoods is what a sequential test watches. After Van den Bergh, as fishtest does.

use super::tally::Distribution;

/// How often the normalized hypothesis is linearised at most. Three or four times are usual; where nearly all pairs are even, dozens.
const ROUNDS: usize = 200;

/// The logarithm of the likelihood ratio of hypothesis 1 over hypothesis 0, N·Σ p_i (ln q1_i - ln q0_i), where `q0` and `q1` are
/// the likeliest distributions under either.
pub fn log_ratio(observed: &Distribution, q0: &Distribution, q1: &Distribution) -> f64 {
    let pairs = q1.shares().iter().zip(q0.shares());
    let terms = observed.shares().iter().zip(pairs).map(|(&p, (&q1, &q0))| p * (q1 / q0).ln());
    observed.total * terms.sum::<f64>()
}

/// The likeliest distribution with expected score `s`. Every observed share must be above 0.
pub fn with_score(observed: &Distribution, s: f64) -> Distribution {
    tilted(observed, |a| a - s).unwrap_or(*observed)
}

/// The likeliest distribution whose mean lies `effect` standard deviations above 1/2. Every observed share must be above 0.
///
/// The condition μ - 1/2 = effect·σ is not linear in the probabilities. It is linearised at the current distribution, solved, and
/// linearised again at the solution.
pub fn with_effect(observed: &Distribution, effect: f64) -> Distribution {
    let mut q = Distribution::new(observed.shares().iter().map(|_| 1.0));
    for _ in 0..ROUNDS {
        let (mean, deviation) = (q.mean(), q.variance().sqrt());
        let slope = |a: f64| a - 0.5 - effect * deviation * (1.0 + ((mean - a) / deviation).powi(2)) / 2.0;
        let Some(next) = tilted(observed, slope) else { break };
        let change = next.shares().iter().zip(q.shares()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        q = next;
        if change < 1e-9 {
            break;
        }
    }
    q
}

/// The likeliest distribution under Σ q_i f(a_i) = 0: q_i = p_i / (1 + θ·f(a_i)), with θ such that Σ p_i f / (1 + θ f) = 0. `None` if f
/// has one sign, for then no distribution fulfils the condition.
fn tilted(observed: &Distribution, f: impl Fn(f64) -> f64) -> Option<Distribution> {
    let mut values = [0.0; 5];
    observed.scored().zip(&mut values).for_each(|((a, _), value)| *value = f(a));
    let values = &mut values[..observed.shares().len()];
    // -θ solves the problem of -f: only the case θ ≥ 0 is left.
    if observed.shares().iter().zip(&*values).map(|(p, f)| p * f).sum::<f64>() < 0.0 {
        values.iter_mut().for_each(|f| *f = -*f);
    }
    let (least, most) = values.iter().fold((0.0f64, 0.0f64), |(l, m), &f| (l.min(f), m.max(f)));
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    // θ may come very close to where the first denominator vanishes, θ = -1/min f. Counted from there, nothing cancels.
    let pole = -1.0 / least;
    let bases = values.iter().map(|&f| if f == least { 0.0 } else { 1.0 + pole * f });
    let terms: Vec<[f64; 3]> =
        observed.shares().iter().zip(&*values).zip(bases).map(|((&p, &f), base)| [p, f, base]).collect();
    let below = distance(&terms, pole);
    Some(Distribution::new(terms.iter().map(|[p, f, base]| p / (base - below * f))))
}

/// The root u in (0, `most`] of Σ p f / (base - u f), which rises from -∞ to at least 0. Newton's steps, and a bisection wherever one
/// would leave the bracket.
fn distance(terms: &[[f64; 3]], most: f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    let mut u = most;
    for _ in 0..200 {
        let (sum, slope) = terms.iter().fold((0.0, 0.0), |(sum, slope), [p, f, base]| {
            let term = f / (base - u * f);
            (sum + p * term, slope + p * term * term)
        });
        if sum < 0.0 {
            low = u;
        } else {
            high = u;
        }
        let newton = u - sum / slope;
        let next = if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
        let settled = (next - u).abs() <= 1e-15 * u || next <= low || next >= high;
        u = next;
        if settled {
            break;
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;
    use proptest::prelude::*;

    fn observations() -> impl Strategy<Value = Distribution> {
        prop_oneof![
            [0u64..400, 0u64..400, 0u64..400].prop_map(|c| Tally::Games(c).softened()),
            [0u64..99, 0u64..99, 0u64..99, 0u64..99, 0u64..99].prop_map(|c| Tally::Pairs(c).softened()),
        ]
    }

    proptest! {
        /// The solution is a distribution and fulfils the hypothesis; no neighbour that fulfils it is likelier.
        #[test]
        fn score_is_met_and_likeliest(observed in observations(), s in 0.02..0.98f64, nudge in -1.0..1.0f64) {
            let q = with_score(&observed, s);
            prop_assert!(q.shares().iter().all(|&x| x > 0.0) && (q.shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!((q.mean() - s).abs() < 1e-9, "{} {s}", q.mean());
            // Moving mass from two neighbours to the result between them changes neither sum nor mean.
            let step = 0.5 * nudge * q.shares().iter().copied().fold(1.0, f64::min);
            let moved = Distribution::new(q.shares().iter().enumerate().map(|(i, x)| match i { 0 | 2 => x - step, 1 => x + 2.0 * step, _ => *x }));
            if moved.shares().iter().all(|&x| x > 0.0) {
                prop_assert!(log_ratio(&observed, &q, &moved) <= 1e-9 * observed.total.max(1.0));
            }
        }

        /// Up to the greatest hypothesis a test takes, also where nearly all pairs are even or a result never occurred.
        #[test]
        fn effect_is_met(digits in [0u32..6, 0u32..6, 0u32..6, 0u32..6, 0u32..6], fill in 0u64..9, effect in -0.8..0.8f64) {
            let counts = digits.map(|d| if d == 0 { 0 } else { (1 + fill) * 10u64.pow(d - 1) });
            let [a, _, b, _, c] = counts;
            for (observed, effect) in [(Tally::Pairs(counts).softened(), effect), (Tally::Games([a, b, c]).softened(), 0.7 * effect)] {
                let q = with_effect(&observed, effect);
                let reached = (q.mean() - 0.5) / q.variance().sqrt();
                prop_assert!((reached - effect).abs() < 1e-6, "{reached} {effect}");
            }
        }
    }
}
