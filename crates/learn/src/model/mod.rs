//! A model: an evaluation as a function of its parameters.
//!
//! Searches play with the [`Evaluator`] that a model makes of a vector of parameters; learners ask for the exact static value and
//! its gradient at the positions where that evaluator's quiescence search came to rest.

mod blokus;
mod control;
mod leaf;
mod played_out;
mod shogi;
mod table;

pub use blokus::LinearBlokus;
pub use control::{Control, Controlled};
pub use leaf::{Leaf, Resolver};
pub use played_out::PlayedOut;
pub use shogi::LinearShogi;
pub use table::{Table, TableEvaluator};

use yomi_core::{Evaluator, Position, TextError};

/// A family of evaluations with differentiable static values.
pub trait Model<P: Position>: Send + Sync {
    /// What searches use. The `line` of its answers leads to the position whose static value counts.
    type Evaluator: Evaluator<P> + 'static;

    /// How many parameters there are.
    fn parameters(&self) -> usize;

    /// Where a run begins: nothing is known but the rules.
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.parameters()]
    }

    /// How far a parameter typically lies from 0, in units of value: what a learning rate is multiplied by.
    fn units(&self) -> Vec<f64> {
        vec![1.0; self.parameters()]
    }

    /// The evaluator of these parameters, which may be rounded in it.
    fn evaluator(&self, parameters: &[f64]) -> Result<Self::Evaluator, TextError>;

    /// The static value of a position for its side to move.
    fn value(&self, parameters: &[f64], position: &P) -> f64;

    /// Hands `coefficient·∂value/∂parameter` of every parameter that the position uses to `sink`; one may come several times.
    fn gradient(&self, parameters: &[f64], position: &P, coefficient: f64, sink: &mut dyn FnMut(usize, f64));

    /// Whether the static value has parameters. Where it has none, as where games are played out, only a simulation policy and the
    /// temperature can be learned.
    fn has_evaluation(&self) -> bool {
        true
    }

    /// The files of weights that players read: their endings and contents.
    fn files(&self, parameters: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError>;

    /// The simulation policy among the parameters, if there is one (S3.1).
    fn control(&self) -> Option<Control<P>> {
        None
    }

    /// By what the temperature of the move policy is multiplied: 1, or a learned parameter (S0.4).
    fn heat(&self, parameters: &[f64]) -> f64 {
        let _ = parameters;
        1.0
    }
}
