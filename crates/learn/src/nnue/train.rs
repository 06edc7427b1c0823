//! Fits a network to samples: Adam over minibatches, by any number of threads and with the same result.
//!
//! The sums of a side fall into blocks of eight, and each block belongs to one thread at a time: it adds up the rows of a batch, and
//! later, when the layers behind have said what each sum should have been (`layers`), spreads that over its rows. No two threads
//! ever write the same weight, and nothing depends on who does what.
//!
//! The weights of a row are those of its feature whatever the bucket (*shared*) plus those of its own, so that a bucket that is seldom
//! seen knows what all others know. What is written in the end is the sum.

use std::sync::Mutex;

use yomi_core::Rng;
use yomi_eval::nnue::{Groups, HIDDEN, Shape, WIDTH, material};
use yomi_games::shogi::Variant;

use super::layers::{Errors, Gradient, INPUTS, Layers};
use super::samples::Samples;

/// Sums of a block.
pub(super) const LANES: usize = 8;
/// Blocks: the last holds the worth of rows, in its first lane.
pub(super) const BLOCKS: usize = WIDTH / LANES + 1;
/// Parts of a batch, whatever the number of threads.
const PARTS: usize = 64;

type Lanes = [f32; LANES];

/// How a network is fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// How often it goes through all samples.
    pub epochs: usize,
    /// Samples of a step.
    pub batch: usize,
    /// How far a weight moves in the first steps; it falls to a hundredth along a cosine.
    pub rate: f32,
    /// By how much the weights of a row that are its own shrink in a step, in parts of the rate: what a bucket has too little to say about
    /// stays as it is in all buckets.
    pub decay: f32,
    /// Threads.
    pub threads: usize,
}

/// What Adam remembers of a weight's gradients.
#[derive(Clone, Copy, Default)]
struct Moments {
    mean: Lanes,
    square: Lanes,
}

/// The size of a step: the rate with Adam's corrections for the first steps.
#[derive(Clone, Copy)]
pub(super) struct StepSize {
    rate: f32,
    correction: f32,
    /// What is left of a weight that shrinks.
    left: f32,
}

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

impl StepSize {
    fn new(number: usize, rate: f32, decay: f32) -> StepSize {
        let after = |beta: f32| 1.0 - f64::from(beta).powi(number as i32 + 1);
        let corrected = (f64::from(rate) / after(BETA1)) as f32;
        StepSize { rate: corrected, correction: (1.0 / after(BETA2)) as f32, left: 1.0 - rate * decay }
    }

    /// Adam's step for one weight.
    #[inline]
    pub(super) fn take(self, weight: &mut f32, gradient: f32, mean: &mut f32, square: &mut f32) {
        *mean += (1.0 - BETA1) * (gradient - *mean);
        *square += (1.0 - BETA2) * (gradient * gradient - *square);
        *weight -= self.rate * *mean / ((*square * self.correction).sqrt() + EPSILON);
    }

    #[inline]
    fn take_all(self, weights: &mut Lanes, gradient: &Lanes, moments: &mut Moments) {
        for i in 0..LANES {
            self.take(&mut weights[i], gradient[i], &mut moments.mean[i], &mut moments.square[i]);
        }
    }
}

/// Eight of the sums with all their weights.
struct Block {
    /// By feature, and by row.
    shared: Vec<Lanes>,
    own: Vec<Lanes>,
    /// What a row counts: the sum of both.
    rows: Vec<Lanes>,
    bias: Lanes,
    gradient: Vec<Lanes>,
    shared_gradient: Vec<Lanes>,
    moments: Vec<Moments>,
    shared_moments: Vec<Moments>,
    bias_moments: Moments,
    /// The sums of the samples of a batch: of the side to move, of the other side.
    sums: Vec<[Lanes; 2]>,
}

/// Weights of rows beyond this would not fit what the sums are kept in.
const LARGEST: f32 = 7.9;

