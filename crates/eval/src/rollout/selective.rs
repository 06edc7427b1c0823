//! Selective simulations (S1.3): of some candidates drawn at random the evaluation plays the best, or the best after some noise.

use yomi_core::policy::Step;
use yomi_core::{Answer, Evaluator, Outcome, Policy, Position, Question, Rng, Simulate, Want};

/// Says which of some moves are better. What an evaluation becomes in simulated games: it is asked about few moves at a time, along
/// one line of play, and nothing but the order of its answers counts (and their differences, where there is noise).
pub trait Scorer<P: Position>: Send + Sync {
    /// Working memory of one thread.
    type Scratch: Send;

    /// Working memory for one more thread.
    fn scratch(&self) -> Self::Scratch;

    /// A playout begins at this position.
    fn begin(&self, position: &P, scratch: &mut Self::Scratch) {
        let _ = (position, scratch);
    }

    /// Replaces `values` by what each move is worth to the side to move, less whatever is the same for all of them.
    fn score(&self, position: &P, moves: &[P::Move], values: &mut Vec<f32>, scratch: &mut Self::Scratch);

    /// The playout goes on with this move: the next position asked about is the one after it, or the same again if the answer was not
    /// wanted.
    fn chosen(&self, position: &P, mv: P::Move, scratch: &mut Self::Scratch) {
        let _ = (position, mv, scratch);
    }
}

/// Any evaluation as a scorer. It sees no past, so that repetitions within a playout are none.
#[derive(Clone, Copy, Debug)]
pub struct Judged<E>(pub E);

impl<P: Position, E: Evaluator<P>> Scorer<P> for Judged<E> {
    type Scratch = (E::Scratch, Answer<P::Move>);

    fn scratch(&self) -> Self::Scratch {
        (self.0.scratch(0), Answer::default())
    }

    fn score(&self, position: &P, moves: &[P::Move], values: &mut Vec<f32>, (scratch, answer): &mut Self::Scratch) {
        answer.clear();
        self.0.judge(&Question::of(position, moves).wanting(Want::CHILDREN), answer, scratch);
        values.clear();
        values.extend_from_slice(&answer.values);
    }
}

/// How a move is chosen among the candidates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// The best; of equals the first, and candidates come in random order.
    Best,
    /// With probability proportional to exp(value/T).
    Softmax(f32),
    /// The best after normal noise of this standard deviation was added to each value.
    Noise(f32),
}

/// A playout policy: draws `candidates` different moves at random (all if there are fewer) and chooses among them.
#[derive(Clone, Copy, Debug)]
pub struct Selective<S> {
    scorer: S,
    candidates: usize,
    choice: Choice,
}

impl<S> Selective<S> {
    /// Best-of-n. With n = 1 it is uniform and asks nothing.
    pub fn best_of(n: usize, scorer: S) -> Selective<S> {
        Selective::new(n, Choice::Best, scorer)
    }

    /// Any choice among any number of candidates, at least one; `usize::MAX` means all moves.
    pub fn new(candidates: usize, choice: Choice, scorer: S) -> Selective<S> {
        Selective { scorer, candidates: candidates.max(1), choice }
    }

    /// The evaluation that chooses.
    pub fn scorer(&self) -> &S {
        &self.scorer
    }
}

/// Working memory of one thread.
pub struct Scratch<P: Simulate, S: Scorer<P>> {
    sampler: P::Sampler,
    moves: Vec<P::Move>,
    values: Vec<f32>,
    scorer: S::Scratch,
}

impl<P: Simulate, S: Scorer<P>> Policy<P> for Selective<S> {
    type Scratch = Scratch<P, S>;

    fn scratch(&self) -> Self::Scratch {
        let scorer = self.scorer.scratch();
        Scratch { sampler: P::Sampler::default(), moves: Vec::new(), values: Vec::new(), scorer }
    }

    fn begin(&self, position: &P, _node: u32, scratch: &mut Self::Scratch) {
        position.begin(&mut scratch.sampler);
        if self.candidates > 1 {
            self.scorer.begin(position, &mut scratch.scorer);
        }
    }

    #[inline]
    fn choose(&self, position: &P, rng: &mut Rng, scratch: &mut Self::Scratch) -> Step<P::Move> {
        let Scratch { sampler, moves, values, scorer } = scratch;
        if self.candidates == 1 {
            return position.draw(sampler, rng);
        }
        if let Some(outcome) = position.draw_several(self.candidates, sampler, rng, moves) {
            return Step::Break(outcome);
        }
        let index = if moves.len() == 1 {
            0
        } else {
            self.scorer.score(position, moves, values, scorer);
            self.choice.index(values, rng)
        };
        let Some(&mv) = moves.get(index) else { return Step::Break(Outcome::Draw) };
        self.scorer.chosen(position, mv, scorer);
        Step::Continue(mv)
    }
}

