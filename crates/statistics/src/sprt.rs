//! The sequential probability ratio test: is the difference elo0, or is it elo1?

use std::fmt;

use yomi_core::TextError;

use super::elo::{NORMALIZED, score_of_elo};
use super::likelihood::{log_ratio, with_effect, with_score};
use super::tally::Tally;

/// What the two hypotheses are measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Normalized Elo: the number of games does not depend on how many are drawn.
    Normalized,
    /// The usual Elo of expected scores.
    Logistic,
}

impl Model {
    /// Hypotheses further from zero than this are refused. The normalized condition has no solution everywhere beyond about 230;
    /// such players differ so clearly that no sequential test is needed.
    pub fn limit(self) -> f64 {
        match self {
            Model::Normalized => 200.0,
            Model::Logistic => 1000.0,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
        })
    }
}

/// What a test says of the games so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Play on.
    Continue,
    /// The difference is elo0 rather than elo1.
    AcceptH0,
    /// The difference is elo1 rather than elo0.
    AcceptH1,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::Continue => "continue",
            Decision::AcceptH0 => "H0 accepted",
            Decision::AcceptH1 => "H1 accepted",
        })
    }
}

/// A sequential test of two hypotheses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    model: Model,
    elo: [f64; 2],
    alpha: f64,
    beta: f64,
}

