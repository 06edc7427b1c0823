//! What a node is worth, given its children.

pub mod operators;
pub mod sensitivities;
mod softmax;
mod text;

pub use text::WORDS;

use crate::constant::Constant;
use crate::score::{self, WEIGHTLESS};
use crate::select::{Buffers, Choice};
use crate::softmax::{self as arithmetic, Moments};
use crate::temperature::Temperature;

/// The rules of backing up. All but the means compute a node from its children, so a value lost in a race comes back with the next
/// sample that passes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Backup {
    /// The mean of the samples through the node.
    Mean,
    /// The expectation under the Boltzmann distribution of the children (S0.3), with its own temperature (S4.1).
    Softmax {
        /// Temperature.
        t: Temperature,
    },
    /// The best child (S0.5, UCTMAXH).
    Minimax,
    /// `T·ln Σ exp(x/T)` (MENTS).
    LogSumExp {
        /// Temperature.
        t: Constant,
    },
    /// `T·ln (1/n)Σ exp(x/T)`.
    Mellowmax {
        /// Temperature.
        t: Constant,
    },
    /// `T·ln Σ p·exp(x/T)`, p being the policy at the last visit (RENTS).
    Relative {
        /// Temperature.
        t: Constant,
    },
    /// The sparse maximum (TENTS).
    Sparsemax {
        /// Temperature.
        t: Constant,
    },
    /// `(Σ (n/N)·x^p)^(1/p)` of values counted from 0 to 1 (Power-UCT).
    PowerMean {
        /// The power: 1 is the mean, much is the maximum.
        p: f32,
    },
    /// The mean, while selection also sees the minimax of the evaluations below: implicit minimax (Lanctot et al. 2014).
    ImplicitMinimax {
        /// How much of it selection sees, from 0 to 1.
        alpha: f32,
    },
}

impl Backup {
    /// Whether a node is computed from its children, and not from the samples that passed.
    pub fn recomputes(&self) -> bool {
        !matches!(self, Backup::Mean | Backup::ImplicitMinimax { .. })
    }

    /// How much of the auxiliary minimax selection sees.
    pub(crate) fn mix(&self) -> f32 {
        if let Backup::ImplicitMinimax { alpha } = *self { alpha } else { 0.0 }
    }

    /// The worth of the parent for the side that chooses, from its children; none if no child says anything.
    #[inline]
    pub(crate) fn value(&self, choice: &Choice<'_>, buffers: &mut Buffers) -> Option<f32> {
        choice.tree.read_values(choice.block, &mut buffers.rates);
        let values = &buffers.rates;
        let max = arithmetic::maximum(values);
        let moments = |t: f32| Moments::below(max, values, t);
        if max < WEIGHTLESS {
            return None;
        }
        if score::is_proven(max) && max > 0.0 {
            return Some(choice.win);
        }
        Some(match *self {
            Backup::Softmax { t } => softmax::value(max, values, choice.temperature(t, values)),
            Backup::LogSumExp { t } => {
                let t = t.value();
                max + t * arithmetic::ln(moments(t).z)
            }
            Backup::Mellowmax { t } => {
                let t = t.value();
                let seen = values.iter().filter(|&&x| x > WEIGHTLESS).count();
                max + t * arithmetic::ln(moments(t).z / seen as f32)
            }
            Backup::Relative { t } => relative(t.value(), choice, buffers),
            Backup::Sparsemax { t } => {
                widen(buffers, |x| x);
                let Buffers { wide, weights, .. } = buffers;
                operators::sparsemax_with(wide, f64::from(t.value().max(arithmetic::COLDEST)), weights) as f32
            }
            Backup::PowerMean { p } => power_mean(p, choice, buffers),
            // A mean comes from the samples; the best child is all that children alone can say.
            Backup::Minimax | Backup::Mean | Backup::ImplicitMinimax { .. } => max + 0.0,
        })
    }

