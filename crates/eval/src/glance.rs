//! What is decided at a glance: a mate in one, and a win that can be declared.

use std::fmt;

use yomi_core::{Evaluator, Family, Leaf, Outcome, Position, Siblings};
use yomi_games::shogi::{Declaration, Shogi, ShogiMove, Variant};

/// An evaluation that sees a mate in one and a declarable win of the side to move before it asks the one inside: a mate search at the
/// leaves of a tree. Siblings that allow either are lost, and count as proven.
#[derive(Clone, Copy, Debug)]
pub struct Glance<E> {
    inner: E,
}

impl<E> Glance<E> {
    /// Looks before `inner` is asked.
    pub fn new(inner: E) -> Glance<E> {
        Glance { inner }
    }
}

/// Whether the side to move wins with its next move, by mate or by declaring.
pub fn wins_now<V: Variant>(position: &Shogi<V>) -> bool {
    position.mate_in_one().is_some() || position.declaration() == Some(Declaration::Win)
}

impl<V: Variant, E: Evaluator<Shogi<V>>> Evaluator<Shogi<V>> for Glance<E> {
    type Scratch = E::Scratch;

    fn scratch(&self, seed: u64) -> E::Scratch {
        self.inner.scratch(seed)
    }

    fn win(&self) -> f32 {
        self.inner.win()
    }

    fn evaluate(&self, leaf: &Leaf<'_, Shogi<V>>, scratch: &mut E::Scratch) -> f32 {
        if wins_now(leaf.position) { self.inner.win() } else { self.inner.evaluate(leaf, scratch) }
    }

    fn evaluate_siblings(
        &self,
        family: &Family<'_, Shogi<V>>,
        out: &mut Siblings<ShogiMove>,
        scratch: &mut E::Scratch,
    ) {
        self.inner.evaluate_siblings(family, out, scratch);
        let judgements = out.values.iter_mut().zip(&mut out.outcomes);
        for (&mv, (value, outcome)) in family.moves.iter().zip(judgements) {
            let mut child = *family.parent;
            child.play(mv);
            if outcome.is_none() && wins_now(&child) {
                *value = -self.inner.win();
                *outcome = Some(Outcome::Win(child.turn()));
            }
        }
    }

    fn priors(&self, leaf: &Leaf<'_, Shogi<V>>, out: &mut Vec<f32>, scratch: &mut E::Scratch) {
        self.inner.priors(leaf, out, scratch);
    }
}

impl<E: fmt::Display> fmt::Display for Glance<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "glance({})", self.inner)
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
        let judge = |position: &Shogi9| {
            let leaf = Leaf::of(position, &[], &[]);
            Glance::new(Material).evaluate(&leaf, &mut ())
        };
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
        let family = Family::of(&threatened, &[], &moves);
        let mut out = Siblings::default();
        Glance::new(Material).evaluate_siblings(&family, &mut out, &mut ());
        for (i, &mv) in moves.iter().enumerate() {
            let mut child = threatened;
            child.play(mv);
            let lost = child.mate_in_one().is_some();
            assert_eq!(out.outcomes[i] == Some(Outcome::Win(Color::Black)), lost, "{}", threatened.move_text(mv));
        }
        assert!(out.outcomes.iter().any(Option::is_some) && out.outcomes.iter().any(Option::is_none));
    }
}
