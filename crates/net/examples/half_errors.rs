//! What each rounding to half precision of a device costs, found on the CPU: `cargo run --release -p yomi-net --features measure --example half_errors [FILE ...]`.
//!
//! Networks (default: those of `weights/nets`) are evaluated over positions of random games in f32, with some numbers rounded to halves
//! where a device's kernels round them. Sums are f32 in every case, as on the device.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program")]

use std::process::ExitCode;

use yomi_core::{Seed, TextError};
use yomi_net::backend::Answers;
use yomi_net::fold::{Conv, Folded, Linear};
use yomi_net::input::{Layout, PackedPosition, Planes};
use yomi_net::safetensors::{half_from_f32, half_to_f32};
use yomi_net::sample::{Comparison, Sample};

const POSITIONS: usize = 400;

/// What is rounded.
#[derive(Clone, Copy)]
struct Rounding {
    /// The weights of the tower, after batch norm was folded in.
    tower_weights: bool,
    /// The weights of the heads that products read.
    head_weights: bool,
    /// What the first convolution of a block gives.
    inner: bool,
    /// The trunk where products read it.
    trunk: bool,
    /// The trunk where it goes around a block.
    skip: bool,
    /// The trunk where the heads read it.
    head_inputs: bool,
    /// What the hidden layer of the value head reads.
    reduced: bool,
}

const NONE: Rounding = Rounding {
    tower_weights: false,
    head_weights: false,
    inner: false,
    trunk: false,
    skip: false,
    head_inputs: false,
    reduced: false,
};
const ALL: Rounding = Rounding {
    tower_weights: true,
    head_weights: true,
    inner: true,
    trunk: true,
    skip: true,
    head_inputs: true,
    reduced: true,
};

const CASES: [(&str, Rounding); 13] = [
    ("everything", ALL),
    ("tower's weights", Rounding { tower_weights: true, ..NONE }),
    ("heads' weights", Rounding { head_weights: true, ..NONE }),
    ("inner activations", Rounding { inner: true, ..NONE }),
    ("trunk, products", Rounding { trunk: true, ..NONE }),
    ("trunk, skip", Rounding { skip: true, ..NONE }),
    ("trunk, heads", Rounding { head_inputs: true, ..NONE }),
    ("value's features", Rounding { reduced: true, ..NONE }),
    ("all but tower's weights", Rounding { tower_weights: false, ..ALL }),
    ("all but skip", Rounding { skip: false, ..ALL }),
    ("all but weights and skip", Rounding { tower_weights: false, skip: false, ..ALL }),
    ("inner and trunk for products", Rounding { inner: true, trunk: true, ..NONE }),
    ("the same, and skip", Rounding { inner: true, trunk: true, skip: true, ..NONE }),
];

fn round(x: f32) -> f32 {
    half_to_f32(half_from_f32(x))
}

fn rounded_if(x: &[f32], wanted: bool) -> Vec<f32> {
    x.iter().map(|&x| if wanted { round(x) } else { x }).collect()
}

/// A convolution whose weights are in the order of the loops: tap, input, output.
struct Layer {
    inputs: usize,
    outputs: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    fn conv(conv: &Conv, rounded: bool) -> Layer {
        let mut weight = vec![0.0; conv.weight.len()];
        for output in 0..conv.outputs {
            for input in 0..conv.inputs {
                for tap in 0..9 {
                    weight[(tap * conv.inputs + input) * conv.outputs + output] =
                        conv.weight[(output * conv.inputs + input) * 9 + tap];
                }
            }
        }
        Layer {
            inputs: conv.inputs,
            outputs: conv.outputs,
            weight: rounded_if(&weight, rounded),
            bias: conv.bias.clone(),
        }
    }

    fn linear(layer: &Linear, rounded: bool) -> Layer {
        let mut weight = vec![0.0; layer.weight.len()];
        for output in 0..layer.outputs {
            for input in 0..layer.inputs {
                weight[input * layer.outputs + output] = layer.weight[output * layer.inputs + input];
            }
        }
        Layer {
            inputs: layer.inputs,
            outputs: layer.outputs,
            weight: rounded_if(&weight, rounded),
            bias: layer.bias.clone(),
        }
    }

    fn add(&self, tap: usize, x: &[f32], y: &mut [f32]) {
        for (input, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let row = &self.weight[(tap * self.inputs + input) * self.outputs..][..self.outputs];
            y.iter_mut().zip(row).for_each(|(y, w)| *y += w * x);
        }
    }

    /// Numbers of each square lie together.
    fn convolve(&self, x: &[f32], board: usize) -> Vec<f32> {
        let mut y = Vec::with_capacity(board * board * self.outputs);
        for row in 0..board {
            for column in 0..board {
                let mut sums = vec![0.0; self.outputs];
                for tap in 0..9 {
                    let (r, c) = (row + tap / 3, column + tap % 3);
                    if (1..=board).contains(&r) && (1..=board).contains(&c) {
                        let square = (r - 1) * board + c - 1;
                        self.add(tap, &x[square * self.inputs..][..self.inputs], &mut sums);
                    }
                }
                y.extend(sums.iter().zip(&self.bias).map(|(s, b)| s + b));
            }
        }
        y
    }

