//! TD-leaf(λ) (Baxter, Tridgell and Weaver 1998): the value at the end of the principal variation moves towards later ones.
//!
//! `Δω = Σ_t ∂p_t/∂ω·Σ_{j≥t} λ^(j-t)·d_j`, `d_t = p_{t+1} - p_t`, where p is the probability that Black wins, `σ(E/K)` at the principal leaf, and
//! the last p is the result.

use yomi_core::{Color, Outcome, Position};

use super::{Method, Note, Searched, score, win_probability};
use crate::frozen::Below;
use crate::model::Model;

/// TD-leaf(λ).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TdLeaf {
    /// λ.
    pub lambda: f64,
    /// K, where values become probabilities.
    pub k: f64,
}

impl<P: Position, M: Model<P>> Method<P, M> for TdLeaf {
    fn name(&self) -> &'static str {
        "td-leaf"
    }

    fn note(&self, searched: &mut Searched<'_, '_, P, M>) -> Note {
        let tree = searched.tree;
        let leaf = tree.principal_leaf(0);
        // Values are for the player who moved into a node: for the side to move at the root after an odd number of plies.
        let sign = if tree.nodes[leaf].depth.is_multiple_of(2) { -1.0 } else { 1.0 };
        let value = sign * tree.values[leaf];
        if tree.nodes[leaf].below == Below::Leaf {
            searched.add(&[(leaf, sign)]);
        }
        searched.note(value, 0.0)
    }

    fn credits(&self, notes: &[Note], outcome: Outcome, _: &[usize]) -> Vec<f64> {
        let side = |note: &Note| if note.turn == Color::Black { 1.0 } else { -1.0 };
        let probability = |note: &Note| win_probability(side(note) * note.value, self.k);
        let (mut next, mut differences) = (score(outcome, Color::Black), 0.0);
        let mut credits = Vec::with_capacity(notes.len());
        for note in notes.iter().rev() {
            let p = probability(note);
            differences = (next - p) + self.lambda * differences;
            next = p;
            // ∂p/∂E = p(1 - p)/K, and E is the negative for White.
            credits.push(side(note) * p * (1.0 - p) / self.k * differences);
        }
        credits.reverse();
        credits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient_sum::Sparse;
    use crate::model::Table;
    use yomi_core::toy::Nim;

    /// By hand, λ = 1/2: Black thinks nothing, White thinks it is ahead, Black wins.
    #[test]
    fn differences_are_carried_back() {
        let note = |turn, value| Note { turn, value, loss: 0.0, direction: Sparse::default() };
        let notes = [note(Color::Black, 0.0), note(Color::White, 100.0)];
        let method = TdLeaf { lambda: 0.5, k: 100.0 };
        let credits = Method::<Nim, Table>::credits(&method, &notes, Outcome::Win(Color::Black), &[2, 1]);
        let p = 1.0 / (1.0 + 1.0f64.exp());
        let last = 1.0 - p;
        let first = (p - 0.5) + 0.5 * last;
        assert!((credits[1] + p * (1.0 - p) / 100.0 * last).abs() < 1e-12);
        assert!((credits[0] - 0.25 / 100.0 * first).abs() < 1e-12);
    }
}