impl Sprt {
    /// A test of `elo0` against the greater `elo1`, which accepts H1 under H0 with probability `alpha` and H0 under H1 with probability
    /// `beta`.
    pub fn new(model: Model, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, TextError> {
        let limit = model.limit();
        if !(-limit..=limit).contains(&elo0) || !(-limit..=limit).contains(&elo1) {
            return Err(TextError::new(format!(
                "the hypotheses of the {model} model lie between -{limit} and {limit}, not at {elo0} and {elo1}"
            )));
        }
        if elo1 - elo0 < 1e-3 {
            return Err(TextError::new(format!(
                "elo1 must be greater than elo0 by a thousandth at least: {elo0}, {elo1}"
            )));
        }
        for (name, risk) in [("alpha", alpha), ("beta", beta)] {
            if !(1e-9..0.5).contains(&risk) {
                return Err(TextError::new(format!("{name} is a risk between 0.000000001 and 0.5, not {risk}")));
            }
        }
        Ok(Sprt { model, elo: [elo0, elo1], alpha, beta })
    }

    /// What the hypotheses are measured in.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The two hypotheses.
    pub fn hypotheses(&self) -> [f64; 2] {
        self.elo
    }

    /// The risks: of accepting H1 under H0, and H0 under H1.
    pub fn risks(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// Wald's bounds: ln(β/(1-α)) below, ln((1-β)/α) above.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The logarithm of the generalized likelihood ratio of H1 over H0. 0 without games.
    pub fn log_likelihood_ratio(&self, tally: &Tally) -> f64 {
        if tally.is_empty() {
            return 0.0;
        }
        let observed = tally.softened();
        let [q0, q1] = self.elo.map(|elo| match self.model {
            Model::Logistic => with_score(&observed, score_of_elo(elo)),
            Model::Normalized => with_effect(&observed, elo / NORMALIZED * (tally.games_a_sample() as f64).sqrt()),
        });
        log_ratio(&observed, &q0, &q1)
    }

    /// What follows from a log-likelihood ratio.
    pub fn decide(&self, ratio: f64) -> Decision {
        let [lower, upper] = self.bounds();
        if ratio >= upper {
            Decision::AcceptH1
        } else if ratio <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }
}

/// The normalized log-likelihood ratio without solving anything: (G/2)·ln[(1+(n-n0)²) / (1+(n-n1)²)], n = (μ-1/2)/σ, for G games. A
/// check for the eye, good for small differences.
pub fn cheap_normalized_ratio(tally: &Tally, elo0: f64, elo1: f64) -> f64 {
    let observed = tally.softened();
    let per_game = (tally.games_a_sample() as f64).sqrt();
    let n = (observed.mean() - 0.5) / (observed.variance().sqrt() * per_game);
    let distance = |elo: f64| 1.0 + (n - elo / NORMALIZED).powi(2);
    tally.len() as f64 / 2.0 * (distance(elo0) / distance(elo1)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Model::{Logistic, Normalized};
    use proptest::prelude::*;

    fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(model, elo0, elo1, 0.05, 0.05).unwrap()
    }

    /// The values of the tests of fastchess; their tolerance is 1 %, ours half a unit of the last printed digit.
    #[test]
    fn agrees_with_fastchess() {
        let rows = [
            (Normalized, Tally::games(36433, 68692, 36027), 0.0, 2.0, 0.92),
            (Normalized, Tally::games(10871, 20431, 10650), -1.75, 0.25, 2.30),
            (Logistic, Tally::games(21404, 40708, 21184), 0.5, 2.5, -1.57),
            (Logistic, Tally::games(57433, 106593, 57030), 0.0, 2.0, -2.59),
            (Normalized, Tally::pairs([365, 16618, 36229, 16974, 390]), 0.0, 2.0, 2.25),
            (Normalized, Tally::pairs([127, 4883, 10712, 5150, 104]), -1.75, 0.25, 3.01),
            (Logistic, Tally::pairs([223, 9863, 21279, 10037, 246]), 0.5, 2.5, -3.07),
            (Logistic, Tally::pairs([871, 26175, 55983, 26678, 821]), 0.0, 2.0, -4.98),
        ];
        for (model, tally, elo0, elo1, expected) in rows {
            let tally = tally.unwrap();
            let ratio = sprt(model, elo0, elo1).log_likelihood_ratio(&tally);
            assert!((ratio - expected).abs() <= 0.00501, "{model} {tally}: {ratio} {expected}");
        }
        // All won: their looser solver prints 120.56 and 111.82.
        let games = sprt(Normalized, 0.0, 10.0).log_likelihood_ratio(&Tally::Games([0, 0, 4250]));
        let pairs = sprt(Normalized, 0.0, 5.0).log_likelihood_ratio(&Tally::Pairs([0, 0, 0, 0, 5550]));
        assert!((games - 120.56).abs() < 0.02 && (pairs - 111.82).abs() < 0.03, "{games} {pairs}");
    }

    /// Tests of Stockfish as its testing framework published them: five counts, hypotheses, ratio.
    #[test]
    fn agrees_with_fishtest() {
        let rows = [
            ([19, 4020, 10316, 4215, 24], -1.75, 0.25, 2.94),
            ([103, 3851, 8316, 3728, 98], 0.0, 2.0, -2.03),
            ([291, 10353, 21899, 10175, 306], 0.0, 2.0, -3.08),
            ([99, 3323, 8399, 3606, 109], 0.0, 2.0, 2.98),
            ([2, 40, 72, 14, 0], 0.0, 2.0, -0.36),
            ([326, 12015, 26044, 12357, 362], 0.0, 2.0, 2.93),
            ([900, 30596, 67292, 30899, 809], 0.0, 2.0, -2.96),
            ([45, 8506, 25934, 8883, 57], 0.5, 2.5, 2.94),
            ([105, 19880, 51075, 20005, 108], 0.5, 2.5, -2.94),
            ([41, 5118, 12924, 5334, 31], -1.75, 0.25, 2.94),
            ([0, 0, 0, 0, 10], -1.75, 0.25, 0.08),
            ([10, 6, 4, 2, 0], -1.75, 0.25, -0.13),
        ];
        for (counts, elo0, elo1, expected) in rows {
            let tally = Tally::Pairs(counts);
            let ratio = sprt(Normalized, elo0, elo1).log_likelihood_ratio(&tally);
            assert!((ratio - expected).abs() <= 0.00501, "{counts:?}: {ratio} {expected}");
        }
    }

    #[test]
    fn bounds_and_decisions() {
        let test = sprt(Normalized, 0.0, 5.0);
        assert!((test.bounds()[1] - 2.944_438_979).abs() < 1e-9 && test.bounds()[0] == -test.bounds()[1]);
        assert_eq!(test.decide(2.9), Decision::Continue);
        assert_eq!(test.decide(2.95), Decision::AcceptH1);
        assert_eq!(test.decide(-2.95), Decision::AcceptH0);
        assert_eq!(test.log_likelihood_ratio(&Tally::Games([0; 3])), 0.0);
        assert_eq!(test.log_likelihood_ratio(&Tally::Pairs([0; 5])), 0.0);
        for bad in [
            (5.0, 5.0, 0.05, 0.05),
            (5.0, 0.0, 0.05, 0.05),
            (0.0, 1e9, 0.05, 0.05),
            (f64::NAN, 5.0, 0.05, 0.05),
            (0.0, 5.0, 0.0, 0.05),
            (0.0, 5.0, 0.05, 0.9),
            (0.0, 5.0, f64::NAN, 0.05),
        ] {
            assert!(Sprt::new(Normalized, bad.0, bad.1, bad.2, bad.3).is_err(), "{bad:?}");
        }
    }

    fn tallies() -> impl Strategy<Value = Tally> {
        prop_oneof![
            [0u64..2000, 0u64..2000, 0u64..2000].prop_map(Tally::Games),
            [0u64..500, 0u64..500, 0u64..500, 0u64..500, 0u64..500].prop_map(Tally::Pairs),
            [0u64..2, 0u64..2, 0u64..1_000_000].prop_map(Tally::Games),
        ]
    }

    proptest! {
        /// Swapping the players and mirroring the hypotheses turns the sign.
        #[test]
        fn mirrored(tally in tallies(), elo0 in -90.0..80.0f64, step in 0.5..60.0f64) {
            for model in [Normalized, Logistic] {
                let here = sprt(model, elo0, elo0 + step).log_likelihood_ratio(&tally);
                let there = sprt(model, -elo0 - step, -elo0).log_likelihood_ratio(&tally.swapped());
                prop_assert!(here.is_finite());
                prop_assert!((here + there).abs() < 1e-6 * (1.0 + here.abs()), "{model} {here} {there}");
            }
        }

        /// A win instead of a loss never speaks for the weaker hypothesis.
        #[test]
        fn monotone(counts in [1u64..300, 0u64..300, 1u64..300], step in 1.0..50.0f64) {
            let better = Tally::Games([counts[0] - 1, counts[1], counts[2] + 1]);
            let test = sprt(Logistic, 0.0, step);
            prop_assert!(test.log_likelihood_ratio(&better) >= test.log_likelihood_ratio(&Tally::Games(counts)));
        }

        /// For small differences and many games the cheap formula says the same.
        #[test]
        fn cheap_form_agrees(counts in [50u64..90, 200u64..260, 380u64..450, 200u64..260, 50u64..90]) {
            let tally = Tally::Pairs(counts);
            let (exact, cheap) = (sprt(Normalized, 0.0, 5.0).log_likelihood_ratio(&tally), cheap_normalized_ratio(&tally, 0.0, 5.0));
            prop_assert!((exact - cheap).abs() < 0.03 + 0.05 * exact.abs(), "{exact} {cheap}");
        }
    }
}
