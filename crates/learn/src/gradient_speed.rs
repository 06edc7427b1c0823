//! How accurate each form of the policy gradient is, and how long it takes: the claim of S0.8 ("fast"), measured.
//!
//! At every position the question is the same, `e_ω = ∂ln π_a(a)/∂ω` of the second best move: one that is nearly certain teaches nothing. On a *complete* tree of one unit of depth
//! S0.7 is the truth for all; on the tree of a *search* it is the walk over the whole tree in double precision. Seconds are CPU time, the
//! gradients of the leaves' static values included; S0.7 grows its own tree, for the others the time of the search stands beside it.

use std::marker::PhantomData;

use yomi_core::clock::Stopwatch;
use yomi_core::{Evaluator, Line, Position, Seed, TextError};
use yomi_search::{Limits, Method as SearchMethod, Search, TreeSearch};

use crate::frozen::Frozen;
use crate::gradient_sum::{Accumulator, Gradient};
use crate::model::{Model, Resolver};
use crate::pg_expectation::{Expectation, Softmax, Valued, eligibility_of};
use crate::pg_tree::{Replies, gradient, spread};
use crate::policy::eligibility;
use crate::thin::thin;
use crate::{pg_leaf, pg_sampling};

/// How gradients are compared.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The search whose tree is differentiated.
    pub search: SearchMethod,
    /// Positions it may judge.
    pub evaluations: u64,
    /// T_a.
    pub t_a: f64,
    /// Numbers of sampled paths.
    pub samples: Vec<usize>,
    /// Parts of the largest weight below which branches are left out of the walk; 0 is exact.
    pub least: Vec<f64>,
    /// Numbers of leaves that are kept after the walk, see [`crate::thin`].
    pub leaves: Vec<usize>,
}

/// One gradient at one position.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Measured {
    /// `complete` or `search`.
    pub tree: &'static str,
    /// `S0.7`, `tree`, `thinned`, `sampled`, `PGLeaf`.
    pub form: &'static str,
    /// Its number: paths, leaves, or the part that is left out.
    pub setting: f64,
    /// `|g - g*|/|g*|`.
    pub error: f64,
    /// The cosine of the angle between them.
    pub cosine: f64,
    /// CPU seconds of the gradient.
    pub seconds: f64,
    /// CPU seconds of the search before it; 0 for S0.7, which needs none.
    pub search_seconds: f64,
    /// Nodes of the tree.
    pub nodes: usize,
}

/// How far a gradient is from the truth, and the cosine of the angle between them.
pub fn compare(found: &Gradient, truth: &Gradient) -> (f64, f64) {
    let mut apart = found.clone();
    apart.add_scaled(-1.0, truth);
    let dot: f64 = found.iter().map(|(index, x)| x * truth.at(index)).sum();
    let length = truth.norm().max(1e-300);
    (apart.norm() / length, dot / (length * found.norm().max(1e-300)))
}

