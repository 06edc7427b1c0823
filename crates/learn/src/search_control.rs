//! Search control by policy gradient (S3): how the simulation policy θ changes what a move is worth.
//!
//! A branch survives with probability `P_sv = g(P'; μ,τ)` of its cumulative selection probability P', the product of π'(θ) along the line
//! (S3.2). A move is worth `E*(a,u) = Σ_leaf Π π·P_sv·V(leaf)`. Its derivative has three parts: by the static values of leaves (as in
//! [`crate::pg_tree`]), by the survival of branches, and from there by θ, because `∂P_sv/∂θ = g'(P')·P'·Σ_j ∂ln π'(a^j)/∂θ` over the moves
//! of the line. Both [`Expected`] (S3.3, all lines) and [`principal`] (S3.4, principal variations) yield a [`Slope`]; [`theta`] turns its
//! survival part into the gradient of θ.

use yomi_core::{Move, Position};

use crate::frozen::{Below, Frozen};
use crate::model::Control;
use crate::policy::boltzmann;

/// S3.2: `g(x; μ,τ) = 1/(1 + exp(-(x - μ)/τ))`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Survival {
    /// A branch of this cumulative probability survives half the time.
    pub mu: f64,
    /// How sharply survival changes there.
    pub tau: f64,
}

impl Survival {
    /// `P_sv`.
    pub fn at(&self, cumulative: f64) -> f64 {
        1.0 / (1.0 + (-(cumulative - self.mu) / self.tau).exp())
    }

    /// `dg/dx`.
    pub fn slope(&self, cumulative: f64) -> f64 {
        let s = self.at(cumulative);
        s * (1.0 - s) / self.tau
    }
}

/// Whether the move policy inside the tree is differentiated through as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choices {
    /// No: `∂P/∂θ = P·Σ_d ∂ln P_sv(a^d)/∂θ`, as S3.3 is printed.
    Fixed,
    /// Yes: π_a depends on what moves are worth, and that on survival. The whole derivative.
    Learned,
}

/// How the weighted worth of the root's moves changes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Slope {
    /// With the value of leaves, for the player who moved into them.
    pub leaves: Vec<(usize, f64)>,
    /// With `ln π'` of the move into each node.
    pub moves: Vec<(usize, f64)>,
}

/// S3.2: P' of every node, and P_sv of every one but the root.
pub fn survivals(tree: &Frozen, how: Survival) -> (Vec<f64>, Vec<f64>) {
    let mut cumulative = vec![1.0; tree.nodes.len()];
    let mut survival = vec![1.0; tree.nodes.len()];
    for at in 1..tree.nodes.len() {
        cumulative[at] = cumulative[tree.nodes[at].parent as usize] * tree.priors[at];
        survival[at] = how.at(cumulative[at]);
    }
    (cumulative, survival)
}

/// The exact worth of nodes under survival (S3.2, S3.3).
pub struct Expected {
    cumulative: Vec<f64>,
    survival: Vec<f64>,
    /// Of each node for the player who moved into it, its own survival not counted.
    values: Vec<f64>,
}

impl Expected {
    /// Computes every node from its children: `E(u) = Σ_a π(a)·P_sv(a)·E*(a)`, π of the tree's backup.
    pub fn of(tree: &Frozen, how: Survival) -> Expected {
        let (cumulative, survival) = survivals(tree, how);
        let mut values = tree.values.clone();
        for at in (1..tree.nodes.len()).rev() {
            if let Below::Children { .. } = tree.nodes[at].below {
                let choices = &values[tree.children(at)];
                let pi = tree.rules.backup_probabilities(tree.nodes[at].depth, choices);
                let terms = pi.iter().zip(tree.children(at)).filter(|(p, _)| **p > 0.0);
                values[at] = 0.0 - terms.map(|(p, child)| p * survival[child] * values[child]).sum::<f64>();
            }
        }
        Expected { cumulative, survival, values }
    }

    /// `E*(a,u)` of the root's moves, for the side that chooses.
    pub fn choices(&self, tree: &Frozen) -> Vec<f64> {
        let worth = |child: usize| match self.values[child] {
            f64::NEG_INFINITY => f64::NEG_INFINITY,
            value => self.survival[child] * value,
        };
        tree.children(0).map(worth).collect()
    }

