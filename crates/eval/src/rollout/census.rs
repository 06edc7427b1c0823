//! How often playouts pass through the same positions (S2.7, figure 5).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use yomi_core::policy::Step;
use yomi_core::{Outcome, Policy, Position, Question, Rng};

/// A policy whose first plies are counted by the position they lead to, whichever leaf the playout began at.
#[derive(Clone, Debug)]
pub struct Census<Q> {
    inner: Q,
    depth: usize,
    counted: Arc<Counted>,
}

/// What a [`Census`] has counted: shared by all that clone the [`Arc`].
#[derive(Debug, Default)]
pub struct Counted(Mutex<BTreeMap<u64, u32>>);

impl Counted {
    /// How often each of the `most` most frequent positions was reached, the most frequent first.
    pub fn most_frequent(&self, most: usize) -> Vec<u32> {
        let mut counts: Vec<u32> = self.lock().values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts.truncate(most);
        counts
    }

    /// How many different positions were reached.
    pub fn positions(&self) -> usize {
        self.lock().len()
    }

    /// How many times a position was reached that had been reached before.
    pub fn repetitions(&self) -> u64 {
        self.lock().values().map(|&n| u64::from(n) - 1).sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, u32>> {
        // Counts are whole after every addition, even if a thread panicked in between.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q> Census<Q> {
    /// Counts the positions after each of the first `depth` plies of every playout of `inner`.
    pub fn new(depth: usize, inner: Q) -> Census<Q> {
        Census { inner, depth, counted: Arc::default() }
    }

    /// The counts, which go on in the reader's hands.
    pub fn counted(&self) -> Arc<Counted> {
        Arc::clone(&self.counted)
    }
}

impl<P: Position, Q: Policy<P>> Policy<P> for Census<Q> {
    /// The inner policy's memory and the keys reached in this playout.
    type Scratch = (Q::Scratch, Vec<u64>);

    fn scratch(&self) -> Self::Scratch {
        (self.inner.scratch(), Vec::new())
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Self::Scratch) {
        self.inner.arrive(question, &mut scratch.0);
    }

    fn begin(&self, position: &P, node: u32, scratch: &mut Self::Scratch) {
        scratch.1.clear();
        self.inner.begin(position, node, &mut scratch.0);
    }

    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move> {
        let step = self.inner.choose(position, rng, &mut scratch.0);
        if let Step::Continue(mv) = step
            && scratch.1.len() < self.depth
        {
            scratch.1.push(position.key_after(mv));
        }
        step
    }

    fn finished(&self, outcome: Outcome, scratch: &mut Self::Scratch) {
        let mut counted = self.counted.lock();
        scratch.1.iter().for_each(|&key| *counted.entry(key).or_default() += 1);
        drop(counted);
        self.inner.finished(outcome, &mut scratch.0);
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        self.inner.counters(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::tabu::{Forbids, Tabu};
    use yomi_core::policy::play_out;
    use yomi_core::toy::{ConnectFour, Nim};
    use yomi_core::{Seed, Simulate, Uniform};

    fn count<P: Simulate, Q: Policy<P>>(start: &P, depth: usize, policy: Q, playouts: usize) -> Arc<Counted> {
        let census = Census::new(depth, policy);
        let (mut scratch, mut rng) = (Policy::<P>::scratch(&census), Seed::new(8).rng());
        for _ in 0..playouts {
            play_out(&mut start.clone(), 0, &census, &mut rng, &mut scratch);
        }
        census.counted()
    }

    /// Nim with one: every playout reaches the one position there is.
    #[test]
    fn counts_what_is_reached() {
        let counted = count(&Nim::new(1), 5, Uniform, 10);
        assert_eq!((counted.positions(), counted.repetitions()), (1, 9));
        assert_eq!(counted.most_frequent(50), [10]);
        let counted = count(&ConnectFour::default(), 1, Uniform, 700);
        assert_eq!(counted.positions(), 7);
        assert_eq!(counted.most_frequent(50).iter().sum::<u32>(), 700);
        assert_eq!(counted.most_frequent(2).len(), 2);
    }

    /// The point of tabu lists: fewer repetitions, the favourites visited less often.
    #[test]
    fn tabu_lists_repeat_less() {
        let repeated = |counted: Arc<Counted>| counted.most_frequent(50).iter().sum::<u32>();
        let start = ConnectFour::default();
        let free = repeated(count(&start, 5, Uniform, 400));
        for forbids in [Forbids::Moves, Forbids::States] {
            let tabu = repeated(count(&start, 5, Tabu::new(forbids, 18, 5, Uniform), 400));
            assert!(tabu < free, "{forbids:?}: {tabu} {free}");
        }
    }
}
