//! S0.7 against finite differences.

use std::marker::PhantomData;

use yomi_core::{Line, Position};
use yomi_games::shogi::Minishogi;
use yomi_learn::gradient_sum::Gradient;
use yomi_learn::model::{Leaf, Model, Resolver};
use yomi_learn::pg_expectation::{Expectation, Opponent, Softmax, Uniform, Valued, eligibility_of};
use yomi_learn::policy::boltzmann;

use super::common::*;

/// An opponent whose probabilities are written down the first time and the same ever after: known and fixed.
struct Fixed<O> {
    inner: O,
    probabilities_seen: Vec<Vec<f64>>,
    at: usize,
    recorded: bool,
}

impl<O> Fixed<O> {
    fn new(inner: O) -> Fixed<O> {
        Fixed { inner, probabilities_seen: Vec::new(), at: 0, recorded: false }
    }

    fn again(&mut self) -> &mut Self {
        (self.at, self.recorded) = (0, !self.probabilities_seen.is_empty());
        self
    }
}

impl<P: Position, O: Opponent<P>> Opponent<P> for &mut Fixed<O> {
    fn probabilities(&mut self, position: &Line<P>, replies: &[P::Move], values: &[f64]) -> Vec<f64> {
        if !self.recorded {
            self.probabilities_seen.push(self.inner.probabilities(position, replies, values));
        }
        self.at += 1;
        self.probabilities_seen[self.at - 1].clone()
    }
}

/// The moves of a position with their exact values and gradients.
fn moves<P: Position, M: Model<P>, O: Opponent<P>>(
    (model, parameters): (&M, &[f64]),
    line: &Line<P>,
    depth: u32,
    opponent: O,
    rest: impl FnMut(&P) -> Leaf<P>,
) -> Vec<Valued> {
    let win = win::<P, M>(model, parameters);
    let mut exact = Expectation { model, parameters, t_a: 60.0, opponent, rest, win, game: PhantomData };
    exact.moves(line, depth).into_iter().map(|(_, worth)| worth).collect()
}

/// Every root move's gradient, that of ln π_a of one, and both with their signs turned around.
fn check<P: Position, M: Model<P>, O: Opponent<P>>(
    model: &M,
    parameters: &[f64],
    line: &Line<P>,
    depth: u32,
    opponent: O,
    rest: &mut dyn FnMut(&P) -> Leaf<P>,
) {
    let mut opponent = Fixed::new(opponent);
    let found = moves((model, parameters), line, depth, opponent.again(), &mut *rest);
    let mut at = |parameters: &[f64]| moves((model, parameters), line, depth, opponent.again(), &mut *rest);
    for a in [0, found.len() - 1] {
        let value = |parameters: &[f64], at: &mut dyn FnMut(&[f64]) -> Vec<Valued>| at(parameters)[a].value;
        let error = worst(&found[a].gradient, parameters, 0.01, |w| value(w, &mut at));
        assert!(error < TOLERANCE, "move {a}: {error:e}");
        let error = worst(&turned(&found[a].gradient), parameters, 0.01, |w| value(w, &mut at));
        assert!(error > 1.0, "a wrong sign is found out: {error:e}");
    }
    let e = eligibility_of(&found, 60.0, 0);
    let log_policy = |parameters: &[f64], at: &mut dyn FnMut(&[f64]) -> Vec<Valued>| {
        boltzmann(&at(parameters).iter().map(|worth| worth.value).collect::<Vec<_>>(), 60.0)[0].ln()
    };
    let error = worst(&e, parameters, 0.01, |w| log_policy(w, &mut at));
    assert!(error < TOLERANCE, "e_ω: {error:e}");
    let error = worst(&turned(&e), parameters, 0.01, |w| log_policy(w, &mut at));
    assert!(error > 1.0, "{error:e}");
}

fn itself<P: Position>(position: &P) -> Leaf<P> {
    Leaf::Static { position: position.clone(), sign: 1.0 }
}

#[test]
fn toy_trees() {
    let parameters = toy_parameters();
    for depth in 1..=3 {
        let line = Line::new(complete(3, 2 * depth + 1));
        check(&TOY, &parameters, &line, depth, Uniform, &mut itself);
        check(&TOY, &parameters, &line, depth, Softmax(40.0), &mut itself);
    }
}

/// Leaves are judged where their quiescence searches end.
#[test]
fn minishogi() {
    let (model, parameters) = (mini(), mini_parameters());
    let evaluator = model.evaluator(&parameters).expect("an evaluator");
    let mut resolver = Resolver::new(&evaluator);
    for (seed, plies) in [(1, 0), (2, 8), (3, 15)] {
        let line = random_position(seed, plies);
        check(&model, &parameters, &line, 1, Softmax(80.0), &mut |position| resolver.resolve(position));
    }
    let few = Line::new(Minishogi::from_sfen("4k/5/5/2P2/K4 b S 1").expect("a position"));
    let mut resolver = Resolver::new(&evaluator);
    check(&model, &parameters, &few, 1, Uniform, &mut |position| resolver.resolve(position));
}

/// A gradient that leaves out what the policy adds (only Σ π·∂E*) is no gradient.
#[test]
fn without_the_eligibility_it_is_wrong() {
    let parameters = toy_parameters();
    let line = Line::new(complete(3, 5));
    let exact = &moves((&TOY, &parameters), &line, 2, Uniform, itself)[0];
    let mut without = Gradient::default();
    let mut child = line.clone();
    let mut legal = Vec::new();
    line.generate(&mut legal);
    child.play(legal[0]);
    child.generate(&mut legal);
    for &b in &legal.clone() {
        let mut u = child.clone();
        u.play(b);
        let worths = moves((&TOY, &parameters), &u, 1, Uniform, itself);
        let pi = boltzmann(&worths.iter().map(|worth| worth.value).collect::<Vec<_>>(), 60.0);
        for (p, worth) in pi.iter().zip(&worths) {
            without.add_scaled(p / 3.0, &worth.gradient);
        }
    }
    assert!(difference(&exact.gradient, &without) > 0.01);
}
