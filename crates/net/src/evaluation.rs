//! What a backend answers.

/// The answers to a batch of positions, for the side to move of each.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluations {
    /// How many labels each position has.
    pub labels: usize,
    /// How many squares each position has.
    pub squares: usize,
    /// Logits of the policy, position by position ([`Evaluations::policy_of`]).
    pub policy: Vec<f32>,
    /// Probabilities of win, draw and loss.
    pub value: Vec<[f32; 3]>,
    /// The final score in points; empty if the network has no such head.
    pub score: Vec<f32>,
    /// Who will own each point, from -1 (the opponent) to 1; empty if the network has no such head.
    pub ownership: Vec<f32>,
}

impl Evaluations {
    /// Room for `positions` answers; what was there is overwritten.
    pub(crate) fn resize(&mut self, positions: usize, labels: usize, squares: usize, score: bool, ownership: bool) {
        (self.labels, self.squares) = (labels, squares);
        self.policy.resize(positions * labels, 0.0);
        self.value.resize(positions, [0.0; 3]);
        self.score.resize(if score { positions } else { 0 }, 0.0);
        self.ownership.resize(if ownership { positions * squares } else { 0 }, 0.0);
    }

    /// How many positions were judged.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The logits of one position, by label.
    pub fn policy_of(&self, position: usize) -> &[f32] {
        &self.policy[position * self.labels..][..self.labels]
    }

    /// Replaces `priors` by the probabilities of some labels, those of the legal moves: softmax over them alone.
    pub fn priors(&self, position: usize, labels: impl IntoIterator<Item = usize>, priors: &mut Vec<f32>) {
        let logits = self.policy_of(position);
        priors.clear();
        priors.extend(labels.into_iter().map(|label| logits[label]));
        softmax(priors);
    }

    /// The expected result for the side to move, from -1 to 1.
    pub fn expectation(&self, position: usize) -> f32 {
        let [win, _, loss] = self.value[position];
        win - loss
    }
}

/// Makes probabilities of logits. If no number is finite, all are equally likely.
pub(crate) fn softmax(logits: &mut [f32]) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum: f32 = logits.iter().sum();
    let even = 1.0 / logits.len().max(1) as f32;
    logits.iter_mut().for_each(|x| *x = if sum.is_finite() && sum > 0.0 { *x / sum } else { even });
}
