//! Evaluations of shogi that follow from sums, and sums that follow from those of a position near by.

use yomi_core::{Answer, Position, Question, Want};
use yomi_games::shogi::{Bits, Shogi, ShogiMove, Variant};

use crate::material::WIN;

/// What an evaluation adds up, and how that changes from one position to another.
pub(crate) trait Summation<V: Variant> {
    /// The sums of a position.
    type Sums: Clone;

    /// The sums of a position, from nothing.
    fn sum(&self, position: &Shogi<V>) -> Self::Sums;

    /// Writes the sums of `next`, given those of `before` and the squares where the two differ.
    fn follow(&self, sums: &Self::Sums, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits, to: &mut Self::Sums);

    /// Worth of a position for the side to move, given its sums.
    fn worth(&self, position: &Shogi<V>, sums: &Self::Sums) -> f32;
}

/// A position whose sums are known.
#[derive(Clone)]
struct Known<V: Variant, S> {
    position: Shogi<V>,
    sums: S,
}

/// Deeper plies share one entry.
const DEEPEST: usize = 160;

/// What one thread remembers: at each depth the position it has judged last, at first that of the start. In a depth-first search that
/// is the line to the current position, and a position differs from its parent by two squares and a hand.
pub struct Memory<V: Variant, S> {
    line: Box<[Known<V, S>; DEEPEST + 1]>,
    /// What stood at a depth, while its place is written.
    last: Known<V, S>,
    child: S,
    moves: Vec<ShogiMove>,
}

impl<V: Variant, S: Clone> Memory<V, S> {
    pub(crate) fn new(summation: &impl Summation<V, Sums = S>) -> Memory<V, S> {
        let position = Shogi::default();
        let sums = summation.sum(&position);
        let start = Known { position, sums };
        let line = vec![start.clone(); DEEPEST + 1].into_boxed_slice().try_into();
        let line = line.unwrap_or_else(|_| unreachable!("as many as there are depths"));
        Memory { child: start.sums.clone(), line, last: start, moves: Vec::new() }
    }

    /// Answers a question. Inlined into whatever asks: most ask for a value alone, and nothing else is left of it then.
    #[inline(always)]
    pub(crate) fn judge(
        &mut self,
        summation: &impl Summation<V, Sums = S>,
        question: &Question<'_, Shogi<V>>,
        answer: &mut Answer<ShogiMove>,
    ) {
        // One place that knows the sums, so that they are computed where they are needed, without a call.
        if question.want.has_any(Want::VALUE | Want::CHILDREN) {
            let known = self.know(summation, question.position, question.depth);
            if question.want.has(Want::VALUE) {
                answer.value = summation.worth(&known.position, &known.sums);
            }
        }
        answer.uniform_priors(question);
        if question.want.has(Want::CHILDREN) {
            self.judge_children(summation, question, answer);
        }
    }

    /// The parent's sums, which are known, plus the change each move makes; nothing is added up from scratch.
    #[inline(never)]
    fn judge_children(
        &mut self,
        summation: &impl Summation<V, Sums = S>,
        question: &Question<'_, Shogi<V>>,
        answer: &mut Answer<ShogiMove>,
    ) {
        let parent = question.position;
        let Memory { line, child: sums, moves, .. } = self;
        let known = &line[(question.depth as usize).min(DEEPEST)];
        for &mv in question.moves {
            let mut child = *parent;
            child.play(mv);
            let outcome = child.repetition(question.plies).or_else(|| child.ended(moves));
            let value = match outcome {
                Some(outcome) => outcome.value_for(parent.turn(), WIN),
                None => {
                    let changed = mv.from().map_or(V::Bits::EMPTY, V::Bits::of) | V::Bits::of(mv.to());
                    summation.follow(&known.sums, parent, &child, changed, sums);
                    -summation.worth(&child, sums)
                }
            };
            answer.push_child(value, outcome);
        }
    }

    /// A position with its sums.
    #[inline(always)]
    fn know(&mut self, summation: &impl Summation<V, Sums = S>, position: &Shogi<V>, depth: u32) -> &Known<V, S> {
        let depth = (depth as usize).min(DEEPEST);
        // A search may ask twice: before it looks at a node, and again where its quiescence search begins. Keys distinguish most others at
        // once, and are at hand when a move has just been played: what it wrote byte by byte cannot be read in words yet.
        let known = &self.line[depth].position;
        if known.key() != position.key() || known != position {
            self.learn(summation, position, depth);
        }
        &self.line[depth]
    }

    /// Computes the sums of a position by difference from whatever this thread has judged near it.
    fn learn(&mut self, summation: &impl Summation<V, Sums = S>, position: &Shogi<V>, depth: usize) {
        let (nearest, changed) = self.nearest(depth, position);
        let (before, rest) = self.line.split_at_mut(depth);
        let Some(here) = rest.first_mut() else { return };
        let known = before.get(nearest).unwrap_or_else(|| {
            self.last.clone_from(here);
            &self.last
        });
        summation.follow(&known.sums, &known.position, position, changed, &mut here.sums);
        here.position = *position;
    }

    /// The depth of a position near this one, not below its own, and the squares where they differ.
    #[inline(always)]
    fn nearest(&self, depth: usize, position: &Shogi<V>) -> (usize, V::Bits) {
        /// A position within this many squares is as good as the parent.
        const CLOSE: u32 = 3;
        let compare = |at: usize| position.differences(&self.line[at].position);
        let mut best = depth.saturating_sub(1);
        let mut changed = compare(best);
        for at in [depth, depth.saturating_sub(2)] {
            if changed.len() <= CLOSE {
                break;
            }
            let other = compare(at);
            if other.len() < changed.len() {
                (best, changed) = (at, other);
            }
        }
        (best, changed)
    }
}
