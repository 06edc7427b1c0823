//! Our networks as ONNX graphs, batch norm folded.
//!
//! Inputs are `planes`, or dlshogi's `input1` and `input2` for its layout; outputs are `output_policy` (logits by label), `output_value`
//! (probabilities of win, draw and loss, or of winning), and where the network has such heads `output_score` and `output_ownership`.

use crate::architecture::{Activation, Value};
use crate::fold::{Conv, Folded, Linear};
use crate::input::Layout;
use crate::network::Network;

use super::proto::Message;

/// The operator set whose meaning the graph's nodes have, and the container's version that came with it.
const OPERATORS: u64 = 17;
const CONTAINER: u64 = 8;
/// ONNX's number for f32.
const FLOAT: u64 = 1;

/// The file of a network for ONNX Runtime, dlshogi and others.
pub fn export(network: &Network) -> Vec<u8> {
    let folded = Folded::new(network);
    let mut graph = Graph { message: Message::default().text(2, "yomi"), next: 0, activation: folded.activation };
    graph.write(&folded);
    let operators = Message::default().text(1, "").number(2, OPERATORS);
    let model =
        Message::default().number(1, CONTAINER).text(2, "yomi").message(7, &graph.message).message(8, &operators);
    model.0
}

struct Graph {
    message: Message,
    /// The number of the next value without a name of its own.
    next: usize,
    activation: Activation,
}

/// Attributes of a node: a list of integers or one.
enum Attribute<'a> {
    List(&'a str, &'a [u64]),
    One(&'a str, u64),
}

impl Graph {
    fn write(&mut self, folded: &Folded) {
        let board = folded.layout.board();
        let mut x = self.inputs(folded.layout);
        x = self.conv(&folded.stem, &x);
        x = self.activate(&x);
        for [first, second] in &folded.blocks {
            let t = self.conv(first, &x);
            let t = self.activate(&t);
            let y = self.conv(second, &t);
            let sum = self.node("Add", &[&y, &x], &[]);
            x = self.activate(&sum);
        }
        self.policy(folded, &x);
        let reduced = self.square_wise(&folded.value_conv, &x);
        let reduced = self.activate(&reduced);
        let reduced = self.node("Flatten", &[&reduced], &[Attribute::One("axis", 1)]);
        let hidden = self.linear(&folded.fc1, &reduced, None);
        let hidden = self.activate(&hidden);
        let logits = self.linear(&folded.fc2, &hidden, None);
        let probabilities = match folded.value {
            Value::WinDrawLoss => ("Softmax", &[Attribute::One("axis", 1)][..]),
            Value::Win => ("Sigmoid", &[][..]),
        };
        self.named(probabilities.0, &[&logits], probabilities.1, "output_value");
        self.output("output_value", &[folded.fc2.outputs]);
        if let Some(score) = &folded.score {
            self.linear(score, &hidden, Some("output_score"));
            self.output("output_score", &[1]);
        }
        if let Some(ownership) = &folded.ownership {
            let owned = self.square_wise(ownership, &x);
            let owned = self.node("Tanh", &[&owned], &[]);
            self.named("Flatten", &[&owned], &[Attribute::One("axis", 1)], "output_ownership");
            self.output("output_ownership", &[board * board]);
        }
    }

    fn inputs(&mut self, layout: Layout) -> String {
        let board = layout.board();
        if layout != Layout::Dlshogi {
            self.input("planes", &[layout.planes(), board, board]);
            return "planes".into();
        }
        self.input("input1", &[Layout::DLSHOGI_FIRST, board, board]);
        self.input("input2", &[layout.planes() - Layout::DLSHOGI_FIRST, board, board]);
        self.node("Concat", &["input1", "input2"], &[Attribute::One("axis", 1)])
    }

