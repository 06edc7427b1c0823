//! Weights in the order and the precision in which the kernels read them.

use yomi_core::TextError;

use crate::fold::{Conv, Folded, Linear};
use crate::safetensors::{half_from_f32, half_to_f32};

use super::plan::head_group;
use super::shape::{LAST, STEP, Shape};
use super::source::padded_heads;

/// The largest number that half precision has.
const LARGEST_HALF: f32 = 65504.0;

/// A growing list of halves.
#[derive(Default)]
struct Halves {
    bytes: Vec<u8>,
    /// The number that is too large, if there is one.
    too_large: Option<f32>,
}

impl Halves {
    fn push(&mut self, x: f32) {
        if x.abs() > LARGEST_HALF {
            self.too_large = Some(x);
        }
        self.bytes.extend(half_from_f32(x).to_le_bytes());
    }

    fn finish(self) -> Result<Vec<u8>, TextError> {
        match self.too_large {
            Some(x) => Err(TextError::new(format!("weight {x} does not fit half precision"))),
            None => Ok(self.bytes),
        }
    }
}

/// The 1x1 convolutions of all heads as one: policy, pass, value, ownership.
pub(super) fn joined_heads(network: &Folded) -> Linear {
    // The mean over the board of a linear layer is a linear layer of the mean, so passes are one more plane; its bias is added to the mean.
    let pass = network.pass.as_ref().map(|pass| Linear { bias: vec![0.0], ..pass.clone() });
    let mut layers = vec![&network.policy];
    layers.extend(&pass);
    layers.push(&network.value_conv);
    layers.extend(&network.ownership);
    Linear {
        inputs: network.channels(),
        outputs: layers.iter().map(|layer| layer.outputs).sum(),
        weight: layers.iter().flat_map(|layer| layer.weight.iter().copied()).collect(),
        bias: layers.iter().flat_map(|layer| layer.bias.iter().copied()).collect(),
    }
}

fn conv_weight(conv: &Conv, output: usize, input: usize, tap: usize) -> f32 {
    if output < conv.outputs && input < conv.inputs {
        conv.weight[(output * conv.inputs + input) * 9 + tap]
    } else {
        0.0
    }
}

fn linear_weight(layer: &Linear, output: usize, input: usize) -> f32 {
    if output < layer.outputs && input < layer.inputs { layer.weight[output * layer.inputs + input] } else { 0.0 }
}

/// All convolutions of 3x3: the first, then both of each block.
fn convolutions(network: &Folded) -> impl Iterator<Item = &Conv> {
    std::iter::once(&network.stem).chain(network.blocks.iter().flatten())
}

/// Inputs of the `i`th convolution, rounded up.
fn inputs(shape: &Shape, i: usize) -> usize {
    if i == 0 { shape.inputs } else { shape.channels }
}

/// The weights of the fused kernel, stage by stage: for each convolution, tap and step of 32 inputs, then for each group of heads and step.
/// A stage holds columns of core matrices, eight inputs of all outputs each.
pub(super) fn tower(network: &Folded, shape: &Shape) -> Result<Vec<u8>, TextError> {
    let mut halves = Halves::default();
    let mut stage = |first_input: usize, outputs: std::ops::Range<usize>, weight: &dyn Fn(usize, usize) -> f32| {
        for eight in (first_input..first_input + STEP).step_by(8) {
            for output in outputs.clone() {
                (eight..eight + 8).for_each(|input| halves.push(weight(output, input)));
            }
        }
    };
    for (i, conv) in convolutions(network).enumerate() {
        for tap in 0..9 {
            for first in (0..inputs(shape, i)).step_by(STEP) {
                stage(first, 0..shape.channels, &|output, input| conv_weight(conv, output, input, tap));
            }
        }
    }
    let (heads, group) = (joined_heads(network), head_group(shape));
    for first_output in (0..heads.outputs).step_by(group) {
        for first in (0..shape.channels).step_by(STEP) {
            stage(first, first_output..first_output + group, &|output, input| linear_weight(&heads, output, input));
        }
    }
    halves.finish()
}

