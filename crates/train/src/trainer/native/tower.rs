//! The whole network in training: forward with the statistics of the batch, and back from cotangents on its outputs.

use std::collections::BTreeMap;

use yomi_net::Architecture;
use yomi_net::architecture::{Activation, sigmoid};
use yomi_net::input::{Layout, PackedPosition, Planes};
use yomi_net::safetensors::Tensor;

use super::layers::{Conv, Normed, dot, linear, linear_backward, norm, norm_backward, norm_by};

/// Numbers by the name of their tensor.
pub type Gradients = BTreeMap<String, Vec<f32>>;

/// What a network says about a batch, or a cotangent for each of these numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outputs {
    /// Logits of moves, position by position.
    pub policy: Vec<f32>,
    /// Logits of win, draw and loss.
    pub value: Vec<f32>,
    /// The final score; empty if there is no such head.
    pub score: Vec<f32>,
    /// Ownership before the hyperbolic tangent; empty if there is no such head.
    pub ownership: Vec<f32>,
}

/// A convolution and its batch norm on their way.
struct Layer {
    name: (String, String),
    conv: Conv,
    input: Vec<f32>,
    normed: Normed,
    /// What enters the activation.
    before: Vec<f32>,
}

/// Everything that the way back needs.
pub struct Tape {
    layers: Vec<Layer>,
    trunk: Vec<f32>,
    reduced: Vec<f32>,
    hidden_before: Vec<f32>,
    hidden: Vec<f32>,
    mean: Vec<f32>,
    /// The outputs.
    pub outputs: Outputs,
}

/// A network's tensors under training.
pub struct Tower<'a> {
    pub(super) architecture: &'a Architecture,
    pub(super) tensors: &'a BTreeMap<String, Tensor>,
    pub(super) threads: usize,
    pub(super) statistics: Statistics,
}

/// What batch norm normalises by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statistics {
    /// The mean and variance of the batch: training.
    Batch,
    /// The running ones: the network as searches ask it.
    Running,
}

fn derivative(activation: Activation, x: f32) -> f32 {
    match activation {
        Activation::Relu => f32::from(u8::from(x > 0.0)),
        Activation::Swish => {
            let s = sigmoid(x);
            s + x * s * (1.0 - s)
        }
    }
}

