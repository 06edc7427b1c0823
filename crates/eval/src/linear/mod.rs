//! A linear evaluation of shogi and minishogi over sparse features, computed by difference.
//!
//! The features are those S0.6 names for GA-sho: piece values, where a piece stands and where it stands as seen from each king (KP),
//! relations of two pieces near each other, relations of two pieces near a king (KPP), how freely the kings can move, and whose move it
//! is. A full KPP table of shogi has 194 million entries. This one is *factorised*: places are relative (to a king, to the other
//! piece), what mirrors or colours make equal is one parameter, and pairs count within two squares only. What is left is some sixty
//! thousand parameters per game, learned from games that began with `material`, by `yomi learn regression`.
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

use yomi_core::{Answer, Color, Differentiable, Evaluator, Position, Question, TextError};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

pub use features::{Feature, features, value};
pub use layout::Layout;
pub use sums::Sums;
pub use tables::Tables;
pub use weights::Weights;

use crate::difference::{Memory, Summation};
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

    /// The weights that come with the program.
    pub fn embedded_weights() -> Weights {
        let bytes: &[u8] = if V::SIZE == 5 {
            include_bytes!("../../weights/minishogi.linear")
        } else {
            include_bytes!("../../weights/shogi.linear")
        };
        Weights::read::<V>(bytes).expect("the weights in the program are whole: a test reads them")
    }

    /// The evaluation that comes with the program.
    pub fn embedded() -> Linear<V> {
        Linear::new(&Self::embedded_weights(), "linear").expect("weights that were read fit their game")
    }

    /// The tables at work.
    pub fn tables(&self) -> &Tables<V> {
        &self.tables
    }
}

impl<V: Variant> Summation<V> for Tables<V> {
    type Sums = Sums<V::Bits>;

    fn sum(&self, position: &Shogi<V>) -> Sums<V::Bits> {
        Tables::sum(self, position)
    }

    #[inline(always)]
    fn follow(&self, sums: &Self::Sums, before: &Shogi<V>, next: &Shogi<V>, changed: V::Bits, to: &mut Self::Sums) {
        *to = self.change(sums, before, next, changed);
    }

    #[inline]
    fn worth(&self, position: &Shogi<V>, sums: &Self::Sums) -> f32 {
        self.value(position, sums)
    }
}

impl<V: Variant> Evaluator<Shogi<V>> for Linear<V> {
    type Scratch = Memory<V, Sums<V::Bits>>;

    fn scratch(&self, _seed: u64) -> Self::Scratch {
        Memory::new(&*self.tables)
    }

    fn win(&self) -> f32 {
        WIN
    }

    #[inline(always)]
    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, scratch: &mut Self::Scratch) {
        scratch.judge(&*self.tables, question, answer);
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
        _scratch: &mut Self::Scratch,
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
