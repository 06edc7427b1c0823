//! Dirichlet noise in the priors of roots (Silver et al. 2018): what makes self-play try moves that the network thinks nothing of.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use yomi_core::{Answer, Evaluator, Flight, Question, Rng, Seed, Want};
use yomi_net::input::Encode;

use crate::live::Live;

/// The parameters of the distribution add up to this: about as many moves get a share worth mentioning.
const CONCENTRATION: f32 = 10.0;

/// A network whose answers about roots are mixed with noise. The searches of a pool share it: each is announced before its first round, and
/// as questions come in the order of the searches, each root gets the noise of its own seed.
#[derive(Clone)]
pub(crate) struct Noisy {
    live: Live,
    announced: Arc<Mutex<VecDeque<Option<Seed>>>>,
    share: f32,
}

impl Noisy {
    pub(crate) fn new(live: Live, share: f32) -> Noisy {
        Noisy { live, announced: Arc::default(), share }
    }

    /// A search begins; with a seed its root gets noise.
    pub(crate) fn announce(&self, seed: Option<Seed>) {
        self.announced.lock().unwrap_or_else(PoisonError::into_inner).push_back(seed);
    }

    fn disturb<M>(&self, want: Want, depth: u32, answer: &mut Answer<M>) {
        if depth > 0 || !want.has(Want::PRIORS) {
            return;
        }
        let seed = self.announced.lock().unwrap_or_else(PoisonError::into_inner).pop_front().flatten();
        if let Some(seed) = seed.filter(|_| self.share > 0.0) {
            mix(&mut answer.priors, self.share, &mut seed.branch("noise", 0).rng());
        }
    }
}

/// Mixes priors with a draw from a Dirichlet distribution.
fn mix(priors: &mut [f32], share: f32, rng: &mut Rng) {
    let alpha = CONCENTRATION / priors.len().max(1) as f32;
    let draws: Vec<f32> = priors.iter().map(|_| gamma(alpha, rng)).collect();
    let sum: f32 = draws.iter().sum::<f32>().max(1e-30);
    priors.iter_mut().zip(draws).for_each(|(p, x)| *p = (1.0 - share) * *p + share * x / sum);
}

/// A draw from the gamma distribution (Marsaglia and Tsang 2000; below 1 by their boost).
fn gamma(shape: f32, rng: &mut Rng) -> f32 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * (1.0 - rng.unit()).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
        let x = radius * (std::f32::consts::TAU * rng.unit()).cos();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - rng.unit()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

impl<P: Encode> Evaluator<P> for Noisy {
    type Scratch = <Live as Evaluator<P>>::Scratch;

    fn scratch(&self, seed: u64) -> Self::Scratch {
        Evaluator::<P>::scratch(&self.live, seed)
    }

    fn win(&self) -> f32 {
        Evaluator::<P>::win(&self.live)
    }

    fn judge(&self, question: &Question<'_, P>, answer: &mut Answer<P::Move>, scratch: &mut Self::Scratch) {
        self.live.judge(question, answer, scratch);
        self.disturb(question.want, question.depth, answer);
    }

    fn judge_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.submit_all(flights, scratch);
        self.collect_all(flights, scratch);
    }

    fn submit_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.live.submit_all(flights, scratch);
    }

    fn collect_all(&self, flights: &mut [Flight<'_, P>], scratch: &mut Self::Scratch) {
        self.live.collect_all(flights, scratch);
        for Flight { question, answer } in flights {
            self.disturb(question.want, question.depth, answer);
        }
    }

    fn batch(&self) -> usize {
        Evaluator::<P>::batch(&self.live)
    }
}

#[cfg(test)]
mod tests {
    use yomi_core::{Notation, Position, Spec};
    use yomi_games::go::{Go9, GoMove};
    use yomi_net::open::{Choice, open};
    use yomi_net::{Architecture, NetEvaluator, Network};

    use super::*;