    fn each(&self, x: &[f32]) -> Vec<f32> {
        let mut y = Vec::new();
        for x in x.chunks_exact(self.inputs) {
            let mut sums = vec![0.0; self.outputs];
            self.add(0, x, &mut sums);
            y.extend(sums.iter().zip(&self.bias).map(|(s, b)| s + b));
        }
        y
    }
}

struct Tower {
    layout: Layout,
    stem: Layer,
    blocks: Vec<[Layer; 2]>,
    policy: Layer,
    value_conv: Layer,
    fc1: Layer,
    fc2: Layer,
}

impl Tower {
    fn new(folded: &Folded, rounding: Rounding) -> Tower {
        let conv = |conv: &Conv| Layer::conv(conv, rounding.tower_weights);
        // The hidden layer reads plane by plane; here the numbers of a square lie together.
        let (planes, squares) = (folded.value_conv.outputs, folded.layout.squares());
        let mut fc1 = folded.fc1.clone();
        for (to, from) in fc1.weight.chunks_exact_mut(fc1.inputs).zip(folded.fc1.weight.chunks_exact(fc1.inputs)) {
            for (i, to) in to.iter_mut().enumerate() {
                *to = from[i % planes * squares + i / planes];
            }
        }
        Tower {
            layout: folded.layout,
            stem: conv(&folded.stem),
            blocks: folded.blocks.iter().map(|[a, b]| [conv(a), conv(b)]).collect(),
            policy: Layer::linear(&folded.policy, rounding.head_weights),
            value_conv: Layer::linear(&folded.value_conv, rounding.head_weights),
            fc1: Layer::linear(&fc1, rounding.head_weights),
            fc2: Layer::linear(&folded.fc2, false),
        }
    }

    fn evaluate(&self, folded: &Folded, packed: &PackedPosition, rounding: Rounding) -> ([f32; 3], Vec<f32>) {
        let (board, squares) = (self.layout.board(), self.layout.squares());
        let mut planes = Planes::default();
        self.layout.expand(packed, &mut planes);
        let dense = planes.dense(self.layout.planes(), squares);
        let planes = self.layout.planes();
        let input: Vec<f32> = (0..squares * planes).map(|i| round(dense[i % planes * squares + i / planes])).collect();
        let activate = |mut x: Vec<f32>| {
            x.iter_mut().for_each(|x| *x = folded.activation.apply(*x));
            x
        };
        let mut x = activate(self.stem.convolve(&input, board));
        for [first, second] in &self.blocks {
            let t = rounded_if(&activate(first.convolve(&rounded_if(&x, rounding.trunk), board)), rounding.inner);
            let skip = rounded_if(&x, rounding.skip);
            let sums = second.convolve(&t, board);
            x = activate(sums.iter().zip(skip).map(|(s, x)| s + x).collect());
        }
        let x = rounded_if(&x, rounding.head_inputs);
        let by_square = self.policy.each(&x);
        let planes = self.policy.outputs;
        let policy = (0..planes * squares).map(|label| by_square[label % squares * planes + label / squares]).collect();
        let reduced = rounded_if(&activate(self.value_conv.each(&x)), rounding.reduced);
        let hidden = activate(self.fc1.each(&reduced));
        (folded.value.probabilities(&self.fc2.each(&hidden)), policy)
    }
}

fn answers(folded: &Folded, sample: &Sample, rounding: Rounding) -> Answers {
    let tower = Tower::new(folded, rounding);
    let mut answers = Answers::default();
    for (i, packed) in sample.positions.iter().enumerate() {
        let (value, policy) = tower.evaluate(folded, packed, rounding);
        answers.value.push(value);
        let logit = |&label: &u16| policy.get(usize::from(label)).copied().unwrap_or(0.0);
        answers.policy.extend(sample.labels_of(i).iter().map(logit));
    }
    answers
}

fn table(file: &str) -> Result<(), TextError> {
    let folded = Folded::new(&yomi_net::open::read(file)?);
    let sample = Sample::of(folded.layout, POSITIONS, Seed::new(9))?;
    let exact = answers(&folded, &sample, NONE);
    println!("{file}, {POSITIONS} positions");
    for (name, rounding) in CASES {
        let rounded = answers(&folded, &sample, rounding);
        let compared = Comparison::new(&sample, &rounded, &exact);
        let pairs = rounded.value.as_flattened().iter().zip(exact.value.as_flattened());
        let squares: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
        let rms = (squares / (3 * POSITIONS) as f64).sqrt();
        println!(
            "  {name:30} values within {:.2e}, rms {rms:.2e}; logits, rms {:.1e}",
            compared.value, compared.policy_relative
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let found = std::fs::read_dir("weights/nets").into_iter().flatten().flatten();
        files = found.map(|file| file.path().display().to_string()).filter(|f| f.ends_with(".safetensors")).collect();
    }
    for file in files {
        if let Err(error) = table(&file) {
            eprintln!("{file}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
