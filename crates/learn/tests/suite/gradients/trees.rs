//! S0.8 over whole trees and over sampled paths, and S0.9.

use std::marker::PhantomData;
use std::sync::Arc;

use yomi_core::{Evaluator, Line, Position, Seed};
use yomi_learn::frozen::{Below, Frozen};
use yomi_learn::gradient_sum::Gradient;
use yomi_learn::model::{Leaf, Model, Resolver};
use yomi_learn::pg_expectation::{Expectation, Softmax, Valued, eligibility_of};
use yomi_learn::pg_sampling::sample;
use yomi_learn::pg_tree::{self, Replies, root_weights, spread};
use yomi_learn::policy::{boltzmann, eligibility};
use yomi_learn::{pg_leaf, pg_tree::gradient};
use yomi_search::{Limits, Search, TreeSearch};

use super::common::*;

/// A tree with everything that is needed to compute it anew.
pub(crate) struct Grown<'a, P: Position, M> {
    model: &'a M,
    parameters: Vec<f64>,
    pub(crate) root: P,
    tree: Frozen,
    /// Where the value of each leaf comes from.
    rest: Vec<Option<Leaf<P>>>,
}

impl<'a, P: Position, M: Model<P>> Grown<'a, P, M> {
    pub(crate) fn search(model: &'a M, parameters: &[f64], line: &Line<P>, method: &str, limits: Limits) -> Self {
        let evaluator = Arc::new(model.evaluator(parameters).expect("an evaluator"));
        let mut search = TreeSearch::new(method.parse().expect("a method"), Arc::clone(&evaluator));
        search.search(line, &limits, &mut ());
        let tree = Frozen::of(search.tree(), &search.method().recipe, evaluator.win()).expect("a softmax tree");
        let mut resolver = Resolver::new(&*evaluator);
        let root = line.position().clone();
        let mut rest =
            |at: usize| (tree.nodes[at].below == Below::Leaf).then(|| resolver.resolve(&tree.position(&root, at)));
        let rest = (0..tree.nodes.len()).map(&mut rest).collect();
        Grown { model, parameters: parameters.to_vec(), root, tree, rest }
    }

    /// The tree with the static values of other parameters.
    pub(crate) fn with(&self, parameters: &[f64]) -> Frozen {
        let mut tree = self.tree.clone();
        for (at, leaf) in self.rest.iter().enumerate() {
            if let Some(leaf) = leaf {
                tree.values[at] = 0.0 - leaf.value(self.model, parameters);
            }
        }
        tree.recompute();
        tree
    }

    pub(crate) fn sum(&self, leaves: &[(usize, f64)]) -> Gradient {
        let mut sum = Gradient::default();
        for &(at, coefficient) in leaves {
            let leaf = self.rest[at].as_ref().expect("a leaf");
            leaf.gradient(self.model, &self.parameters, 0.0 - coefficient, &mut |index, x| sum.add(index, x));
        }
        sum
    }
}

/// The values of the search, the gradient of the root, of every root move and of ln π_a.
fn check<P: Position, M: Model<P>>(grown: &Grown<'_, P, M>, t_a: f64) {
    let exact = grown.with(&grown.parameters);
    for (at, (found, computed)) in grown.tree.values.iter().zip(&exact.values).enumerate() {
        let same = found == computed || (found - computed).abs() < 2e-3 * (1.0 + 0.01 * computed.abs());
        assert!(same, "node {at} at depth {}: {found} {computed}", exact.nodes[at].depth);
    }
    let root = grown.sum(&spread(&exact, &root_weights(&exact), Replies::Learned, 0.0));
    let error = worst(&root, &grown.parameters, 0.01, |w| grown.with(w).value());
    assert!(error < TOLERANCE, "the root: {error:e}");
    assert!(worst(&turned(&root), &grown.parameters, 0.01, |w| grown.with(w).value()) > 1.0);
    let moves = exact.children(0).len();
    for a in [0, moves / 2, moves - 1] {
        let mut only = vec![0.0; moves];
        only[a] = 1.0;
        let own = grown.sum(&spread(&exact, &only, Replies::Learned, 0.0));
        let error = worst(&own, &grown.parameters, 0.01, |w| grown.with(w).choices(0)[a]);
        assert!(error < TOLERANCE, "move {a}: {error:e}");
    }
    // A move that is nearly certain teaches nearly nothing: the least likely one is played.
    let finite = (0..moves).filter(|&a| exact.choices(0)[a].is_finite());
    let played = finite.min_by(|&a, &b| exact.choices(0)[a].total_cmp(&exact.choices(0)[b])).expect("a move");
    let e = grown.sum(&spread(&exact, &eligibility(exact.choices(0), t_a, played), Replies::Learned, 0.0));
    let log_policy = |w: &[f64]| boltzmann(grown.with(w).choices(0), t_a)[played].ln();
    let error = worst(&e, &grown.parameters, 0.01, log_policy);
    assert!(error < TOLERANCE, "e_ω: {error:e}");
    assert!(worst(&turned(&e), &grown.parameters, 0.01, log_policy) > 1.0);
}

