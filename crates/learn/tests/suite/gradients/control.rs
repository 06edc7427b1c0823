//! S3.3 and S3.4 against finite differences: by the evaluation, by the simulation policy, by the temperature.

use yomi_core::toy::{Branch, ToyTree};
use yomi_core::{Line, Position, Seed};
use yomi_games::shogi::{Five, Minishogi};
use yomi_learn::frozen::{Below, Frozen};
use yomi_learn::gradient_sum::Gradient;
use yomi_learn::model::{Control, Controlled, LinearShogi, Model};
use yomi_learn::pg_tree::{Replies, spread};
use yomi_learn::policy::{boltzmann, eligibility};
use yomi_learn::search_control::{
    Choices, Expected, Slope, Survival, judge_moves, principal, principal_values, temperature_slope, theta,
};
use yomi_search::Limits;

use super::common::*;
use super::trees::Grown;

/// Two features of toy moves: which branch, and whether it follows the same one.
fn toy_features(_: &ToyTree, last: Option<Branch>, moves: &[Branch], sink: &mut dyn FnMut(usize, usize, f32)) {
    for (i, &mv) in moves.iter().enumerate() {
        sink(i, 0, i as f32 + 0.5);
        if last == Some(mv) {
            sink(i, 1, 1.0);
        }
    }
}

/// A tree together with its control; parameters are those of the evaluation, then θ.
pub(crate) struct Scene<'a, P: Position, M> {
    pub(crate) grown: Grown<'a, P, M>,
    pub(crate) control: Control<P>,
    pub(crate) parameters: Vec<f64>,
    /// Where θ begins.
    pub(crate) evaluation: usize,
    /// Whether the model knows of θ.
    pub(crate) whole: bool,
    pub(crate) how: Survival,
}

impl<P: Position, M: Model<P>> Scene<'_, P, M> {
    fn tree(&self, parameters: &[f64]) -> Frozen {
        let own = if self.whole { parameters } else { &parameters[..self.evaluation] };
        let mut tree = self.grown.with(own);
        judge_moves(&mut tree, &self.grown.root, &self.control, parameters);
        tree
    }

    fn gradient(&self, tree: &Frozen, slope: &Slope) -> Gradient {
        let mut sum = self.grown.sum(&slope.leaves);
        theta(tree, &self.grown.root, &self.control, &slope.moves, &mut |index, x| sum.add(index, x));
        sum
    }

    /// Both parts of a gradient, and that the wrong sign of either is found out.
    fn agree(&self, gradient: &Gradient, what: &str, f: &dyn Fn(&[f64]) -> f64) {
        let control = |wanted: bool| {
            let mut part = Gradient::default();
            let own = gradient.iter().filter(|(index, _)| (*index >= self.evaluation) == wanted);
            own.for_each(|(index, x)| part.add(index, x));
            part
        };
        for (part, name, h) in [(control(false), "ω", 0.01), (control(true), "θ", 1e-4)] {
            let error = worst(&part, &self.parameters, h, f);
            assert!(error < TOLERANCE, "{what}, {name}: {error:e}");
            let error = worst(&turned(&part), &self.parameters, h, f);
            assert!(error > 1.0, "{what}, {name}: a wrong sign is found out: {error:e}");
        }
    }

    pub(crate) fn check(&self) {
        let (tree, how) = (self.tree(&self.parameters), self.how);
        let expected = Expected::of(&tree, how);
        let moves = tree.children(0).len();
        for a in [0, moves - 1] {
            let only: Vec<f64> = (0..moves).map(|i| f64::from(u8::from(i == a))).collect();
            if !tree.choices(0)[a].is_finite() {
                continue;
            }
            let slope = expected.slope(&tree, how, &only, Choices::Learned);
            let value = |w: &[f64]| {
                let tree = self.tree(w);
                Expected::of(&tree, how).choices(&tree)[a]
            };
            self.agree(&self.gradient(&tree, &slope), "S3.3", &value);
            let slope = principal(&tree, how, &only);
            self.agree(&self.gradient(&tree, &slope), "S3.4", &|w| principal_values(&self.tree(w), how)[a]);
        }
        // e_ω and e_θ: the derivatives of ln π_a of the least likely move.
        for whole in [false, true] {
            let values = |tree: &Frozen| match whole {
                true => Expected::of(tree, how).choices(tree),
                false => principal_values(tree, how),
            };
            let found = values(&tree);
            let finite = (0..moves).filter(|&a| found[a].is_finite());
            let played = finite.min_by(|&a, &b| found[a].total_cmp(&found[b])).expect("a move");
            let weights = eligibility(&found, 50.0, played);
            let slope = match whole {
                true => expected.slope(&tree, how, &weights, Choices::Learned),
                false => principal(&tree, how, &weights),
            };
            let log_policy = |w: &[f64], t: f64| boltzmann(&values(&self.tree(w)), t)[played].ln();
            self.agree(&self.gradient(&tree, &slope), "e", &|w| log_policy(w, 50.0));
            let slope = (log_policy(&self.parameters, 50.0 * 1e-4f64.exp())
                - log_policy(&self.parameters, 50.0 * (-1e-4f64).exp()))
                / 2e-4;
            let claimed = temperature_slope(&found, 50.0, played);
            assert!((slope - claimed).abs() <= TOLERANCE * slope.abs(), "T_a: {slope} {claimed}");
        }
    }
}

