//! Which moves are played: the weights of [`Model`] from games, by maximum likelihood.
//!
//! The probability of a move is a softmax of its features, so the likelihood has one maximum; the gradient of a position is what the move
//! played has of each feature, less what the model expects. Adam goes up, game by game, for some rounds; a normal prior keeps rare
//! features near 0.

use yomi_core::{Position, Record, Rng};
use yomi_eval::blokus::moves::{Counts, FEATURES, Model, MoveContext, PHASES};
use yomi_games::blokus::{BlokusDuo, BlokusMove};

/// A position and the move that was played there.
#[derive(Clone, Debug)]
pub struct Example {
    /// The position of the choice.
    pub position: BlokusDuo,
    /// What was chosen.
    pub played: BlokusMove,
}

/// The choices of a game after its first `skip` plies, which were random. Passes and single moves are no choices.
pub fn examples(record: &Record<BlokusDuo>, skip: usize) -> Vec<Example> {
    let (mut position, mut moves, mut found) = (record.start.clone(), Vec::new(), Vec::new());
    for (ply, played) in record.moves().into_iter().enumerate() {
        if position.generate(&mut moves).is_some() || !position.is_legal(played) {
            break;
        }
        if ply >= skip && moves.len() > 1 {
            found.push(Example { position: position.clone(), played });
        }
        position.play(played);
    }
    found
}

/// How well a model predicts moves.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Accuracy {
    /// Choices.
    pub positions: usize,
    /// The mean logarithm of the probability of the move played.
    pub log_likelihood: f64,
    /// How often that was the most probable one, and one of the five most probable.
    pub first: f64,
    /// See [`Accuracy::first`].
    pub first_five: f64,
}

/// Asks a model about choices.
pub fn accuracy(model: &Model, examples: &[Example]) -> Accuracy {
    let (mut sums, mut moves, mut found) = (Accuracy::default(), Vec::new(), Vec::new());
    for Example { position, played } in examples {
        position.generate(&mut moves);
        model.probabilities(position, &moves, &mut found);
        let Some(p) = moves.iter().position(|mv| mv == played).map(|index| found[index]) else { continue };
        let better = found.iter().filter(|&&q| q > p).count();
        sums.positions += 1;
        sums.log_likelihood += f64::from(p).max(1e-12).ln();
        sums.first += f64::from(u8::from(better == 0));
        sums.first_five += f64::from(u8::from(better < 5));
    }
    let n = sums.positions.max(1) as f64;
    Accuracy {
        positions: sums.positions,
        log_likelihood: sums.log_likelihood / n,
        first: sums.first / n,
        first_five: sums.first_five / n,
    }
}

type Table = [[f64; FEATURES]; PHASES];

/// Adam's means, and the weights.
pub struct Learner {
    weights: Table,
    mean: Table,
    square: Table,
    steps: i32,
    rate: f64,
}

/// How strongly weights are drawn to 0: a weak belief, felt by features that are hardly ever seen.
const BELIEF: f64 = 1e-5;
const BETA: [f64; 2] = [0.9, 0.999];

impl Learner {
    /// Begins with weights of 0; `rate` is about how far a weight moves per step.
    pub fn new(rate: f64) -> Learner {
        let zero = [[0.0; FEATURES]; PHASES];
        Learner { weights: zero, mean: zero, square: zero, steps: 0, rate }
    }

    /// What has been learned.
    pub fn model(&self) -> Model {
        Model::new(self.weights)
    }

