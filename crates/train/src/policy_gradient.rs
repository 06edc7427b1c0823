//! S0.8 with a network as evaluation: the policy gradient goes through the tree of a search to its leaves, and from there, as cotangents on
//! the value head, through the tower.
//!
//! A learner plays `π ∝ exp(E*/T_a)` over the values that its search found. `∂ ln π(played)/∂ω` is a sum over the leaves of the tree, each
//! with the product of brackets above it ([`yomi_learn::pg_tree`]); the network's gradient of that sum is one backward pass.

use yomi_core::{Line, Move, TextError};
use yomi_learn::frozen::Frozen;
use yomi_learn::pg_tree::{Replies, spread};
use yomi_learn::policy::eligibility;
use yomi_net::architecture::Value;
use yomi_net::input::{Encode, PackedPosition};

use crate::trainer::native::Student;
use crate::trainer::native::tower::{Gradients, Outputs};

/// A leaf of a search: a position, and by how much what is learned changes with its value for its side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    /// The position.
    pub position: PackedPosition,
    /// Its coefficient.
    pub coefficient: f32,
}

/// S0.7: the leaves of `∂ ln π(played)/∂ω` for a search from the end of `line`. Branches whose coefficient is at most `least` are left out.
pub fn leaves<P: Encode>(tree: &Frozen, line: &Line<P>, played: P::Move, t_a: f64, least: f64) -> Vec<Leaf> {
    let Some(at) = tree.children(0).position(|child| tree.nodes[child].mv == played.to_bits()) else {
        return Vec::new();
    };
    let weights = eligibility(tree.choices(0), t_a, at);
    let leaf = |(at, coefficient): (usize, f64)| {
        let position = tree.position(line.position(), at);
        // The tree's value is for the player who moved into the leaf, the network's for its side to move.
        Leaf { position: position.pack(position.turn()), coefficient: (0.0 - coefficient) as f32 }
    };
    spread(tree, &weights, Replies::Learned, least).into_iter().map(leaf).collect()
}

/// `Σ coefficient · ∂v/∂ω` over leaves, v being the expected result that the network answers searches with.
pub fn gradient(student: &Student, leaves: &[Leaf], threads: usize) -> Result<Gradients, TextError> {
    if student.architecture.value != Value::WinDrawLoss {
        return Err(TextError::new("the value head must say win, draw and loss"));
    }
    let positions: Vec<_> = leaves.iter().map(|leaf| leaf.position).collect();
    let tower = student.as_asked(threads);
    let tape = tower.forward(student.layout, &positions);
    let mut cotangents = Outputs {
        policy: vec![0.0; tape.outputs.policy.len()],
        value: Vec::with_capacity(tape.outputs.value.len()),
        score: vec![0.0; tape.outputs.score.len()],
        ownership: vec![0.0; tape.outputs.ownership.len()],
    };
    for (leaf, logits) in leaves.iter().zip(tape.outputs.value.chunks_exact(3)) {
        let [win, draw, loss] = student.architecture.value.probabilities(logits);
        let value = win - loss;
        // ∂(p_win - p_loss)/∂logit_i = p_i·(s_i - v) with s = 1, 0, -1.
        let back = [win * (1.0 - value), draw * (0.0 - value), loss * (-1.0 - value)];
        cotangents.value.extend(back.map(|d| leaf.coefficient * d));
    }
    Ok(tower.backward(&tape, &cotangents))
}

/// The expected results that the network answers for positions, as searches see them.
pub fn values(student: &Student, positions: &[PackedPosition], threads: usize) -> Vec<f32> {
    let tape = student.as_asked(threads).forward(student.layout, positions);
    let value = |logits: &[f32]| {
        let [win, _, loss] = student.architecture.value.probabilities(logits);
        win - loss
    };
    tape.outputs.value.chunks_exact(3).map(value).collect()
}