    /// What an evaluator says about the start of a game if everything is wanted: alone, in a batch, and in a batch that is sent and collected.
    fn answers<E: Evaluator<Go9>>(make: impl Fn() -> E) -> [Answer<GoMove>; 3] {
        let start = Go9::start(&Spec::named("go5")).expect("a game");
        let mut moves = Vec::new();
        assert!(start.generate(&mut moves).is_none());
        let want = Want::VALUE | Want::PRIORS | Want::CHILDREN | Want::COUNTERS | Want::SCORE;
        let question = Question::of(&start, &moves).wanting(want);
        [0, 1, 2].map(|way| {
            let (evaluator, mut answer) = (make(), Answer::default());
            let mut scratch = evaluator.scratch(1);
            match way {
                0 => evaluator.judge(&question, &mut answer, &mut scratch),
                1 => evaluator.judge_all(&mut [Flight { question, answer: &mut answer }], &mut scratch),
                _ => {
                    let mut flights = [Flight { question, answer: &mut answer }];
                    evaluator.submit_all(&mut flights, &mut scratch);
                    evaluator.collect_all(&mut flights, &mut scratch);
                }
            }
            answer
        })
    }

    /// Whatever is asked through a network that may be replaced, or through noise, is answered as by the network itself; noise changes the
    /// priors of roots alone.
    #[test]
    fn nothing_of_an_answer_is_lost() {
        let start = Go9::start(&Spec::named("go5")).expect("a game");
        let network = Network::random(Architecture::new(start.layout(), 1, 8), Seed::new(1)).expect("a network");
        let net = || NetEvaluator::new(open(&network, Choice::Cpu, 1).expect("a CPU").backend);
        let live = || Live::new(net(), 0);
        let noisy = |share| {
            let noisy = Noisy::new(live(), share);
            noisy.announce(Some(Seed::new(2)));
            noisy
        };
        let rest = |answer: &Answer<GoMove>| {
            let Answer { value, values, outcomes, counters, score, owners, .. } = answer;
            (*value, values.clone(), outcomes.clone(), counters.clone(), *score, owners.clone())
        };
        let plain = answers(net);
        assert!(plain.iter().all(|answer| answer.score.is_some() && !answer.owners.is_empty()));
        assert!(plain.iter().all(|answer| !answer.counters.is_empty() && answer.values.len() == answer.priors.len()));
        for (name, found, noise) in [
            ("live", answers(live), false),
            ("no noise", answers(|| noisy(0.0)), false),
            ("noise", answers(|| noisy(0.25)), true),
        ] {
            for (found, plain) in found.iter().zip(&plain) {
                assert_eq!(rest(found), rest(plain), "{name}");
                assert_eq!(found.priors != plain.priors, noise, "{name}");
                assert_eq!(found.priors.len(), plain.priors.len(), "{name}");
            }
        }
    }

    /// Mean and variance of the gamma distribution are its shape; 20,000 draws, five standard errors.
    #[test]
    fn gamma_draws_have_their_moments() {
        for shape in [0.2f32, 1.0, 3.5] {
            let mut rng = Seed::new(1).rng();
            let draws: Vec<f64> = (0..20_000).map(|_| f64::from(gamma(shape, &mut rng))).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
            let shape = f64::from(shape);
            assert!((mean - shape).abs() < 5.0 * (shape / 20_000.0).sqrt(), "{shape} {mean}");
            // The fourth moment of a gamma variable gives this error of its variance.
            let error = ((2.0 * shape * shape + 6.0 * shape) / 20_000.0).sqrt();
            assert!((variance - shape).abs() < 5.0 * error, "{shape} {variance}");
        }
    }

    #[test]
    fn mixed_priors_are_probabilities() {
        let mut priors = [0.7, 0.2, 0.1, 0.0];
        mix(&mut priors, 0.25, &mut Seed::new(2).rng());
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-5 && priors[0] >= 0.525 && priors[3] > 0.0, "{priors:?}");
    }
}
