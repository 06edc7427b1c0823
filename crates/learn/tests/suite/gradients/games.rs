//! The gradients of ω in Blokus Duo and of θ in Blokus Duo and Go against finite differences.

use std::sync::Arc;

use yomi_core::{Evaluator, Line, Position, Seed};
use yomi_eval::MoveFeatures;
use yomi_eval::blokus::{Learned, Weights};
use yomi_eval::rollout::Patterns;
use yomi_eval::rollout::patterns::Rules as PlayoutRules;
use yomi_games::blokus::BlokusDuo;
use yomi_games::go::{Go9, Rules};
use yomi_learn::frozen::Frozen;
use yomi_learn::gradient_sum::Gradient;
use yomi_learn::model::{Controlled, LinearBlokus, Model, PlayedOut};
use yomi_learn::policy::{boltzmann, eligibility};
use yomi_learn::search_control::{Choices, Expected, Survival, judge_moves, principal, principal_values, theta};
use yomi_search::{Limits, Search, TreeSearch};

use super::common::*;
use super::control::Scene;
use super::trees::Grown;

/// A position of a random game.
fn later<P: Position>(start: P, seed: u64, plies: usize) -> Line<P> {
    let mut rng = Seed::new(seed).rng();
    let (mut line, mut moves) = (Line::new(start), Vec::new());
    for _ in 0..plies {
        assert!(line.generate(&mut moves).is_none());
        line.play(moves[rng.below(moves.len())]);
    }
    line
}

/// θ, a little of everything.
fn some_theta<P: MoveFeatures>(seed: u64) -> Vec<f64> {
    let mut rng = Seed::new(seed).rng();
    P::feature_names().iter().map(|_| f64::from(rng.unit()) - 0.5).collect()
}

fn blokus_weights() -> Weights {
    let mut weights = Learned::embedded_weights();
    // What the evaluator keeps of a weight is rounded; so nothing depends on that.
    weights.all_mut().iter_mut().for_each(|w| *w = (*w * 64.0).round() / 64.0);
    weights
}

/// Late in the game, where there are tens of moves: the whole of S3.3 and S3.4, ω and θ and the temperature.
#[test]
fn blokus_positions() {
    for seed in 0..2 {
        let line = later(BlokusDuo::default(), 60 + seed, 16);
        let inner = LinearBlokus::new(&blokus_weights());
        let model: Controlled<BlokusDuo, _> =
            Controlled::new(inner, &vec![0.0; BlokusDuo::feature_names().len()]).unwrap();
        let mut parameters = blokus_weights().all().to_vec();
        let evaluation = parameters.len();
        parameters.extend(some_theta::<BlokusDuo>(seed).iter().map(|x| 0.3 * x));
        parameters.push(0.0);
        let limits = Limits::evaluations(1500).seeded(Seed::new(seed));
        let grown = Grown::search(&model, &parameters, &line, "mcss(t=10,hash=4)", limits);
        let control = model.control().expect("a policy");
        let how = Survival { mu: 0.1, tau: 0.2 };
        Scene { grown, control, parameters, evaluation, whole: true, how }.check();
    }
}

/// The value of a linear model is that of its evaluator, and its gradient is its slope.
#[test]
fn the_linear_model_of_blokus_is_the_evaluator() {
    let model = LinearBlokus::new(&blokus_weights());
    let (parameters, evaluator) = (model.start(), model.evaluator(&model.start()).unwrap());
    for seed in 0..6 {
        let line = later(BlokusDuo::default(), seed, 4 + 3 * seed as usize);
        let position = line.position();
        let mut answer = yomi_core::Answer::default();
        evaluator.judge(&yomi_core::Question::of(position, &[]), &mut answer, &mut evaluator.scratch(0));
        let value = model.value(&parameters, position);
        assert!((f64::from(answer.value) - value).abs() < 0.2, "{} {value}", answer.value);
        let mut gradient = Gradient::default();
        model.gradient(&parameters, position, 1.0, &mut |index, x| gradient.add(index, x));
        let error = worst(&gradient, &parameters, 0.01, |w| model.value(w, position));
        assert!(error < TOLERANCE, "{error:e}");
    }
}

