//! The linear evaluation of Blokus Duo (S1.2).

use yomi_core::{Color, Position, TextError};
use yomi_eval::blokus::{Evaluation, Features, Kind, Learned, Unit, Weights};
use yomi_games::blokus::BlokusDuo;

use super::Model;

/// A parameter for each of the weights, in the unit of the linear value.
#[derive(Clone, Debug)]
pub struct LinearBlokus {
    start: Vec<f64>,
}

impl LinearBlokus {
    /// From these weights.
    pub fn new(start: &Weights) -> Self {
        LinearBlokus { start: start.all().to_vec() }
    }

    fn weights(parameters: &[f64]) -> Result<Weights, TextError> {
        let mut weights = Weights::default();
        if parameters.len() != weights.all().len() || parameters.iter().any(|x| !x.is_finite()) {
            return Err(TextError::new(format!("blokus-duo has {} weights, all of them numbers", weights.all().len())));
        }
        weights.all_mut().copy_from_slice(parameters);
        Ok(weights)
    }
}

/// 1 where the values of features, which are Black's, are those of the side to move.
fn side(position: &BlokusDuo) -> f64 {
    if position.turn() == Color::Black { 1.0 } else { -1.0 }
}

/// The temperature of the evaluator's own priors, which a simulation policy replaces.
const PRIORS: f32 = 20.0;

impl Model<BlokusDuo> for LinearBlokus {
    type Evaluator = Learned;

    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    /// What a square counts wherever it is differs by several; from square to square it differs by less.
    fn units(&self) -> Vec<f64> {
        let mut units = vec![0.5; self.start.len()];
        Kind::ALL.into_iter().for_each(|kind| units[kind.shared()] = 4.0);
        units
    }

    fn evaluator(&self, parameters: &[f64]) -> Result<Learned, TextError> {
        Ok(Learned::new(Evaluation::new(&Self::weights(parameters)?), Unit::Value, PRIORS, "learned"))
    }

    fn value(&self, parameters: &[f64], position: &BlokusDuo) -> f64 {
        side(position) * Features::of(position).value(parameters)
    }

    fn gradient(&self, _: &[f64], position: &BlokusDuo, coefficient: f64, sink: &mut dyn FnMut(usize, f64)) {
        let coefficient = coefficient * side(position);
        Features::of(position).nonzero().for_each(|(index, x)| sink(index, coefficient * x));
    }

    fn files(&self, parameters: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("weights", Self::weights(parameters)?.write().into_bytes())])
    }
}
