//! A policy whose type is forgotten.

use std::any::Any;

use yomi_core::policy::Step;
use yomi_core::{Outcome, Policy, Position, Question, Rng};

/// Any policy of a game behind virtual calls, so that policies which ask others can be put together from text. A call costs about as
/// much as a random number; policies that are asked for every move and matter in speed are better built with their types.
pub struct AnyPolicy<P: Position>(Box<dyn Erased<P>>);

impl<P: Position> AnyPolicy<P> {
    /// Forgets the type of `policy`.
    pub fn new<Q>(policy: Q) -> AnyPolicy<P>
    where
        Q: Policy<P> + 'static,
        Q::Scratch: 'static,
    {
        AnyPolicy(Box::new(policy))
    }
}

/// Working memory of one thread, its type forgotten as well.
pub struct AnyScratch(Box<dyn Any + Send>);

/// What a policy does, with memory of unknown type. The memory is always the policy's own: only [`AnyPolicy`] makes it, and only a
/// playout by that policy holds it.
trait Erased<P: Position>: Send + Sync {
    fn scratch(&self) -> AnyScratch;
    fn arrive(&self, question: &Question<'_, P>, scratch: &mut AnyScratch);
    fn begin(&self, position: &P, node: u32, scratch: &mut AnyScratch);
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut AnyScratch) -> Step<P::Move>;
    fn finished(&self, outcome: Outcome, scratch: &mut AnyScratch);
    fn counters(&self, report: &mut dyn FnMut(&'static str, u64));
}

/// Scratch memory of another policy is an error of the caller.
const FOREIGN: &str = "the working memory belongs to another policy";

impl<P: Position, Q: Policy<P>> Erased<P> for Q
where
    Q::Scratch: 'static,
{
    fn scratch(&self) -> AnyScratch {
        AnyScratch(Box::new(Policy::scratch(self)))
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut AnyScratch) {
        Policy::arrive(self, question, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn begin(&self, position: &P, node: u32, scratch: &mut AnyScratch) {
        Policy::begin(self, position, node, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut AnyScratch) -> Step<P::Move> {
        Policy::choose(self, position, rng, scratch.0.downcast_mut().expect(FOREIGN))
    }

    fn finished(&self, outcome: Outcome, scratch: &mut AnyScratch) {
        Policy::finished(self, outcome, scratch.0.downcast_mut().expect(FOREIGN));
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        Policy::counters(self, report);
    }
}

impl<P: Position> Policy<P> for AnyPolicy<P> {
    type Scratch = AnyScratch;

    fn scratch(&self) -> AnyScratch {
        self.0.scratch()
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut AnyScratch) {
        self.0.arrive(question, scratch);
    }

    fn begin(&self, position: &P, node: u32, scratch: &mut AnyScratch) {
        self.0.begin(position, node, scratch);
    }

    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut AnyScratch) -> Step<P::Move> {
        self.0.choose(position, rng, scratch)
    }

    fn finished(&self, outcome: Outcome, scratch: &mut AnyScratch) {
        self.0.finished(outcome, scratch);
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        self.0.counters(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::tabu::{Forbids, Tabu};
    use yomi_core::policy::play_out;
    use yomi_core::toy::ConnectFour;
    use yomi_core::{Seed, Uniform};

    /// The same games with the type and without, the memory of the tabu lists included.
    #[test]
    fn it_plays_as_the_policy_inside() {
        fn games<Q: Policy<ConnectFour>>(policy: &Q) -> Vec<(Outcome, usize)> {
            let (mut scratch, mut rng) = (policy.scratch(), Seed::new(6).rng());
            let mut play = || play_out(&mut ConnectFour::default(), 3, policy, &mut rng, &mut scratch);
            (0..50).map(|_| play()).collect()
        }
        let tabu = || Tabu::new(Forbids::LostStates, 9, 3, Uniform);
        let plain = tabu();
        let inside = plain.counts();
        let any = AnyPolicy::new(tabu().counting(&inside));
        assert_eq!(games(&plain), games(&any));
        assert_eq!(inside.playouts(), 100);
        assert_ne!(games(&plain), games(&Uniform));
    }
}
