//! What a position is worth.

use crate::position::{Outcome, Ply, Position};

/// Whether an answer is still wanted: how a search is stopped in the midst of a question that takes long.
#[derive(Clone, Copy, Default)]
pub struct Patience<'a>(Option<&'a dyn Fn() -> bool>);

impl<'a> Patience<'a> {
    /// The answer is wanted however long it takes.
    pub const ENDLESS: Patience<'static> = Patience(None);

    /// The answer is wanted until `over` says true.
    pub fn until(over: &'a dyn Fn() -> bool) -> Patience<'a> {
        Patience(Some(over))
    }

    /// Whether nobody waits any more. Cheap, and to be asked every few microseconds at most.
    #[inline]
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|over| over())
    }
}

/// A leaf that a search has reached and wants judged.
pub struct Leaf<'a, P: Position> {
    /// The position.
    pub position: &'a P,
    /// The plies before it.
    pub past: &'a [Ply],
    /// Its legal moves; empty where the search did not list them all (a quiescence search lists only the noisy ones).
    pub moves: &'a [P::Move],
    /// The tree's name for it, stable during one search: what per-leaf memory (tabu lists) hangs on.
    pub node: u32,
    /// Plies below the root.
    pub depth: u32,
    /// Who judges long may look whether to go on. What is answered too early still counts.
    pub patience: Patience<'a>,
    /// Whether [`Evaluator::playouts`] will be asked about the answer. If not, nothing needs to be written down.
    pub recorded: bool,
}

impl<'a, P: Position> Leaf<'a, P> {
    /// A position outside of any tree.
    pub fn of(position: &'a P, past: &'a [Ply], moves: &'a [P::Move]) -> Self {
        Leaf { position, past, moves, node: 0, depth: 0, patience: Patience::ENDLESS, recorded: true }
    }
}

/// All children of one parent, to be judged together.
pub struct Family<'a, P: Position> {
    /// The position whose children are asked for.
    pub parent: &'a P,
    /// The plies up to and including the parent: the past of each child.
    pub past: &'a [Ply],
    /// The moves that lead to the children; not empty.
    pub moves: &'a [P::Move],
    /// The tree's name for the parent.
    pub node: u32,
    /// Plies of the parent below the root.
    pub depth: u32,
    /// Who judges long may look whether to go on, and break off between two children: those judged so far are the answer then.
    pub patience: Patience<'a>,
}

impl<'a, P: Position> Family<'a, P> {
    /// The children of a position outside of any tree.
    pub fn of(parent: &'a P, past: &'a [Ply], moves: &'a [P::Move]) -> Self {
        Family { parent, past, moves, node: 0, depth: 0, patience: Patience::ENDLESS }
    }
}

/// The answer for a [`Family`], one entry a move, and buffers to be used again.
#[derive(Debug)]
pub struct Siblings<M> {
    /// Worth of each move for the side that chooses among them.
    pub values: Vec<f32>,
    /// Prior probability of each move.
    pub priors: Vec<f32>,
    /// How the game ends with each move, if it does.
    pub outcomes: Vec<Option<Outcome>>,
    moves: Vec<M>,
}

impl<M> Default for Siblings<M> {
    fn default() -> Self {
        Siblings { values: Vec::new(), priors: Vec::new(), outcomes: Vec::new(), moves: Vec::new() }
    }
}

impl<M> Siblings<M> {
    /// Forgets the last answer, keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        self.priors.clear();
        self.outcomes.clear();
    }

    /// Adds the judgement of the next child.
    pub fn push(&mut self, value: f32, prior: f32, outcome: Option<Outcome>) {
        self.values.push(value);
        self.priors.push(prior);
        self.outcomes.push(outcome);
    }
}

/// Judges positions. Shared by all threads; whatever changes lives in the per-thread scratch.
///
/// Every answer is **for the side to move** at the position asked about, in the evaluator's own unit.
pub trait Evaluator<P: Position>: Send + Sync {
    /// Working memory of one thread.
    type Scratch: Send;

    /// Working memory for one more thread; `seed` feeds its randomness.
    fn scratch(&self, seed: u64) -> Self::Scratch;

    /// What a won game is worth, in this evaluator's unit.
    fn win(&self) -> f32;

    /// Worth of the leaf for the side to move there.
    fn evaluate(&self, leaf: &Leaf<'_, P>, scratch: &mut Self::Scratch) -> f32;

    /// Worth of each move of a family for the side that chooses: the question MCSS asks (S0.1, S4.2).
    ///
    /// The default plays each move and asks one by one. Override it to batch, or to update the parent's sum by difference.
    fn evaluate_siblings(&self, family: &Family<'_, P>, out: &mut Siblings<P::Move>, scratch: &mut Self::Scratch) {
        out.clear();
        let prior = 1.0 / family.moves.len() as f32;
        let chooser = family.parent.turn();
        let mut moves = std::mem::take(&mut out.moves);
        for &mv in family.moves {
            if family.patience.is_over() {
                break;
            }
            let mut child = family.parent.clone();
            child.play(mv);
            let outcome = child.repetition(family.past).or_else(|| child.generate(&mut moves));
            let value = match outcome {
                Some(outcome) => outcome.value_for(chooser, self.win()),
                None => {
                    let leaf = Leaf {
                        position: &child,
                        past: family.past,
                        moves: &moves,
                        node: family.node,
                        depth: family.depth + 1,
                        patience: family.patience,
                        recorded: false,
                    };
                    -self.evaluate(&leaf, scratch)
                }
            };
            out.push(value, prior, outcome);
        }
        out.moves = moves;
    }

    /// Prior probability of each move of the leaf. The default knows nothing.
    fn priors(&self, leaf: &Leaf<'_, P>, out: &mut Vec<f32>, scratch: &mut Self::Scratch) {
        let _ = scratch;
        out.clear();
        out.resize(leaf.moves.len(), 1.0 / leaf.moves.len() as f32);
    }

    /// Shows the playouts behind the last answer of [`Evaluator::evaluate`]: the moves from the leaf on, and what the playout came
    /// to for the side to move at the leaf. RAVE learns from them. Evaluators that play nothing out have nothing to show.
    fn playouts(&self, scratch: &Self::Scratch, show: &mut dyn FnMut(&[P::Move], f32)) {
        let _ = (scratch, show);
    }

    /// Tells what it has counted since it was made, by name, for experiments: tabu candidates for example. Most count nothing.
    fn counters(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        let _ = tell;
    }
}
