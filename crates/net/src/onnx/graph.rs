//! A graph of ONNX as it was read: nodes by what they give, and constant tensors.

use std::collections::BTreeMap;

use yomi_core::TextError;

use crate::safetensors::{Tensor, half_to_f32};

use super::proto::{Field, fields};

/// A node.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) operator: String,
    pub(super) inputs: Vec<String>,
    outputs: Vec<String>,
    /// Lists of integers; a single one is a list of one.
    integers: BTreeMap<String, Vec<u64>>,
    floats: BTreeMap<String, f32>,
}

impl Node {
    pub(super) fn integers(&self, name: &str) -> &[u64] {
        self.integers.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn float(&self, name: &str, default: f32) -> f32 {
        self.floats.get(name).copied().unwrap_or(default)
    }
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    nodes: BTreeMap<String, Node>,
    tensors: BTreeMap<String, Tensor>,
}

/// ONNX's numbers of the types of numbers that can be read.
const FLOAT: u64 = 1;
const HALF: u64 = 10;

impl Graph {
    pub(super) fn read(bytes: &[u8]) -> Result<Graph, TextError> {
        let mut graph = Graph::default();
        let model = fields(bytes).map_err(|error| error.context("this is no ONNX file"))?;
        let Some(&(_, body)) = model.iter().find(|(number, _)| *number == 7) else {
            return Err(TextError::new("this is no ONNX file: it has no graph"));
        };
        for (number, field) in fields(body.bytes())? {
            match number {
                1 => {
                    let node = node(field.bytes())?;
                    for output in &node.outputs {
                        graph.nodes.insert(output.clone(), node.clone());
                    }
                }
                5 => {
                    let (name, tensor) = tensor(field.bytes())?;
                    if let Some(tensor) = tensor {
                        graph.tensors.insert(name, tensor);
                    }
                }
                _ => {}
            }
        }
        Ok(graph)
    }

    /// The node that gives a value.
    pub(super) fn node(&self, value: &str) -> Result<&Node, TextError> {
        self.nodes.get(value).ok_or_else(|| TextError::new(format!("nothing in the graph gives `{value}`")))
    }

    /// Whether any node reads a value.
    pub(super) fn is_read(&self, value: &str) -> bool {
        self.nodes.values().any(|node| node.inputs.iter().any(|input| input == value))
    }

    /// The operator that gives a value; none for inputs and constants.
    pub(super) fn operator(&self, value: &str) -> &str {
        self.nodes.get(value).map_or("", |node| &node.operator)
    }

    /// A constant.
    pub(super) fn tensor(&self, name: &str) -> Result<&Tensor, TextError> {
        self.tensors.get(name).ok_or_else(|| TextError::new(format!("`{name}` is no constant of numbers")))
    }

    pub(super) fn is_tensor(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }
}

fn node(bytes: &[u8]) -> Result<Node, TextError> {
    let mut node = Node::default();
    for (number, field) in fields(bytes)? {
        match number {
            1 => node.inputs.push(field.text()),
            2 => node.outputs.push(field.text()),
            4 => node.operator = field.text(),
            5 => {
                let (mut name, mut integers) = (String::new(), Vec::new());
                let mut float = None;
                for (number, field) in fields(field.bytes())? {
                    match (number, field) {
                        (1, field) => name = field.text(),
                        (2, Field::Four(bytes)) => float = Some(f32::from_le_bytes(bytes)),
                        (3 | 8, field) => field.numbers(&mut integers)?,
                        _ => {}
                    }
                }
                if let Some(float) = float {
                    node.floats.insert(name, float);
                } else {
                    node.integers.insert(name, integers);
                }
            }
            _ => {}
        }
    }
    Ok(node)
}

/// The name of a constant, and its numbers if they are floats; others (shapes) play no part.
fn tensor(bytes: &[u8]) -> Result<(String, Option<Tensor>), TextError> {
    let (mut name, mut kind) = (String::new(), 0);
    let (mut dims, mut raw, mut floats, mut listed): (Vec<u64>, &[u8], Vec<f32>, Vec<u64>) = Default::default();
    for (number, field) in fields(bytes)? {
        match (number, field) {
            (1, field) => field.numbers(&mut dims)?,
            (2, field) => kind = field.number(),
            (4, Field::Four(bytes)) => floats.push(f32::from_le_bytes(bytes)),
            (4, field) => floats.extend(field.bytes().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b))),
            (5, field) if kind == HALF => field.numbers(&mut listed)?,
            (8, field) => name = field.text(),
            (9, field) => raw = field.bytes(),
            _ => {}
        }
    }
    match kind {
        FLOAT => floats.extend(raw.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b))),
        HALF => {
            floats.extend(raw.as_chunks::<2>().0.iter().map(|&b| half_to_f32(u16::from_le_bytes(b))));
            floats.extend(listed.iter().map(|&bits| half_to_f32(bits as u16)));
        }
        _ => return Ok((name, None)),
    }
    let shape: Vec<usize> = dims.iter().map(|&n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
    if shape.iter().try_fold(1usize, |all, &n| all.checked_mul(n)) != Some(floats.len()) {
        return Err(TextError::new(format!("constant `{name}`: {} numbers do not fill shape {shape:?}", floats.len())));
    }
    Ok((name, Some(Tensor { shape, data: floats })))
}
