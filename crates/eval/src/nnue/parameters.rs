//! The network as real numbers: what a learner changes, and the slow twin of the whole numbers at work.
//!
//! ```text
//! rows of each side ─► sum of weights ─► clipped to 0..1 ─┐ side to move, other side: 2 x WIDTH
//!                 └──► sum of worths ──────────┐          ▼
//!                                              │   HIDDEN neurons, clipped to 0..1
//!                                              ▼          ▼
//!                          (own - other's)/2 + sum of weights  = ln(p/(1-p)), p the probability to win
//! ```

use yomi_games::shogi::{Kind, Shogi, Variant};

use super::view::{Seer, Shape};
use crate::material::Material;

/// Sums of each side.
pub const WIDTH: usize = 256;
/// Neurons behind them.
pub const HIDDEN: usize = 16;
/// What a logit is worth in the unit of the other evaluations, in which a pawn is 87.
pub const UNIT: f32 = 600.0;

/// Where each group of parameters begins in one long vector.
#[derive(Clone, Copy, Debug)]
pub struct Groups {
    /// Rows of weights.
    pub rows: usize,
}

impl Groups {
    /// Those of a game.
    pub const fn of<V: Variant>() -> Groups {
        Groups { rows: Shape::of::<V>().rows() }
    }
    /// The biases of the sums, after WIDTH weights for each row.
    pub const fn bias(self) -> usize {
        self.rows * WIDTH
    }
    /// What each row is worth by itself.
    pub const fn worth(self) -> usize {
        self.bias() + WIDTH
    }
    /// The weights of each hidden neuron, 2·WIDTH each.
    pub const fn hidden(self) -> usize {
        self.worth() + self.rows
    }
    /// Their biases.
    pub const fn hidden_bias(self) -> usize {
        self.hidden() + HIDDEN * 2 * WIDTH
    }
    /// The weights of the last sum.
    pub const fn last(self) -> usize {
        self.hidden_bias() + HIDDEN
    }
    /// Its bias.
    pub const fn last_bias(self) -> usize {
        self.last() + HIDDEN
    }
    /// All of them.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub const fn len(self) -> usize {
        self.last_bias() + 1
    }
}

/// The value of a position in logits for the side to move, and its gradient: by the definition, in double precision.
pub struct Passage {
    rows: [Vec<u16>; 2],
    /// Sums of the side to move, then of the other side.
    sums: Vec<f64>,
    hidden: [f64; HIDDEN],
    /// The value.
    pub value: f64,
}

fn clipped(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

fn slope(x: f64) -> f64 {
    f64::from(x > 0.0 && x < 1.0)
}

impl Passage {
    /// Goes through the network.
    pub fn new<V: Variant>(parameters: &[f32], position: &Shogi<V>) -> Passage {
        let at = Groups::of::<V>();
        let rows = Seer::new::<V>().rows(position);
        let p = |i: usize| f64::from(parameters[i]);
        let mut sums = Vec::with_capacity(2 * WIDTH);
        for rows in &rows {
            let sum = |i| p(at.bias() + i) + rows.iter().map(|&row| p(usize::from(row) * WIDTH + i)).sum::<f64>();
            sums.extend((0..WIDTH).map(sum));
        }
        let hidden = std::array::from_fn(|j| {
            let weights = at.hidden() + j * 2 * WIDTH;
            p(at.hidden_bias() + j) + sums.iter().enumerate().map(|(i, &x)| p(weights + i) * clipped(x)).sum::<f64>()
        });
        let [own, others] = [0, 1].map(|i| rows[i].iter().map(|&row| p(at.worth() + usize::from(row))).sum::<f64>());
        let last: f64 = hidden.iter().enumerate().map(|(j, &x)| p(at.last() + j) * clipped(x)).sum();
        let value = (own - others) / 2.0 + last + p(at.last_bias());
        Passage { rows, sums, hidden, value }
    }

    /// Hands `coefficient·∂value/∂θ` to `sink`; a parameter may come several times.
    pub fn gradient(&self, at: Groups, parameters: &[f32], coefficient: f64, sink: &mut dyn FnMut(usize, f64)) {
        sink(at.last_bias(), coefficient);
        let mut errors = vec![0.0; 2 * WIDTH];
        for (j, &x) in self.hidden.iter().enumerate() {
            sink(at.last() + j, coefficient * clipped(x));
            let error = coefficient * f64::from(parameters[at.last() + j]) * slope(x);
            sink(at.hidden_bias() + j, error);
            for (i, &y) in self.sums.iter().enumerate() {
                let weight = at.hidden() + j * 2 * WIDTH + i;
                sink(weight, error * clipped(y));
                errors[i] += error * f64::from(parameters[weight]) * slope(y);
            }
        }
        for (side, rows) in self.rows.iter().enumerate() {
            let errors = &errors[side * WIDTH..][..WIDTH];
            errors.iter().enumerate().for_each(|(i, &error)| sink(at.bias() + i, error));
            for &row in rows {
                let row = usize::from(row);
                sink(at.worth() + row, coefficient * if side == 0 { 0.5 } else { -0.5 });
                errors.iter().enumerate().for_each(|(i, &error)| sink(row * WIDTH + i, error));
            }
        }
    }
}

/// What a row is worth to the side that sees it, by material alone and in logits; for each row.
pub fn material<V: Variant>() -> Vec<f32> {
    let shape = Shape::of::<V>();
    let squares = usize::from(V::SIZE) * usize::from(V::SIZE);
    let worth = |kind: usize| Material::worth::<V>(Kind::ALL[kind]) / UNIT;
    let mut features: Vec<f32> = Vec::with_capacity(shape.features());
    for code in 0..28 {
        let sign = if code < 14 { 1.0 } else { -1.0 };
        features.extend(std::iter::repeat_n(sign * worth(code % 14), squares));
    }
    for sign in [1.0, -1.0] {
        for (kind, &count) in V::SET[..7].iter().enumerate() {
            features.extend(std::iter::repeat_n(sign * worth(kind), usize::from(count)));
        }
    }
    features.repeat(shape.buckets)
}
