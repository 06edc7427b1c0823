//! Tabu lists: playouts from one leaf that do not all begin alike (S2.2 to S2.6).
//!
//! Every leaf has M queues, one for each of the first M plies of its playouts. What the last playouts did at a ply stands in its queue,
//! and a candidate that stands there is turned away: another is asked for. The original computed the hash of a position anew for every
//! candidate, which made it slow; here [`yomi_core::Position::key_after`] gives it by a few exclusive-ors.
//!
//! The lists decorate any policy of any game. They live in the working memory of a thread, so they need no locks, are forgotten when the
//! search ends, and exist only for leaves that had playouts. Threads that share a tree keep lists of their own: with t threads a leaf
//! has t sets of queues, each with the playouts of one thread.

mod queues;
mod schedule;
#[cfg(test)]
mod twin;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use yomi_core::policy::Step;
use yomi_core::{Color, Move, Outcome, Policy, Question, Rng, Simulate};

use queues::Leaves;
pub use schedule::{candidates_bound, shrunk};

/// What stands in the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forbids {
    /// Moves (S2.2).
    Moves,
    /// Positions, remembered as they are played (S2.3).
    States,
    /// Positions, remembered together when the playout is over, if the side that moved first in it lost (S2.4).
    LostStates,
}

/// A policy whose playouts from one leaf avoid what the last ones did in their first plies.
#[derive(Clone, Debug)]
pub struct Tabu<Q> {
    inner: Q,
    forbids: Forbids,
    length: u32,
    depth: usize,
    shrinks: bool,
    counts: Arc<Counts>,
}

/// The name of the counter of tabu candidates.
pub const CANDIDATES: &str = "tabu candidates";

/// What tabu lists count while they work: shared by all that clone the [`Arc`].
#[derive(Debug, Default)]
pub struct Counts {
    playouts: AtomicU64,
    candidates: AtomicU64,
}

impl Counts {
    /// Playouts that have ended.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Candidates that were tabu in them (table 4 of the paper).
    pub fn candidates(&self) -> u64 {
        self.candidates.load(Relaxed)
    }
}

impl<Q> Tabu<Q> {
    /// Queues of length L for the first M plies around `inner`; they shrink as the game goes on (S2.5).
    pub fn new(forbids: Forbids, length: u32, depth: usize, inner: Q) -> Tabu<Q> {
        Tabu { inner, forbids, length, depth, shrinks: true, counts: Arc::default() }
    }

    /// The same with queues that keep their length, as table 4 of the paper has it.
    pub fn unshrinking(self) -> Tabu<Q> {
        Tabu { shrinks: false, ..self }
    }

    /// The counters, which go on counting in the reader's hands.
    pub fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    /// The same, counting there.
    pub fn counting(self, counts: &Arc<Counts>) -> Tabu<Q> {
        Tabu { counts: Arc::clone(counts), ..self }
    }
}

/// Working memory of a thread: the lists of all leaves, and where the present playout stands.
pub struct Scratch<S> {
    inner: S,
    leaves: Leaves,
    /// The length of the queues at the present leaf: L_k.
    length: u32,
    /// Where the present leaf's queues begin.
    first: usize,
    /// Plies of this playout that the lists have seen; M when they look no longer.
    ply: usize,
    /// Who moves first in this playout.
    mover: Color,
    /// What was played at each ply: buf_m of S2.4.
    played: Vec<u64>,
    candidates: u64,
}

impl<P: Simulate, Q: Policy<P>> Policy<P> for Tabu<Q> {
    type Scratch = Scratch<Q::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        Scratch {
            inner: self.inner.scratch(),
            leaves: Leaves::new(self.depth),
            length: self.length,
            first: 0,
            ply: 0,
            mover: Color::Black,
            played: Vec::with_capacity(self.depth.min(64)),
            candidates: 0,
        }
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) {
        if self.shrinks {
            scratch.length = shrunk(self.length, question.past.len(), question.position.places());
        }
        self.inner.arrive(question, &mut scratch.inner);
    }

    #[inline]
    fn begin(&self, position: &P, node: u32, scratch: &mut Self::Scratch) {
        scratch.ply = self.depth;
        scratch.candidates = 0;
        scratch.played.clear();
        if scratch.length > 0 && self.depth > 0 {
            scratch.ply = 0;
            scratch.mover = position.turn();
            scratch.first = scratch.leaves.find(node, position.key());
        }
        self.inner.begin(position, node, &mut scratch.inner);
    }

    #[inline]
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move> {
        if scratch.ply >= self.depth {
            return self.inner.choose(position, rng, &mut scratch.inner);
        }
        self.choose_anew(position, rng, scratch)
    }

    fn finished(&self, outcome: Outcome, scratch: &mut Self::Scratch) {
        if self.forbids == Forbids::LostStates && outcome == Outcome::Win(!scratch.mover) {
            for (m, &key) in scratch.played.iter().enumerate() {
                scratch.leaves.queue(scratch.first + m).push(key, scratch.length);
            }
        }
        self.counts.playouts.fetch_add(1, Relaxed);
        if scratch.candidates > 0 {
            self.counts.candidates.fetch_add(scratch.candidates, Relaxed);
        }
        self.inner.finished(outcome, &mut scratch.inner);
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        report(CANDIDATES, self.counts.candidates());
        self.inner.counters(report);
    }
}

impl<Q> Tabu<Q> {
    /// The next move at one of the first M plies (S2.3). Every candidate that is turned away leaves a NIL, so after L_k of them the queue
    /// holds nothing else and the next candidate passes.
    #[inline(never)]
    fn choose_anew<P: Simulate>(&self, position: &P, rng: &mut Rng, scratch: &mut Scratch<Q::Scratch>) -> Step<P::Move>
    where
        Q: Policy<P>,
    {
        let queue = scratch.leaves.queue(scratch.first + scratch.ply);
        loop {
            let mv = match self.inner.choose(position, rng, &mut scratch.inner) {
                Step::Break(outcome) => return Step::Break(outcome),
                Step::Continue(mv) => mv,
            };
            let key = match self.forbids {
                Forbids::Moves => u64::from(mv.to_bits()),
                Forbids::States | Forbids::LostStates => position.key_after(mv),
            };
            if queue.contains(key, scratch.length) {
                queue.push_nil();
                scratch.candidates += 1;
                continue;
            }
            match self.forbids {
                Forbids::LostStates => scratch.played.push(key),
                Forbids::Moves | Forbids::States => queue.push(key, scratch.length),
            }
            scratch.ply += 1;
            return Step::Continue(mv);
        }
    }
}