    /// Each child's part in the value of the parent, into `buffers.rates`: the backup probability of S4.1. It sums to 1.
    pub(crate) fn shares(&self, choice: &Choice<'_>, buffers: &mut Buffers) {
        let Buffers { rates, spare, wide, weights, .. } = buffers;
        choice.tree.read_values(choice.block, rates);
        match *self {
            Backup::Softmax { t } => {
                let t = choice.temperature(t, rates);
                softmax::weigh(rates, t);
            }
            Backup::LogSumExp { t } | Backup::Mellowmax { t } => arithmetic::weigh(rates, t.value()),
            // `∂V/∂x` of `T·ln Σ p·exp(x/T)`: the policy at the last visit has its part.
            Backup::Relative { t } => {
                arithmetic::weigh(rates, t.value());
                choice.tree.read_priors(choice.block, spare);
                rates.iter_mut().zip(&*spare).for_each(|(x, &p)| *x *= p);
            }
            Backup::Minimax => arithmetic::weigh(rates, 0.0),
            Backup::Sparsemax { t } => {
                wide.clear();
                wide.extend(rates.iter().map(|&x| f64::from(x)));
                operators::to_sparse_probabilities(wide, f64::from(t.value().max(arithmetic::COLDEST)), weights);
                rates.iter_mut().zip(&*wide).for_each(|(x, &p)| *x = p as f32);
            }
            Backup::PowerMean { p } => {
                choice.tree.read_visits(choice.block, spare);
                for (x, &n) in rates.iter_mut().zip(&*spare) {
                    let rate = f64::from(rate(*x, choice.win));
                    *x = n * rate.powf(f64::from(p)) as f32;
                }
            }
            Backup::Mean | Backup::ImplicitMinimax { .. } => choice.tree.read_visits(choice.block, rates),
        }
        let total = arithmetic::sum(rates);
        let scale = if total > 0.0 && total.is_finite() { 1.0 / total } else { 0.0 };
        rates.iter_mut().for_each(|x| *x *= scale);
    }
}

/// A score as a win rate from 0 to 1.
fn rate(x: f32, win: f32) -> f32 {
    (0.5 + 0.5 * score::plain(x, win) / win).clamp(0.0, 1.0)
}

/// The values that have weight, changed by `f`, in double precision.
fn widen(buffers: &mut Buffers, f: impl Fn(f32) -> f32) {
    buffers.wide.clear();
    buffers.wide.extend(buffers.rates.iter().filter(|&&x| x > WEIGHTLESS).map(|&x| f64::from(f(x))));
}

