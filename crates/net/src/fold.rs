//! A network as it is evaluated: batch norm folded into the convolutions.

use crate::architecture::{Activation, Architecture, Value};
use crate::input::Layout;
use crate::label::Labels;
use crate::network::Network;
use crate::safetensors::{half_from_f32, half_to_f32};

/// A convolution of 3 by 3 with zeros around the board.
#[derive(Clone, Debug)]
pub struct Conv {
    /// Planes it reads.
    pub inputs: usize,
    /// Planes it writes.
    pub outputs: usize,
    /// Weights: output, input, row, column.
    pub weight: Vec<f32>,
    /// A number for each output.
    pub bias: Vec<f32>,
}

/// A linear layer, or a convolution of 1 by 1.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Numbers it reads.
    pub inputs: usize,
    /// Numbers it writes.
    pub outputs: usize,
    /// Weights: output, input.
    pub weight: Vec<f32>,
    /// A number for each output.
    pub bias: Vec<f32>,
}

/// All layers of a network.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The planes it reads.
    pub layout: Layout,
    /// The moves it knows.
    pub labels: Labels,
    /// What follows each convolution and the value head's hidden layer.
    pub activation: Activation,
    /// What the value head says.
    pub value: Value,
    /// The first convolution.
    pub stem: Conv,
    /// The residual blocks.
    pub blocks: Vec<[Conv; 2]>,
    /// The policy head, applied to each square.
    pub policy: Linear,
    /// Added to the policy, by label; empty if the network has none.
    pub label_bias: Vec<f32>,
    /// The logit of passing, from the mean of the trunk over the board.
    pub pass: Option<Linear>,
    /// The value head's reduction, applied to each square.
    pub value_conv: Linear,
    /// The hidden layer; it reads plane by plane.
    pub fc1: Linear,
    /// The last layer.
    pub fc2: Linear,
    /// The score, from the hidden layer.
    pub score: Option<Linear>,
    /// Ownership, applied to each square.
    pub ownership: Option<Linear>,
}

impl Folded {
    /// Prepares a network.
    pub fn new(network: &Network) -> Folded {
        let architecture = network.architecture();
        let (layout, labels) = architecture.check().expect("a network's header was checked when it was made");
        let c = architecture.channels;
        let conv = |conv: &str, norm: &str, inputs: usize| {
            let (weight, bias) = folded(network, conv, norm, c);
            Conv { inputs, outputs: c, weight, bias }
        };
        let linear = |name: &str, inputs: usize| {
            let weight = network.tensor(&format!("{name}.weight")).to_vec();
            let bias = network.tensor(&format!("{name}.bias")).to_vec();
            Linear { inputs, outputs: bias.len(), weight, bias }
        };
        let Architecture { value_channels, value_hidden, .. } = *architecture;
        let (weight, bias) = folded(network, "value.conv", "value.norm", value_channels);
        Folded {
            layout,
            labels,
            activation: architecture.activation,
            value: architecture.value,
            stem: conv("stem.conv", "stem.norm", layout.planes()),
            blocks: (0..architecture.blocks)
                .map(|i| {
                    [1, 2].map(|half| conv(&format!("blocks.{i}.conv{half}"), &format!("blocks.{i}.norm{half}"), c))
                })
                .collect(),
            policy: linear("policy.conv", c),
            label_bias: network.tensor("policy.label_bias").to_vec(),
            pass: labels.pass.then(|| linear("policy.pass", c)),
            value_conv: Linear { inputs: c, outputs: value_channels, weight, bias },
            fc1: linear("value.fc1", value_channels * layout.squares()),
            fc2: linear("value.fc2", value_hidden),
            score: architecture.score.then(|| linear("score", value_hidden)),
            ownership: architecture.ownership.then(|| linear("ownership", c)),
        }
    }

    /// The network with the weights that devices read in half precision rounded to it: what is left between this on the CPU and the device
    /// is the rounding of activations.
    pub fn rounded_to_half(mut self) -> Folded {
        let round = |weights: &mut Vec<f32>| weights.iter_mut().for_each(|x| *x = half_to_f32(half_from_f32(*x)));
        round(&mut self.stem.weight);
        self.blocks.iter_mut().flatten().for_each(|conv| round(&mut conv.weight));
        let heads = [&mut self.policy, &mut self.value_conv, &mut self.fc1];
        heads.into_iter().chain(&mut self.pass).chain(&mut self.ownership).for_each(|layer| round(&mut layer.weight));
        self
    }

    /// Filters of the tower.
    pub fn channels(&self) -> usize {
        self.stem.outputs
    }
}

/// The weights and the bias of a convolution followed by batch norm: `(x - mean) / sqrt(var + epsilon) * weight + bias` is linear.
fn folded(network: &Network, conv: &str, norm: &str, outputs: usize) -> (Vec<f32>, Vec<f32>) {
    let part = |name: &str| network.tensor(&format!("{norm}.{name}"));
    let epsilon = network.architecture().norm_epsilon;
    let scales: Vec<f32> =
        part("weight").iter().zip(part("running_var")).map(|(gamma, var)| gamma / (var + epsilon).sqrt()).collect();
    let mut weight = network.tensor(&format!("{conv}.weight")).to_vec();
    let each = weight.len() / outputs;
    for (filter, scale) in weight.chunks_exact_mut(each).zip(&scales) {
        filter.iter_mut().for_each(|x| *x *= scale);
    }
    let bias = part("bias").iter().zip(part("running_mean")).zip(&scales);
    (weight, bias.map(|((beta, mean), scale)| beta - mean * scale).collect())
}