fn toy(
    branches: usize,
    plies: u32,
    limits: Limits,
    how: Survival,
) -> Scene<'static, ToyTree, yomi_learn::model::Table> {
    let mut parameters = toy_parameters();
    let line = Line::new(complete(branches, plies));
    let grown = Grown::search(&TOY, &parameters, &line, "mcss(t=90,tb=40,hash=1)", limits.seeded(Seed::new(3)));
    let evaluation = parameters.len();
    parameters.extend([0.4, -0.7]);
    let control = Control { theta: evaluation..evaluation + 2, temperature: evaluation + 2, features: toy_features };
    Scene { grown, control, parameters, evaluation, whole: false, how }
}

const HOW: Survival = Survival { mu: 0.1, tau: 0.2 };

#[test]
fn toy_trees() {
    for (plies, samples) in [(3, 1000), (6, 60)] {
        let limits = Limits { depth: Some(plies), ..Limits::simulations(samples) };
        toy(3, plies + 1, limits, HOW).check();
    }
}

#[test]
fn minishogi_positions() {
    for seed in 0..3 {
        let line = random_position(40 + seed, 10);
        let model: Controlled<Minishogi, LinearShogi<Five>> = Controlled::new(mini(), &vec![0.0; features()]).unwrap();
        let mut rng = Seed::new(seed).rng();
        let mut parameters = mini_parameters();
        let evaluation = parameters.len();
        parameters.extend((0..features()).map(|_| f64::from(rng.unit()) - 0.5));
        parameters.push(0.0);
        let limits = Limits::evaluations(800).seeded(Seed::new(seed));
        let grown = Grown::search(&model, &parameters, &line, "mcss(t=80,hash=4)", limits);
        let control = model.control().expect("a policy");
        Scene { grown, control, parameters, evaluation, whole: true, how: HOW }.check();
    }
}

fn features() -> usize {
    use yomi_eval::MoveFeatures;
    Minishogi::feature_names().len()
}

