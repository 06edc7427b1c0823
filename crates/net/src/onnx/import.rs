//! dlshogi's ResNets, read from ONNX.
//!
//! What is recognised: `input1` (62 planes) and `input2` (57) through convolutions of 3 by 3 and 1 by 1 that are added up; residual blocks of
//! two convolutions; a policy head of one convolution of 1 by 1 and a number for each label; a value head of a convolution of 1 by 1, two
//! linear layers and a sigmoid. Batch norm may be there or folded; ReLU and Swish are known. Anything else is refused with the value
//! where the graph differs.

use std::collections::BTreeMap;

use yomi_core::TextError;

use crate::architecture::{Activation, Architecture};
use crate::input::Layout;
use crate::network::Network;
use crate::safetensors::Tensor;

use super::graph::Graph;

/// Nodes that may lie one after another in a sum: more than any exporter writes, so that a graph in a circle comes to an end.
const DEEPEST: usize = 64;

/// A network of an ONNX file of dlshogi.
pub fn import(bytes: &[u8]) -> Result<Network, TextError> {
    let importer = Importer { graph: Graph::read(bytes)? };
    if importer.graph.is_read("planes") {
        // An export of this program, most often: its safetensors file has all that is in it.
        return Err(TextError::new(
            "not a ResNet of dlshogi: its input is `planes`, as in exports of this program, whose safetensors file can be read instead",
        ));
    }
    let (trunk, policy, label_bias) = importer.policy("output_policy")?;
    let tower = importer.tower(&trunk)?;
    let value = importer.value("output_value", &trunk)?;
    let architecture = Architecture {
        activation: tower.activation,
        value_channels: value.reduce.outputs,
        value_hidden: value.hidden.1.data.len(),
        // Batch norm is folded already: a norm that changes nothing stands in its place.
        norm_epsilon: 0.0,
        ..Architecture::new(Layout::Dlshogi, tower.blocks.len(), tower.stem.outputs)
    };
    let mut tensors = BTreeMap::new();
    let mut normed = |conv: &str, norm: &str, filter: &Filter, side: usize| {
        filter.store(conv, norm, side, &mut tensors);
    };
    normed("stem.conv", "stem.norm", &tower.stem, 3);
    for (i, block) in tower.blocks.iter().enumerate() {
        for (half, filter) in (1..).zip(block) {
            normed(&format!("blocks.{i}.conv{half}"), &format!("blocks.{i}.norm{half}"), filter, 3);
        }
    }
    normed("value.conv", "value.norm", &value.reduce, 1);
    let weight = Tensor { shape: vec![policy.outputs, policy.inputs, 1, 1], data: policy.centers() };
    tensors.insert("policy.conv.weight".into(), weight);
    tensors.insert("policy.conv.bias".into(), vector(policy.bias));
    tensors.insert("policy.label_bias".into(), label_bias);
    for (name, (weight, bias)) in [("value.fc1", value.hidden), ("value.fc2", value.last)] {
        tensors.insert(format!("{name}.weight"), weight);
        tensors.insert(format!("{name}.bias"), bias);
    }
    Network::new(architecture, tensors)
}

fn vector(data: Vec<f32>) -> Tensor {
    Tensor { shape: vec![data.len()], data }
}

fn fault<T>(value: &str, what: impl std::fmt::Display) -> Result<T, TextError> {
    Err(TextError::new(format!("not a ResNet of dlshogi: value `{value}` {what}")))
}

