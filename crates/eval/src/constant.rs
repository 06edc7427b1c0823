//! An evaluation that knows nothing: what is left is the search itself.

use yomi_core::{Evaluator, Family, Leaf, Position, Siblings};

/// Every position is worth the same, for whoever is to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constant {
    /// What a position is worth.
    pub value: f32,
    /// What a won game is worth.
    pub win: f32,
}

impl Default for Constant {
    fn default() -> Self {
        Constant { value: 0.0, win: 1.0 }
    }
}

impl<P: Position> Evaluator<P> for Constant {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        self.win
    }

    fn evaluate(&self, _leaf: &Leaf<'_, P>, _scratch: &mut ()) -> f32 {
        self.value
    }
}

/// Every position is worth nothing, and nobody looks at the children: for measuring a search alone. Finished games are found when
/// the search goes there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blind;

impl<P: Position> Evaluator<P> for Blind {
    type Scratch = ();

    fn scratch(&self, _seed: u64) {}

    fn win(&self) -> f32 {
        1.0
    }

    fn evaluate(&self, _leaf: &Leaf<'_, P>, _scratch: &mut ()) -> f32 {
        0.0
    }

    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, _scratch: &mut ()) {
        let prior = 1.0 / family.moves.len() as f32;
        out.clear();
        family.moves.iter().for_each(|_| out.push(0.0, prior, None));
    }
}
