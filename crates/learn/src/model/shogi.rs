//! The linear evaluation of shogi and minishogi, judged at the end of a quiescence search.

use std::marker::PhantomData;

use yomi_core::{Color, Position, TextError};
use yomi_eval::Linear;
use yomi_eval::linear::{Layout, Weights, features};
use yomi_games::shogi::{Shogi, Variant};
use yomi_search::{Quiet, QuietOptions};

use super::Model;
use crate::prior::{Prior, Start};

/// Two parameters for each of the [`Layout`]: what it counts for its owner (even indices) and for the side to move (odd ones).
#[derive(Clone, Copy, Debug)]
pub struct LinearShogi<V: Variant> {
    /// The quiescence search at the leaves.
    pub quiet: QuietOptions,
    /// Where a run begins.
    pub start: Start,
    /// The value that wins with probability 0.73, which sets the units of the parameters.
    pub k: f32,
    variant: PhantomData<V>,
}

impl<V: Variant> LinearShogi<V> {
    /// From these beliefs.
    pub fn new(quiet: QuietOptions, start: Start, k: f32) -> Self {
        LinearShogi { quiet, start, k, variant: PhantomData }
    }

    fn weights(parameters: &[f64]) -> Result<Weights, TextError> {
        let pairs: Vec<[f32; 2]> = parameters.as_chunks::<2>().0.iter().map(|pair| pair.map(|x| x as f32)).collect();
        Weights::round::<V>(&pairs)
    }
}

/// Pairs of the regression as one vector.
fn flat(pairs: &[[f32; 2]]) -> Vec<f64> {
    pairs.as_flattened().iter().map(|&x| f64::from(x)).collect()
}

/// What a feature counts for the side to move: by its owner, and by whose move it is.
fn counts(black: i32, mover: i32, turn: Color) -> [f64; 2] {
    let side = if turn == Color::Black { 1.0 } else { -1.0 };
    [side * f64::from(black), f64::from(mover)]
}

impl<V: Variant> Model<Shogi<V>> for LinearShogi<V> {
    type Evaluator = Quiet<Linear<V>>;

    fn parameters(&self) -> usize {
        2 * Layout::of::<V>().len()
    }

    fn start(&self) -> Vec<f64> {
        flat(&Prior::new::<V>(self.start).centre)
    }

    fn units(&self) -> Vec<f64> {
        flat(&Prior::new::<V>(self.start).deviations(self.k))
    }

    fn evaluator(&self, parameters: &[f64]) -> Result<Self::Evaluator, TextError> {
        Ok(Quiet::new(Linear::new(&Self::weights(parameters)?, "linear")?, self.quiet))
    }

    fn value(&self, parameters: &[f64], position: &Shogi<V>) -> f64 {
        let mut sum = 0.0;
        features(Layout::of::<V>(), position, |feature| {
            let [owner, mover] = counts(feature.black, feature.mover, position.turn());
            sum += owner * parameters[2 * feature.index] + mover * parameters[2 * feature.index + 1];
        });
        sum
    }

    fn gradient(&self, _parameters: &[f64], position: &Shogi<V>, coefficient: f64, sink: &mut dyn FnMut(usize, f64)) {
        features(Layout::of::<V>(), position, |feature| {
            let [owner, mover] = counts(feature.black, feature.mover, position.turn());
            if owner != 0.0 {
                sink(2 * feature.index, coefficient * owner);
            }
            if mover != 0.0 {
                sink(2 * feature.index + 1, coefficient * mover);
            }
        });
    }

    fn files(&self, parameters: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("linear", Self::weights(parameters)?.write())])
    }
}
