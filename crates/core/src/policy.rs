//! Playing a game out.

use std::ops::ControlFlow;

use crate::position::{Outcome, Position};
use crate::question::Question;
use crate::rng::Rng;

/// The next step of a simulated game: a move, or the outcome that stands already.
pub type Step<M> = ControlFlow<Outcome, M>;

/// A game that can be simulated: it knows the quick way to draw a move at random.
pub trait Simulate: Position {
    /// What the sampler remembers along one playout (lists, buffers). Used again from playout to playout.
    type Sampler: Default + Send;

    /// A playout begins at this position.
    fn begin(&self, sampler: &mut Self::Sampler) {
        let _ = sampler;
    }

    /// Draws uniformly from the moves worth simulating: all legal ones unless the game says otherwise (Go spares its own eyes
    /// and passes only when nothing else is left). Between two calls of [`Simulate::begin`] the positions form one line.
    fn draw(&self, sampler: &mut Self::Sampler, rng: &mut Rng) -> Step<Self::Move>;

    /// Draws `n` different ones of the same moves in random order, all of them if there are fewer, every choice being equally likely,
    /// or says how the game has ended. Games override it where not all moves need to be listed, or where [`Simulate::draw`] spares some.
    fn draw_several(
        &self,
        n: usize,
        sampler: &mut Self::Sampler,
        rng: &mut Rng,
        moves: &mut Vec<Self::Move>,
    ) -> Option<Outcome> {
        let _ = sampler;
        let outcome = self.generate(moves);
        keep_some(moves, n, rng);
        outcome
    }

    /// After how many plies a playout from here is cut off, if the game is not over by then.
    fn horizon(&self) -> usize;

    /// How many places the board has, as a measure of how long a game is (N² in S2.5). About a third of the plies that a playout may last,
    /// unless the game knows better.
    fn places(&self) -> usize {
        self.horizon() / 3
    }

    /// The verdict on a playout that was cut off.
    fn adjudicate(&self) -> Outcome {
        Outcome::Draw
    }
}

/// Keeps `n` of a list, all if there are fewer, in random order.
#[inline]
pub fn keep_some<T>(list: &mut Vec<T>, n: usize, rng: &mut Rng) {
    for i in 0..n.min(list.len().saturating_sub(1)) {
        let chosen = i + rng.below(list.len() - i);
        list.swap(i, chosen);
    }
    list.truncate(n);
}

/// Chooses the moves of simulated games.
pub trait Policy<P: Position>: Send + Sync {
    /// Working memory of one thread.
    type Scratch: Send;

    /// Working memory for one more thread.
    fn scratch(&self) -> Self::Scratch;

    /// The tree has come to a leaf where playouts will begin: what [`Policy::begin`] does not say, the plies before it above all.
    /// Not called where there is no tree. Policies that ask others hand it on.
    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) {
        let _ = (question, scratch);
    }

    /// A playout begins at `position`, which the tree calls `node`.
    fn begin(&self, position: &P, node: u32, scratch: &mut Self::Scratch);

    /// The next move, or the outcome if the game is over. May be asked again about the same position, if its answer was not wanted.
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move>;

    /// The playout ended so: what tabu lists and last good replies learn from.
    fn finished(&self, outcome: Outcome, scratch: &mut Self::Scratch) {
        let _ = (outcome, scratch);
    }

    /// Reports what it has counted since it was made, by name, for experiments. Most count nothing.
    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        let _ = report;
    }
}

/// Draws as the game itself draws: uniformly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<P: Simulate> Policy<P> for Uniform {
    type Scratch = P::Sampler;

    fn scratch(&self) -> P::Sampler {
        P::Sampler::default()
    }

    #[inline]
    fn begin(&self, position: &P, _node: u32, sampler: &mut P::Sampler) {
        position.begin(sampler);
    }

    #[inline]
    fn choose(&self, position: &P, rng: &mut Rng, sampler: &mut P::Sampler) -> Step<P::Move> {
        position.draw(sampler, rng)
    }
}

/// A sampler for games without a quicker way: list the legal moves, take one.
pub fn draw_from_list<P: Position>(position: &P, moves: &mut Vec<P::Move>, rng: &mut Rng) -> Step<P::Move> {
    match position.generate(moves) {
        Some(outcome) => Step::Break(outcome),
        None => Step::Continue(moves[rng.below(moves.len())]),
    }
}

/// Plays `position` to its end and says how it ended and after how many plies.
#[inline]
pub fn play_out<P: Simulate, Q: Policy<P>>(
    position: &mut P,
    node: u32,
    policy: &Q,
    rng: &mut Rng,
    scratch: &mut Q::Scratch,
) -> (Outcome, usize) {
    let horizon = position.horizon();
    policy.begin(position, node, scratch);
    let mut plies = 0;
    let outcome = loop {
        match policy.choose(position, rng, scratch) {
            Step::Break(outcome) => break outcome,
            Step::Continue(_) if plies == horizon => break position.adjudicate(),
            Step::Continue(mv) => position.play(mv),
        }
        plies += 1;
    };
    policy.finished(outcome, scratch);
    (outcome, plies)
}
