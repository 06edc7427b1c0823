//! Monte Carlo softmax selection (S0.2, S4.1).

use super::{Buffers, Choice, Rule};
use crate::softmax;
use crate::temperature::Temperature;

/// Weights `exp(E_s/T)`.
#[inline]
pub(super) fn rate(t: Temperature, c: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    choice.scores_or_own(&mut buffers.rates, &mut buffers.spare);
    if c > 0.0 {
        add_policy_term(c, choice, buffers);
    }
    let t = choice.temperature(t, &buffers.rates);
    softmax::weigh(&mut buffers.rates, t);
    Rule::Draw
}

/// S4.1: `E_s = E + c·P·√(Σ n_b)/(1 + n)`. Lost children stay so far below everything that the term does not lift them.
fn add_policy_term(c: f32, choice: &Choice<'_>, buffers: &mut Buffers) {
    let Buffers { rates, spare: visits, more: priors, .. } = buffers;
    choice.tree.read_visits(choice.block, visits);
    choice.tree.read_priors(choice.block, priors);
    let scale = c * softmax::sum(visits).sqrt();
    for ((value, &n), &prior) in rates.iter_mut().zip(&*visits).zip(&*priors) {
        *value += scale * prior / (1.0 + n);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Select;
    use super::*;
    use crate::constant::Constant;
    use crate::search::Proof;
    use crate::tree::{Extras, Link, Newborn, ROOT, Tree};
    use yomi_core::Seed;

    fn family(values: &[f32]) -> Tree {
        let tree = Tree::with_capacity(values.len() + 1, Extras::default());
        assert!(tree.claim(ROOT));
        let newborn = |(i, &value): (usize, &f32)| Newborn {
            mv: i as u16,
            value,
            prior: 0.1 * i as f32,
            static_value: 0.0,
            link: Link::LEAF,
        };
        tree.adopt(ROOT, &values.iter().enumerate().map(newborn).collect::<Vec<_>>()).unwrap();
        tree
    }

    fn choice(tree: &Tree) -> Choice<'_> {
        Choice {
            tree,
            parent: ROOT,
            block: tree.children(ROOT).unwrap(),
            depth: 0,
            win: 1.0,
            mix: 0.0,
            open_only: false,
        }
    }

    /// χ² with 39 degrees of freedom; 100 is beyond the 1 - 1e-6 quantile (about 94), and the seed is fixed.
    #[test]
    fn children_are_drawn_by_their_boltzmann_probability() {
        let values: Vec<f32> = (0..40).map(|i| (i * 17 % 41) as f32 * 4.0 - 60.0).collect();
        let tree = family(&values);
        let select = Select::Boltzmann { t: Temperature::Fixed(80.0), c: Constant::Fixed(0.0) };
        let (mut buffers, mut rng) = (Buffers::default(), Seed::new(3).rng());
        let mut counts = vec![0.0f64; 40];
        let n = 100_000;
        for _ in 0..n {
            let rule = select.rate(&choice(&tree), &mut buffers, &mut rng);
            counts[rule.pick(&buffers.rates, &mut rng).unwrap()] += 1.0;
        }
        let weights: Vec<f64> = values.iter().map(|&v| (f64::from(v) / 80.0).exp()).collect();
        let z: f64 = weights.iter().sum();
        let expected = weights.iter().map(|w| f64::from(n) * w / z);
        let chi2: f64 = counts.iter().zip(expected).map(|(c, e)| (c - e) * (c - e) / e).sum();
        assert!(chi2 < 100.0, "χ² = {chi2}");
    }

    #[test]
    fn the_policy_term_is_the_papers() {
        let tree = family(&[0.0, 0.0, 0.0]);
        let block = tree.children(ROOT).unwrap();
        (0..9).for_each(|_| _ = tree.visit(block.child(1)));
        let mut buffers = Buffers::default();
        choice(&tree).scores_or_own(&mut buffers.rates, &mut buffers.spare);
        add_policy_term(2.0, &choice(&tree), &mut buffers);
        let expected = [0.0, 2.0 * 0.1 * 3.0 / 10.0, 2.0 * 0.2 * 3.0];
        assert!(buffers.rates.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", buffers.rates);
    }

    #[test]
    fn absurd_temperatures_choose_sanely() {
        let tree = family(&[1.0, 5.0, 5.0, 2.0]);
        let block = tree.children(ROOT).unwrap();
        tree.set_proof(block.child(3), Proof::Loss(4));
        let (mut buffers, mut rng) = (Buffers::default(), Seed::new(3).rng());
        let mut probabilities = |t: f32| {
            let select = Select::Boltzmann { t: Temperature::Fixed(t), c: Constant::Fixed(0.0) };
            select.probabilities(&choice(&tree), &mut buffers, &mut rng);
            buffers.rates.clone()
        };
        for t in [0.0, f32::MIN_POSITIVE, 1e-20] {
            assert_eq!(probabilities(t), [0.0, 0.5, 0.5, 0.0]);
        }
        for p in probabilities(f32::MAX).iter().zip([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]) {
            assert!((p.0 - p.1).abs() < 1e-6);
        }
    }
}