#[test]
fn toy_trees() {
    let parameters = toy_parameters();
    for method in ["mcss(t=90,tb=40,hash=1)", "mcss(t=60,tb=by-depth(60,decay=0.8),hash=1)"] {
        for (depth, samples) in [(3, 1000), (6, 60), (8, 100)] {
            let line = Line::new(complete(3, depth + 1));
            let limits = Limits { depth: Some(depth), ..Limits::simulations(samples) }.seeded(Seed::new(3));
            check(&Grown::search(&TOY, &parameters, &line, method, limits), 50.0);
        }
    }
}

/// A target expectation in the place of a temperature: the sensitivities of S0.4.
#[test]
fn target_temperatures() {
    let parameters = toy_parameters();
    let line = Line::new(complete(4, 6));
    let limits = Limits { depth: Some(5), ..Limits::simulations(50) }.seeded(Seed::new(3));
    let grown = Grown::search(&TOY, &parameters, &line, "mcss(t=60,tb=target(0.7),hash=1)", limits);
    let exact = grown.with(&grown.parameters);
    let root = grown.sum(&spread(&exact, &root_weights(&exact), Replies::Learned, 0.0));
    // The temperature is solved for in single precision, so the slope is that of the definition, `mean + fraction·(max - mean)`.
    let value = |w: &[f64]| {
        let mut tree = grown.with(w);
        for at in (0..tree.nodes.len()).rev() {
            if let Below::Children { .. } = tree.nodes[at].below {
                let x = tree.choices(at);
                let mean = x.iter().sum::<f64>() / x.len() as f64;
                let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                tree.values[at] = -(mean + f64::from(0.7f32) * (max - mean));
            }
        }
        tree.value()
    };
    assert!((value(&grown.parameters) - grown.tree.value()).abs() < 0.01);
    assert!(worst(&root, &grown.parameters, 0.01, value) < TOLERANCE);
}

/// Real trees: temperatures of selection and backup that differ, quiescence searches at the leaves, mates among the moves.
#[test]
fn minishogi() {
    let (model, parameters) = (mini(), mini_parameters());
    let mut checked = 0;
    for (seed, plies) in [(1, 0), (2, 9), (3, 6), (7, 12), (8, 12), (9, 14)] {
        let line = random_position(seed, plies);
        let limits = Limits::evaluations(1500).seeded(Seed::new(seed));
        let grown = Grown::search(&model, &parameters, &line, "mcss(t=120,tb=50,hash=4)", limits);
        // Where a mate is seen nothing is left to learn.
        if grown.tree.value().is_finite() && grown.tree.value().abs() < 30_000.0 {
            check(&grown, 70.0);
            checked += 1;
        }
    }
    assert!(checked >= 3, "{checked}");
}

/// On a full tree of fixed depth the tree form with a fixed opponent is S0.7.
#[test]
fn a_full_tree_is_the_exact_recursion() {
    let parameters = toy_parameters();
    for depth in 1..=3 {
        let line = Line::new(complete(3, 2 * depth + 1));
        let limits = Limits { depth: Some(2 * depth), ..Limits::simulations(1_000_000) };
        let grown = Grown::search(&TOY, &parameters, &line, "mcss(t=60,hash=1)", limits);
        assert!(
            (1..grown.tree.nodes.len())
                .all(|at| { grown.tree.nodes[at].below != Below::Leaf || grown.tree.nodes[at].depth == 2 * depth })
        );
        compare(&grown, &line, depth, |position| Leaf::Static { position: position.clone(), sign: 1.0 });
    }
}

