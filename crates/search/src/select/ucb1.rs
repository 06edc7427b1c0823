//! Upper confidence bounds (Kocsis and Szepesvári 2006; S2.1).

use std::array;

use super::{Buffers, Choice, Rule};
use crate::score::UNSEEN;
use crate::softmax;

/// What the exploration constant counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Win rates from 0 to 1, as in S2.1: `C = 1.5` there. Values run from `-win` to `win`, twice as far as rates.
    WinRate,
    /// The evaluator's own unit.
    Value,
}

impl Unit {
    /// The constant in the evaluator's unit.
    pub(super) fn weight(self, c: f32, win: f32) -> f32 {
        match self {
            Unit::WinRate => 2.0 * win * c,
            Unit::Value => c,
        }
    }
}

/// S2.1: `X_u + C·√(2 ln n / n_u)`.
#[inline]
pub(super) fn bound(value: f32, c: f32, two_ln_n: f32, n_u: f32) -> f32 {
    value + c * (two_ln_n / n_u).sqrt()
}

/// `2 ln n`.
#[inline]
pub(super) fn two_ln(n: f32) -> f32 {
    2.0 * softmax::ln(n)
}

/// Urgencies by [`bound`]. A child never tried comes before all others, a lost one never.
#[inline]
pub(super) fn rate(c: f32, choice: &Choice<'_>, buffers: &mut Buffers) -> Rule {
    let Buffers { rates, spare, more: visits, .. } = buffers;
    choice.scores(rates, spare);
    choice.tree.read_visits(choice.block, visits);
    let two_ln_n = two_ln(choice.samples());
    for (x, &n) in rates.iter_mut().zip(&*visits) {
        *x = urgency(*x, c, two_ln_n, n);
    }
    Rule::Greedy
}

/// How many children are rated at once, so that the compiler may use its vectors. Sixteen are slower: one such vector at a time keeps fewer
/// units busy than two of eight.
const LANES: usize = 8;

/// The child that [`rate`] makes the most urgent, in one pass: what UCT does most of the time. One never tried ends the search for
/// it.
#[inline]
pub(super) fn most_urgent(c: f32, choice: &Choice<'_>) -> Option<usize> {
    let two_ln_n = two_ln(choice.samples());
    let (tree, block) = (choice.tree, choice.block);
    let len = usize::from(block.len);
    if len < LANES {
        return most_urgent_of_few(c, two_ln_n, block.children().map(|child| (tree.value(child), tree.visits(child))));
    }
    // Each lane keeps its first best, so that nothing is compared across lanes, or branched on, before the end.
    let (mut best, mut at) = ([f32::NEG_INFINITY; LANES], [0u32; LANES]);
    let mut first = 0;
    loop {
        let (values, visits) = tree.values_and_visits::<LANES>(block, first);
        let urgencies: [f32; LANES] = array::from_fn(|lane| urgency(values[lane], c, two_ln_n, visits[lane] as f32));
        at = array::from_fn(|lane| if urgencies[lane] > best[lane] { (first + lane) as u32 } else { at[lane] });
        best = array::from_fn(|lane| if urgencies[lane] > best[lane] { urgencies[lane] } else { best[lane] });
        let untried = urgencies.iter().fold(false, |any, &x| any | (x == f32::INFINITY));
        if untried || first + LANES == len {
            break;
        }
        // The last ones are as many as the others: some are rated twice, which changes nothing.
        first = (first + LANES).min(len - LANES);
    }
    let highest = softmax::maximum(&best);
    let index = best.iter().zip(&at).map(|(&x, &at)| if x == highest { at } else { u32::MAX }).fold(u32::MAX, u32::min);
    (highest > f32::NEG_INFINITY).then_some(index as usize)
}

fn most_urgent_of_few(c: f32, two_ln_n: f32, children: impl Iterator<Item = (f32, u32)>) -> Option<usize> {
    let mut best = (None, f32::NEG_INFINITY);
    for (i, (value, n)) in children.enumerate() {
        let urgency = urgency(value, c, two_ln_n, n as f32);
        if urgency > best.1 {
            best = (Some(i), urgency);
        }
        if urgency == f32::INFINITY {
            break;
        }
    }
    best.0
}

/// The urgency of a child: its [`bound`], infinite if it is unvisited, none if it is lost.
#[inline(always)]
fn urgency(value: f32, c: f32, two_ln_n: f32, n: f32) -> f32 {
    let bound = bound(value, c, two_ln_n, n);
    let urgency = if n > 0.0 { bound } else { f32::INFINITY };
    // Only lost children lie below unvisited ones.
    if value >= UNSEEN { urgency } else { f32::NEG_INFINITY }
}

#[cfg(test)]
mod tests {
    use super::super::{Rule, Select};
    use super::*;
    use crate::constant::Constant;
    use crate::search::Proof;
    use crate::tree::{Extras, Link, Newborn, ROOT, Tree};
    use proptest::prelude::*;
    use yomi_core::Seed;

    proptest! {
        /// The quick way takes the child that the slow way rates highest.
        #[test]
        fn one_pass_is_as_good_as_two(children in prop::collection::vec((-1.0f32..1.0, 0u32..50, 0..10), 1..60), c in 0.0f32..3.0) {
            let tree = Tree::with_capacity(61, Extras::default());
            prop_assert!(tree.claim(ROOT));
            let newborn = |&(value, n, _): &(f32, u32, i32)| {
                let value = if n == 0 { UNSEEN } else { value };
                Newborn { mv: 0, value, prior: 0.0, static_value: 0.0, link: Link::LEAF }
            };
            let block = tree.adopt(ROOT, &children.iter().map(newborn).collect::<Vec<_>>()).unwrap();
            for (child, &(_, n, kind)) in block.children().zip(&children) {
                (0..n).for_each(|_| { tree.visit(child); tree.visit(ROOT); });
                if kind == 0 {
                    tree.set_proof(child, Proof::Loss(2));
                }
            }
            let choice = Choice { tree: &tree, parent: ROOT, block, depth: 0, win: 1.0, mix: 0.0, open_only: false };
            let (mut buffers, mut rng) = (Buffers::default(), Seed::new(0).rng());
            let rule = Select::Ucb1 { c: Constant::Fixed(c), unit: Unit::Value }.rate(&choice, &mut buffers, &mut rng);
            prop_assert_eq!(rule, Rule::Greedy);
            prop_assert_eq!(most_urgent(c, &choice), rule.pick(&buffers.rates, &mut rng));
        }
    }

    /// A bandit by hand: X = 0.4 after 9 of 100 samples, C = 1.5: 0.4 + 1.5·√(2·ln 100/9) = 1.917426…
    #[test]
    fn the_bound_is_the_papers() {
        assert!((bound(0.4, 1.5, two_ln(100.0), 9.0) - 1.917_426).abs() < 1e-5);
        assert_eq!(Unit::WinRate.weight(1.5, 1.0), 3.0);
        assert_eq!(Unit::Value.weight(1.5, 1.0), 1.5);
    }
}
