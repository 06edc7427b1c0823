//! The first question to an evaluator, before the clock runs.

use yomi_core::{Answer, Evaluator, Line, Position, Question, Want};

/// Asks about the end of `line` as a search would. Tables that are built at the first question are there afterwards; the answer is
/// dropped, and with it the working memory, so that no later answer depends on it.
pub(crate) fn warm_up<P: Position>(evaluator: &impl Evaluator<P>, line: &Line<P>) {
    let mut moves = Vec::new();
    if line.generate(&mut moves).is_some() {
        return;
    }
    let mut scratch = evaluator.scratch(0);
    let question = Question::at(line, &moves).wanting(Want::VALUE | Want::PRIORS);
    evaluator.judge(&question, &mut Answer::default(), &mut scratch);
}
