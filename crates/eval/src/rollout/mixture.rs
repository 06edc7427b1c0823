//! Several policies in turn.

use yomi_core::policy::Step;
use yomi_core::{Outcome, Policy, Position, Question, Rng};

use super::any_policy::{AnyPolicy, AnyScratch};

/// Every playout is played by one of several policies, drawn by weight: what one of them never sees, another may.
pub struct Mixture<P: Position> {
    parts: Vec<(f32, AnyPolicy<P>)>,
    total: f32,
}

impl<P: Position> Mixture<P> {
    /// A mixture of at least one policy with positive weights.
    pub fn new(parts: Vec<(f32, AnyPolicy<P>)>) -> Option<Mixture<P>> {
        let total: f32 = parts.iter().map(|&(weight, _)| weight).sum();
        let sound = parts.iter().all(|&(weight, _)| weight >= 0.0) && total > 0.0 && total.is_finite();
        sound.then_some(Mixture { parts, total })
    }

    /// Which policy plays, for a number from 0 up to the sum of the weights.
    fn part(&self, mut at: f32) -> usize {
        let reached = |&(weight, _): &(f32, AnyPolicy<P>)| {
            at -= weight;
            at < 0.0
        };
        let last = self.parts.iter().rposition(|&(weight, _)| weight > 0.0).unwrap_or(0);
        self.parts.iter().position(reached).unwrap_or(last)
    }
}

/// Working memory of a thread: that of every policy, and whose turn it is.
pub struct Scratch {
    parts: Vec<AnyScratch>,
    /// No policy is drawn before the first move.
    chosen: Option<usize>,
    node: u32,
}

impl<P: Position> Policy<P> for Mixture<P> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch { parts: self.parts.iter().map(|(_, policy)| policy.scratch()).collect(), chosen: None, node: 0 }
    }

    fn arrive(&self, question: &Question<'_, P>, scratch: &mut Scratch) {
        self.parts.iter().zip(&mut scratch.parts).for_each(|((_, policy), part)| policy.arrive(question, part));
    }

    fn begin(&self, _position: &P, node: u32, scratch: &mut Scratch) {
        (scratch.chosen, scratch.node) = (None, node);
    }

    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Scratch) -> Step<P::Move> {
        let Scratch { parts, chosen, node } = scratch;
        let part = *chosen.get_or_insert_with(|| {
            let part = self.part(rng.unit() * self.total);
            self.parts[part].1.begin(position, *node, &mut parts[part]);
            part
        });
        self.parts[part].1.choose(position, rng, &mut parts[part])
    }

    fn finished(&self, outcome: Outcome, scratch: &mut Scratch) {
        if let Some(part) = scratch.chosen {
            self.parts[part].1.finished(outcome, &mut scratch.parts[part]);
        }
    }

    fn counters(&self, report: &mut dyn FnMut(&'static str, u64)) {
        self.parts.iter().for_each(|(_, policy)| policy.counters(report));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::tabu::{Forbids, Tabu};
    use yomi_core::policy::play_out;
    use yomi_core::toy::ConnectFour;
    use yomi_core::{Seed, Uniform};

    #[test]
    fn playouts_are_shared_out_by_weight() {
        let counting = || Tabu::new(Forbids::Moves, 3, 2, Uniform);
        let (a, b) = (counting(), counting());
        let (of_a, of_b) = (a.counts(), b.counts());
        let mixture: Mixture<ConnectFour> =
            Mixture::new(vec![(3.0, AnyPolicy::new(a)), (1.0, AnyPolicy::new(b)), (0.0, AnyPolicy::new(Uniform))])
                .unwrap();
        let (mut scratch, mut rng) = (mixture.scratch(), Seed::new(1).rng());
        for _ in 0..400 {
            play_out(&mut ConnectFour::default(), 0, &mixture, &mut rng, &mut scratch);
        }
        // Four standard deviations of 400 draws with p = 3/4 are 35.
        assert_eq!(of_a.playouts() + of_b.playouts(), 400);
        assert!(of_a.playouts().abs_diff(300) < 35, "{}", of_a.playouts());
        assert_eq!([0.0, 2.9, 3.1, 4.0].map(|at| mixture.part(at)), [0, 0, 1, 1]);
    }

    #[test]
    fn weights_must_make_sense() {
        let of = |weight: f32| Mixture::<ConnectFour>::new(vec![(weight, AnyPolicy::new(Uniform))]);
        assert!(of(1.0).is_some() && of(0.0).is_none() && of(-1.0).is_none() && of(f32::NAN).is_none());
        assert!(of(f32::INFINITY).is_none() && Mixture::<ConnectFour>::new(Vec::new()).is_none());
    }
}
