//! Wins with the next move: a mate in one, and a win that can be declared.

use std::fmt;

use yomi_core::{Answer, Differentiable, Evaluator, Flight, Outcome, Position, Question, Want};
use yomi_games::shogi::{Declaration, Shogi, ShogiMove, Variant};

/// An evaluation that sees a mate in one and a declarable win of the side to move before it asks the one inside: a mate search at the
/// leaves of a tree. Siblings that allow either are lost, and count as proven.
#[derive(Clone, Copy, Debug)]
pub struct WinInOne<E> {
    inner: E,
}

impl<E> WinInOne<E> {
    /// Looks before `inner` is asked.
    pub fn new(inner: E) -> WinInOne<E> {
        WinInOne { inner }
    }
}

/// Whether the side to move wins with its next move, by mate or by declaring.
pub fn wins_now<V: Variant>(position: &Shogi<V>) -> bool {
    position.mate_in_one().is_some() || position.declaration() == Some(Declaration::Win)
}

impl<V: Variant, E: Evaluator<Shogi<V>>> Evaluator<Shogi<V>> for WinInOne<E> {
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, scratch: &mut E::Scratch) {
        // Where the value is known and nothing else is wanted, the evaluation inside is spared.
        let won = question.want.has(Want::VALUE) && wins_now(question.position);
        if !won || question.want != Want::VALUE {
            self.inner.judge(question, answer, scratch);
        }
        if won {
            answer.value = self.inner.win();
            answer.line.clear();
        }
        self.find_losses(question, answer);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, Shogi<V>>], scratch: &mut E::Scratch) {
        self.inner.judge_all(flights, scratch);
        for flight in flights {
            if flight.question.want.has(Want::VALUE) && wins_now(flight.question.position) {
                flight.answer.value = self.inner.win();
                flight.answer.line.clear();
            }
            self.find_losses(&flight.question, flight.answer);
        }
    }

    fn batch(&self) -> usize {
        self.inner.batch()
    }
}

/// A win that is seen does not depend on any parameter.
impl<V: Variant, E: Differentiable<Shogi<V>>> Differentiable<Shogi<V>> for WinInOne<E> {
    fn parameters(&self) -> usize {
        self.inner.parameters()
    }

    fn gradient(
        &self,
        question: &Question<'_, Shogi<V>>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        scratch: &mut E::Scratch,
    ) {
        if !wins_now(question.position) {
            self.inner.gradient(question, coefficient, sink, scratch);
        }
    }
}

impl<E> WinInOne<E> {
    /// Children after which the opponent wins at once are lost.
    fn find_losses<V: Variant>(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>)
    where
        E: Evaluator<Shogi<V>>,
    {
        if !question.want.has(Want::CHILDREN) {
            return;
        }
        let judgements = answer.values.iter_mut().zip(&mut answer.outcomes);
        for (&mv, (value, outcome)) in question.moves.iter().zip(judgements) {
            let mut child = *question.position;
            child.play(mv);
            if outcome.is_none() && wins_now(&child) {
                *value = -self.inner.win();
                *outcome = Some(Outcome::Win(child.turn()));
            }
        }
    }
}

impl<E: fmt::Display> fmt::Display for WinInOne<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "win-in-one({})", self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Material;
    use yomi_core::{Color, Notation, Spec};
    use yomi_games::shogi::Shogi9;

    #[test]
    fn mates_and_declarations_are_seen() {
        // A gold in hand before a bare king with a pawn behind it mates; without the gold it does not.
        let judge = |position: &Shogi9| WinInOne::new(Material).value(&Question::of(position, &[]), &mut ());
        let mate = Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
        assert_eq!(judge(&mate), 32_768.0);
        let start = Shogi9::start(&Spec::parse("shogi(declaration=csa27)").unwrap()).unwrap();
        let entered = start.parse_position("+R+R2K4/PPPPPPPP1/9/9/9/9/9/9/4k4 b 2B 1").unwrap();
        assert_eq!(judge(&entered), 32_768.0);
        assert!(judge(&Shogi9::from_sfen("+R+R2K4/PPPPPPPP1/9/9/9/9/9/9/4k4 b 2B 1").unwrap()) < 30_000.0);
        // White must guard 5b or flee: every other move loses at once.
        let threatened = Shogi9::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 w Gp 1").unwrap();
        let mut moves = Vec::new();
        threatened.generate(&mut moves);
        let mut out = Answer::default();
        let question = Question::of(&threatened, &moves).wanting(Want::CHILDREN);
        WinInOne::new(Material).judge(&question, &mut out, &mut ());
        for (i, &mv) in moves.iter().enumerate() {
            let mut child = threatened;
            child.play(mv);
            let lost = child.mate_in_one().is_some();
            assert_eq!(out.outcomes[i] == Some(Outcome::Win(Color::Black)), lost, "{}", threatened.move_text(mv));
        }
        assert!(out.outcomes.iter().any(Option::is_some) && out.outcomes.iter().any(Option::is_none));
    }
}
