//! Learning through a search: the gradient of a tree's value is what finite differences say (S0.8).
#![cfg(not(loom))]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use yomi_core::{Answer, Differentiable, Evaluator, Line, Position, Question, Seed};
use yomi_eval::Material;
use yomi_games::shogi::{Kind, Minishogi, ShogiMove};
use yomi_search::backup::{operators, sensitivities};
use yomi_search::tree::{NodeId, ROOT};
use yomi_search::{Limits, Quiet, QuietOptions, Search, TreeSearch};

/// Pieces at any price.
#[derive(Clone)]
struct Prices([f32; 14]);

impl Prices {
    fn of_material() -> Prices {
        Prices(std::array::from_fn(|i| Material::worth::<yomi_games::shogi::Five>(Kind::ALL[i])))
    }

    fn moved(&self, i: usize, h: f32) -> Prices {
        let mut prices = self.clone();
        prices.0[i] += h;
        prices
    }
}

impl Evaluator<Minishogi> for Prices {
    type Scratch = ();
    fn scratch(&self, _: u64) {}
    fn win(&self) -> f32 {
        32_768.0
    }
    fn judge(&self, question: &Question<'_, Minishogi>, answer: &mut Answer<ShogiMove>, (): &mut ()) {
        answer.by_value(question, 32_768.0, |question| {
            let mut value = 0.0;
            Material.gradient(question, 1.0, &mut |i, x| value += x * self.0[i], &mut ());
            value
        });
    }
}

impl Differentiable<Minishogi> for Prices {
    fn parameters(&self) -> usize {
        14
    }
    fn gradient(
        &self,
        question: &Question<'_, Minishogi>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        (): &mut (),
    ) {
        Material.gradient(question, coefficient, sink, &mut ());
    }
}

/// Positions with captures on the board, out of random games.
fn positions() -> Vec<Minishogi> {
    let (mut found, mut moves) = (Vec::new(), Vec::new());
    for game in 0..12 {
        let mut rng = Seed::new(6).branch("gradients", game).rng();
        let mut position = Minishogi::default();
        for _ in 0..6 + rng.below(20) {
            if position.generate(&mut moves).is_none() {
                position.play(moves[rng.below(moves.len())]);
            }
        }
        if position.generate(&mut moves).is_none() {
            found.push(position);
        }
    }
    found
}

/// The gradient of a quiescence search is that of the quiet position.
#[test]
fn the_gradient_of_a_quiescence_search() {
    const H: f32 = 0.25;
    let mut resolved = 0;
    for position in positions() {
        let question = Question::of(&position, &[]);
        let quiet =
            |prices: Prices| Quiet::new(prices, QuietOptions { depth: 5, nodes: 500, ..QuietOptions::default() });
        let value = |prices: Prices| {
            let quiet = quiet(prices);
            let mut scratch = Evaluator::<Minishogi>::scratch(&quiet, 0);
            let mut answer = Answer::default();
            quiet.judge(&question, &mut answer, &mut scratch);
            (answer.value, answer.line)
        };
        let quiet = quiet(Prices::of_material());
        let mut gradient = [0.0f32; 14];
        let mut scratch = Evaluator::<Minishogi>::scratch(&quiet, 0);
        quiet.gradient(&question, 2.0, &mut |i, x| gradient[i] += x, &mut scratch);
        let line = value(Prices::of_material()).1;
        resolved += usize::from(!line.is_empty());
        for (i, &derivative) in gradient.iter().enumerate() {
            let (more, less) = (value(Prices::of_material().moved(i, H)), value(Prices::of_material().moved(i, -H)));
            // Where a price decides which line is best, the value has a corner.
            if more.1 == line && less.1 == line {
                let difference = (more.0 - less.0) / (2.0 * H);
                assert!((derivative - 2.0 * difference).abs() < 0.05, "{i}: {derivative} {difference}\n{position}");
            }
        }
    }
    assert!(resolved > 2, "some captures are searched: {resolved}");
}

/// One node of the walk.
struct Seen {
    children: Vec<NodeId>,
    gradient: Vec<f64>,
    value: f64,
}

/// `∂V/∂θ` of the root of an MCSS tree: sensitivities multiplied along the paths, times the gradients of the leaves.
#[test]
fn the_gradient_of_a_tree() {
    const T: f64 = 80.0;
    let prices = Prices::of_material();
    for position in positions().into_iter().take(5) {
        let mut search = TreeSearch::new("mcss(t=80,hash=16,solver=off)".parse().unwrap(), prices.clone());
        let verdict = search.search(&Line::new(position), &Limits::simulations(60).seeded(Seed::new(1)), &mut ());
        let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
        search.walk(|visit| {
            let mut gradient = vec![0.0; 14];
            let question = Question::at(visit.line, &[]);
            prices.gradient(&question, 1.0, &mut |i, x| gradient[i] += f64::from(x), &mut ());
            let children: Vec<NodeId> = visit.children.iter().flat_map(|block| block.children()).collect();
            assert_eq!(visit.values.len(), children.len());
            assert!(children.is_empty() || (visit.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            assert!(children.is_empty() || (visit.shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            let value = f64::from(visit.value.unwrap_or(0.0));
            seen.insert(visit.node.0, Seen { children, gradient, value });
            ControlFlow::Continue(())
        });
        assert!(seen.len() > 100);
        // The value of a node for its side to move, with the prices moved; and its gradient.
        fn value(seen: &BTreeMap<u32, Seen>, node: NodeId, moved: &[f64]) -> f64 {
            let here = &seen[&node.0];
            if here.children.is_empty() {
                let change: f64 = here.gradient.iter().zip(moved).map(|(g, d)| g * d).sum();
                // A game that ends here does not depend on any price.
                return if here.value.abs() > 30_000.0 { here.value } else { here.value + change };
            }
            let values: Vec<f64> = here.children.iter().map(|&child| -value(seen, child, moved)).collect();
            operators::boltzmann(&values, T)
        }
        fn gradient(seen: &BTreeMap<u32, Seen>, node: NodeId, coefficient: f64, sum: &mut [f64]) {
            let here = &seen[&node.0];
            if here.children.is_empty() {
                if here.value.abs() <= 30_000.0 {
                    sum.iter_mut().zip(&here.gradient).for_each(|(s, g)| *s += coefficient * g);
                }
                return;
            }
            let values: Vec<f64> = here.children.iter().map(|&child| -value(seen, child, &[0.0; 14])).collect();
            for (&child, part) in here.children.iter().zip(sensitivities::boltzmann(&values, T)) {
                // The child's value is that of the other side.
                gradient(seen, child, -coefficient * part, sum);
            }
        }
        let root = value(&seen, ROOT, &[0.0; 14]);
        assert!((root - f64::from(verdict.value)).abs() < 0.5, "{root} {}", verdict.value);
        let mut found = [0.0; 14];
        gradient(&seen, ROOT, 1.0, &mut found);
        for (i, found) in found.iter().enumerate() {
            let at = |h: f64| {
                let mut moved = [0.0; 14];
                moved[i] = h;
                value(&seen, ROOT, &moved)
            };
            let difference = (at(1e-3) - at(-1e-3)) / 2e-3;
            assert!((found - difference).abs() < 1e-4, "{i}: {found} {difference}");
        }
    }
}