    /// S3.3: the slope of `Σ weights·E*(a)` over the whole tree.
    pub fn slope(&self, tree: &Frozen, how: Survival, weights: &[f64], choices: Choices) -> Slope {
        let count = tree.nodes.len();
        // By the worth of each node, and by its survival.
        let (mut by_value, mut by_survival) = (vec![0.0; count], vec![0.0; count]);
        let worth = |at: usize| if self.values[at] == f64::NEG_INFINITY { 0.0 } else { self.values[at] };
        for (child, weight) in tree.children(0).zip(weights) {
            by_value[child] = weight * self.survival[child];
            by_survival[child] = weight * worth(child);
        }
        let mut leaves = Vec::new();
        for at in 1..count {
            let k = by_value[at];
            match tree.nodes[at].below {
                Below::Constant => {}
                _ if k == 0.0 => {}
                Below::Leaf => leaves.push((at, k)),
                Below::Children { .. } => {
                    let (depth, family) = (tree.nodes[at].depth, tree.children(at));
                    let values = &self.values[family.clone()];
                    let pi = tree.rules.backup_probabilities(depth, values);
                    let t = tree.rules.backup_temperature(depth, values);
                    let mean: f64 = pi.iter().zip(family.clone()).map(|(p, c)| p * self.survival[c] * worth(c)).sum();
                    for (p, child) in pi.into_iter().zip(family) {
                        let own = self.survival[child] * worth(child);
                        let bracket = match choices {
                            Choices::Learned if t > 0.0 => (own - mean) / t,
                            _ => 0.0,
                        };
                        by_value[child] = 0.0 - k * p * (self.survival[child] + bracket);
                        by_survival[child] = 0.0 - k * p * worth(child);
                    }
                }
            }
        }
        Slope { leaves, moves: along_lines(tree, how, &self.cumulative, by_survival) }
    }
}

/// From slopes by the survival of nodes to slopes by `ln π'` of moves: `∂P_sv/∂ln π'(a^j) = g'(P')·P'` for every move of the line.
fn along_lines(tree: &Frozen, how: Survival, cumulative: &[f64], mut by_survival: Vec<f64>) -> Vec<(usize, f64)> {
    for at in (1..tree.nodes.len()).rev() {
        by_survival[at] *= how.slope(cumulative[at]) * cumulative[at];
    }
    // Children come after their parents: whatever happens below a move happens on its line.
    for at in (1..tree.nodes.len()).rev() {
        let parent = tree.nodes[at].parent as usize;
        if parent != 0 {
            by_survival[parent] += by_survival[at];
        }
    }
    by_survival.into_iter().enumerate().skip(1).filter(|(_, x)| *x != 0.0).collect()
}

/// S3.4, PGLeaf: `E*(a) ≈ P(u*)·V(u*)`, `P(u*) = Π P_sv` over the principal variation of each move, for the side that chooses.
pub fn principal_values(tree: &Frozen, how: Survival) -> Vec<f64> {
    let (_, survival) = survivals(tree, how);
    let worth = |child: usize| {
        let leaf = tree.principal_leaf(child);
        if tree.values[leaf].is_infinite() {
            return tree.values[child];
        }
        side(tree, child, leaf) * tree.values[leaf] * tree.ancestors(leaf).map(|at| survival[at]).product::<f64>()
    };
    tree.children(0).map(worth).collect()
}

/// S3.4: the slope of `Σ weights·E*(a)` along the principal variations alone. `∂ln P/∂θ = Σ_d e''(a^d)`, `e'' = (P'/P_sv)·g'(P')·Σ_j ∂ln π'`.
pub fn principal(tree: &Frozen, how: Survival, weights: &[f64]) -> Slope {
    let (cumulative, survival) = survivals(tree, how);
    let mut slope = Slope::default();
    let mut by_move = std::collections::BTreeMap::new();
    for (child, &weight) in tree.children(0).zip(weights).filter(|(_, weight)| **weight != 0.0) {
        let leaf = tree.principal_leaf(child);
        if tree.values[leaf].is_infinite() {
            continue;
        }
        let reached: f64 = tree.ancestors(leaf).map(|at| survival[at]).product();
        let sign = side(tree, child, leaf);
        if tree.nodes[leaf].below == Below::Leaf {
            slope.leaves.push((leaf, sign * weight * reached));
        }
        let worth = sign * weight * reached * tree.values[leaf];
        // The survival of a node depends on its own move and all before it: sums from the leaf upwards.
        let mut below = 0.0;
        for at in tree.ancestors(leaf) {
            below += cumulative[at] / survival[at] * how.slope(cumulative[at]);
            *by_move.entry(at).or_insert(0.0) += worth * below;
        }
    }
    slope.moves = by_move.into_iter().collect();
    slope
}

