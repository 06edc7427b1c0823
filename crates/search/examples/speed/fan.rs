//! A game made for measuring a search alone.

use std::fmt;

use yomi_core::toy::Branch;
use yomi_core::zobrist::mix;
use yomi_core::{Color, Evaluator, Family, Leaf, Outcome, Position, Siblings};

/// A game without end in which every position has eighty moves, as shogi has on average.
#[derive(Clone)]
pub(crate) struct Fan {
    key: u64,
    turn: Color,
}

const MOVES: u16 = 80;

impl Default for Fan {
    fn default() -> Self {
        Fan { key: 1, turn: Color::Black }
    }
}

impl Position for Fan {
    type Move = Branch;
    const NAME: &'static str = "fan";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        moves.clear();
        moves.extend((0..MOVES).map(Branch));
        None
    }

    fn play(&mut self, mv: Branch) {
        self.key = mix(self.key ^ u64::from(mv.0));
        self.turn = !self.turn;
    }
}

impl fmt::Display for Fan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.key)
    }
}

/// Values from -100 to 100 out of the key, for all children at once.
#[derive(Clone, Copy)]
pub(crate) struct Hashed;

fn hashed(key: u64) -> f32 {
    (mix(key) >> 40) as f32 / (1u64 << 23) as f32 * 100.0 - 100.0
}

impl Evaluator<Fan> for Hashed {
    type Scratch = ();

    fn scratch(&self, _: u64) {}

    fn win(&self) -> f32 {
        30_000.0
    }

    fn evaluate(&self, leaf: &Leaf<'_, Fan>, _: &mut ()) -> f32 {
        hashed(leaf.position.key)
    }

    fn evaluate_siblings(&self, family: &Family<'_, Fan>, out: &mut Siblings<Branch>, _: &mut ()) {
        out.clear();
        out.values.extend(family.moves.iter().map(|mv| hashed(family.parent.key ^ u64::from(mv.0))));
        out.priors.resize(family.moves.len(), 1.0 / f32::from(MOVES));
        out.outcomes.resize(family.moves.len(), None);
    }
}
