//! Boltzmann selection by values that are drawn towards the static ones while little is below them: the selection of the authors' own
//! engines (Shibaura Shosho and Shibaura Shogi Softmax, selection code 18).
//!
//! `E' = (1 - p)·E + p·E_static` with `p = share·min(1, 1/mass)`. The *mass* of a node is a soft depth:
//! `mass = 1 + Σ π_d(child)·mass(child)`, π_d being the Boltzmann distribution of temperature T_d; a leaf has mass 1. The tree keeps the
//! mass (the soft depth) and the static value, which never changes, in columns of their own.
//!
//! Their engines may also cool with the mass: the temperature at a node is `T·cool^mass`, so that what is searched already is searched
//! more narrowly.

use super::{Buffers, Choice, Rule};
use crate::score;
use crate::softmax;
use crate::temperature::Temperature;

/// How much of a value is the static one.
fn pull(share: f32, mass: f32) -> f32 {
    share / mass.max(1.0)
}

/// A value drawn towards the static one.
pub(crate) fn anchored(share: f32, value: f32, fixed: f32, mass: f32) -> f32 {
    value + pull(share, mass) * (fixed - value)
}

/// Weights `exp(E'/(T·cool^mass))`.
pub(super) fn rate(t: Temperature, share: f32, cool: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    choice.scores_or_own(&mut buffers.rates, &mut buffers.spare);
    choice.tree.read_soft_depths(choice.block, &mut buffers.spare);
    choice.tree.read_static_values(choice.block, &mut buffers.more);
    for ((value, &mass), &fixed) in buffers.rates.iter_mut().zip(&buffers.spare).zip(&buffers.more) {
        if !score::is_proven(*value) {
            *value = anchored(share, *value, fixed, mass);
        }
    }
    let cooled =
        if cool == 1.0 { 1.0 } else { cool.powf(choice.tree.soft_depth(choice.parent).unwrap_or(0.0).max(1.0)) };
    let t = cooled * choice.temperature(t, &buffers.rates);
    softmax::weigh(&mut buffers.rates, t);
    Rule::Draw
}

/// The mass of a node, from its children.
pub(crate) fn mass(td: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> f32 {
    choice.tree.read_values(choice.block, &mut buffers.rates);
    choice.tree.read_soft_depths(choice.block, &mut buffers.spare);
    softmax::weigh(&mut buffers.rates, td);
    let total = softmax::sum(&buffers.rates);
    let sum: f32 = buffers.rates.iter().zip(&buffers.spare).map(|(weight, mass)| weight * mass).sum();
    1.0 + if total > 0.0 { sum / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Select;
    use super::*;
    use crate::tree::{Extras, Link, Newborn, ROOT, Tree};
    use yomi_core::Seed;

    /// Two children: one judged 0 and found to be worth 100 with mass 4, one with nothing below it.
    fn tree() -> Tree {
        let tree = Tree::with_capacity(3, Extras { static_value: true, soft_depth: true, ..Extras::default() });
        assert!(tree.claim(ROOT));
        let newborn =
            |value: f32, static_value: f32| Newborn { mv: 0, value, prior: 0.5, static_value, link: Link::LEAF };
        let block = tree.adopt(ROOT, &[newborn(100.0, 0.0), newborn(50.0, 50.0)]).unwrap();
        tree.set_soft_depth(block.child(0), 4.0);
        tree
    }

    fn choice(tree: &Tree) -> Choice<'_> {
        let block = tree.children(ROOT).unwrap();
        Choice { tree, parent: ROOT, block, depth: 0, win: 30_000.0, mix: 0.0, open_only: false }
    }

    /// By hand: p = 0.5/4, so the first counts as 87.5, and 37.5 above the second make e^0.375 : 1 at T = 100.
    #[test]
    fn thin_values_are_drawn_to_the_static_ones() {
        let (tree, mut buffers) = (tree(), Buffers::default());
        let select = Select::Anchored { t: Temperature::Fixed(100.0), share: 0.5, td: 100.0, cool: 1.0 };
        select.probabilities(&choice(&tree), &mut buffers, &mut Seed::new(1).rng());
        let expected = 0.375f64.exp() / (0.375f64.exp() + 1.0);
        assert!((f64::from(buffers.rates[0]) - expected).abs() < 1e-5, "{:?} {expected}", buffers.rates);
    }

    /// By hand: a parent of mass 2 chooses at T = 100·0.5² = 25 among values of 100 and 50, so e^2 : 1.
    #[test]
    fn what_is_searched_well_is_searched_narrowly() {
        let (tree, mut buffers) = (tree(), Buffers::default());
        tree.set_soft_depth(ROOT, 2.0);
        let select = Select::Anchored { t: Temperature::Fixed(100.0), share: 0.0, td: 100.0, cool: 0.5 };
        select.probabilities(&choice(&tree), &mut buffers, &mut Seed::new(1).rng());
        let expected = 2f64.exp() / (2f64.exp() + 1.0);
        assert!((f64::from(buffers.rates[0]) - expected).abs() < 1e-5, "{:?} {expected}", buffers.rates);
    }

    /// By hand at T_d = 100: weights e^0.5 and 1, so the mass is 1 + (4·e^0.5 + 1)/(e^0.5 + 1).
    #[test]
    fn mass_is_a_soft_depth() {
        let (tree, mut buffers) = (tree(), Buffers::default());
        let e = 0.5f64.exp();
        let expected = 1.0 + (4.0 * e + 1.0) / (e + 1.0);
        let found = mass(100.0, &choice(&tree), &mut buffers);
        assert!((f64::from(found) - expected).abs() < 1e-5, "{found} {expected}");
        // Towards zero it is the length of the best line.
        assert!((mass(0.0, &choice(&tree), &mut buffers) - 5.0).abs() < 1e-6);
    }
}