/// The weights of the fused kernel for blocks of a cluster: for each block its outputs of all convolutions, then the heads.
pub(super) fn of_cluster(tower: &[u8], shape: &Shape, blocks: usize, cluster: usize) -> Vec<u8> {
    let column = 16 * shape.channels;
    let convolutions = 9 * (shape.inputs + 2 * blocks * shape.channels) / 8 * column;
    let (tower, heads) = tower.split_at(convolutions);
    let own = column / cluster;
    let columns = (0..cluster).flat_map(|rank| tower.chunks_exact(column).map(move |all| &all[rank * own..][..own]));
    columns.chain([heads]).flatten().copied().collect()
}

/// What a weight is in one of the products that a product is made of: itself in those with a number and with what rounding leaves of it, then
/// what rounding leaves of the weight.
fn weight_of_product(product: usize, x: f32) -> f32 {
    if product < 2 { x } else { x - half_to_f32(half_from_f32(x)) }
}

/// The weights of the portable kernels: for each convolution, tap, product and step, 32 inputs of every output; then the heads likewise.
pub(super) fn portable(network: &Folded, shape: &Shape) -> Result<Vec<u8>, TextError> {
    let mut halves = Halves::default();
    let mut steps = |inputs: usize, outputs: usize, weight: &dyn Fn(usize, usize) -> f32| {
        for product in 0..shape.products() {
            for first in (0..inputs).step_by(STEP) {
                for output in 0..outputs {
                    let inputs = first..first + STEP;
                    inputs.for_each(|input| halves.push(weight_of_product(product, weight(output, input))));
                }
            }
        }
    };
    for (i, conv) in convolutions(network).enumerate() {
        for tap in 0..9 {
            steps(inputs(shape, i), shape.channels, &|output, input| conv_weight(conv, output, input, tap));
        }
    }
    let heads = joined_heads(network);
    steps(shape.channels, padded_heads(shape), &|output, input| linear_weight(&heads, output, input));
    halves.finish()
}

/// Which channel the sums of a warp have in a column of a tower of eight-bit numbers: a thread's sums of two neighbouring matrices are four
/// channels in a row, so that it writes four bytes at once.
fn channel_of_column(column: usize) -> usize {
    let (matrix, far, thread, odd) = (column / 16, column / 8 % 2, column / 2 % 4, column % 2);
    16 * matrix + 4 * thread + 2 * far + odd
}

/// The largest number of eight bits (e4m3).
const LARGEST_EIGHT: f32 = 448.0;

/// A number as eight bits, e4m3: a sign, four bits of exponent, three of mantissa; to nearest, ties to even, the largest for larger ones.
pub(super) fn eight_from_f32(x: f32) -> u8 {
    let sign = if x.is_sign_negative() { 0x80 } else { 0 };
    let size = x.abs().min(LARGEST_EIGHT);
    // Below 2^-6 numbers are multiples of 2^-9.
    let exponent = (size.max(f32::MIN_POSITIVE).log2().floor() as i32).max(-6);
    let steps = (size / 2f32.powi(exponent - 3)).round_ties_even() as i32;
    // Sixteen steps are eight of the next exponent.
    let bits = if exponent == -6 && steps < 8 { steps } else { (exponent + 7) * 8 + steps - 8 };
    sign | bits as u8
}

/// What the weights of each output of a convolution are divided by, so that the largest is the largest that eight bits have.
fn scales(conv: &Conv) -> Vec<f32> {
    let most = |weights: &[f32]| weights.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let each = conv.inputs * 9;
    conv.weight.chunks_exact(each).map(|weights| (most(weights) / LARGEST_EIGHT).max(f32::MIN_POSITIVE)).collect()
}

/// The weights of the fused kernel with eight bits: stages of 64 inputs, columns of core matrices of sixteen inputs each; the heads as halves.
pub(super) fn tower_of_eight(network: &Folded, shape: &Shape) -> Result<Vec<u8>, TextError> {
    let mut bytes = Vec::new();
    for (i, conv) in convolutions(network).enumerate() {
        let scales = scales(conv);
        for tap in 0..9 {
            for sixteen in (0..inputs(shape, i)).step_by(16) {
                for output in (0..shape.channels).map(channel_of_column) {
                    let scale = scales.get(output).copied().unwrap_or(1.0);
                    let weight = |input: usize| eight_from_f32(conv_weight(conv, output, input, tap) / scale);
                    bytes.extend((sixteen..sixteen + 16).map(weight));
                }
            }
        }
    }
    let (heads, group) = (joined_heads(network), head_group(shape));
    let mut halves = Halves::default();
    for first_output in (0..heads.outputs).step_by(group) {
        for eight in (0..shape.channels).step_by(8) {
            for output in first_output..first_output + group {
                (eight..eight + 8)
                    .for_each(|column| halves.push(linear_weight(&heads, output, channel_of_column(column))));
            }
        }
    }
    bytes.extend(halves.finish()?);
    Ok(bytes)
}

