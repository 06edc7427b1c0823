//! A game made for measuring a search alone.

use std::fmt;

use yomi_core::toy::Branch;
use yomi_core::zobrist::mix;
use yomi_core::{Answer, Color, Evaluator, Outcome, Position, Question, Want};

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

    fn judge(&self, question: &Question<'_, Fan>, answer: &mut Answer<Branch>, (): &mut ()) {
        let key = question.position.key;
        answer.value = hashed(key);
        answer.uniform_priors(question);
        if question.want.has(Want::CHILDREN) {
            answer.values.extend(question.moves.iter().map(|mv| hashed(key ^ u64::from(mv.0))));
            answer.outcomes.resize(question.moves.len(), None);
        }
    }
}
