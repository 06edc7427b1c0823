//! Playing at random.

use yomi_core::policy::Step;
use yomi_core::{Rng, Simulate};

use super::moves::ShogiMove;
use super::position::Shogi;
use super::variant::Variant;

impl<V: Variant> Simulate for Shogi<V> {
    type Sampler = Vec<ShogiMove>;

    #[inline]
    fn draw(&self, moves: &mut Vec<ShogiMove>, rng: &mut Rng) -> Step<ShogiMove> {
        yomi_core::policy::draw_from_list(self, moves, rng)
    }

    fn horizon(&self) -> usize {
        512
    }
}
