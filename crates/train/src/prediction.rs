//! How well a network predicts the moves and results of games that it has not seen.

use serde::{Deserialize, Serialize};
use yomi_core::TextError;
use yomi_net::backend::{Answers, Backend, Request};
use yomi_net::label::Labels;

use crate::samples::{Kind, Sample};

/// Positions that are asked about at once.
const BATCH: usize = 64;

/// What a network predicts, means over positions. Every label competes, not only those of legal moves, so that the network has to know the
/// rules as well.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Prediction {
    /// Positions that were asked about.
    pub positions: u64,
    /// How often the likeliest move is the one that was played.
    pub first: f64,
    /// How often the one that was played is among the five likeliest.
    pub five: f64,
    /// The cross entropy of the moves, in nats.
    pub policy: f64,
    /// How often the likeliest result is the one that came.
    pub results: f64,
    /// The cross entropy of the results, in nats.
    pub value: f64,
}

/// Asks a network about samples. Of each policy the likeliest move counts as the one that was played.
pub fn measure(backend: &dyn Backend, samples: &[Sample]) -> Result<Prediction, TextError> {
    let labels = Labels::of(backend.layout()).count();
    let all: Vec<u16> = (0..labels).map(|label| label as u16).collect();
    let positions: Vec<&Sample> =
        samples.iter().filter(|sample| sample.kind == Kind::Position && !sample.policy.is_empty()).collect();
    let (mut sum, mut answers) = (Prediction::default(), Answers::default());
    for batch in positions.chunks(BATCH) {
        let packed: Vec<_> = batch.iter().map(|sample| sample.position).collect();
        let wanted = all.repeat(batch.len());
        let ends: Vec<u32> = (1..=batch.len()).map(|i| (i * labels) as u32).collect();
        backend.evaluate(
            Request { positions: &packed, labels: &wanted, ends: &ends, ..Request::default() },
            &mut answers,
        )?;
        for ((sample, logits), value) in batch.iter().zip(answers.policy.chunks(labels)).zip(&answers.value) {
            sum.add(sample, logits, value);
        }
    }
    let mean = |sum: f64| sum / positions.len().max(1) as f64;
    let Prediction { first, five, policy, results, value, .. } = sum;
    Ok(Prediction {
        positions: positions.len() as u64,
        first: mean(first),
        five: mean(five),
        policy: mean(policy),
        results: mean(results),
        value: mean(value),
    })
}

impl Prediction {
    /// Adds what was said of one position.
    fn add(&mut self, sample: &Sample, logits: &[f32], value: &[f32; 3]) {
        let played =
            sample.policy.iter().fold(sample.policy[0], |best, &entry| if entry.1 > best.1 { entry } else { best });
        let Some(&own) = logits.get(usize::from(played.0)) else { return };
        // Equal logits are no prediction: they stand before the move.
        let before = logits.iter().enumerate().filter(|&(i, &x)| i != usize::from(played.0) && x >= own).count();
        self.first += f64::from(u8::from(before == 0));
        self.five += f64::from(u8::from(before < 5));
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let log_sum = f64::from(highest) + logits.iter().map(|&x| f64::from(x - highest).exp()).sum::<f64>().ln();
        self.policy += log_sum - f64::from(own);
        // Records say 0 lost, 1 drawn, 2 won; the head says win, draw, loss.
        let came = value[usize::from(2 - sample.result.min(2))];
        self.results += f64::from(u8::from(value.iter().filter(|&&p| p >= came).count() == 1));
        self.value -= f64::from(came.max(1e-12)).ln();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_net::input::PackedPosition;

    #[test]
    fn moves_and_results_are_counted() {
        let mut sample = Sample::new(1, 0, PackedPosition::EMPTY);
        sample.policy = vec![(2, 0.9), (0, 0.1)];
        sample.result = 2;
        let mut said = Prediction::default();
        said.add(&sample, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.6, 0.0, 0.4]);
        said.add(&sample, &[5.0, 5.0, 1.0, 5.0, 5.0, 5.0], &[0.4, 0.0, 0.6]);
        assert_eq!((said.first, said.five, said.results), (1.0, 1.0, 1.0));
        said.add(&sample, &[5.0, 5.0, 1.0, 5.0, 5.0, 0.0], &[0.4, 0.2, 0.4]);
        assert_eq!((said.first, said.five, said.results), (1.0, 2.0, 1.0));
        let e = std::f64::consts::E;
        let expected =
            ((e + 5.0) / e).ln() + (5.0 * (4f64).exp() + 1.0).ln() + (4.0 * (4f64).exp() + 1.0 + (-1f64).exp()).ln();
        assert!((said.policy - expected).abs() < 1e-5, "{} {expected}", said.policy);
        assert!((said.value + 0.6f64.ln() + 2.0 * 0.4f64.ln()).abs() < 1e-6);
    }
}