impl Block {
    fn new(shape: Shape) -> Block {
        let (features, rows) = (shape.features(), shape.rows());
        Block {
            shared: vec![[0.0; LANES]; features],
            own: vec![[0.0; LANES]; rows],
            rows: vec![[0.0; LANES]; rows],
            bias: [0.0; LANES],
            gradient: vec![[0.0; LANES]; rows],
            shared_gradient: vec![[0.0; LANES]; features],
            moments: vec![Moments::default(); rows],
            shared_moments: vec![Moments::default(); features],
            bias_moments: Moments::default(),
            sums: Vec::new(),
        }
    }

    fn merge(&mut self) {
        let features = self.shared.len();
        for (row, (sum, own)) in self.rows.iter_mut().zip(&self.own).enumerate() {
            let shared = &self.shared[row % features];
            *sum = std::array::from_fn(|i| own[i] + shared[i]);
        }
    }

    fn forward(&mut self, samples: &Samples, batch: &[u32]) {
        self.sums.clear();
        self.sums.extend(batch.iter().map(|&index| {
            samples.rows(index as usize).map(|rows| {
                let mut sum = self.bias;
                for &row in rows {
                    let weights = &self.rows[usize::from(row)];
                    (0..LANES).for_each(|i| sum[i] += weights[i]);
                }
                sum
            })
        }));
    }

    /// Spreads what each sum should have been over its rows: the gradient of those that were touched, and that of the bias.
    fn spread(&mut self, number: usize, samples: &Samples, batch: &[u32], errors: &[Errors], touched: &[u16]) -> Lanes {
        for &row in touched {
            self.gradient[usize::from(row)] = [0.0; LANES];
        }
        let mut bias = [0.0; LANES];
        for (&index, errors) in batch.iter().zip(errors) {
            for (side, rows) in samples.rows(index as usize).into_iter().enumerate() {
                let error = errors.lanes(number, side);
                (0..LANES).for_each(|i| bias[i] += error[i]);
                for &row in rows {
                    let gradient = &mut self.gradient[usize::from(row)];
                    (0..LANES).for_each(|i| gradient[i] += error[i]);
                }
            }
        }
        bias
    }

    /// Takes a step down the gradient that was spread.
    fn take(&mut self, bias: &Lanes, touched: &[u16], step: StepSize) {
        let features = self.shared.len();
        for &row in touched {
            self.shared_gradient[usize::from(row) % features] = [0.0; LANES];
        }
        step.take_all(&mut self.bias, bias, &mut self.bias_moments);
        for &row in touched {
            let row = usize::from(row);
            let (gradient, shared) = (self.gradient[row], &mut self.shared_gradient[row % features]);
            (0..LANES).for_each(|i| shared[i] += gradient[i]);
            let own = &mut self.own[row];
            own.iter_mut().for_each(|weight| *weight *= step.left);
            step.take_all(own, &gradient, &mut self.moments[row]);
        }
        // A feature is stepped once, by the first of its rows that comes; its gradient is then used up.
        for &row in touched {
            let feature = usize::from(row) % features;
            let gradient = std::mem::replace(&mut self.shared_gradient[feature], [f32::NAN; LANES]);
            if !gradient[0].is_nan() {
                step.take_all(&mut self.shared[feature], &gradient, &mut self.shared_moments[feature]);
            }
        }
        for (feature, shared) in self.shared.iter().enumerate() {
            for row in (feature..self.rows.len()).step_by(features) {
                let own = &self.own[row];
                self.rows[row] = std::array::from_fn(|i| (own[i] + shared[i]).clamp(-LARGEST, LARGEST));
            }
        }
    }
}

/// A network that learns.
pub struct Trainer {
    shape: Shape,
    blocks: Vec<Block>,
    layers: Layers,
    steps: usize,
}

/// How well samples are explained, in nats per position: their targets, and the results of their games.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loss {
    /// Cross entropy to the targets.
    pub targets: f64,
    /// Cross entropy to the results.
    pub results: f64,
}

impl Trainer {
    /// A network that knows what pieces are worth, and nothing else.
    pub fn new<V: Variant>(rng: &mut Rng) -> Trainer {
        let shape = Shape::of::<V>();
        let mut blocks: Vec<Block> = (0..BLOCKS).map(|_| Block::new(shape)).collect();
        for block in &mut blocks[..BLOCKS - 1] {
            // About forty rows add up.
            block.shared.iter_mut().for_each(|lanes| *lanes = std::array::from_fn(|_| (rng.unit() - 0.5) * 0.2));
            block.bias = [0.25; LANES];
        }
        for (shared, worth) in blocks[BLOCKS - 1].shared.iter_mut().zip(material::<V>()) {
            shared[0] = worth;
        }
        blocks.iter_mut().for_each(Block::merge);
        Trainer { shape, blocks, layers: Layers::new(rng), steps: 0 }
    }