/// The biases of all convolutions, each followed by the scales of its weights, then the biases of the heads.
pub(super) fn biases_of_eight(network: &Folded, shape: &Shape) -> Vec<f32> {
    let mut list = Vec::new();
    for conv in convolutions(network) {
        let scales = scales(conv);
        let columns = || (0..shape.channels).map(channel_of_column);
        list.extend(columns().map(|channel| conv.bias.get(channel).copied().unwrap_or(0.0)));
        list.extend(columns().map(|channel| scales.get(channel).copied().unwrap_or(1.0)));
    }
    let heads = joined_heads(network);
    let room = heads.outputs.next_multiple_of(64).max(heads.outputs.next_multiple_of(head_group(shape)));
    list.extend(&heads.bias);
    list.resize(list.len() + room - heads.outputs, 0.0);
    list
}

/// Where the weights of each convolution begin in what [`portable`] gives, and of the heads after them.
pub(super) fn portable_offsets(network: &Folded, shape: &Shape) -> Vec<usize> {
    let mut at = 0;
    let mut offsets = vec![0];
    for (i, _) in convolutions(network).enumerate() {
        at += 9 * inputs(shape, i) * shape.channels * 2 * shape.products();
        offsets.push(at);
    }
    offsets
}

/// The biases of all convolutions, then those of the heads.
pub(super) fn biases(network: &Folded, shape: &Shape) -> Vec<f32> {
    let mut biases = Vec::new();
    let mut add = |bias: &[f32], room: usize| {
        biases.extend(bias);
        biases.resize(biases.len() + room - bias.len(), 0.0);
    };
    convolutions(network).for_each(|conv| add(&conv.bias, shape.channels));
    let heads = joined_heads(network);
    add(&heads.bias, heads.outputs.next_multiple_of(64).max(heads.outputs.next_multiple_of(head_group(shape))));
    biases
}

/// The hidden layer as fragments of products by one warp: for each group of 32 outputs, product and step of 16 features, what each of 32 lanes holds.
pub(super) fn hidden(network: &Folded, shape: &Shape) -> Result<Vec<u8>, TextError> {
    let (squares, planes) = (network.layout.squares(), network.value_conv.outputs);
    // The kernels write features square by square; the network reads them plane by plane.
    let weight = |output: usize, feature: usize| {
        if feature >= squares * planes {
            return 0.0;
        }
        linear_weight(&network.fc1, output, feature % planes * squares + feature / planes)
    };
    let mut halves = Halves::default();
    for group in (0..shape.hidden).step_by(32) {
        let steps = (0..shape.features).step_by(16);
        for (product, step) in (0..shape.products()).flat_map(|product| steps.clone().map(move |step| (product, step)))
        {
            for lane in 0..32 {
                for tile in 0..4 {
                    let (output, feature) = (group + 8 * tile + lane / 4, step + 2 * (lane % 4));
                    let of_product = |k: usize| weight_of_product(product, weight(output, feature + k));
                    [0, 1, 8, 9].into_iter().for_each(|k| halves.push(of_product(k)));
                }
            }
        }
    }
    halves.finish()
}

/// The bias of the hidden layer.
pub(super) fn hidden_bias(network: &Folded, shape: &Shape) -> Vec<f32> {
    let mut bias = network.fc1.bias.clone();
    bias.resize(shape.hidden, 0.0);
    bias
}

/// The weights after the hidden layer: win, draw, loss, score.
pub(super) fn last(network: &Folded, shape: &Shape) -> Vec<f32> {
    let mut rows = vec![0.0; LAST * shape.hidden];
    let mut set = |row: usize, weights: &[f32]| rows[row * shape.hidden..][..weights.len()].copy_from_slice(weights);
    for (row, weights) in network.fc2.weight.chunks_exact(network.fc2.inputs).enumerate() {
        set(row, weights);
    }
    if let Some(score) = &network.score {
        set(LAST - 1, &score.weight);
    }
    rows
}