impl Tower<'_> {
    fn get(&self, name: &str) -> &[f32] {
        self.tensors.get(name).map_or(&[], |tensor| &tensor.data)
    }

    fn squares(&self) -> usize {
        self.architecture.squares()
    }

    fn activate(&self, x: &[f32]) -> Vec<f32> {
        x.iter().map(|&x| self.architecture.activation.apply(x)).collect()
    }

    /// `dy` through the activation that had `before` as its input.
    fn activate_back(&self, before: &[f32], dy: &[f32]) -> Vec<f32> {
        before.iter().zip(dy).map(|(&x, d)| d * derivative(self.architecture.activation, x)).collect()
    }

    fn layer(&self, name: (&str, &str), inputs: usize, size: usize, input: Vec<f32>, skip: Option<&[f32]>) -> Layer {
        let outputs = self.get(&format!("{}.weight", name.1)).len();
        let conv = Conv { inputs, outputs, size, board: self.architecture.board };
        let positions = input.len() / (inputs * self.squares());
        let y = conv.forward(self.get(&format!("{}.weight", name.0)), &input, positions, self.threads);
        let part = |part: &str| self.get(&format!("{}.{part}", name.1));
        let epsilon = self.architecture.norm_epsilon;
        let (mut before, normed) = match self.statistics {
            Statistics::Batch => norm(&y, part("weight"), part("bias"), self.squares(), epsilon),
            Statistics::Running => {
                let moments = (part("running_mean"), part("running_var"));
                norm_by(&y, moments, part("weight"), part("bias"), self.squares(), epsilon)
            }
        };
        if let Some(skip) = skip {
            before.iter_mut().zip(skip).for_each(|(y, x)| *y += x);
        }
        Layer { name: (name.0.to_string(), name.1.to_string()), conv, input, normed, before }
    }

    fn layer_back(&self, layer: &Layer, dy: &[f32], gradients: &mut Gradients) -> Vec<f32> {
        let (conv_name, norm_name) = &layer.name;
        let gamma = self.get(&format!("{norm_name}.weight"));
        let (dgamma, dbeta, dx) =
            norm_backward(&layer.normed, gamma, dy, self.squares(), self.statistics == Statistics::Batch);
        gradients.insert(format!("{norm_name}.weight"), dgamma);
        gradients.insert(format!("{norm_name}.bias"), dbeta);
        let positions = layer.input.len() / (layer.conv.inputs * self.squares());
        let weight = self.get(&format!("{conv_name}.weight"));
        let (dw, dx) = layer.conv.backward(weight, &layer.input, &dx, positions, self.threads);
        gradients.insert(format!("{conv_name}.weight"), dw);
        dx
    }

    /// A 1x1 convolution with bias.
    fn on_squares(&self, name: &str, x: &[f32]) -> Vec<f32> {
        let bias = self.get(&format!("{name}.bias"));
        let (channels, squares) = (self.architecture.channels, self.squares());
        let conv = Conv { inputs: channels, outputs: bias.len(), size: 1, board: self.architecture.board };
        let weight = self.get(&format!("{name}.weight"));
        let mut y = conv.forward(weight, x, x.len() / (channels * squares), self.threads);
        for (i, plane) in y.chunks_exact_mut(squares).enumerate() {
            plane.iter_mut().for_each(|y| *y += bias[i % bias.len()]);
        }
        y
    }

    fn on_squares_back(&self, name: &str, x: &[f32], dy: &[f32], gradients: &mut Gradients) -> Vec<f32> {
        let outputs = self.get(&format!("{name}.bias")).len();
        let (channels, squares) = (self.architecture.channels, self.squares());
        let conv = Conv { inputs: channels, outputs, size: 1, board: self.architecture.board };
        let mut db = vec![0.0; outputs];
        for (i, plane) in dy.chunks_exact(squares).enumerate() {
            db[i % outputs] += plane.iter().sum::<f32>();
        }
        let weight = self.get(&format!("{name}.weight"));
        let (dw, dx) = conv.backward(weight, x, dy, x.len() / (channels * squares), self.threads);
        gradients.insert(format!("{name}.weight"), dw);
        gradients.insert(format!("{name}.bias"), db);
        dx
    }

    /// The outputs for a batch, with the statistics of the batch in batch norm, and what is needed to go back.
    pub fn forward(&self, layout: Layout, positions: &[PackedPosition]) -> Tape {
        let mut planes = Planes::default();
        let mut input = Vec::new();
        for packed in positions {
            layout.expand(packed, &mut planes);
            input.extend(planes.dense(layout.planes(), self.squares()));
        }
        self.forward_planes(layout.planes(), input)
    }

    pub(super) fn forward_planes(&self, planes: usize, input: Vec<f32>) -> Tape {
        let (channels, squares) = (self.architecture.channels, self.squares());
        let mut layers = vec![self.layer(("stem.conv", "stem.norm"), planes, 3, input, None)];
        let mut x = self.activate(&layers[0].before);
        for block in 0..self.architecture.blocks {
            let name = |part: &str, half: usize| format!("blocks.{block}.{part}{half}");
            let first = self.layer((&name("conv", 1), &name("norm", 1)), channels, 3, x.clone(), None);
            let t = self.activate(&first.before);
            let second = self.layer((&name("conv", 2), &name("norm", 2)), channels, 3, t, Some(&x));
            x = self.activate(&second.before);
            layers.extend([first, second]);
        }
        let positions = x.len() / (channels * squares);
        let planes = self.on_squares("policy.conv", &x);
        let mean: Vec<f32> = x.chunks_exact(squares).map(|plane| plane.iter().sum::<f32>() / squares as f32).collect();
        let pass = self.get("policy.pass.weight");
        let each = planes.len() / positions;
        let mut policy = Vec::with_capacity(planes.len() + positions);
        for (logits, mean) in planes.chunks_exact(each).zip(mean.chunks_exact(channels)) {
            policy.extend(logits);
            if !pass.is_empty() {
                policy.push(dot(pass, mean) + self.get("policy.pass.bias")[0]);
            }
        }
        let bias = self.get("policy.label_bias");
        if !bias.is_empty() {
            policy
                .chunks_exact_mut(bias.len())
                .for_each(|logits| logits.iter_mut().zip(bias).for_each(|(x, b)| *x += b));
        }
        let reduction = self.layer(("value.conv", "value.norm"), channels, 1, x.clone(), None);
        let reduced = self.activate(&reduction.before);
        layers.push(reduction);
        let width = self.architecture.value_channels * squares;
        let hidden_before = linear(self.get("value.fc1.weight"), self.get("value.fc1.bias"), &reduced, width);
        let hidden = self.activate(&hidden_before);
        let head = |name: &str| {
            let bias = self.get(&format!("{name}.bias"));
            linear(self.get(&format!("{name}.weight")), bias, &hidden, self.architecture.value_hidden)
        };
        let value = head("value.fc2");
        let score = if self.architecture.score { head("score") } else { Vec::new() };
        let ownership = if self.architecture.ownership { self.on_squares("ownership", &x) } else { Vec::new() };
        let outputs = Outputs { policy, value, score, ownership };
        Tape { layers, trunk: x, reduced, hidden_before, hidden, mean, outputs }
    }

    /// The gradients of all tensors, from a cotangent for every output: `Σ cotangent · ∂output/∂tensor`.
    pub fn backward(&self, tape: &Tape, cotangents: &Outputs) -> Gradients {
        let (channels, squares, hidden) = (self.architecture.channels, self.squares(), self.architecture.value_hidden);
        let mut gradients = Gradients::new();
        // Value and score, through the hidden layer.
        let (dw, db, mut dhidden) =
            linear_backward(self.get("value.fc2.weight"), &tape.hidden, &cotangents.value, hidden);
        gradients.insert("value.fc2.weight".into(), dw);
        gradients.insert("value.fc2.bias".into(), db);
        if self.architecture.score {
            let (dw, db, dx) = linear_backward(self.get("score.weight"), &tape.hidden, &cotangents.score, hidden);
            gradients.insert("score.weight".into(), dw);
            gradients.insert("score.bias".into(), db);
            dhidden.iter_mut().zip(dx).for_each(|(d, x)| *d += x);
        }
        let dhidden = self.activate_back(&tape.hidden_before, &dhidden);
        let width = self.architecture.value_channels * squares;
        let (dw, db, dreduced) = linear_backward(self.get("value.fc1.weight"), &tape.reduced, &dhidden, width);
        gradients.insert("value.fc1.weight".into(), dw);
        gradients.insert("value.fc1.bias".into(), db);
        let (reduction, body) = tape.layers.split_last().expect("a tower has layers");
        let dbefore = self.activate_back(&reduction.before, &dreduced);
        let mut dx = self.layer_back(reduction, &dbefore, &mut gradients);
        // Policy.
        let labels = cotangents.policy.len() * channels * squares / tape.trunk.len();
        let has_pass = self.tensors.contains_key("policy.pass.weight");
        let planes = labels - usize::from(has_pass);
        let dplanes: Vec<f32> = cotangents.policy.chunks_exact(labels).flat_map(|d| &d[..planes]).copied().collect();
        let add = |dx: &mut Vec<f32>, more: Vec<f32>| dx.iter_mut().zip(more).for_each(|(d, x)| *d += x);
        add(&mut dx, self.on_squares_back("policy.conv", &tape.trunk, &dplanes, &mut gradients));
        if has_pass {
            let dpass: Vec<f32> = cotangents.policy.chunks_exact(labels).map(|d| d[planes]).collect();
            let (dw, db, dmean) = linear_backward(self.get("policy.pass.weight"), &tape.mean, &dpass, channels);
            gradients.insert("policy.pass.weight".into(), dw);
            gradients.insert("policy.pass.bias".into(), db);
            for (plane, d) in dx.chunks_exact_mut(squares).zip(dmean) {
                plane.iter_mut().for_each(|x| *x += d / squares as f32);
            }
        }
        if self.architecture.label_bias {
            let mut db = vec![0.0; labels];
            cotangents.policy.chunks_exact(labels).for_each(|d| db.iter_mut().zip(d).for_each(|(b, d)| *b += d));
            gradients.insert("policy.label_bias".into(), db);
        }
        if self.architecture.ownership {
            add(&mut dx, self.on_squares_back("ownership", &tape.trunk, &cotangents.ownership, &mut gradients));
        }
        // The blocks, last first.
        let (stem, blocks) = body.split_first().expect("a tower has a stem");
        for pair in blocks.rchunks_exact(2) {
            let dsum = self.activate_back(&pair[1].before, &dx);
            let dt = self.layer_back(&pair[1], &dsum, &mut gradients);
            let dt = self.activate_back(&pair[0].before, &dt);
            dx = self.layer_back(&pair[0], &dt, &mut gradients);
            add(&mut dx, dsum);
        }
        let dstem = self.activate_back(&stem.before, &dx);
        self.layer_back(stem, &dstem, &mut gradients);
        gradients
    }
}

impl Tape {
    /// The mean and the unbiased variance of each batch norm, by its name: what running statistics follow.
    pub(super) fn statistics(&self) -> impl Iterator<Item = (&str, &[f32], Vec<f32>)> {
        self.layers.iter().map(|layer| {
            let count = (layer.before.len() / layer.normed.mean.len()) as f32;
            let unbiased = count / (count - 1.0).max(1.0);
            let variance = layer.normed.variance.iter().map(|variance| variance * unbiased).collect();
            (layer.name.1.as_str(), &layer.normed.mean[..], variance)
        })
    }
}