impl Choice {
    /// The index of the value chosen: 0 if there is none to choose from.
    #[inline]
    pub fn index(self, values: &[f32], rng: &mut Rng) -> usize {
        match self {
            Choice::Best => first_best(values.iter().copied()),
            // The largest of values with Gumbel noise is distributed as a softmax.
            Choice::Softmax(t) => first_best(values.iter().map(|v| v + t * gumbel(rng))),
            Choice::Noise(deviation) => first_best(values.iter().map(|v| v + deviation * normal(rng))),
        }
    }
}

#[inline]
fn first_best(values: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut found) = (f32::NEG_INFINITY, 0);
    for (i, value) in values.enumerate() {
        if value > best {
            (best, found) = (value, i);
        }
    }
    found
}

/// A uniform number in (0, 1].
fn positive(rng: &mut Rng) -> f32 {
    1.0 - rng.unit()
}

/// The standard Gumbel distribution.
fn gumbel(rng: &mut Rng) -> f32 {
    // The largest f32 below 1 keeps the inner logarithm from vanishing.
    -(-positive(rng).min(1.0 - f32::EPSILON / 2.0).ln()).ln()
}

/// The standard normal distribution (Box and Muller).
fn normal(rng: &mut Rng) -> f32 {
    (-2.0 * positive(rng).ln()).sqrt() * (std::f32::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constant, Linear, Material};
    use yomi_core::policy::play_out;
    use yomi_core::toy::{ConnectFour, Nim};
    use yomi_core::{Seed, Uniform};
    use yomi_games::go::Go9;
    use yomi_games::shogi::{Five, Minishogi};

    /// χ² with `freedom` degrees of freedom exceeds this once in a million times (Wilson and Hilferty's approximation).
    fn one_in_a_million(freedom: f64) -> f64 {
        let variance = 2.0 / (9.0 * freedom);
        freedom * (1.0 - variance + 4.753 * variance.sqrt()).powi(3)
    }

    fn assert_distributed(expected: &[f64], draws: u32, mut draw: impl FnMut() -> usize) {
        let mut counts = vec![0u32; expected.len()];
        (0..draws).for_each(|_| counts[draw()] += 1);
        let terms = counts.iter().zip(expected).map(|(&n, p)| (f64::from(n) - p * f64::from(draws)).powi(2) / p);
        let found = terms.sum::<f64>() / f64::from(draws);
        assert!(found < one_in_a_million(expected.len() as f64 - 1.0), "χ² = {found}: {counts:?} {expected:?}");
    }

    /// What a choice makes of known values, with fixed seeds and an error rate of 1e-6 per test.
    #[test]
    fn choices_have_their_distributions() {
        let values = [0.0, 1.0, 2.5, -1.0];
        let mut rng = Seed::new(4).rng();
        let weights = values.map(|v: f32| f64::from(v / 2.0).exp());
        let total: f64 = weights.iter().sum();
        assert_distributed(&weights.map(|w| w / total), 100_000, || Choice::Softmax(2.0).index(&values, &mut rng));
        // Of two, the worse wins if the difference of two normal numbers is more than their distance: Φ(-1/√2) = 0.239750.
        let two = [0.75, 0.0];
        assert_distributed(&[0.760_25, 0.239_75], 100_000, || Choice::Noise(0.75).index(&two, &mut rng));
        assert_eq!(Choice::Best.index(&values, &mut rng), 2);
        assert_eq!(Choice::Best.index(&[1.0, 1.0], &mut rng), 0);
        assert_eq!(Choice::Softmax(1.0).index(&[], &mut rng), 0);
    }

    /// A scorer that prefers moves with many bits and counts the questions.
    struct Bits;
    impl<P: Position> Scorer<P> for Bits {
        type Scratch = u64;
        fn scratch(&self) -> u64 {
            0
        }
        fn score(&self, _: &P, moves: &[P::Move], values: &mut Vec<f32>, asked: &mut u64) {
            use yomi_core::Move;
            *asked += moves.len() as u64;
            values.clear();
            values.extend(moves.iter().map(|mv| f32::from(mv.to_bits())));
        }
    }

    /// Of the seven columns best-of-n plays the r-th best with probability C(7 - r, n - 1)/C(7, n).
    #[test]
    fn best_of_n_ranks_as_it_must() {
        let start = ConnectFour::default();
        for (n, expected) in [
            (1, vec![1.0 / 7.0; 7]),
            (2, vec![6.0 / 21.0, 5.0 / 21.0, 4.0 / 21.0, 3.0 / 21.0, 2.0 / 21.0, 1.0 / 21.0]),
            (4, vec![20.0 / 35.0, 10.0 / 35.0, 4.0 / 35.0, 1.0 / 35.0]),
            (7, vec![1.0]),
            (100, vec![1.0]),
        ] {
            let policy = Selective::best_of(n, Bits);
            let (mut scratch, mut rng) = (Policy::<ConnectFour>::scratch(&policy), Seed::new(n as u64).rng());
            let mut rank = || {
                policy.begin(&start, 0, &mut scratch);
                let Step::Continue(mv) = policy.choose(&start, &mut rng, &mut scratch) else { panic!("not over") };
                6 - usize::from(yomi_core::Move::to_bits(mv))
            };
            if expected.len() == 1 {
                assert!((0..100).all(|_| rank() == 0));
            } else {
                assert_distributed(&expected, 30_000, rank);
            }
        }
    }

    /// With an evaluation that knows nothing every move is as likely: candidates come in random order.
    #[test]
    fn equals_are_drawn_evenly() {
        let policy = Selective::best_of(3, Judged(Constant { value: 0.0, win: 1.0 }));
        let start = ConnectFour::default();
        let (mut scratch, mut rng) = (Policy::<ConnectFour>::scratch(&policy), Seed::new(9).rng());
        assert_distributed(&[1.0 / 7.0; 7], 30_000, || {
            let Step::Continue(mv) = policy.choose(&start, &mut rng, &mut scratch) else { panic!("not over") };
            usize::from(yomi_core::Move::to_bits(mv))
        });
    }

    /// It runs in every game with any evaluation of it, ends, and plays better than chance by what the evaluation thinks.
    #[test]
    fn runs_in_every_game() {
        fn games<P: Simulate, S: Scorer<P>>(start: &P, policy: &Selective<S>) -> Vec<(Outcome, usize)> {
            let (mut scratch, mut rng) = (policy.scratch(), Seed::new(2).rng());
            (0..10).map(|_| play_out(&mut start.clone(), 0, policy, &mut rng, &mut scratch)).collect()
        }
        let shogi = Minishogi::default();
        let linear = games(&shogi, &Selective::best_of(4, Judged(Linear::<Five>::embedded())));
        assert_ne!(linear, games(&shogi, &Selective::best_of(1, Judged(Linear::<Five>::embedded()))));
        assert_eq!(linear.len(), 10);
        games(&shogi, &Selective::new(usize::MAX, Choice::Softmax(50.0), Judged(Material)));
        games(&shogi, &Selective::new(8, Choice::Noise(87.0), Judged(Material)));
        let go = Go9::new(9, yomi_games::go::Rules::default()).unwrap();
        let even = games(&go, &Selective::best_of(3, Judged(Constant { value: 0.0, win: 1.0 })));
        assert!(even.iter().all(|&(_, plies)| plies < go.horizon()), "eyes are spared, so games end: {even:?}");
        games(&Nim::new(9), &Selective::best_of(2, Bits));
    }

    /// Rollouts by a selective policy see wins that uniform ones miss: with all moves as candidates and perfect knowledge of the next
    /// position the winner of Nim wins every playout.
    #[test]
    fn a_perfect_evaluation_plays_perfectly() {
        struct Perfect;
        impl Evaluator<Nim> for Perfect {
            type Scratch = ();
            fn scratch(&self, _: u64) {}
            fn win(&self) -> f32 {
                1.0
            }
            fn judge(&self, question: &Question<'_, Nim>, answer: &mut Answer<<Nim as Position>::Move>, (): &mut ()) {
                answer.by_value(question, 1.0, |question| {
                    let mut moves = Vec::new();
                    // Multiples of four are lost. The pile shows in the number of moves only, so it is played down.
                    let (mut pile, mut position) = (0, question.position.clone());
                    while position.generate(&mut moves).is_none() {
                        position.play(moves[0]);
                        pile += 1;
                    }
                    if pile % 4 == 0 { -1.0 } else { 1.0 }
                });
            }
        }
        let policy = Selective::best_of(3, Judged(Perfect));
        let (mut scratch, mut rng) = (Policy::<Nim>::scratch(&policy), Seed::new(3).rng());
        let mut wins = |policy: &Selective<Judged<Perfect>>| {
            let start = Nim::new(10);
            let mut play = || play_out(&mut start.clone(), 0, policy, &mut rng, &mut scratch).0;
            (0..50).filter(|_| play() == Outcome::Win(yomi_core::Color::Black)).count()
        };
        assert_eq!(wins(&policy), 50);
        let mut sampler = Policy::<Nim>::scratch(&Uniform);
        let mut rng = Seed::new(3).rng();
        let uniform = (0..50).filter(|_| {
            play_out(&mut Nim::new(10), 0, &Uniform, &mut rng, &mut sampler).0 == Outcome::Win(yomi_core::Color::Black)
        });
        assert!(uniform.count() < 45);
    }
}