/// Go is played out: values are constants, θ and the temperature are learned through survival alone.
#[test]
fn go_positions() {
    let how = Survival { mu: 0.02, tau: 0.02 };
    for seed in 0..2 {
        let line = later(Go9::new(5, Rules::default()).unwrap(), 20 + seed, 6);
        let inner = PlayedOut { policy: Patterns::new(PlayoutRules::default()), games: 2 };
        let model: Controlled<Go9, _> = Controlled::new(inner, &Go9::embedded_policy()).unwrap();
        let mut parameters = some_theta::<Go9>(seed);
        parameters.push(0.0);
        let evaluator = Arc::new(model.evaluator(&parameters).unwrap());
        let mut search = TreeSearch::new("mcss(t=0.2,hash=4)".parse().unwrap(), Arc::clone(&evaluator));
        search.search(&line, &Limits::evaluations(600).seeded(Seed::new(seed)), &mut ());
        let mut tree = Frozen::of(search.tree(), &search.method().recipe, evaluator.win()).unwrap();
        tree.recompute();
        let (root, control) = (line.position(), model.control().unwrap());
        let with = |w: &[f64]| {
            let mut tree = tree.clone();
            judge_moves(&mut tree, root, &control, w);
            tree
        };
        let now = with(&parameters);
        for whole in [false, true] {
            let values = |tree: &Frozen| match whole {
                true => Expected::of(tree, how).choices(tree),
                false => principal_values(tree, how),
            };
            let found = values(&now);
            let finite = (0..found.len()).filter(|&a| found[a].is_finite());
            let played = finite.min_by(|&a, &b| found[a].total_cmp(&found[b])).unwrap();
            let weights = eligibility(&found, 0.3, played);
            let slope = match whole {
                true => Expected::of(&now, how).slope(&now, how, &weights, Choices::Learned),
                false => principal(&now, how, &weights),
            };
            let mut gradient = Gradient::default();
            theta(&now, root, &control, &slope.moves, &mut |index, x| gradient.add(index, x));
            let f = |w: &[f64]| boltzmann(&values(&with(w)), 0.3)[played].ln();
            let error = worst(&gradient, &parameters, 1e-4, f);
            assert!(error < TOLERANCE, "e_θ, whole {whole}: {error:e}");
            assert!(worst(&turned(&gradient), &parameters, 1e-4, f) > 1.0, "a wrong sign is found out");
        }
    }
}

/// Imitation climbs `ln π'(best)`: its direction is the slope of that, in both games.
#[test]
fn imitation_climbs_the_likelihood() {
    fn check<P: Position + MoveFeatures, M: Model<P>>(
        model: &Controlled<P, M>,
        line: &Line<P>,
        parameters: &[f64],
        search: &str,
    ) {
        let evaluator = Arc::new(model.evaluator(parameters).unwrap());
        let mut found = TreeSearch::new(search.parse().unwrap(), Arc::clone(&evaluator));
        found.search(line, &Limits::evaluations(400).seeded(Seed::new(1)), &mut ());
        let tree = Frozen::root_of(found.tree(), evaluator.win());
        assert_eq!(tree.nodes.len(), 1 + tree.children(0).len(), "the root alone");
        let control = model.control().unwrap();
        let with = |w: &[f64]| {
            let mut tree = tree.clone();
            judge_moves(&mut tree, line.position(), &control, w);
            tree
        };
        let mut gradient = Gradient::default();
        let best = tree.children(0).start + 2;
        theta(&with(parameters), line.position(), &control, &[(best, 1.0)], &mut |index, x| gradient.add(index, x));
        let error = worst(&gradient, parameters, 1e-4, |w| with(w).priors[best].ln());
        assert!(error < TOLERANCE, "{error:e}");
    }
    let inner = LinearBlokus::new(&blokus_weights());
    let model: Controlled<BlokusDuo, _> = Controlled::new(inner, &BlokusDuo::embedded_policy()).unwrap();
    let line = later(BlokusDuo::default(), 5, 9);
    check(&model, &line, &model.start(), "mcss(t=10,hash=4)");
    let inner = PlayedOut { policy: Patterns::new(PlayoutRules::default()), games: 1 };
    let model: Controlled<Go9, _> = Controlled::new(inner, &Go9::embedded_policy()).unwrap();
    let line = later(Go9::new(9, Rules::default()).unwrap(), 5, 12);
    for search in ["uct(hash=4)", "prior-rave(hash=4)"] {
        check(&model, &line, &model.start(), search);
    }
}