/// A convolution of 3 by 3; one of 1 by 1 has zeros around its centre.
#[derive(Clone, Debug)]
struct Filter {
    inputs: usize,
    outputs: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Filter {
    fn centers(&self) -> Vec<f32> {
        self.weight.iter().skip(4).step_by(9).copied().collect()
    }

    /// Writes the weights, and a norm that adds the bias and does nothing else.
    fn store(&self, conv: &str, norm: &str, side: usize, tensors: &mut BTreeMap<String, Tensor>) {
        let data = if side == 3 { self.weight.clone() } else { self.centers() };
        let shape = vec![self.outputs, self.inputs, side, side];
        tensors.insert(format!("{conv}.weight"), Tensor { shape, data });
        let constant = |x: f32| vector(vec![x; self.outputs]);
        tensors.insert(format!("{norm}.weight"), constant(1.0));
        tensors.insert(format!("{norm}.running_var"), constant(1.0));
        tensors.insert(format!("{norm}.running_mean"), constant(0.0));
        tensors.insert(format!("{norm}.bias"), vector(self.bias.clone()));
    }
}

/// Convolutions added up, and values that are added as they are.
struct Sum {
    /// What each convolution reads.
    terms: Vec<(String, Filter)>,
    skips: Vec<String>,
}

impl Sum {
    /// The only convolution, which reads `from`.
    fn only(mut self, value: &str) -> Result<(String, Filter), TextError> {
        match (self.terms.pop(), self.terms.len(), self.skips.len()) {
            (Some(term), 0, 0) => Ok(term),
            _ => fault(value, "is not one convolution"),
        }
    }
}

struct Tower {
    activation: Activation,
    stem: Filter,
    blocks: Vec<[Filter; 2]>,
}

struct ValueHead {
    reduce: Filter,
    hidden: (Tensor, Tensor),
    last: (Tensor, Tensor),
}

struct Importer {
    graph: Graph,
}

impl Importer {
    /// The first input of the node that gives a value, which must be of one of these operators.
    fn behind(&self, value: &str, operators: &[&str]) -> Result<&str, TextError> {
        let node = self.graph.node(value)?;
        match node.inputs.first() {
            Some(input) if operators.contains(&node.operator.as_str()) => Ok(input),
            _ => fault(value, format!("comes from {}, expected {}", node.operator, operators.join(" or "))),
        }
    }

    /// What an activation was applied to.
    fn activation(&self, value: &str) -> Result<(Activation, &str), TextError> {
        let node = self.graph.node(value)?;
        match (node.operator.as_str(), node.inputs.as_slice()) {
            ("Relu", [x]) => Ok((Activation::Relu, x)),
            ("Mul", [a, b]) => {
                let gates = |x: &str, gate: &str| {
                    self.graph.operator(gate) == "Sigmoid"
                        && self.graph.node(gate).is_ok_and(|node| node.inputs.first().is_some_and(|input| input == x))
                };
                match () {
                    () if gates(a, b) => Ok((Activation::Swish, a)),
                    () if gates(b, a) => Ok((Activation::Swish, b)),
                    () => fault(value, "is a product, but not x * sigmoid(x)"),
                }
            }
            (operator, _) => fault(value, format!("comes from {operator}, expected an activation")),
        }
    }

    /// The convolutions that add up to a value.
    fn sum(&self, value: &str, depth: usize) -> Result<Sum, TextError> {
        if depth > DEEPEST {
            return fault(value, "is a sum without end");
        }
        let node = self.graph.node(value)?;
        let input = |i: usize| match node.inputs.get(i) {
            Some(input) => Ok(input.as_str()),
            None => fault(value, format!("comes from {} with too few inputs", node.operator)),
        };
        match node.operator.as_str() {
            "Conv" => Ok(Sum { terms: vec![(input(0)?.to_string(), self.filter(value)?)], skips: Vec::new() }),
            "Add" => {
                let mut all = Sum { terms: Vec::new(), skips: Vec::new() };
                for part in [input(0)?, input(1)?] {
                    if ["Conv", "Add", "BatchNormalization", "Identity"].contains(&self.graph.operator(part)) {
                        let sum = self.sum(part, depth + 1)?;
                        all.terms.extend(sum.terms);
                        all.skips.extend(sum.skips);
                    } else {
                        all.skips.push(part.to_string());
                    }
                }
                Ok(all)
            }
            "Identity" => self.sum(input(0)?, depth + 1),
            "BatchNormalization" => {
                let mut sum = self.sum(input(0)?, depth + 1)?;
                let [gamma, beta, mean, var] = [1, 2, 3, 4].map(|i| self.graph.tensor(input(i)?));
                let (gamma, beta, mean, var) = (&gamma?.data, &beta?.data, &mean?.data, &var?.data);
                let epsilon = node.float("epsilon", 1e-5);
                let width = sum.terms.first().map_or(0, |(_, filter)| filter.outputs);
                if !sum.skips.is_empty() || [gamma, beta, mean, var].iter().any(|part| part.len() != width) {
                    return fault(value, "is a norm that does not fit what it normalises");
                }
                for (term, (_, filter)) in sum.terms.iter_mut().enumerate() {
                    for output in 0..width {
                        let scale = gamma[output] / (var[output] + epsilon).sqrt();
                        let each = 9 * filter.inputs;
                        filter.weight[output * each..][..each].iter_mut().for_each(|x| *x *= scale);
                        // What the norm adds is added once.
                        let shift = if term == 0 { beta[output] - mean[output] * scale } else { 0.0 };
                        filter.bias[output] = filter.bias[output] * scale + shift;
                    }
                }
                Ok(sum)
            }
            operator => fault(value, format!("comes from {operator}, expected a convolution")),
        }
    }