/// S3.3 as it is printed, with the moves inside the tree fixed: `∂P/∂θ = P·Σ e''`, against a sum over all leaves by hand.
#[test]
fn the_printed_form_fixes_the_moves() {
    let limits = Limits { depth: Some(4), ..Limits::simulations(60) };
    let scene = toy(3, 5, limits, HOW);
    let tree = scene.tree(&scene.parameters);
    let expected = Expected::of(&tree, HOW);
    // π of every move, as it is now; then E*(a) = Σ_leaf Π π·P_sv·V by hand.
    let plain = |w: &[f64], pi: &[f64]| {
        let now = scene.tree(w);
        let mut cumulative = vec![1.0; now.nodes.len()];
        let mut reached = vec![1.0; now.nodes.len()];
        let mut total = 0.0;
        for at in 1..now.nodes.len() {
            let parent = now.nodes[at].parent as usize;
            cumulative[at] = cumulative[parent] * now.priors[at];
            reached[at] = reached[parent]
                * HOW.at(cumulative[at])
                * if parent == 0 { f64::from(u8::from(at == 1)) } else { pi[at] };
            if !matches!(now.nodes[at].below, Below::Children { .. }) && now.values[at].is_finite() {
                let sign = if now.nodes[at].depth % 2 == 1 { 1.0 } else { -1.0 };
                total += sign * reached[at] * now.values[at];
            }
        }
        total
    };
    let mut pi = vec![0.0; tree.nodes.len()];
    let values = {
        // The worths that the policy inside the tree is made of.
        let mut values = tree.values.clone();
        for at in (1..tree.nodes.len()).rev() {
            let family = tree.children(at);
            if !family.is_empty() {
                let own = tree.rules.backup_probabilities(tree.nodes[at].depth, &values[family.clone()]);
                let mut cumulative = 1.0;
                tree.ancestors(at).for_each(|up| cumulative *= tree.priors[up]);
                let worth: f64 = family
                    .clone()
                    .zip(&own)
                    .filter(|(_, p)| **p > 0.0)
                    .map(|(child, p)| p * HOW.at(cumulative * tree.priors[child]) * values[child])
                    .sum();
                pi[family].copy_from_slice(&own);
                values[at] = 0.0 - worth;
            }
        }
        values
    };
    assert!((plain(&scene.parameters, &pi) - HOW.at(tree.priors[1]) * values[1]).abs() < 1e-9);
    let mut only = vec![0.0; tree.children(0).len()];
    only[0] = 1.0;
    let slope = expected.slope(&tree, HOW, &only, Choices::Fixed);
    scene.agree(&scene.gradient(&tree, &slope), "S3.3 as printed", &|w| plain(w, &pi));
}

/// A single line has one leaf: there S3.4 is S3.3. And where everything survives, S3.3 is S0.8.
#[test]
fn forms_meet_where_they_should() {
    let scene = toy(1, 6, Limits { depth: Some(5), ..Limits::simulations(60) }, HOW);
    let tree = scene.tree(&scene.parameters);
    let expected = Expected::of(&tree, HOW);
    assert!((expected.choices(&tree)[0] - principal_values(&tree, HOW)[0]).abs() < 1e-9);
    let whole = expected.slope(&tree, HOW, &[1.0], Choices::Learned);
    let line = principal(&tree, HOW, &[1.0]);
    assert_eq!((whole.leaves.len(), whole.leaves[0].0), (1, line.leaves[0].0));
    assert!((whole.leaves[0].1 - line.leaves[0].1).abs() < 1e-12);
    for (a, b) in whole.moves.iter().zip(&line.moves) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
    }
    let scene = toy(3, 5, Limits { depth: Some(4), ..Limits::simulations(60) }, HOW);
    let tree = scene.tree(&scene.parameters);
    let everything = Survival { mu: -1e9, tau: 1.0 };
    let expected = Expected::of(&tree, everything);
    for (a, b) in expected.choices(&tree).iter().zip(tree.choices(0)) {
        assert!((a - b).abs() < 1e-9);
    }
    let weights = [0.3, -0.2, 0.7];
    let slope = expected.slope(&tree, everything, &weights, Choices::Learned);
    let plain = spread(&tree, &weights, Replies::Learned, 0.0);
    assert!(slope.moves.is_empty() && slope.leaves.len() == plain.len());
    for (a, b) in slope.leaves.iter().zip(&plain) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-12);
    }
}