/// Values are for the player who moved into a node; of the leaf for the one who moved into the root's child.
fn side(tree: &Frozen, child: usize, leaf: usize) -> f64 {
    if (tree.nodes[leaf].depth - tree.nodes[child].depth).is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// `Σ coefficient·∂ln π'(move)/∂θ` over moves of the tree, `∂ln π'(a)/∂θ_i = f_i(a) - Σ_x π'(x)·f_i(x)` (S3.1 with T' = 1), to `sink` by
/// the place among all parameters. Siblings are looked at together.
pub fn theta<P: Position>(
    tree: &Frozen,
    root: &P,
    control: &Control<P>,
    moves: &[(usize, f64)],
    sink: &mut dyn FnMut(usize, f64),
) {
    let mut moves = moves.to_vec();
    moves.sort_by_key(|&(at, _)| (tree.nodes[at].parent, at));
    for family in moves.chunk_by(|a, b| tree.nodes[a.0].parent == tree.nodes[b.0].parent) {
        let parent = tree.nodes[family[0].0].parent as usize;
        let siblings = tree.children(parent);
        let total: f64 = family.iter().map(|(_, x)| x).sum();
        let mut coefficients: Vec<f64> = siblings.clone().map(|at| 0.0 - total * tree.priors[at]).collect();
        family.iter().for_each(|(at, x)| coefficients[at - siblings.start] += x);
        let (position, last, listed) = family_of(tree, root, parent);
        (control.features)(&position, last, &listed, &mut |mv, feature, x| {
            sink(control.theta.start + feature, coefficients[mv] * f64::from(x));
        });
    }
}

/// The position of an inner node, the move that led there, and its moves as the tree has them.
fn family_of<P: Position>(tree: &Frozen, root: &P, parent: usize) -> (P, Option<P::Move>, Vec<P::Move>) {
    let last = (parent != 0).then(|| P::Move::from_bits(tree.nodes[parent].mv));
    let listed = tree.children(parent).map(|at| P::Move::from_bits(tree.nodes[at].mv)).collect();
    (tree.position(root, parent), last, listed)
}

/// Computes π' of every move of the tree in double precision, from θ as it is now.
pub fn judge_moves<P: Position>(tree: &mut Frozen, root: &P, control: &Control<P>, parameters: &[f64]) {
    let weights = &parameters[control.theta.clone()];
    for parent in 0..tree.nodes.len() {
        let siblings = tree.children(parent);
        if siblings.is_empty() {
            continue;
        }
        let (position, last, listed) = family_of(tree, root, parent);
        let mut judged = vec![0.0; listed.len()];
        (control.features)(&position, last, &listed, &mut |mv, feature, x| {
            judged[mv] += weights[feature] * f64::from(x);
        });
        tree.priors[siblings].copy_from_slice(&boltzmann(&judged, 1.0));
    }
}

/// `∂ln π_a(played)/∂ln T_a = -(1/T_a)·(E*(a_t) - Σ π_a·E*)`: the temperature of the move policy as a parameter (S0.4).
pub fn temperature_slope(values: &[f64], t_a: f64, played: usize) -> f64 {
    let pi = boltzmann(values, t_a);
    if !values[played].is_finite() {
        return 0.0;
    }
    (crate::policy::expectation(&pi, values) - values[played]) / t_a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_survival_and_temperature() {
        let how = Survival { mu: 0.1, tau: 0.03 };
        for x in [0.02, 0.1, 0.3] {
            let slope = (how.at(x + 1e-6) - how.at(x - 1e-6)) / 2e-6;
            assert!((slope - how.slope(x)).abs() < 1e-6 * slope.abs().max(1.0), "{x}");
        }
        let values = [10.0, -5.0, f64::NEG_INFINITY, 22.0];
        let log_policy = |ln_t: f64| boltzmann(&values, ln_t.exp())[1].ln();
        let (at, h) = (30.0f64.ln(), 1e-5);
        let slope = (log_policy(at + h) - log_policy(at - h)) / (2.0 * h);
        assert!((slope - temperature_slope(&values, 30.0, 1)).abs() < 1e-8);
    }
}