/// The same with two plies of minishogi and quiescence searches.
#[test]
fn a_full_tree_of_minishogi_is_the_exact_recursion() {
    let (model, parameters) = (mini(), mini_parameters());
    let evaluator = model.evaluator(&parameters).expect("an evaluator");
    let line = random_position(1, 2);
    let limits = Limits { depth: Some(2), ..Limits::simulations(1_000_000) };
    let grown = Grown::search(&model, &parameters, &line, "mcss(t=60,hash=4)", limits);
    let mut resolver = Resolver::new(&evaluator);
    compare(&grown, &line, 1, |position| resolver.resolve(position));
}

fn compare<P: Position, M: Model<P>>(
    grown: &Grown<'_, P, M>,
    line: &Line<P>,
    depth: u32,
    rest: impl FnMut(&P) -> Leaf<P>,
) {
    let exact = grown.with(&grown.parameters);
    let win = win::<P, M>(grown.model, &grown.parameters);
    let mut recursion = Expectation {
        model: grown.model,
        parameters: &grown.parameters,
        t_a: 60.0,
        opponent: Softmax(60.0),
        rest,
        win,
        game: PhantomData,
    };
    let moves: Vec<Valued> = recursion.moves(line, depth).into_iter().map(|(_, worth)| worth).collect();
    for (a, worth) in moves.iter().enumerate() {
        let found = exact.choices(0)[a];
        assert!(found == f64::NEG_INFINITY || (found - worth.value).abs() < 1e-8, "{a}: {found} {}", worth.value);
    }
    let played = (0..moves.len()).find(|&a| exact.choices(0)[a].is_finite()).expect("a move that does not lose");
    let weights = eligibility(exact.choices(0), 60.0, played);
    let e = grown.sum(&spread(&exact, &weights, Replies::Fixed, 0.0));
    let apart = difference(&e, &eligibility_of(&moves, 60.0, played));
    assert!(apart < 1e-9, "{apart:e}");
    // And it is not the gradient in which the opponent learns as well.
    let learned = grown.sum(&spread(&exact, &weights, Replies::Learned, 0.0));
    assert!(difference(&e, &learned) > 1e-3);
}

/// S0.8: the expectation of the sampled gradient is the exact one, whatever the temperatures. Sixteen directions, 6 standard errors: a
/// true equality fails with probability below 16·2e-9, and the seeds are fixed.
#[test]
fn sampled_paths_have_the_exact_expectation() {
    let parameters = toy_parameters();
    let line = Line::new(complete(3, 7));
    for (method, replies) in [
        ("mcss(t=60,hash=1)", Replies::Learned),
        ("mcss(t=100,tb=40,hash=1)", Replies::Learned),
        ("mcss(t=100,tb=40,hash=1)", Replies::Fixed),
    ] {
        let limits = Limits { depth: Some(6), ..Limits::simulations(120) }.seeded(Seed::new(9));
        let grown = Grown::search(&TOY, &parameters, &line, method, limits);
        let weights = eligibility(grown.tree.choices(0), 60.0, 1);
        let exact = grown.sum(&spread(&grown.tree, &weights, replies, 0.0));
        let draw =
            |batch: u64| grown.sum(&sample(&grown.tree, &weights, replies, 64, 1, Seed::new(1).branch("batch", batch)));
        let z = deviations(&exact, &(0..400).map(draw).collect::<Vec<_>>());
        assert!(z < 6.0, "{method} {replies:?}: {z}");
        // A gradient that is wrong by a third is noticed.
        let mut wrong = exact.clone();
        wrong.add_scaled(0.33, &exact);
        let found: Vec<Gradient> = (0..400).map(draw).collect();
        assert!(deviations(&wrong, &found) > 6.0, "{}", deviations(&wrong, &found));
    }
}

/// How many standard errors the mean of the gradients found lies from the one expected, along random directions: the most of sixteen.
fn deviations(expected: &Gradient, found: &[Gradient]) -> f64 {
    let direction = |k: u64, index: usize| {
        let mut rng = Seed::new(k).branch("direction", index as u64).rng();
        f64::from(rng.unit()) - 0.5
    };
    let mut most: f64 = 0.0;
    for k in 0..16 {
        let along = |gradient: &Gradient| gradient.iter().map(|(index, x)| x * direction(k, index)).sum::<f64>();
        let (n, target) = (found.len() as f64, along(expected));
        let all: Vec<f64> = found.iter().map(along).collect();
        let mean = all.iter().sum::<f64>() / n;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        most = most.max((mean - target).abs() / (variance / n).sqrt());
    }
    most
}