    /// One round over all examples, in a random order, with steps of `batch` examples; `left` is the part of the whole
    /// learning that is still to come, by which the rate falls.
    pub fn round(&mut self, examples: &[Example], batch: usize, left: f64, rng: &mut Rng) {
        let mut order: Vec<usize> = (0..examples.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        for chunk in order.chunks(batch.max(1)) {
            let gradient = gradient(&self.weights, chunk.iter().map(|&i| &examples[i]));
            self.step(&gradient, self.rate * left.clamp(0.01, 1.0));
        }
    }

    fn step(&mut self, gradient: &Table, rate: f64) {
        self.steps += 1;
        let [c1, c2] = BETA.map(|beta| 1.0 - beta.powi(self.steps));
        let moments = self.mean.as_flattened_mut().iter_mut().zip(self.square.as_flattened_mut());
        let weights = self.weights.as_flattened_mut().iter_mut().zip(gradient.as_flattened());
        for ((mean, square), (w, &g)) in moments.zip(weights) {
            let g = g - BELIEF * *w;
            *mean += (1.0 - BETA[0]) * (g - *mean);
            *square += (1.0 - BETA[1]) * (g * g - *square);
            *w += rate * *mean / c1 / ((*square / c2).sqrt() + 1e-8);
        }
    }
}

/// The mean gradient of the log likelihood: for each choice, the features of the move played less those that the model expects.
fn gradient<'e>(weights: &Table, examples: impl Iterator<Item = &'e Example>) -> Table {
    let mut sum = [[0.0; FEATURES]; PHASES];
    let (mut moves, mut counts, mut scores, mut total) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
    for Example { position, played } in examples {
        position.generate(&mut moves);
        let context = MoveContext::of(position);
        let weights = &weights[context.phase()];
        counts.clear();
        counts.extend(moves.iter().filter_map(|&mv| Counts::of(&context, mv)));
        scores.clear();
        scores.extend(counts.iter().map(|c: &Counts| c.nonzero().map(|(i, n)| weights[i] * n).sum::<f64>()));
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let z: f64 = scores.iter().sum();
        let sum = &mut sum[context.phase()];
        for ((counts, p), mv) in counts.iter().zip(&scores).zip(&moves) {
            let surprise = f64::from(u8::from(mv == played)) - p / z;
            counts.nonzero().for_each(|(i, n)| sum[i] += surprise * n);
        }
        total += 1.0;
    }
    sum.as_flattened_mut().iter_mut().for_each(|g| *g /= f64::max(total, 1.0));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    fn choices(model: &Model, count: usize, seed: u64) -> Vec<Example> {
        let mut rng = Seed::new(seed).rng();
        let (mut found, mut moves, mut p) = (Vec::new(), Vec::new(), Vec::new());
        while found.len() < count {
            let mut position = BlokusDuo::default();
            while position.generate(&mut moves).is_none() {
                model.probabilities(&position, &moves, &mut p);
                let mut left = rng.unit();
                let index = p.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                let played = moves[index.unwrap_or(moves.len() - 1)];
                if moves.len() > 1 {
                    found.push(Example { position: position.clone(), played });
                }
                position.play(played);
            }
        }
        found
    }

    fn model_of(mut weight: impl FnMut() -> f64) -> Model {
        let mut weights = [[0.0; FEATURES]; PHASES];
        weights.iter_mut().flatten().for_each(|w| *w = weight());
        Model::new(weights)
    }

    /// The gradient is that of the log likelihood, by finite differences.
    #[test]
    fn gradients_are_differences() {
        let mut rng = Seed::new(2).rng();
        let model = model_of(|| f64::from(rng.unit()) - 0.5);
        let examples = choices(&model, 30, 3);
        let analytic = gradient(model.weights(), examples.iter());
        let likelihood = |weights: Table| {
            let one = |Example { position, played }: &Example| {
                let (mut moves, context) = (Vec::new(), MoveContext::of(position));
                position.generate(&mut moves);
                let weights = &weights[context.phase()];
                let score =
                    |mv| Counts::of(&context, mv).map_or(0.0, |c| c.nonzero().map(|(i, n)| weights[i] * n).sum());
                let z: f64 = moves.iter().map(|&mv| f64::exp(score(mv))).sum();
                score(*played) - z.ln()
            };
            examples.iter().map(one).sum::<f64>() / examples.len() as f64
        };
        for (phase, feature) in [(0, 3), (1, 0), (2, 4), (3, 20), (3, 12), (4, 40), (5, 16)] {
            let shifted = |by: f64| {
                let mut weights = *model.weights();
                weights[phase][feature] += by;
                likelihood(weights)
            };
            let numeric = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((numeric - analytic[phase][feature]).abs() < 1e-6, "{phase} {feature}");
        }
    }

    /// Games drawn from a model are learned: what was learned predicts fresh games nearly as well as the model that made them, and much
    /// better than no model.
    #[test]
    fn a_model_is_learned_from_its_games() {
        let mut rng = Seed::new(5).rng();
        let truth = model_of(|| 1.5 * (f64::from(rng.unit()) - 0.5));
        let (seen, fresh) = (choices(&truth, 1500, 6), choices(&truth, 300, 7));
        let mut learner = Learner::new(0.05);
        let mut rng = Seed::new(8).rng();
        for round in 0..4 {
            learner.round(&seen, 32, 1.0 - f64::from(round) / 4.0, &mut rng);
        }
        let [learned, best, none] =
            [learner.model(), truth, Learner::new(1.0).model()].map(|model| accuracy(&model, &fresh).log_likelihood);
        assert!(learned > best - 0.15 && learned > none + 0.5, "{learned} {best} {none}");
    }
}
