//! A number for every position: the model of toy games, where the optimum is known.

use std::sync::Arc;

use yomi_core::{Answer, Evaluator, Position, Question, TextError};

use super::Model;

/// As many parameters as asked for; a position uses the one that its key falls on.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// How many parameters.
    pub size: usize,
    /// The value of a won game.
    pub win: f32,
}

fn index<P: Position>(position: &P, size: usize) -> usize {
    (position.key() % size.max(1) as u64) as usize
}

/// The evaluator of a [`Table`].
#[derive(Clone, Debug)]
pub struct TableEvaluator {
    values: Arc<[f32]>,
    win: f32,
}

impl<P: Position> Evaluator<P> for TableEvaluator {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        self.win
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.by_value(question, self.win, |question| self.values[index(question.position, self.values.len())]);
    }
}

impl<P: Position> Model<P> for Table {
    type Evaluator = TableEvaluator;

    fn parameters(&self) -> usize {
        self.size
    }

    fn evaluator(&self, parameters: &[f64]) -> Result<TableEvaluator, TextError> {
        Ok(TableEvaluator { values: parameters.iter().map(|&x| x as f32).collect(), win: self.win })
    }

    fn value(&self, parameters: &[f64], position: &P) -> f64 {
        parameters[index(position, self.size)]
    }

    fn gradient(&self, _parameters: &[f64], position: &P, coefficient: f64, sink: &mut dyn FnMut(usize, f64)) {
        sink(index(position, self.size), coefficient);
    }

    fn files(&self, parameters: &[f64]) -> Result<Vec<(&'static str, Vec<u8>)>, TextError> {
        Ok(vec![("table", parameters.iter().flat_map(|x| x.to_le_bytes()).collect())])
    }
}
