//! An evaluation with a simulation policy and a temperature of its own: what S3 learns at the same time.

use std::marker::PhantomData;
use std::ops::Range;

use yomi_core::{Position, TextError};
use yomi_eval::{Guided, MoveFeatures, SimulationPolicy};

use super::Model;

/// Hands the features of moves to a sink: position, the move before, the moves; place of the move, feature, value.
type Features<P> = fn(&P, Option<<P as Position>::Move>, &[<P as Position>::Move], &mut dyn FnMut(usize, usize, f32));

/// Where the parameters of search control stand, and what they are multiplied by.
pub struct Control<P: Position> {
    /// The places of θ.
    pub theta: Range<usize>,
    /// The place of ln(T_a/T_0).
    pub temperature: usize,
    /// f_i(a;u,h).
    pub features: Features<P>,
}

/// The features of moves, by working memory of their own.
fn features<P: MoveFeatures>(
    position: &P,
    last: Option<P::Move>,
    moves: &[P::Move],
    sink: &mut dyn FnMut(usize, usize, f32),
) {
    position.move_features(last, moves, &mut P::Scratch::default(), sink);
}

/// The temperature changes by at most this factor: beyond, the policy is greedy or blind, and nothing more can be learned from it.
const HOTTEST: f64 = 8.0;

/// A model together with a simulation policy π'(θ) and the temperature of the move policy. Parameters: those of the model, θ, ln(T_a/T_0).
#[derive(Clone, Debug)]
pub struct Controlled<P, M> {
    inner: M,
    /// θ at the start.
    theta: Vec<f64>,
    game: PhantomData<fn(P)>,
}

impl<P: MoveFeatures, M: Model<P>> Controlled<P, M> {
    /// A model with a policy that starts from these weights.
    pub fn new(inner: M, theta: &[f32]) -> Result<Self, TextError> {
        let theta = SimulationPolicy::<P>::new(theta, 1.0)?.theta().iter().map(|&x| f64::from(x)).collect();
        Ok(Controlled { inner, theta, game: PhantomData })
    }

    /// The policy of these parameters, T' = 1.
    fn policy(&self, parameters: &[f64]) -> Result<SimulationPolicy<P>, TextError> {
        let theta: Vec<f32> = parameters[self.range()].iter().map(|&x| x as f32).collect();
        SimulationPolicy::new(&theta, 1.0)
    }

    fn range(&self) -> Range<usize> {
        let first = self.inner.parameters();
        first..first + self.theta.len()
    }

    fn with_control(&self, mut parameters: Vec<f64>, theta: &[f64], temperature: f64) -> Vec<f64> {
        parameters.extend(theta);
        parameters.push(temperature);
        parameters
    }
}

impl<P: MoveFeatures, M: Model<P>> Model<P> for Controlled<P, M> {
    type Evaluator = Guided<M::Evaluator, SimulationPolicy<P>>;

    fn parameters(&self) -> usize {
        self.range().end + 1
    }

    fn start(&self) -> Vec<f64> {
        self.with_control(self.inner.start(), &self.theta, 0.0)
    }

    /// A weight of 1 makes a move e times as probable; a temperature that changes by a tenth is a step.
    fn units(&self) -> Vec<f64> {
        self.with_control(self.inner.units(), &vec![0.5; self.theta.len()], 0.1)
    }

    fn evaluator(&self, parameters: &[f64]) -> Result<Self::Evaluator, TextError> {
        let inner = self.inner.evaluator(&parameters[..self.range().start])?;
        Ok(Guided::new(inner, self.policy(parameters)?))
    }

    fn value(&self, parameters: &[f64], position: &P) -> f64 {
        self.inner.value(&parameters[..self.range().start], position)
    }

    fn gradient(&self, parameters: &[f64], position: &P, coefficient: f64, sink: &mut dyn FnMut(usize, f64)) {
        self.inner.gradient(&parameters[..self.range().start], position, coefficient, sink);
    }

    fn has_evaluation(&self) -> bool {
        self.inner.has_evaluation()
    }

    fn files(&self, parameters: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        let mut files = self.inner.files(&parameters[..self.range().start])?;
        files.push(("policy", self.policy(parameters)?.write().into_bytes()));
        Ok(files)
    }

    fn control(&self) -> Option<Control<P>> {
        let theta = self.range();
        Some(Control { temperature: theta.end, theta, features: features::<P> })
    }

    fn heat(&self, parameters: &[f64]) -> f64 {
        parameters[self.range().end].exp().clamp(1.0 / HOTTEST, HOTTEST)
    }
}
