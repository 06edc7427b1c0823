//! A small network for shogi and minishogi that is updated by difference (NNUE, Nasu 2018).
//!
//! Each side sees the board from its king, in sparse features (`view`); their weights are added up to 256 sums per side, which a move
//! changes by two to four rows. The sums of both sides, clipped, pass a layer of 16 neurons and a last sum. `parameters` is the network
//! as real numbers, the definition and the gradient; `network` the same in whole numbers, by difference; `file` how they are kept.

mod file;
mod network;
mod parameters;
mod view;

use std::fmt;
use std::sync::{Arc, OnceLock};

use yomi_core::{Answer, Differentiable, Evaluator, Question};
use yomi_games::shogi::{Shogi, ShogiMove, Variant};

pub use network::{Accumulator, Network};
pub use parameters::{Groups, HIDDEN, Passage, UNIT, WIDTH, material};
pub use view::{Seer, Shape};

use crate::difference::{Memory, Summation};
use crate::material::WIN;

/// The evaluation. A clone shares the weights.
#[derive(Clone)]
pub struct Nnue<V: Variant> {
    network: Arc<Network>,
    /// The same as real numbers, computed when a gradient is first asked for.
    reals: Arc<OnceLock<Vec<f32>>>,
    /// How it was asked for.
    name: String,
    variant: std::marker::PhantomData<V>,
}

impl<V: Variant> Nnue<V> {
    /// The evaluation by this network, which is one of the game. `name` is what it prints as, for example `nnue(file=w.nnue)`.
    pub fn new(network: Network, name: impl Into<String>) -> Nnue<V> {
        Nnue { network: Arc::new(network), reals: Arc::default(), name: name.into(), variant: std::marker::PhantomData }
    }

    /// The network at work.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The value of a position from nothing, without the memory of a thread.
    pub fn fresh(&self, position: &Shogi<V>) -> f32 {
        self.network.worth(position, &Summation::<V>::sum(&*self.network, position))
    }
}

impl<V: Variant> Evaluator<Shogi<V>> for Nnue<V> {
    type Scratch = Memory<V, Accumulator>;

    fn scratch(&self, _seed: u64) -> Self::Scratch {
        Memory::new(&*self.network)
    }

    fn win(&self) -> f32 {
        WIN
    }

    #[inline]
    fn judge(&self, question: &Question<'_, Shogi<V>>, answer: &mut Answer<ShogiMove>, scratch: &mut Self::Scratch) {
        scratch.judge(&*self.network, question, answer);
    }
}

/// The parameters are those of [`Groups`]; the gradient is that of the real numbers which the whole ones stand for.
impl<V: Variant> Differentiable<Shogi<V>> for Nnue<V> {
    fn parameters(&self) -> usize {
        Groups::of::<V>().len()
    }

    fn gradient(
        &self,
        question: &Question<'_, Shogi<V>>,
        coefficient: f32,
        sink: &mut dyn FnMut(usize, f32),
        _scratch: &mut Self::Scratch,
    ) {
        let parameters = self.reals.get_or_init(|| self.network.parameters());
        let passage = Passage::new(parameters, question.position);
        let coefficient = f64::from(coefficient * UNIT);
        passage.gradient(Groups::of::<V>(), parameters, coefficient, &mut |i, x| sink(i, x as f32));
    }
}

impl<V: Variant> fmt::Display for Nnue<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