/// Gradients of all forms at a position whose game is not over. Nothing comes back where the search proves who wins.
pub fn measure<P: Position, M: Model<P>>(
    (model, parameters): (&M, &[f64]),
    line: &Line<P>,
    terms: &Terms,
    seed: Seed,
) -> Result<Vec<Measured>, TextError> {
    let evaluator = std::sync::Arc::new(model.evaluator(parameters)?);
    let mut rows = Vec::new();
    for (name, limits) in [("complete", Limits::depth(2)), ("search", Limits::evaluations(terms.evaluations))] {
        let mut search = TreeSearch::new(terms.search.clone(), std::sync::Arc::clone(&evaluator));
        let watch = Stopwatch::start();
        let verdict = search.search(line, &limits.seeded(seed), &mut ());
        let search_seconds = watch.busy().as_secs_f64();
        if verdict.proof.is_some() {
            return Ok(Vec::new());
        }
        let tree = Frozen::of(search.tree(), &search.method().recipe, evaluator.win())?;
        let mut bench = Bench {
            model,
            parameters,
            line,
            tree: &tree,
            resolver: Resolver::new(&*evaluator),
            sum: Accumulator::new(model.parameters()),
        };
        // Where all moves but one lose there is nothing to choose, and the search ends before the tree is complete.
        let values = tree.choices(0);
        let mut order: Vec<usize> = (0..values.len()).filter(|&a| values[a].is_finite()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let &[_, played, ..] = &order[..] else { return Ok(Vec::new()) };
        let weights = eligibility(values, terms.t_a, played);
        let row = |form, setting, (found, seconds): (Gradient, f64), truth: &Gradient, own: f64| {
            let (error, cosine) = compare(&found, truth);
            Measured { tree: name, form, setting, error, cosine, seconds, search_seconds: own, nodes: tree.nodes.len() }
        };
        let exact = bench.walk(&weights, 0.0, false);
        let truth = if name == "complete" {
            let exact = bench.exact(terms.t_a, played);
            let truth = exact.0.clone();
            rows.push(row("S0.7", 1.0, exact, &truth, 0.0));
            truth
        } else {
            exact.0
        };
        let largest = weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
        for &least in &terms.least {
            rows.push(row(
                "tree",
                least,
                bench.walk(&weights, least * largest, name == "complete"),
                &truth,
                search_seconds,
            ));
        }
        for &most in &terms.leaves {
            let found = bench.thinned(&weights, most, name == "complete", seed.branch("leaves", most as u64));
            rows.push(row("thinned", most as f64, found, &truth, search_seconds));
        }
        for &samples in &terms.samples {
            let found = bench.sampled(&weights, samples, name == "complete", seed.branch("paths", samples as u64));
            rows.push(row("sampled", samples as f64, found, &truth, search_seconds));
        }
        rows.push(row("PGLeaf", 1.0, bench.leaves(terms.t_a, played), &truth, search_seconds));
    }
    Ok(rows)
}

/// One tree, and what a gradient of it needs.
struct Bench<'a, P: Position, M: Model<P>> {
    model: &'a M,
    parameters: &'a [f64],
    line: &'a Line<P>,
    tree: &'a Frozen,
    resolver: Resolver<'a, P, M::Evaluator>,
    sum: Accumulator,
}

/// The opponent of S0.7 has a fixed policy.
fn replies(fixed: bool) -> Replies {
    if fixed { Replies::Fixed } else { Replies::Learned }
}

impl<P: Position, M: Model<P>> Bench<'_, P, M> {
    fn finish(&mut self, leaves: &[(usize, f64)], watch: Stopwatch) -> (Gradient, f64) {
        let Bench { model, parameters, line, tree, resolver, sum } = self;
        let rest = |position: &P| resolver.resolve(position);
        gradient(tree, line.position(), leaves, (*model, *parameters), rest, &mut |index, x| sum.add(index, x));
        let found = sum.take_exact();
        (found, watch.busy().as_secs_f64())
    }

    fn walk(&mut self, weights: &[f64], least: f64, fixed: bool) -> (Gradient, f64) {
        let watch = Stopwatch::start();
        let leaves = spread(self.tree, weights, replies(fixed), least);
        self.finish(&leaves, watch)
    }

    fn thinned(&mut self, weights: &[f64], most: usize, fixed: bool, seed: Seed) -> (Gradient, f64) {
        let watch = Stopwatch::start();
        let leaves = spread(self.tree, weights, replies(fixed), 0.0);
        let leaves = thin(&leaves, most, &mut seed.rng());
        self.finish(&leaves, watch)
    }

    fn sampled(&mut self, weights: &[f64], samples: usize, fixed: bool, seed: Seed) -> (Gradient, f64) {
        let watch = Stopwatch::start();
        let leaves = pg_sampling::merged(pg_sampling::sample(self.tree, weights, replies(fixed), samples, 1, seed));
        self.finish(&leaves, watch)
    }

    /// The policy of PGLeaf is that of its own values.
    fn leaves(&mut self, t_a: f64, played: usize) -> (Gradient, f64) {
        let watch = Stopwatch::start();
        let weights = eligibility(&pg_leaf::values(self.tree), t_a, played);
        let leaves = pg_leaf::leaves(self.tree, &weights);
        self.finish(&leaves, watch)
    }

    fn exact(&mut self, t_a: f64, played: usize) -> (Gradient, f64) {
        let watch = Stopwatch::start();
        let t = self.tree.rules.backup_temperature(0, &[]);
        let win = f64::from(self.resolver.evaluator().win());
        let Bench { model, parameters, line, resolver, .. } = self;
        let rest = |position: &P| resolver.resolve(position);
        let (model, parameters) = (*model, *parameters);
        let mut exact = Expectation { model, parameters, t_a: t, opponent: Softmax(t), rest, win, game: PhantomData };
        let moves: Vec<Valued> = exact.moves(line, 1).into_iter().map(|(_, worth)| worth).collect();
        let found = eligibility_of(&moves, t_a, played);
        (found, watch.busy().as_secs_f64())
    }
}
