//! Growth control: which branches live (S3.2, S3.4).

use std::fmt;

use yomi_core::{Rng, Spec, TextError};

use crate::parameters::{Args, Range};

/// What a branch's cumulative selection probability is the product of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The simulation policy π', which judges moves without reading ahead: the evaluator's priors (S3.1).
    Prior,
    /// The search's own selection probabilities: the realization probability (S0.5, S4.1).
    Selection,
}

/// Whether a branch of given survival probability grows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Growth {
    /// If it is above this threshold K_th (S3.4, deterministic).
    Above(f32),
    /// With this probability, decided once per branch (S3.4, stochastic).
    ByChance,
}

/// S3.2: `P_sv = 1/(1 + exp(-(P' - μ)/τ))`.
pub fn survival(cumulative: f64, mu: f32, tau: f32) -> f64 {
    1.0 / (1.0 + (-(cumulative - f64::from(mu)) / f64::from(tau)).exp())
}

impl Growth {
    /// Decides.
    pub fn grows(self, survival: f64, rng: &mut Rng) -> bool {
        match self {
            Growth::Above(threshold) => survival > f64::from(threshold),
            Growth::ByChance => f64::from(rng.unit()) < survival,
        }
    }

    pub(crate) fn parse(spec: &Spec) -> Result<Growth, TextError> {
        let growth = match spec.name.as_str() {
            "above" => Growth::Above(Args { spec, table: &[] }.positional(0, "a threshold", Range::Fraction)?),
            "chance" => Growth::ByChance,
            _ => return Err(spec.unknown("a rule of growth", ["above(threshold)", "chance"])),
        };
        spec.reject_unused()?;
        Ok(growth)
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Growth::Above(threshold) => write!(f, "above({threshold})"),
            Growth::ByChance => write!(f, "chance"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yomi_core::Seed;

    #[test]
    fn survival_is_logistic() {
        assert!((survival(0.01, 0.01, 0.002) - 0.5).abs() < 1e-6);
        // 1/(1 + e^-2).
        assert!((survival(0.014, 0.01, 0.002) - 0.880_797_077).abs() < 1e-6);
        assert!(survival(0.0, 1.0, 1e-30) == 0.0 && survival(1.0, 0.0, 1e-30) == 1.0);
    }

    #[test]
    fn chance_keeps_to_its_probability() {
        let mut rng = Seed::new(1).rng();
        let grown = (0..100_000).filter(|_| Growth::ByChance.grows(0.3, &mut rng)).count();
        // Six standard errors of a binomial count.
        assert!((grown as f64 - 30_000.0).abs() < 6.0 * 145.0, "{grown}");
        assert!(Growth::Above(0.5).grows(0.6, &mut rng) && !Growth::Above(0.5).grows(0.5, &mut rng));
    }
}