    /// The weights of a convolution, which must keep the size of the board.
    fn filter(&self, value: &str) -> Result<Filter, TextError> {
        let node = self.graph.node(value)?;
        let Some(weight) = node.inputs.get(1) else { return fault(value, "is a convolution without weights") };
        let weight = self.graph.tensor(weight)?;
        let &[outputs, inputs, high, wide] = weight.shape.as_slice() else {
            return fault(value, format!("is a convolution of shape {:?}", weight.shape));
        };
        let ones = |name: &str| node.integers(name).iter().all(|&n| n == 1);
        let pads = node.integers("pads");
        let padded = |by: u64| pads.iter().all(|&n| n == by) && (by == 0 || pads.len() == 4);
        if (high, wide) != (1, 1) && (high, wide) != (3, 3) || !padded(high as u64 / 2) {
            return fault(value, format!("is a convolution of {high} by {wide} with pads {pads:?}"));
        }
        if !ones("group") || !ones("strides") || !ones("dilations") {
            return fault(value, "is a convolution with groups, strides or dilations");
        }
        let bias = match node.inputs.get(2) {
            Some(bias) => self.graph.tensor(bias)?.data.clone(),
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return fault(value, format!("is a convolution of {outputs} outputs with a bias of {}", bias.len()));
        }
        let weight = match high {
            3 => weight.data.clone(),
            _ => weight.data.iter().flat_map(|&x| [0.0, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, 0.0]).collect(),
        };
        Ok(Filter { inputs, outputs, weight, bias })
    }

    /// The policy head: the trunk it reads, its convolution, and the numbers of the labels.
    fn policy(&self, output: &str) -> Result<(String, Filter, Tensor), TextError> {
        let node = self.graph.node(output)?;
        let constant = node.inputs.iter().position(|input| self.graph.is_tensor(input));
        let (planes, bias) = match (node.operator.as_str(), constant) {
            ("Add", Some(at)) if node.inputs.len() == 2 => {
                let bias = self.graph.tensor(&node.inputs[at])?;
                (node.inputs[1 - at].as_str(), vector(bias.data.clone()))
            }
            _ => return fault(output, "is not a convolution with a number for each label"),
        };
        let planes = self.behind(planes, &["Flatten", "Reshape"])?;
        let (trunk, filter) = self.sum(planes, 0)?.only(planes)?;
        Ok((trunk, filter, bias))
    }

    /// The value head, which must read the same trunk.
    fn value(&self, output: &str, trunk: &str) -> Result<ValueHead, TextError> {
        let logit = self.behind(output, &["Sigmoid"])?;
        let (hidden, last) = self.linear(logit)?;
        let (_, hidden) = self.activation(hidden)?;
        let (reduced, hidden) = self.linear(hidden)?;
        let reduced = self.behind(reduced, &["Flatten", "Reshape"])?;
        let (_, reduced) = self.activation(reduced)?;
        let (source, reduce) = self.sum(reduced, 0)?.only(reduced)?;
        if source != trunk {
            return fault(reduced, format!("reads `{source}`, the policy head `{trunk}`"));
        }
        Ok(ValueHead { reduce, hidden, last })
    }