    /// The parameters in the order of [`Groups`]. The weights of a feature that never occurred are zero.
    pub fn parameters<V: Variant>(&self) -> Vec<f32> {
        let at = Groups::of::<V>();
        let mut all = vec![0.0; at.len()];
        for (number, block) in self.blocks[..BLOCKS - 1].iter().enumerate() {
            let occurred = |row: usize| {
                self.steps == 0 || block.shared_moments[row % self.shape.features()].square != [0.0; LANES]
            };
            for (row, weights) in block.rows.iter().enumerate().filter(|&(row, _)| occurred(row)) {
                all[row * WIDTH + number * LANES..][..LANES].copy_from_slice(weights);
            }
            all[at.bias() + number * LANES..][..LANES].copy_from_slice(&block.bias);
        }
        for (row, weights) in self.blocks[BLOCKS - 1].rows.iter().enumerate() {
            all[at.worth() + row] = weights[0];
        }
        self.layers.write(&mut all[at.hidden()..]);
        all
    }

    /// The inputs of the layers for one sample of the batch: the sums of both sides, and the worth.
    fn inputs(&self, sample: usize) -> ([f32; INPUTS], f32) {
        let mut inputs = [0.0; INPUTS];
        for (number, block) in self.blocks[..BLOCKS - 1].iter().enumerate() {
            for side in 0..2 {
                inputs[side * WIDTH + number * LANES..][..LANES].copy_from_slice(&block.sums[sample][side]);
            }
        }
        let [own, others] = self.blocks[BLOCKS - 1].sums[sample];
        (inputs, (own[0] - others[0]) / 2.0)
    }

    fn forward(&mut self, samples: &Samples, batch: &[u32], threads: usize) {
        each(&mut self.blocks, threads, |_, block| block.forward(samples, batch));
    }

    /// Passes a batch through the layers: the sum of its losses, the layers' gradient of the mean loss, and what each sum should have been.
    fn judge(&mut self, samples: &Samples, batch: &[u32], threads: usize) -> (f64, Gradient, Vec<Errors>) {
        self.forward(samples, batch, threads);
        let mut errors = vec![Errors::default(); batch.len()];
        let part = batch.len().div_ceil(PARTS).max(1);
        let mut parts: Vec<_> =
            errors.chunks_mut(part).map(|errors| (errors, self.layers.no_gradient(), 0.0)).collect();
        let share = 1.0 / batch.len() as f32;
        each(&mut parts, threads, |number, (errors, gradient, loss)| {
            for (i, errors) in errors.iter_mut().enumerate() {
                let sample = number * part + i;
                let (inputs, worth) = self.inputs(sample);
                let target = samples.targets[batch[sample] as usize];
                *loss += self.layers.learn(&inputs, worth, target, share, gradient, errors);
            }
        });
        let mut loss = 0.0;
        let mut gradient = self.layers.no_gradient();
        for (_, part, more) in &parts {
            gradient.add(part);
            loss += more;
        }
        (loss, gradient, errors)
    }

    /// One step down the gradient of the mean loss of a batch, at the rate of `fit`; the loss is that before the step.
    pub fn step(&mut self, samples: &Samples, batch: &[u32], fit: &Fit) -> f64 {
        let Fit { rate, decay, threads, .. } = *fit;
        let step = StepSize::new(self.steps, rate, decay);
        self.steps += 1;
        let (loss, gradient, errors) = self.judge(samples, batch, threads);
        let touched = self.touched(samples, batch);
        each(&mut self.blocks, threads, |number, block| {
            let bias = block.spread(number, samples, batch, &errors, &touched);
            block.take(&bias, &touched, step);
        });
        self.layers.step(&gradient, step);
        loss / batch.len() as f64
    }

