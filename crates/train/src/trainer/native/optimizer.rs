//! AdamW (Loshchilov and Hutter 2019) with clipped gradients, and the running averages of weights: what `python/yomi_train` does, number by
//! number.

use std::collections::BTreeMap;

use yomi_net::safetensors::Tensor;

use super::tower::{Gradients, Tape};

const BETAS: (f32, f32) = (0.9, 0.999);
const EPSILON: f32 = 1e-8;
/// How fast running statistics of batch norm follow.
const MOMENTUM: f32 = 0.1;

/// Settings of the optimiser.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Decay of weights, for tensors of two dimensions and more.
    pub weight_decay: f32,
    /// The longest gradient; longer ones are shortened.
    pub clip: f32,
    /// Steps until the learning rate is reached.
    pub warm_up: u64,
    /// How much of the averaged weights stays with each step.
    pub average: f32,
}

impl Default for Options {
    fn default() -> Options {
        Options { weight_decay: 1e-4, clip: 5.0, warm_up: 100, average: 0.995 }
    }
}

/// Weights with what the optimiser remembers of them.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// The weights and running statistics.
    pub model: BTreeMap<String, Tensor>,
    /// Their running averages.
    pub average: BTreeMap<String, Tensor>,
    /// The means of gradients and of their squares.
    pub moments: [BTreeMap<String, Tensor>; 2],
    /// Steps taken.
    pub step: u64,
    /// Steps that the moments have seen.
    pub seen: u64,
}

impl State {
    /// Begins with these weights.
    pub fn new(model: BTreeMap<String, Tensor>, step: u64) -> State {
        let zeros = |tensor: &Tensor| Tensor { shape: tensor.shape.clone(), data: vec![0.0; tensor.data.len()] };
        let moment: BTreeMap<String, Tensor> =
            model.iter().filter(|(name, _)| !name.contains("running")).map(|(n, t)| (n.clone(), zeros(t))).collect();
        State { average: model.clone(), moments: [moment.clone(), moment], model, step, seen: 0 }
    }

    /// Takes a step against the gradients, and lets running statistics follow the batch's.
    pub fn take_step(&mut self, gradients: &Gradients, tape: &Tape, rate: f64, options: &Options) {
        let warm = ((self.step + 1) as f64 / options.warm_up.max(1) as f64).min(1.0);
        let rate = (rate * warm) as f32;
        let length = gradients.values().flatten().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt() as f32;
        let shorten = if options.clip > 0.0 { (options.clip / (length + 1e-6)).min(1.0) } else { 1.0 };
        self.step += 1;
        self.seen += 1;
        let (bias1, bias2) = (1.0 - BETAS.0.powi(self.seen as i32), 1.0 - BETAS.1.powi(self.seen as i32));
        for (name, gradient) in gradients {
            let [first, second] = &mut self.moments;
            let (Some(tensor), Some(first), Some(second)) =
                (self.model.get_mut(name), first.get_mut(name), second.get_mut(name))
            else {
                continue;
            };
            let decay = if tensor.shape.len() > 1 { rate * options.weight_decay } else { 0.0 };
            for (((x, g), m), v) in tensor.data.iter_mut().zip(gradient).zip(&mut first.data).zip(&mut second.data) {
                let g = g * shorten;
                *x -= decay * *x;
                *m += (1.0 - BETAS.0) * (g - *m);
                *v = BETAS.1 * *v + (1.0 - BETAS.1) * g * g;
                *x -= rate / bias1 * *m / ((*v / bias2).sqrt() + EPSILON);
            }
        }
        for (name, mean, variance) in tape.statistics() {
            for (part, new) in [("running_mean", mean), ("running_var", &variance)] {
                if let Some(tensor) = self.model.get_mut(&format!("{name}.{part}")) {
                    tensor.data.iter_mut().zip(new).for_each(|(x, new)| *x += MOMENTUM * (new - *x));
                }
            }
        }
        let keep = options.average.min(self.step as f32 / (self.step + 10) as f32);
        for (average, now) in self.average.values_mut().zip(self.model.values()) {
            average.data.iter_mut().zip(&now.data).for_each(|(a, x)| *a += (1.0 - keep) * (x - *a));
        }
    }
}