    /// A linear layer: what it reads, its weights (output by output) and its bias.
    fn linear(&self, value: &str) -> Result<(&str, (Tensor, Tensor)), TextError> {
        let node = self.graph.node(value)?;
        let plain = node.float("alpha", 1.0) == 1.0 && node.float("beta", 1.0) == 1.0;
        let [x, weight, bias] = node.inputs.as_slice() else {
            return fault(value, "is not a linear layer with a bias");
        };
        if node.operator != "Gemm" || node.integers("transA").contains(&1) || !plain {
            return fault(value, format!("comes from {}, expected a plain Gemm", node.operator));
        }
        let (mut weight, bias) = (self.graph.tensor(weight)?.clone(), vector(self.graph.tensor(bias)?.data.clone()));
        let &[rows, columns] = weight.shape.as_slice() else { return fault(value, "is not a product with a matrix") };
        if !node.integers("transB").contains(&1) {
            let data = (0..rows * columns).map(|i| weight.data[i % rows * columns + i / rows]).collect();
            weight = Tensor { shape: vec![columns, rows], data };
        }
        Ok((x, (weight, bias)))
    }

    /// The tower that ends in `trunk`, read from its end.
    fn tower(&self, trunk: &str) -> Result<Tower, TextError> {
        let (activation, _) = self.activation(trunk)?;
        let same = |found: Activation, value: &str| match found == activation {
            true => Ok(()),
            false => fault(value, format!("comes from {found:?}, the end of the tower from {activation:?}")),
        };
        let (mut blocks, mut end) = (Vec::new(), trunk.to_string());
        loop {
            let (found, inside) = self.activation(&end)?;
            same(found, &end)?;
            let sum = self.sum(inside, 0)?;
            let Some(skip) = sum.skips.first().cloned() else {
                blocks.reverse();
                return Ok(Tower { activation, stem: self.stem(inside, sum)?, blocks });
            };
            let without = Sum { terms: sum.terms, skips: sum.skips[1..].to_vec() };
            let (middle, second) = without.only(inside)?;
            let (found, before) = self.activation(&middle)?;
            same(found, &middle)?;
            let (start, first) = self.sum(before, 0)?.only(before)?;
            if start != skip {
                return fault(inside, format!("adds `{skip}` to what was computed from `{start}`"));
            }
            if blocks.len() > DEEPEST * 4 {
                return fault(&end, "is in a tower without end");
            }
            blocks.push([first, second]);
            end = skip;
        }
    }

    /// The first layer: everything that reads the inputs, as one convolution over both.
    fn stem(&self, value: &str, sum: Sum) -> Result<Filter, TextError> {
        let planes = Layout::Dlshogi.planes();
        let outputs = sum.terms.first().map_or(0, |(_, filter)| filter.outputs);
        let mut stem =
            Filter { inputs: planes, outputs, weight: vec![0.0; outputs * planes * 9], bias: vec![0.0; outputs] };
        for (source, filter) in sum.terms {
            let joined = || {
                let inputs = self.graph.node(&source).map(|node| node.inputs.clone()).unwrap_or_default();
                self.graph.operator(&source) == "Concat" && inputs == ["input1", "input2"]
            };
            let (first, width) = match source.as_str() {
                "input1" => (0, Layout::DLSHOGI_FIRST),
                "input2" => (Layout::DLSHOGI_FIRST, planes - Layout::DLSHOGI_FIRST),
                _ if joined() => (0, planes),
                _ => return fault(value, format!("reads `{source}`, expected input1 or input2")),
            };
            if (filter.inputs, filter.outputs) != (width, outputs) {
                return fault(value, format!("reads {} planes of `{source}`, which has {width}", filter.inputs));
            }
            for output in 0..outputs {
                let to = &mut stem.weight[(output * planes + first) * 9..][..9 * width];
                to.iter_mut().zip(&filter.weight[output * width * 9..]).for_each(|(to, from)| *to += from);
                stem.bias[output] += filter.bias[output];
            }
        }
        Ok(stem)
    }
}
