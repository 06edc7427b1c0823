//! Toy trees, real positions, and finite differences.

use yomi_core::toy::ToyTree;
use yomi_core::{Evaluator, Line, Position, Seed};
use yomi_games::shogi::{Five, Minishogi};
use yomi_learn::Start;
use yomi_learn::gradient_sum::Gradient;
use yomi_learn::model::{LinearShogi, Model, Table};
use yomi_search::QuietOptions;

/// What a gradient may differ from a finite difference, relative to the larger of the two.
pub(crate) const TOLERANCE: f64 = 1e-5;

/// A complete tree of this many branches and plies; nothing is written at its nodes.
pub(crate) fn complete(branches: usize, plies: u32) -> ToyTree {
    fn text(branches: usize, plies: u32) -> String {
        if plies == 0 {
            return "1".to_string();
        }
        format!("({})", vec![text(branches, plies - 1); branches].join(" "))
    }
    text(branches, plies).parse().expect("a tree")
}

/// The model of toy trees: one parameter for nearly every node.
pub(crate) const TOY: Table = Table { size: 4001, win: 1e6 };

pub(crate) fn toy_parameters() -> Vec<f64> {
    let mut rng = Seed::new(11).rng();
    (0..TOY.size).map(|_| f64::from(rng.unit()) * 200.0 - 100.0).collect()
}

/// Every value exact: no sibling is judged by a bound alone.
pub(crate) const QUIET: QuietOptions =
    QuietOptions { depth: 3, checks: 0, nodes: 16, exchange: true, futility: 100, window: 0, lazy: false, pawn: 87.0 };

pub(crate) fn mini() -> LinearShogi<Five> {
    LinearShogi::new(QUIET, Start::Material, 600.0)
}

/// Material and a little of everything else, in steps that the evaluator's weights have.
pub(crate) fn mini_parameters() -> Vec<f64> {
    let mut rng = Seed::new(5).rng();
    let noise = |x: f64, rng: &mut yomi_core::Rng| ((x + f64::from(rng.unit()) * 12.0 - 6.0) * 16.0).round() / 16.0;
    mini().start().into_iter().map(|x| noise(x, &mut rng)).collect()
}

/// A position of a random game after this many plies.
pub(crate) fn random_position(seed: u64, plies: usize) -> Line<Minishogi> {
    let mut rng = Seed::new(seed).rng();
    let mut moves = Vec::new();
    'game: loop {
        let mut line = Line::new(Minishogi::default());
        for _ in 0..plies {
            if line.generate(&mut moves).is_some() {
                continue 'game;
            }
            line.play(moves[rng.below(moves.len())]);
        }
        if line.generate(&mut moves).is_none() {
            return line;
        }
    }
}

/// The relative difference of a claimed slope from `(f(ω+h) - f(ω-h))/2h`, over some of the parameters that the gradient uses: the worst.
pub(crate) fn worst(gradient: &Gradient, parameters: &[f64], h: f64, mut f: impl FnMut(&[f64]) -> f64) -> f64 {
    let used: Vec<(usize, f64)> = gradient.iter().filter(|(_, x)| *x != 0.0).collect();
    assert!(!used.is_empty(), "a gradient of nothing proves nothing");
    let largest = used.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
    let mut moved = parameters.to_vec();
    let mut worst: f64 = 0.0;
    for &(index, claimed) in used.iter().step_by(used.len().div_ceil(16)) {
        let mut at = |shift: f64| {
            moved[index] = parameters[index] + shift;
            f(&moved)
        };
        let slope = (at(h) - at(-h)) / (2.0 * h);
        moved[index] = parameters[index];
        // Components a thousand times smaller than the largest are measured by that: a difference quotient has no more digits.
        let size = slope.abs().max(claimed.abs()).max(1e-3 * largest);
        worst = worst.max((slope - claimed).abs() / size);
    }
    worst
}

/// The gradient with its sign turned around.
pub(crate) fn turned(gradient: &Gradient) -> Gradient {
    let mut other = Gradient::default();
    other.add_scaled(-1.0, gradient);
    other
}

/// The largest difference of two gradients, relative to the largest component.
pub(crate) fn difference(a: &Gradient, b: &Gradient) -> f64 {
    let largest = a.iter().chain(b.iter()).map(|(_, x)| x.abs()).fold(0.0, f64::max);
    let mut apart = a.clone();
    apart.add_scaled(-1.0, b);
    apart.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max) / largest.max(1e-300)
}

/// The win of a model's evaluator.
pub(crate) fn win<P: Position, M: Model<P>>(model: &M, parameters: &[f64]) -> f64 {
    f64::from(model.evaluator(parameters).expect("an evaluator").win())
}
