//! What is learned: targets of a batch, the loss, and its cotangents on the outputs of a network.

use std::collections::BTreeMap;

use yomi_net::input::PackedPosition;
use yomi_net::symmetry::Symmetry;

use super::tower::Outputs;
use crate::samples::{Kind, Sample};

/// How much each part of the loss counts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Cross entropy of win, draw, loss.
    pub value: f32,
    /// Smooth absolute error of the score in units of ten points.
    pub score: f32,
    /// Squared error of ownership.
    pub ownership: f32,
    /// The policy gradient through leaves (S0.8).
    pub gradient: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { value: 1.0, score: 0.5, ownership: 0.3, gradient: 0.1 }
    }
}

/// What a network should say about a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The position.
    pub position: PackedPosition,
    /// Labels and their probabilities.
    pub policy: Vec<(usize, f32)>,
    /// Probabilities of win, draw, loss.
    pub value: [f32; 3],
    /// The final score, if it is known.
    pub score: Option<f32>,
    /// Who owns each point in the end, if it is known: 1, 0, -1.
    pub owned: Option<Vec<f32>>,
    /// The cotangent of the expected result, of a leaf (S0.8), which has no other target.
    pub pull: Option<f32>,
}

impl Target {
    /// The target of a sample on a board of `squares` squares; `search_share` of the value is what the search thought.
    pub fn new(sample: &Sample, search_share: f32, squares: usize) -> Target {
        if sample.kind == Kind::Leaf {
            let pull = Some(sample.value);
            return Target {
                position: sample.position,
                policy: Vec::new(),
                value: [0.0; 3],
                score: None,
                owned: None,
                pull,
            };
        }
        let total: f32 = sample.policy.iter().map(|&(_, p)| p).sum();
        let policy = sample.policy.iter().map(|&(label, p)| (usize::from(label), p / total.max(1e-6))).collect();
        let thought = [(1.0 + sample.value) / 2.0, 0.0, (1.0 - sample.value) / 2.0];
        let value = std::array::from_fn(|i| {
            // Records say 0 lost, 1 drawn, 2 won; the head says win, draw, loss.
            let result = f32::from(u8::from(i == usize::from(2 - sample.result.min(2))));
            (1.0 - search_share) * result + search_share * thought[i]
        });
        let bit = |side: usize, point: usize| f32::from(sample.owned[side][point / 8] >> (point % 8) & 1);
        let owned = (0..squares).map(|point| if point < 361 { bit(0, point) - bit(1, point) } else { 0.0 }).collect();
        Target {
            position: sample.position,
            policy,
            value,
            score: sample.scored.then_some(sample.score),
            owned: sample.scored.then_some(owned),
            pull: None,
        }
    }

    /// The same target where everything is seen under a symmetry: what a game is worth does not change.
    pub fn seen(&self, symmetry: &Symmetry) -> Target {
        Target {
            position: symmetry.packed(&self.position),
            policy: self.policy.iter().map(|&(label, p)| (symmetry.label(label), p)).collect(),
            owned: self.owned.as_ref().map(|owned| symmetry.board(owned)),
            ..*self
        }
    }
}

/// The parts of the loss, means over the batch, and the cotangents of their weighted sum.
pub fn loss(outputs: &Outputs, targets: &[Target], weights: Weights) -> (BTreeMap<String, f64>, Outputs) {
    let count = targets.len();
    let mean = 1.0 / count as f32;
    let (labels, squares) = (outputs.policy.len() / count, outputs.ownership.len() / count);
    let mut parts = [0f64; 5];
    let mut back = Outputs {
        policy: Vec::with_capacity(outputs.policy.len()),
        value: Vec::with_capacity(outputs.value.len()),
        score: Vec::with_capacity(outputs.score.len()),
        ownership: Vec::with_capacity(outputs.ownership.len()),
    };
    for (i, target) in targets.iter().enumerate() {
        let logs = log_softmax(&outputs.policy[i * labels..][..labels]);
        let mass: f32 = target.policy.iter().map(|&(_, p)| p).sum();
        let start = back.policy.len();
        back.policy.extend(logs.iter().map(|log| mean * mass * log.exp()));
        for &(label, p) in &target.policy {
            parts[0] -= f64::from(p * logs[label]);
            back.policy[start + label] -= mean * p;
        }
        let logs = log_softmax(&outputs.value[i * 3..][..3]);
        let mass: f32 = target.value.iter().sum();
        for (log, p) in logs.iter().zip(target.value) {
            parts[1] -= f64::from(p * log);
            back.value.push(mean * weights.value * (mass * log.exp() - p));
        }
        if let Some(pull) = target.pull {
            // S0.8: what is to grow is pull·v with v = p_win - p_loss, and ∂v/∂logit_i = p_i·(s_i - v) with s = 1, 0, -1.
            let [win, draw, loss] = [logs[0].exp(), logs[1].exp(), logs[2].exp()];
            let value = win - loss;
            parts[4] -= f64::from(pull * value);
            let start = back.value.len() - 3;
            for (i, d) in [win * (1.0 - value), draw * (0.0 - value), loss * (-1.0 - value)].into_iter().enumerate() {
                back.value[start + i] -= mean * weights.gradient * pull * d;
            }
        }
        if let Some(&score) = outputs.score.get(i) {
            let error = target.score.map_or(0.0, |target| (score - target) / 10.0);
            parts[2] += f64::from(if error.abs() < 1.0 { 0.5 * error * error } else { error.abs() - 0.5 });
            back.score.push(mean * weights.score * error.clamp(-1.0, 1.0) / 10.0);
        }
        for (point, &x) in outputs.ownership[i * squares..][..squares].iter().enumerate() {
            let said = x.tanh();
            let error = target.owned.as_ref().map_or(0.0, |owned| said - owned[point]);
            parts[3] += f64::from(error * error) / squares as f64;
            back.ownership.push(mean * weights.ownership * 2.0 * error * (1.0 - said * said) / squares as f32);
        }
    }
    let name = |(name, part): (&str, f64)| (name.to_string(), part / count as f64);
    let mut named: BTreeMap<String, f64> = [("policy", parts[0]), ("value", parts[1])].map(name).into();
    if !outputs.score.is_empty() {
        named.extend([name(("score", parts[2]))]);
    }
    if targets.iter().any(|target| target.pull.is_some()) {
        named.extend([name(("gradient", parts[4]))]);
    }
    if squares > 0 {
        named.extend([name(("ownership", parts[3]))]);
    }
    (named, back)
}

/// The weighted sum of the parts.
pub fn total(parts: &BTreeMap<String, f64>, weights: Weights) -> f64 {
    let weight = |name: &str| match name {
        "value" => f64::from(weights.value),
        "score" => f64::from(weights.score),
        "ownership" => f64::from(weights.ownership),
        "gradient" => f64::from(weights.gradient),
        _ => 1.0,
    };
    parts.iter().map(|(name, part)| weight(name) * part).sum()
}

fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|x| (x - most).exp()).sum();
    logits.iter().map(|x| x - most - sum.ln()).collect()
}
