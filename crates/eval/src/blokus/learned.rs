//! The learned evaluation as searches ask it.

use std::fmt;

use yomi_core::{Answer, Evaluator, Position, Question, Want};
use yomi_games::blokus::{BlokusDuo, BlokusMove};

use super::evaluation::Evaluation;
use super::sums::Sums;
use super::tables::SCALE;
use super::weights::{Weights, sigmoid};

/// What a won game is worth beside values: more than any of them.
const WIN: f32 = 32_768.0;

/// No file of weights is larger; 1,773 numbers take some thirty thousand bytes.
pub const LARGEST_WEIGHTS: u64 = 1 << 20;

/// What values are measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The linear value v: for searches that only compare.
    Value,
    /// The expected result `2·σ(k·v) - 1`, from -1 to 1: for searches that average, beside playouts.
    Result,
}

/// The learned evaluation of Blokus Duo with priors: a softmax of what moves change.
#[derive(Clone)]
pub struct Learned {
    evaluation: Evaluation,
    unit: Unit,
    temperature: f32,
    /// How it was asked for.
    name: String,
}

impl Learned {
    /// Values in this unit, and priors `∝ exp(change/temperature)` in the unit of the linear value.
    pub fn new(evaluation: Evaluation, unit: Unit, temperature: f32, name: impl Into<String>) -> Learned {
        Learned { evaluation, unit, temperature, name: name.into() }
    }

    /// The weights that come with the program.
    pub fn embedded_weights() -> Weights {
        let text = include_str!("../../weights/blokus-duo.txt");
        Weights::read(text).expect("the weights in the program are whole: a test reads them")
    }

    fn in_unit(&self, value: f64) -> f32 {
        match self.unit {
            Unit::Value => value as f32,
            Unit::Result => (2.0 * sigmoid(value) - 1.0) as f32,
        }
    }
}

/// Working memory of one thread: what the moves of a position change.
#[derive(Default)]
pub struct LearnedScratch {
    changes: Vec<i32>,
    moves: Vec<BlokusMove>,
}

impl Evaluator<BlokusDuo> for Learned {
    type Scratch = LearnedScratch;

    fn scratch(&self, _seed: u64) -> LearnedScratch {
        LearnedScratch::default()
    }

    fn win(&self) -> f32 {
        match self.unit {
            Unit::Value => WIN,
            Unit::Result => 1.0,
        }
    }

    fn judge(
        &self,
        question: &Question<'_, BlokusDuo>,
        answer: &mut Answer<BlokusMove>,
        LearnedScratch { changes, moves }: &mut LearnedScratch,
    ) {
        let position = question.position;
        if question.want.has(Want::VALUE) {
            answer.value = self.in_unit(self.evaluation.value(position));
        }
        if !question.want.has(Want::CHILDREN) && !question.want.has(Want::PRIORS) {
            return;
        }
        let sums = Sums::of(self.evaluation.tables(), position);
        let ready = sums.ready(self.evaluation.tables(), position);
        changes.clear();
        changes.extend(question.moves.iter().map(|&mv| ready.change(mv)));
        if question.want.has(Want::CHILDREN) {
            let before = sums.value(position.turn());
            // As long as this move of the opponent is left, the game is not over.
            let answer_of_theirs = position.some_placement(!position.turn()).map(BlokusMove::cells);
            for (&mv, &change) in question.moves.iter().zip(&*changes) {
                let goes_on = answer_of_theirs.is_some_and(|cells| cells.is_disjoint(mv.cells()));
                let outcome = if goes_on {
                    None
                } else {
                    let mut child = position.clone();
                    child.play(mv);
                    child.ended(moves)
                };
                let value = match outcome {
                    Some(outcome) => outcome.value_for(position.turn(), self.win()),
                    None => self.in_unit(before + f64::from(change) / SCALE),
                };
                answer.push_child(value, outcome);
            }
        }
        if question.want.has(Want::PRIORS) {
            softmax(changes, f64::from(self.temperature), &mut answer.priors);
        }
    }
}

/// Probabilities `∝ exp(change/T)` of changes in small units.
fn softmax(changes: &[i32], temperature: f64, out: &mut Vec<f32>) {
    let most = changes.iter().copied().max().unwrap_or(0);
    let weight = |&change: &i32| (f64::from(change - most) / SCALE / temperature).exp();
    let total: f64 = changes.iter().map(weight).sum();
    out.clear();
    out.extend(changes.iter().map(|change| (weight(change) / total) as f32));
}

impl fmt::Display for Learned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::random_position;
    use super::super::kinds::Kind;
    use super::*;
    use yomi_core::Line;

    #[test]
    fn the_weights_in_the_program_are_whole() {
        let weights = Learned::embedded_weights();
        assert!(weights.all()[Kind::Score.shared()] > 1.0);
    }

    /// Children are what judging each child says, ended games what they are, and priors follow the values.
    #[test]
    fn children_are_judged_as_one_by_one() {
        let evaluation = Evaluation::new(&Learned::embedded_weights());
        for unit in [Unit::Value, Unit::Result] {
            let learned = Learned::new(evaluation.clone(), unit, 20.0, "learned");
            let (mut moves, mut answer, mut slow) = (Vec::new(), Answer::default(), Answer::default());
            let mut scratch = learned.scratch(0);
            let mut ended = 0;
            for (seed, plies) in (0..40).zip((3..33).cycle()) {
                let line = Line::new(random_position(seed, plies));
                if line.generate(&mut moves).is_some() {
                    continue;
                }
                let question = Question::at(&line, &moves).wanting(Want::VALUE | Want::CHILDREN | Want::PRIORS);
                answer.clear();
                learned.judge(&question, &mut answer, &mut scratch);
                slow.clear();
                slow.by_value(&question, learned.win(), |question| {
                    learned.in_unit(evaluation.value(question.position))
                });
                assert_eq!((answer.value, &answer.outcomes), (slow.value, &slow.outcomes));
                let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6 * learned.win();
                assert!(answer.values.iter().zip(&slow.values).all(close));
                ended += answer.outcomes.iter().flatten().count();
                assert!((answer.priors.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                let best = |values: &[f32]| (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]));
                if answer.outcomes.iter().all(Option::is_none) {
                    let [by_value, by_prior] = [&answer.values, &answer.priors].map(|v| v[best(v).unwrap()]);
                    assert!(by_value.is_finite() && by_prior >= 1.0 / moves.len() as f32);
                }
            }
            assert!(ended > 0);
        }
    }
}