#[test]
fn threads_draw_the_same_paths() {
    let parameters = toy_parameters();
    let limits = Limits { depth: Some(6), ..Limits::simulations(120) };
    let grown = Grown::search(&TOY, &parameters, &Line::new(complete(3, 7)), "mcss(t=60,hash=1)", limits);
    let weights = root_weights(&grown.tree);
    let paths = |threads: usize| sample(&grown.tree, &weights, Replies::Learned, 999, threads, Seed::new(4));
    assert_eq!(paths(1), paths(3));
    assert_eq!(paths(1).len(), 999);
}

/// S0.9 is the gradient of the policy over principal leaves; and where the backup is minimax, it is the whole tree's.
#[test]
fn principal_leaves() {
    let parameters = toy_parameters();
    let line = Line::new(complete(3, 7));
    let limits = Limits { depth: Some(6), ..Limits::simulations(200) }.seeded(Seed::new(2));
    let grown = Grown::search(&TOY, &parameters, &line, "mcss(t=60,hash=1)", limits.clone());
    let exact = grown.with(&grown.parameters);
    let e = grown.sum(&pg_leaf::leaves(&exact, &eligibility(&pg_leaf::values(&exact), 60.0, 2)));
    let log_policy = |w: &[f64]| boltzmann(&pg_leaf::values(&grown.with(w)), 60.0)[2].ln();
    assert!(worst(&e, &grown.parameters, 0.001, log_policy) < TOLERANCE);

    let cold = Grown::search(&TOY, &parameters, &line, "mcss(t=60,tb=0,hash=1)", limits);
    let exact = cold.with(&cold.parameters);
    assert_eq!(pg_leaf::values(&exact), exact.choices(0));
    let weights = eligibility(exact.choices(0), 60.0, 2);
    let whole = cold.sum(&spread(&exact, &weights, Replies::Learned, 0.0));
    assert!(difference(&whole, &cold.sum(&pg_leaf::leaves(&exact, &weights))) < 1e-12);
}

/// What the learner calls: leaves resolved on the way, small branches left out.
#[test]
fn small_branches_can_be_left_out() {
    let (model, parameters) = (mini(), mini_parameters());
    let line = random_position(2, 9);
    let limits = Limits::evaluations(2000).seeded(Seed::new(2));
    let grown = Grown::search(&model, &parameters, &line, "mcss(t=80,hash=4)", limits);
    let weights = eligibility(grown.tree.choices(0), 80.0, 0);
    let all = spread(&grown.tree, &weights, Replies::Learned, 0.0);
    let few = spread(&grown.tree, &weights, Replies::Learned, 1e-6);
    assert!(few.len() < all.len() / 2, "{} of {}", few.len(), all.len());
    let evaluator = model.evaluator(&parameters).expect("an evaluator");
    let mut resolver = Resolver::new(&evaluator);
    let mut sum = Gradient::default();
    let sink = &mut |index, x| sum.add(index, x);
    gradient(&grown.tree, &grown.root, &few, (&model, &parameters), |p| resolver.resolve(p), sink);
    assert!(difference(&sum, &grown.sum(&all)) < 0.02, "{}", difference(&sum, &grown.sum(&all)));
    assert!(pg_tree::spread(&grown.tree, &weights, Replies::Learned, 1e9).is_empty());
}

/// What `yomi learn gradient-speed` calls the truth: at positions of random games the walk over a complete tree is
/// still the exact recursion.
#[test]
fn the_measured_forms_agree_on_complete_trees() {
    let (model, parameters) = (mini(), mini_parameters());
    let terms = yomi_learn::gradient_speed::Terms {
        search: "mcss(t=80,hash=4)".parse().expect("a method"),
        evaluations: 100,
        t_a: 50.0,
        samples: vec![16],
        least: vec![0.0],
        leaves: vec![0, 8, 64],
    };
    // Of 8 leaves and of 64, summed over the positions.
    let mut thinned = [0.0; 2];
    for seed in 0..6 {
        let line = random_position(60 + seed, 12);
        let rows = yomi_learn::gradient_speed::measure((&model, &parameters), &line, &terms, Seed::new(seed));
        for row in rows.expect("measured") {
            match (row.form, row.setting) {
                // Without a bound on their number all leaves stay.
                ("tree", _) | ("thinned", 0.0) => assert!(row.error < 1e-3, "position {seed}: {row:?}"),
                ("thinned", most) => thinned[usize::from(most == 64.0)] += row.error,
                _ => {}
            }
        }
    }
    assert!(thinned[1] < 0.7 * thinned[0], "{thinned:?}");
}