    fn policy(&mut self, folded: &Folded, x: &str) {
        let planes = self.square_wise(&folded.policy, x);
        let mut logits = self.node("Flatten", &[&planes], &[Attribute::One("axis", 1)]);
        if let Some(pass) = &folded.pass {
            let mean = self.node("GlobalAveragePool", &[x], &[]);
            let mean = self.node("Flatten", &[&mean], &[Attribute::One("axis", 1)]);
            let pass = self.linear(pass, &mean, None);
            logits = self.node("Concat", &[&logits, &pass], &[Attribute::One("axis", 1)]);
        }
        let labels = folded.labels.count();
        if folded.label_bias.is_empty() {
            self.named("Identity", &[&logits], &[], "output_policy");
        } else {
            let bias = self.tensor(&[labels], &folded.label_bias);
            self.named("Add", &[&logits, &bias], &[], "output_policy");
        }
        self.output("output_policy", &[labels]);
    }

    fn conv(&mut self, conv: &Conv, x: &str) -> String {
        let weight = self.tensor(&[conv.outputs, conv.inputs, 3, 3], &conv.weight);
        let bias = self.tensor(&[conv.outputs], &conv.bias);
        let attributes = [Attribute::List("kernel_shape", &[3, 3]), Attribute::List("pads", &[1, 1, 1, 1])];
        self.node("Conv", &[x, &weight, &bias], &attributes)
    }

    fn square_wise(&mut self, layer: &Linear, x: &str) -> String {
        let weight = self.tensor(&[layer.outputs, layer.inputs, 1, 1], &layer.weight);
        let bias = self.tensor(&[layer.outputs], &layer.bias);
        self.node("Conv", &[x, &weight, &bias], &[Attribute::List("kernel_shape", &[1, 1])])
    }

    fn linear(&mut self, layer: &Linear, x: &str, name: Option<&str>) -> String {
        let weight = self.tensor(&[layer.outputs, layer.inputs], &layer.weight);
        let bias = self.tensor(&[layer.outputs], &layer.bias);
        let name = name.map_or_else(|| self.fresh(), str::to_string);
        self.named("Gemm", &[x, &weight, &bias], &[Attribute::One("transB", 1)], &name);
        name
    }

    fn activate(&mut self, x: &str) -> String {
        match self.activation {
            Activation::Relu => self.node("Relu", &[x], &[]),
            Activation::Swish => {
                let gate = self.node("Sigmoid", &[x], &[]);
                self.node("Mul", &[x, &gate], &[])
            }
        }
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    /// A node whose output gets a name that nothing else has.
    fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let name = self.fresh();
        self.named(operator, inputs, attributes, &name);
        name
    }

    fn named(&mut self, operator: &str, inputs: &[&str], attributes: &[Attribute<'_>], output: &str) {
        let mut node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        node = node.text(2, output).text(3, &format!("{operator}_{output}")).text(4, operator);
        for attribute in attributes {
            node = node.message(
                5,
                &match *attribute {
                    Attribute::List(name, numbers) => {
                        Message::default().text(1, name).numbers(8, numbers).number(20, 7)
                    }
                    Attribute::One(name, number) => Message::default().text(1, name).number(3, number).number(20, 2),
                },
            );
        }
        self.append(1, &node);
    }

    fn tensor(&mut self, shape: &[usize], data: &[f32]) -> String {
        let name = self.fresh();
        let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        let bytes: Vec<u8> = data.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.append(5, &Message::default().numbers(1, &shape).number(2, FLOAT).text(8, &name).bytes(9, &bytes));
        name
    }

    fn input(&mut self, name: &str, shape: &[usize]) {
        self.append(11, &value_info(name, shape));
    }

    fn output(&mut self, name: &str, shape: &[usize]) {
        self.append(12, &value_info(name, shape));
    }

    fn append(&mut self, field: u32, part: &Message) {
        self.message = std::mem::take(&mut self.message).message(field, part);
    }
}

/// A value of the graph's edge: f32, any number of positions first.
fn value_info(name: &str, shape: &[usize]) -> Message {
    let batch = Message::default().text(2, "batch_size");
    let dimensions = shape
        .iter()
        .fold(Message::default().message(1, &batch), |all, &n| all.message(1, &Message::default().number(1, n as u64)));
    let tensor = Message::default().number(1, FLOAT).message(2, &dimensions);
    Message::default().text(1, name).message(2, &Message::default().message(1, &tensor))
}
