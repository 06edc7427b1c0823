//! The oracle: every layer written as its definition, in f32, over dense planes.

use crate::evaluation::Evaluations;
use crate::fold::{Conv, Folded, Linear};
use crate::input::{PackedPosition, Planes};

/// Evaluates positions one by one, slowly and obviously right.
pub fn evaluate(network: &Folded, positions: &[PackedPosition]) -> Evaluations {
    let mut answers = Evaluations::default();
    let (labels, squares) = (network.labels.count(), network.layout.squares());
    answers.resize(positions.len(), labels, squares, network.score.is_some(), network.ownership.is_some());
    for (i, packed) in positions.iter().enumerate() {
        let mut planes = Planes::default();
        network.layout.expand(packed, &mut planes);
        evaluate_planes(network, &planes.dense(network.layout.planes(), squares), i, &mut answers);
    }
    answers
}

/// Writes the answer to dense planes in place `i`.
fn evaluate_planes(network: &Folded, planes: &[f32], i: usize, answers: &mut Evaluations) {
    let (board, squares) = (network.layout.board(), network.layout.squares());
    let activate = |values: &mut [f32]| values.iter_mut().for_each(|x| *x = network.activation.apply(*x));
    let mut x = conv(&network.stem, planes, board);
    activate(&mut x);
    for [first, second] in &network.blocks {
        let mut t = conv(first, &x, board);
        activate(&mut t);
        let mut y = conv(second, &t, board);
        y.iter_mut().zip(&x).for_each(|(y, x)| *y += x);
        activate(&mut y);
        x = y;
    }
    let policy = &mut answers.policy[i * answers.labels..][..answers.labels];
    let planes = on_each_square(&network.policy, &x, squares);
    policy[..planes.len()].copy_from_slice(&planes);
    if let Some(pass) = &network.pass {
        let mean: Vec<f32> = x.chunks_exact(squares).map(|plane| plane.iter().sum::<f32>() / squares as f32).collect();
        policy[planes.len()] = linear(pass, &mean)[0];
    }
    policy.iter_mut().zip(&network.label_bias).for_each(|(logit, bias)| *logit += bias);
    let mut reduced = on_each_square(&network.value_conv, &x, squares);
    activate(&mut reduced);
    let mut hidden = linear(&network.fc1, &reduced);
    activate(&mut hidden);
    answers.value[i] = network.value.probabilities(&linear(&network.fc2, &hidden));
    if let Some(score) = &network.score {
        answers.score[i] = linear(score, &hidden)[0];
    }
    if let Some(ownership) = &network.ownership {
        let owned = on_each_square(ownership, &x, squares);
        for (to, from) in answers.ownership[i * squares..].iter_mut().zip(owned) {
            *to = from.tanh();
        }
    }
}

/// A convolution; `x` is plane by plane.
pub fn conv(conv: &Conv, x: &[f32], board: usize) -> Vec<f32> {
    let squares = board * board;
    let mut y = vec![0.0; conv.outputs * squares];
    for output in 0..conv.outputs {
        for row in 0..board {
            for column in 0..board {
                let mut sum = conv.bias[output];
                for input in 0..conv.inputs {
                    for tap in 0..9 {
                        // The tap's square, one more than it is: 0 lies above or to the left of the board.
                        let (r, c) = (row + tap / 3, column + tap % 3);
                        if (1..=board).contains(&r) && (1..=board).contains(&c) {
                            let weight = conv.weight[(output * conv.inputs + input) * 9 + tap];
                            sum += weight * x[input * squares + (r - 1) * board + c - 1];
                        }
                    }
                }
                y[output * squares + row * board + column] = sum;
            }
        }
    }
    y
}

/// A linear layer applied to the planes of each square.
fn on_each_square(layer: &Linear, x: &[f32], squares: usize) -> Vec<f32> {
    let mut y = vec![0.0; layer.outputs * squares];
    for square in 0..squares {
        let column: Vec<f32> = (0..layer.inputs).map(|input| x[input * squares + square]).collect();
        for (output, value) in linear(layer, &column).into_iter().enumerate() {
            y[output * squares + square] = value;
        }
    }
    y
}

/// A linear layer.
pub fn linear(layer: &Linear, x: &[f32]) -> Vec<f32> {
    let rows = layer.weight.chunks_exact(layer.inputs);
    rows.zip(&layer.bias).map(|(row, bias)| bias + row.iter().zip(x).map(|(w, x)| w * x).sum::<f32>()).collect()
}