    /// The mean loss of a batch and its gradient by each parameter, in the order of the parameters.
    pub fn gradient<V: Variant>(&mut self, samples: &Samples, batch: &[u32]) -> (f64, Vec<f32>) {
        let (loss, layers, errors) = self.judge(samples, batch, 1);
        let touched = self.touched(samples, batch);
        let at = Groups::of::<V>();
        let mut all = vec![0.0; at.len()];
        for (number, block) in self.blocks.iter_mut().enumerate() {
            let bias = block.spread(number, samples, batch, &errors, &touched);
            for row in touched.iter().map(|&row| usize::from(row)) {
                let gradient = &block.gradient[row];
                if number == BLOCKS - 1 {
                    all[at.worth() + row] = gradient[0];
                } else {
                    all[row * WIDTH + number * LANES..][..LANES].copy_from_slice(gradient);
                }
            }
            if number < BLOCKS - 1 {
                all[at.bias() + number * LANES..][..LANES].copy_from_slice(&bias);
            }
        }
        layers.write(&mut all[at.hidden()..]);
        (loss / batch.len() as f64, all)
    }

    /// The rows that occur in a batch.
    fn touched(&self, samples: &Samples, batch: &[u32]) -> Vec<u16> {
        let mut seen = vec![false; self.shape.rows()];
        for &index in batch {
            samples.rows(index as usize).into_iter().flatten().for_each(|&row| seen[usize::from(row)] = true);
        }
        (0..seen.len()).filter(|&row| seen[row]).map(|row| row as u16).collect()
    }

    /// How well samples are explained.
    pub fn loss(&mut self, samples: &Samples, threads: usize) -> Loss {
        let mut sum = Loss { targets: 0.0, results: 0.0 };
        let all: Vec<u32> = (0..samples.len() as u32).collect();
        for batch in all.chunks(1 << 14) {
            self.forward(samples, batch, threads);
            for (sample, &index) in batch.iter().enumerate() {
                let (inputs, worth) = self.inputs(sample);
                let logit = f64::from(self.layers.value(&inputs, worth));
                sum.targets += cross_entropy(logit, f64::from(samples.targets[index as usize]));
                sum.results += cross_entropy(logit, f64::from(samples.results[index as usize]));
            }
        }
        let count = samples.len().max(1) as f64;
        Loss { targets: sum.targets / count, results: sum.results / count }
    }

    /// Goes through the samples as often as wanted; after each epoch `report` gets its number and the mean loss of its steps.
    pub fn fit(
        &mut self,
        fit: &Fit,
        samples: &Samples,
        rng: &mut Rng,
        report: &mut dyn FnMut(&mut Trainer, usize, f64),
    ) {
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let per_epoch = samples.len().div_ceil(fit.batch.max(1));
        let steps = (fit.epochs * per_epoch).max(1) as f32;
        for epoch in 0..fit.epochs {
            for i in (1..order.len()).rev() {
                order.swap(i, rng.below(i + 1));
            }
            let mut losses = 0.0;
            for (number, batch) in order.chunks(fit.batch.max(1)).enumerate() {
                let done = (epoch * per_epoch + number) as f32 / steps;
                let rate = fit.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * done).cos()));
                losses += self.step(samples, batch, &Fit { rate, ..*fit }) * batch.len() as f64;
            }
            report(self, epoch, losses / samples.len().max(1) as f64);
        }
    }
}

/// `-t·ln σ(x) - (1-t)·ln σ(-x)`.
pub(super) fn cross_entropy(logit: f64, target: f64) -> f64 {
    logit.max(0.0) - logit * target + (-logit.abs()).exp().ln_1p()
}

/// Deals items out to threads.
fn each<T: Send>(items: &mut [T], threads: usize, work: impl Fn(usize, &mut T) + Sync) {
    let count = items.len();
    let queue = Mutex::new(items.iter_mut().enumerate());
    let worker = || {
        loop {
            let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            let Some((number, item)) = next else { return };
            work(number, item);
        }
    };
    std::thread::scope(|scope| {
        (1..threads.clamp(1, count.max(1))).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
}

const _: () = assert!(HIDDEN > 0 && WIDTH.is_multiple_of(LANES));
