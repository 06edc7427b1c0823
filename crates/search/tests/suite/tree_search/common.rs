//! What several tests need.
use std::fmt;

use yomi_core::toy::Branch;
use yomi_core::{Answer, Color, Evaluator, Line, Outcome, Position, Question, Seed};
use yomi_search::{Limits, Method, Search, TreeSearch, Verdict};

/// Every named method, and the words that no name uses, with parameters for values from -1 to 1.
pub(crate) const METHODS: &[&str] = &[
    "mcss(t=0.3)",
    "mcss(t=by-depth(0.5,decay=0.8))",
    "mcss(t=target(0.7))",
    "mcss(t=0.3,expand=growth(mu=0.02,tau=0.01))",
    "mcss(t=0.3,expand=growth(mu=0.02,tau=0.01,rule=chance,of=selection))",
    "mcss-puct(ts=0.3,tb=0.1)",
    "uct(c=0.7)",
    "rave(c=0.3)",
    "uct-h(c=1)",
    "uct-max-h(c=1)",
    "puct(c=2)",
    "rbfm(sigma=0.5)",
    "softmax-best-first(t=0.3)",
    "ubfm",
    "ments(t=0.3,e=0.1)",
    "rents(t=0.3,e=0.1)",
    "tents(t=0.3,e=0.1)",
    "bts(t=0.3,e=0.1,decay=0.2)",
    "dents(t=0.3,e=0.1)",
    "tree(select=ucb1(c=0.5),expand=leaf,backup=implicit-minimax(alpha=0.4))",
    "tree(select=ucb1(c=0.5),expand=siblings,backup=mean)",
    "tree(select=ucb1(c=0.5),expand=leaf,backup=power-mean(p=4))",
    "tree(select=boltzmann(t=0.3),expand=siblings,backup=mellowmax(t=0.1))",
    "tree(select=puct(c=2),expand=widening(c=2,power=0.5),backup=mean)",
    "tree(select=boltzmann(t=0.5),expand=leaf(after=1),backup=softmax(t=0.1))",
];

/// The method with more options.
pub(crate) fn with(method: &str, options: &str) -> Method {
    let text = match method.strip_suffix(')') {
        Some(open) => format!("{open},{options})"),
        None => format!("{method}({options})"),
    };
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// One search from scratch.
pub(crate) fn search<P: Position, E: Evaluator<P>>(
    method: Method,
    evaluator: E,
    start: P,
    limits: &Limits,
) -> Verdict<P::Move> {
    TreeSearch::new(method, evaluator).search(&Line::new(start), limits, &mut ())
}

/// A number of simulations with this seed.
pub(crate) fn simulations(n: u64, seed: u64) -> Limits {
    Limits::simulations(n).seeded(Seed::new(seed))
}

/// A game in which every position has the same number of moves and the game is open for some plies.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub(crate) moves: u16,
    pub(crate) plies: u32,
    pub(crate) key: u64,
    pub(crate) turn: Color,
}

impl Wide {
    pub(crate) fn new(moves: u16, plies: u32) -> Wide {
        Wide { moves, plies, key: 1, turn: Color::Black }
    }
}

impl Position for Wide {
    type Move = Branch;
    const NAME: &'static str = "wide";

    fn turn(&self) -> Color {
        self.turn
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn generate(&self, moves: &mut Vec<Branch>) -> Option<Outcome> {
        moves.clear();
        if self.plies == 0 {
            return Some(if self.key & 1 == 0 { Outcome::Draw } else { Outcome::Win(Color::Black) });
        }
        moves.extend((0..self.moves).map(Branch));
        None
    }

    fn play(&mut self, mv: Branch) {
        self.key = yomi_core::zobrist::mix(self.key ^ u64::from(mv.0));
        self.plies = self.plies.saturating_sub(1);
        self.turn = !self.turn;
    }
}

impl fmt::Display for Wide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} moves, {} plies, {}", self.moves, self.plies, self.key)
    }
}

/// Values from -1 to 1 out of a position's key.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hashed;

impl<P: Position> Evaluator<P> for Hashed {
    type Scratch = ();

    fn scratch(&self, _: u64) {}

    fn win(&self) -> f32 {
        1.0
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, (): &mut ()) {
        answer.by_value(question, 1.0, |leaf| {
            (yomi_core::zobrist::mix(leaf.position.key()) >> 40) as f32 / (1u64 << 23) as f32 * 0.9 - 0.9
        });
    }
}