fn power_mean(p: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> f32 {
    choice.tree.read_visits(choice.block, &mut buffers.spare);
    // Children that were judged but not visited count as visited once.
    let seen = buffers.rates.iter().zip(&buffers.spare).filter(|(x, _)| **x > WEIGHTLESS);
    buffers.weights.clear();
    buffers.weights.extend(seen.map(|(_, &n)| f64::from(n.max(1.0))));
    widen(buffers, |x| rate(x, choice.win));
    let mean = operators::power_mean(&buffers.wide, &buffers.weights, f64::from(p));
    (2.0 * mean as f32 - 1.0) * choice.win
}

/// RENTS: the value, and the policy of this visit in the place of the last one's. No move's probability falls below a millionth,
/// or it could never come back.
fn relative(t: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> f32 {
    let Buffers { rates, more: policy, .. } = buffers;
    choice.tree.read_priors(choice.block, policy);
    let max = arithmetic::maximum(rates);
    arithmetic::weigh(rates, t);
    rates.iter_mut().zip(&*policy).for_each(|(x, &p)| *x *= p);
    let z = arithmetic::sum(rates);
    if z <= 0.0 {
        return max;
    }
    for (child, &x) in choice.block.children().zip(&*rates) {
        choice.tree.set_prior(child, (x / z).max(1e-6));
    }
    max + t * arithmetic::ln(z)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Backup, Buffers, Choice, Constant};
    use crate::search::Ended;
    use crate::testing::{complete_tree, search, searched};
    use crate::tree::ROOT;

    /// Each child's share in the value of RENTS is `∂V/∂x` of `T·ln Σ p·exp(x/T)`, by finite differences in double precision.
    #[test]
    fn shares_of_relative_entropy_include_its_policy() {
        let (_, found) = searched("rents(t=0.5,e=0.5)", "(1 2 0)", 1, 1);
        let tree = found.tree();
        let block = tree.children(ROOT).unwrap();
        let policy = [0.2f32, 0.1, 0.7];
        block.children().zip(policy).for_each(|(child, p)| tree.set_prior(child, p));
        let value =
            |x: [f64; 3]| 0.5 * x.iter().zip(policy).map(|(x, p)| f64::from(p) * (x / 0.5).exp()).sum::<f64>().ln();
        let mut buffers = Buffers::default();
        let choice = Choice { tree, parent: ROOT, block, depth: 0, win: 1.0, mix: 0.0, open_only: false };
        Backup::Relative { t: Constant::Fixed(0.5) }.shares(&choice, &mut buffers);
        for i in 0..3 {
            let [mut up, mut down] = [[1.0, 2.0, 0.0]; 2];
            (up[i], down[i]) = (up[i] + 1e-5, down[i] - 1e-5);
            let slope = (value(up) - value(down)) / 2e-5;
            assert!((f64::from(buffers.rates[i]) - slope).abs() < 1e-5, "{i}: {:?} {slope}", buffers.rates);
        }
    }

    /// The golden values of [`super::operators`], from a tree that the search itself has grown to the end. The tree computes in
    /// single precision, so they agree to six digits.
    #[test]
    fn a_complete_tree_has_the_golden_values() {
        let golden = [
            (
                2,
                2,
                0.1,
                [0.415586471433, 0.531554871056, 0.424507266774, 0.412122875755, 0.412122875755, 0.415586471433],
            ),
            (
                4,
                3,
                0.1,
                [0.613186821952, 0.493036448168, 0.568739028532, 0.667153564570, 0.528524128458, 0.620385671434],
            ),
            (
                8,
                4,
                0.1,
                [0.516958333191, 0.483911507954, 0.498120069962, 0.496905182865, 0.496905182865, 0.500169185608],
            ),
            (
                8,
                4,
                0.01,
                [0.516958333191, 0.483911507954, 0.520864243243, 0.513529383266, 0.513529383266, 0.516958333191],
            ),
        ];
        for (k, d, t, expected) in golden {
            let text = complete_tree(k, d, &crate::synthetic::leaves(k, d, 1));
            let backups = [
                "minimax".to_string(),
                "softmax(t=1000000)".to_string(),
                format!("softmax(t={t})"),
                format!("logsumexp(t={t})"),
                format!("mellowmax(t={t})"),
                format!("sparsemax(t={t})"),
            ];
            for (backup, expected) in backups.iter().zip(expected) {
                for select in ["boltzmann(t=1)", "greedy", "best-first(t=0.1)", "thompson(sigma=1)", "bts(t=0.1)"] {
                    let method = format!("tree(select={select},backup={backup},hash=1)");
                    let found = search(&method, &text, d as u32, 1_000_000);
                    assert_eq!(found.ended, Some(Ended::Depth), "{method}");
                    assert!((f64::from(found.value) - expected).abs() < 2e-6, "{method}: {} {expected}", found.value);
                    // Each inner node was expanded by one sample; the last samples find the tree complete.
                    let inner: u64 = (0..d).map(|level| (k as u64).pow(level as u32)).sum();
                    assert!(found.simulations >= inner, "{method}: {} of {inner}", found.simulations);
                    assert_eq!(found.nodes, inner * k as u64 + 1);
                }
            }
        }
    }

    #[test]
    fn power_means_lie_between_mean_and_maximum() {
        let text = "(50 60 20 90)";
        let value = |backup: &str| search(&format!("tree(select=boltzmann(t=1000),backup={backup})"), text, 1, 1).value;
        let (mean, power, maximum) =
            (value("power-mean(p=1)"), value("power-mean(p=30)"), value("power-mean(p=10000)"));
        assert!(mean < power && power < maximum, "{mean} {power} {maximum}");
        assert!((maximum - value("minimax")).abs() < 1.0, "{maximum}");
    }
}