/// Their biases, and that of passing.
pub(super) fn last_bias(network: &Folded) -> Vec<f32> {
    let mut bias = network.fc2.bias.clone();
    bias.resize(LAST - 1, 0.0);
    bias.push(network.score.as_ref().map_or(0.0, |score| score.bias[0]));
    bias.push(network.pass.as_ref().map_or(0.0, |pass| pass.bias[0]));
    bias
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Layout;
    use crate::{Architecture, Network};
    use yomi_core::Seed;

    /// Every weight of the tower is where the block that computes its output reads it.
    #[test]
    fn blocks_of_a_cluster_share_the_weights() {
        let network = Network::random(Architecture::new(Layout::Minishogi, 1, 32), Seed::new(1)).unwrap();
        let folded = Folded::new(&network);
        let shape = Shape::new(&folded, STEP);
        let all = tower(&folded, &shape).unwrap();
        for cluster in [2, 4] {
            let parts = of_cluster(&all, &shape, 1, cluster);
            assert_eq!(parts.len(), all.len());
            let own = shape.channels / cluster;
            let columns = 9 * (shape.inputs + 2 * shape.channels) / 8;
            for column in 0..columns {
                for output in 0..shape.channels {
                    let there = (output / own * columns + column) * own + output % own;
                    assert_eq!(parts[16 * there..][..16], all[16 * (column * shape.channels + output)..][..16]);
                }
            }
            // The heads follow as they are.
            let convolutions = 16 * columns * shape.channels;
            assert_eq!(parts[convolutions..], all[convolutions..]);
        }
    }

    /// The halves of a weight of the first and the third product add up to it; those of the second are the first again.
    #[test]
    fn three_products_have_whole_weights() {
        let network = Network::random(Architecture::new(Layout::Minishogi, 1, 32), Seed::new(1)).unwrap();
        let folded = Folded::new(&network);
        let shape = Shape::single(&folded, STEP);
        let halves: Vec<f32> = portable(&folded, &shape)
            .unwrap()
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&half| half_to_f32(u16::from_le_bytes(half)))
            .collect();
        let offsets = portable_offsets(&folded, &shape);
        let conv = &folded.blocks[0][1];
        let first = offsets[2] / 2;
        let each = shape.channels * STEP;
        for tap in 0..9 {
            for output in 0..32 {
                for input in 0..32 {
                    let weight = conv_weight(conv, output, input, tap);
                    let at = |product: usize| halves[first + (3 * tap + product) * each + output * STEP + input];
                    assert_eq!(at(0), at(1));
                    assert!((at(0) + at(2) - weight).abs() <= weight.abs() / 2e6 + 3e-8, "{weight}");
                }
            }
        }
    }

    /// What eight bits mean, by definition.
    fn eight_to_f32(bits: u8) -> f32 {
        let (exponent, mantissa) = (i32::from(bits >> 3 & 15), f32::from(bits & 7));
        let size = if exponent == 0 { mantissa / 512.0 } else { (1.0 + mantissa / 8.0) * 2f32.powi(exponent - 7) };
        if bits & 0x80 != 0 { -size } else { size }
    }

    /// Every number of eight bits comes back, and what lies between two becomes the nearer one.
    #[test]
    fn eight_bits_round_to_nearest() {
        // 0x7F and 0xFF are no numbers.
        for bits in (0..=0x7E).chain(0x80..=0xFE) {
            assert_eq!(eight_from_f32(eight_to_f32(bits)), bits, "{bits:#x}");
        }
        for bits in 0..0x7Eu8 {
            let (low, high) = (eight_to_f32(bits), eight_to_f32(bits + 1));
            let near = |part: f32| eight_from_f32(low + (high - low) * part);
            assert_eq!((near(0.4), near(0.6)), (bits, bits + 1));
            // Half way: the even one.
            assert_eq!(near(0.5), bits + (bits & 1));
        }
        assert_eq!((eight_from_f32(1e9), eight_from_f32(-1e9)), (0x7E, 0xFE));
    }

    #[test]
    fn columns_are_channels_in_another_order() {
        let mut channels: Vec<usize> = (0..192).map(channel_of_column).collect();
        assert_eq!(channels[..10], [0, 1, 4, 5, 8, 9, 12, 13, 2, 3]);
        channels.sort_unstable();
        assert!(channels.into_iter().eq(0..192));
    }
}
