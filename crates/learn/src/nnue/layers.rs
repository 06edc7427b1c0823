//! The layers behind the sums, as they learn.

use yomi_core::Rng;
use yomi_eval::nnue::{HIDDEN, WIDTH};

use super::train::{BLOCKS, LANES, StepSize, cross_entropy};

/// The sums of both sides.
pub(super) const INPUTS: usize = 2 * WIDTH;

/// Weights of the hidden layer beyond this would not fit eight bits.
const LARGEST: f32 = 127.0 / 64.0;

/// The weights of the layers, or their gradient, or a mean of it.
#[derive(Clone)]
pub(super) struct Layers {
    weights: Gradient,
    mean: Gradient,
    square: Gradient,
}

/// One number for each weight of the layers.
#[derive(Clone)]
pub(super) struct Gradient {
    hidden: Vec<[f32; INPUTS]>,
    hidden_bias: [f32; HIDDEN],
    last: [f32; HIDDEN],
    last_bias: f32,
}

impl Gradient {
    fn zero() -> Gradient {
        Gradient {
            hidden: vec![[0.0; INPUTS]; HIDDEN],
            hidden_bias: [0.0; HIDDEN],
            last: [0.0; HIDDEN],
            last_bias: 0.0,
        }
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let hidden = self.hidden.as_flattened_mut().iter_mut().chain(&mut self.hidden_bias);
        hidden.chain(&mut self.last).chain([&mut self.last_bias])
    }

    pub(super) fn add(&mut self, other: &Gradient) {
        let mut other = other.clone();
        self.numbers().zip(other.numbers()).for_each(|(sum, more)| *sum += *more);
    }

    /// Writes the numbers in the order of the parameters.
    pub(super) fn write(&self, to: &mut [f32]) {
        to.iter_mut().zip(self.clone().numbers()).for_each(|(to, number)| *to = *number);
    }
}

/// What the sums of a sample should have been: the derivative of the loss by each sum, and by the worth.
#[derive(Clone)]
pub(super) struct Errors {
    sums: [f32; INPUTS],
    worth: f32,
}

impl Default for Errors {
    fn default() -> Errors {
        Errors { sums: [0.0; INPUTS], worth: 0.0 }
    }
}

impl Errors {
    /// The part that belongs to a block and a side.
    #[inline]
    pub(super) fn lanes(&self, block: usize, side: usize) -> [f32; LANES] {
        if block == BLOCKS - 1 {
            let mut lanes = [0.0; LANES];
            lanes[0] = if side == 0 { self.worth } else { -self.worth } / 2.0;
            return lanes;
        }
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&self.sums[side * WIDTH + block * LANES..][..LANES]);
        lanes
    }
}

/// A product of vectors, eight terms at a time.
#[inline]
fn dot(a: &[f32; INPUTS], b: &[f32; INPUTS]) -> f32 {
    let mut sums = [0.0; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        (0..16).for_each(|i| sums[i] += a[i] * b[i]);
    }
    sums.iter().sum()
}

fn clipped(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

impl Layers {
    pub(super) fn new(rng: &mut Rng) -> Layers {
        let mut weights = Gradient::zero();
        let scale = 2.0 / (INPUTS as f32).sqrt();
        weights.hidden.as_flattened_mut().iter_mut().for_each(|w| *w = (rng.unit() - 0.5) * 2.0 * scale);
        weights.hidden_bias = [0.25; HIDDEN];
        weights.last.iter_mut().for_each(|w| *w = rng.unit() - 0.5);
        Layers { weights, mean: Gradient::zero(), square: Gradient::zero() }
    }

    pub(super) fn no_gradient(&self) -> Gradient {
        Gradient::zero()
    }

    fn hidden(&self, inputs: &[f32; INPUTS]) -> [f32; HIDDEN] {
        std::array::from_fn(|j| self.weights.hidden_bias[j] + dot(&self.weights.hidden[j], inputs))
    }

    fn last(&self, hidden: &[f32; HIDDEN], worth: f32) -> f32 {
        let sum: f32 = hidden.iter().zip(&self.weights.last).map(|(&x, w)| clipped(x) * w).sum();
        worth + sum + self.weights.last_bias
    }

    /// The value in logits.
    pub(super) fn value(&self, sums: &[f32; INPUTS], worth: f32) -> f32 {
        self.last(&self.hidden(&sums.map(clipped)), worth)
    }

    /// The loss of a sample. Its gradient times `share` is added to `gradient` and written to `errors`.
    pub(super) fn learn(
        &self,
        sums: &[f32; INPUTS],
        worth: f32,
        target: f32,
        share: f32,
        gradient: &mut Gradient,
        errors: &mut Errors,
    ) -> f64 {
        let inputs = sums.map(clipped);
        let hidden = self.hidden(&inputs);
        let logit = self.last(&hidden, worth);
        // The derivative of the cross entropy by the logit is σ(logit) - target.
        let error = share * (1.0 / (1.0 + (-logit).exp()) - target);
        errors.worth = error;
        gradient.last_bias += error;
        for (j, &sum) in hidden.iter().enumerate() {
            gradient.last[j] += error * clipped(sum);
            if sum <= 0.0 || sum >= 1.0 {
                continue;
            }
            let error = error * self.weights.last[j];
            gradient.hidden_bias[j] += error;
            let (weights, gradient) = (&self.weights.hidden[j], &mut gradient.hidden[j]);
            for i in 0..INPUTS {
                gradient[i] += error * inputs[i];
                errors.sums[i] += error * weights[i];
            }
        }
        for (error, &sum) in errors.sums.iter_mut().zip(sums) {
            *error = if sum > 0.0 && sum < 1.0 { *error } else { 0.0 };
        }
        cross_entropy(f64::from(logit), f64::from(target))
    }

    pub(super) fn step(&mut self, gradient: &Gradient, step: StepSize) {
        let mut gradient = gradient.clone();
        let moments = self.mean.numbers().zip(self.square.numbers());
        for ((weight, gradient), (mean, square)) in self.weights.numbers().zip(gradient.numbers()).zip(moments) {
            step.take(weight, *gradient, mean, square);
        }
        self.weights.hidden.as_flattened_mut().iter_mut().for_each(|w| *w = w.clamp(-LARGEST, LARGEST));
    }

    /// Writes the weights in the order of the parameters.
    pub(super) fn write(&self, to: &mut [f32]) {
        self.weights.write(to);
    }
}
