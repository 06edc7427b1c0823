//! How far the answers of a device may be from those of the CPU before they are held to be wrong and not rounded.

use crate::backend::Answers;
use crate::open::Precision;
use crate::sample::differences;

/// Bounds that rounding stays within: several times what was measured (`docs/networks.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tolerance {
    /// The greatest difference of a probability of win, draw or loss.
    value: f64,
    /// The differences of logits by their size, as roots of mean squares.
    logits: f64,
    /// What logits may differ by whatever their size, since few of them can all be near 0.
    least: f64,
}

impl Tolerance {
    /// For some positions together.
    pub(crate) fn of(precision: Precision) -> Tolerance {
        let (value, logits, least) = match precision {
            Precision::Half => (1e-2, 3e-3, 1e-4),
            Precision::Single => (1e-3, 1e-3, 1e-4),
            // What eight bits change depends on the network, so that only nonsense is wrong.
            Precision::Eight => (0.5, 0.15, 1e-2),
        };
        Tolerance { value, logits, least }
    }

    /// For any one position of very many.
    pub(crate) fn of_one(self) -> Tolerance {
        Tolerance { value: (4.0 * self.value).min(0.9), logits: 4.0 * self.logits, least: 0.1 }
    }

    /// What is wrong with answers, if anything is.
    pub(crate) fn fault(&self, answers: &Answers, expected: &Answers) -> Option<String> {
        let counts = |answers: &Answers| (answers.value.len(), answers.policy.len());
        if counts(answers) != counts(expected) {
            let ((values, logits), (all_values, all_logits)) = (counts(answers), counts(expected));
            return Some(format!("{values} of {all_values} values and {logits} of {all_logits} logits were answered"));
        }
        if answers.not_finite().is_some() || !answers.policy.iter().all(|logit| logit.is_finite()) {
            return Some("answers are not numbers".into());
        }
        let (value, ..) = differences(answers.value.as_flattened(), expected.value.as_flattened());
        if value > self.value {
            return Some(format!("values differ by {value:.1e} from the CPU's"));
        }
        let pairs = || answers.policy.iter().zip(&expected.policy).map(|(&a, &b)| (f64::from(a), f64::from(b)));
        let mean = |squares: f64| (squares / expected.policy.len().max(1) as f64).sqrt();
        let difference = mean(pairs().map(|(a, b)| (a - b) * (a - b)).sum());
        let size = mean(pairs().map(|(_, b)| b * b).sum());
        (difference > self.logits * size + self.least)
            .then(|| format!("logits of size {size:.1e} differ by {difference:.1e} from the CPU's"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(win: f32, logits: [f32; 2]) -> Answers {
        Answers { value: vec![[win, 0.0, 1.0 - win]], policy: logits.to_vec(), ..Answers::default() }
    }

    #[test]
    fn rounding_is_distinguished_from_faults() {
        let right = answers(0.5, [3.0, -4.0]);
        let of = |precision: Precision, answers: Answers| Tolerance::of(precision).fault(&answers, &right);
        for precision in [Precision::Half, Precision::Single, Precision::Eight] {
            assert_eq!(of(precision, answers(0.5001, [3.0001, -4.0001])), None);
            assert!(of(precision, answers(f32::NAN, [3.0, -4.0])).unwrap().contains("not numbers"));
            assert!(of(precision, answers(0.5, [f32::INFINITY, -4.0])).unwrap().contains("not numbers"));
            assert!(of(precision, answers(0.5, [-3.0, 4.0])).unwrap().contains("logits of size 3.5e0 differ by 7.1e0"));
            assert!(of(precision, Answers::default()).unwrap().contains("0 of 1 values and 0 of 2 logits"));
        }
        assert_eq!(of(Precision::Half, answers(0.505, [3.0, -4.0])), None);
        assert!(of(Precision::Single, answers(0.505, [3.0, -4.0])).unwrap().contains("values differ by 5.0e-3"));
        assert_eq!(of(Precision::Half, answers(0.5, [3.005, -4.0])), None);
        assert!(of(Precision::Half, answers(0.5, [3.05, -4.0])).unwrap().contains("logits"));
        assert_eq!(of(Precision::Eight, answers(0.7, [3.1, -4.2])), None);
    }

    /// The only move of a position may have any logit, also one near 0.
    #[test]
    fn one_position_has_more_room() {
        let one = |logit: f32| Answers { value: vec![[0.5, 0.0, 0.5]], policy: vec![logit], ..Answers::default() };
        let half = Tolerance::of(Precision::Half);
        assert!(half.fault(&one(0.03), &one(0.01)).is_some());
        assert_eq!(half.of_one().fault(&one(0.03), &one(0.01)), None);
        assert!(half.of_one().fault(&one(0.3), &one(0.01)).is_some());
        assert!(
            Tolerance::of(Precision::Eight).of_one().fault(&answers(1.0, [0.0; 2]), &answers(0.0, [0.0; 2])).is_some()
        );
    }
}
