//! A linear evaluation of shogi and minishogi over sparse features, computed by difference.
//!
//! The features are those S0.6 names for GA-sho: piece values, where a piece stands and where it stands as seen from each king (KP),
//! relations of two pieces near each other, relations of two pieces near a king (KPP), how freely the kings can move, and whose move it
//! is. A full KPP table of shogi has 194 million entries. This one is *factorised*: places are relative (to a king, to the other
//! piece), what mirrors or colours make equal is one parameter, and pairs count within two squares only. What is left is some sixty
//! thousand parameters a game, learnt from games that began with `material`, by `yomi learn`.
//!
//! Reading order: `layout` names the parameters, `features` says which of them a position uses (the slow twin), `weights` is the
//! file, `tables` spreads the parameters out for speed, `sums` adds them up by difference, and this file is the evaluator.

mod features;
mod layout;
mod sums;
mod tables;
mod weights;

use std::fmt;
use std::sync::Arc;

use yomi_core::{Answer, Color, Differentiable, Evaluator, Position, Question, TextError, Want};
use yomi_games::shogi::{Bits, Shogi, ShogiMove, Variant};

pub use features::{Feature, features, value};
pub use layout::Layout;
pub use sums::Sums;
pub use tables::Tables;
pub use weights::Weights;

use crate::material::WIN;

/// The linear evaluation. A clone shares the tables.
#[derive(Clone)]
pub struct Linear<V: Variant> {
    tables: Arc<Tables<V>>,
    /// How it was asked for.
    name: String,
}

impl<V: Variant> Linear<V> {
    /// The evaluation with these weights. `name` is what it prints as, for example `linear(file=w.linear)`.
    pub fn new(weights: &Weights, name: impl Into<String>) -> Result<Linear<V>, TextError> {
        Ok(Linear { tables: Arc::new(Tables::new(weights)?), name: name.into() })
    }

    /// The evaluation that comes with the program.
    pub fn embedded() -> Linear<V> {
        let bytes: &[u8] = if V::SIZE == 5 {
            include_bytes!("../../weights/minishogi.linear")
        } else {
            include_bytes!("../../weights/shogi.linear")
        };
        let weights = Weights::read::<V>(bytes).expect("the weights in the program are whole: a test reads them");
        Linear::new(&weights, "linear").expect("weights that were read fit their game")
    }

    /// The tables at work.
    pub fn tables(&self) -> &Tables<V> {
        &self.tables
    }

    /// The sums of a position, by difference from whatever this thread has judged near it.
    #[inline]
    fn sums<'s>(&self, position: &Shogi<V>, depth: u32, scratch: &'s mut LinearScratch<V>) -> &'s Sums<V::Bits> {
        let depth = (depth as usize).min(DEEPEST);
        // A search may ask twice: before it looks at a node, and again where its quiescence search begins. Keys distinguish most others at
        // once, and are at hand when a move has just been played: what it wrote byte by byte cannot be read in words yet.
        let known = &scratch.line[depth].position;
        if known.key() != position.key() || known != position {
            let (known, changed) = scratch.nearest(depth, position);
            let sums = self.tables.change(&known.sums, &known.position, position, changed);
            let known = &mut scratch.line[depth];
            known.position = *position;
            known.sums = sums;
        }
        &scratch.line[depth].sums
    }
}

/// A position whose sums are known.
#[derive(Clone)]
struct Known<V: Variant> {
    position: Shogi<V>,
    sums: Sums<V::Bits>,
}

/// Deeper plies share one entry.
const DEEPEST: usize = 160;

/// What one thread remembers: at each depth the position it has judged last, at first that of the start. In a depth-first search that
/// is the line to the current position, and a position differs from its parent by two squares and a hand.
pub struct LinearScratch<V: Variant> {
    line: Vec<Known<V>>,
    moves: Vec<ShogiMove>,
}

impl<V: Variant> LinearScratch<V> {
    /// What is known of a position near this one, and the squares where they differ.
    #[inline]
    fn nearest(&self, depth: usize, position: &Shogi<V>) -> (&Known<V>, V::Bits) {
        /// A position within this many squares is as good as the parent.
        const CLOSE: u32 = 3;
        let compare = |known: &Known<V>| position.differences(&known.position);
        let mut best = &self.line[depth.saturating_sub(1)];
        let mut changed = compare(best);
        for at in [depth, depth.saturating_sub(2)] {
            if changed.len() <= CLOSE {
                break;
            }
            let other = compare(&self.line[at]);
            if other.len() < changed.len() {
                (best, changed) = (&self.line[at], other);
            }
        }
        (best, changed)
    }
}

impl<V: Variant> Evaluator<Shogi<V>> for Linear<V> {
    type Scratch = LinearScratch<V>;

    fn scratch(&self, _seed: u64) -> LinearScratch<V> {
        let start = Shogi::default();
        let line = vec![Known { position: start, sums: self.tables.sum(&start) }; DEEPEST + 1];
        LinearScratch { line, moves: Vec::new() }
    }

    fn win(&self) -> f32 {
        WIN
    }

    #[inline]
    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, scratch: &mut LinearScratch<V>) {
        if question.want.has(Want::VALUE) {
            let sums = self.sums(question.position, question.depth, scratch);
            answer.value = self.tables.value(question.position, sums);
        }
        answer.uniform_priors(question);
        if question.want.has(Want::CHILDREN) {
            self.judge_children(question, answer, scratch);
        }
    }
}

impl<V: Variant> Linear<V> {
    /// The parent's sums plus the change each move makes; nothing is added up from scratch.
    fn judge_children(
        &self,
        question: &Question<'_, Shogi<V>>,
        answer: &mut Answer<ShogiMove>,
        scratch: &mut LinearScratch<V>,
    ) {
        let parent = question.position;
        let mut moves = std::mem::take(&mut scratch.moves);
        let sums = self.sums(parent, question.depth, scratch);
        for &mv in question.moves {
            let mut child = *parent;
            child.play(mv);
            let outcome = child.repetition(question.plies).or_else(|| child.ended(&mut moves));
            let value = match outcome {
                Some(outcome) => outcome.value_for(parent.turn(), WIN),
                None => {
                    let changed = mv.from().map_or(V::Bits::EMPTY, V::Bits::of) | V::Bits::of(mv.to());
                    -self.tables.value(&child, &self.tables.change(sums, parent, &child, changed))
                }
            };
            answer.push_child(value, outcome);
        }
        scratch.moves = moves;
    }
}

/// Parameter 2·i is what the i-th of the [`Layout`] counts for Black, 2·i + 1 what it counts for the side to move.
impl<V: Variant> Differentiable<Shogi<V>> for Linear<V> {
    fn parameters(&self) -> usize {
        2 * Layout::of::<V>().len()
    }

    fn gradient(
        &self,
        question: &Question<'_, Shogi<V>>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        _scratch: &mut LinearScratch<V>,
    ) {
        let side = if question.position.turn() == Color::Black { coefficient } else { -coefficient };
        features(Layout::of::<V>(), question.position, |Feature { index, black, mover }| {
            if black != 0 {
                sink(2 * index, side * black as f32);
            }
            if mover != 0 {
                sink(2 * index + 1, coefficient * mover as f32);
            }
        });
    }
}

impl<V: Variant> fmt::Display for Linear<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
