//! Backup rules as they are typed.

use std::fmt;

use yomi_core::{Spec, TextError};

use super::Backup;
use crate::constant::Constant;
use crate::parameters::{Parameter, Range, Word, among, parameter};
use crate::temperature::Temperature;

const T: Parameter = parameter("t", "value | auto(part of a result)", "auto(0.05)", "temperature");

/// The rules and their parameters.
pub const WORDS: &[Word] = &[
    Word { name: "mean", about: "the mean of the samples", parameters: &[] },
    Word {
        name: "softmax",
        about: "the expectation under the children's Boltzmann distribution (S0.3, S4.1)",
        parameters: &[parameter(
            "t",
            "auto | value | by-depth(t,decay=,floor=) | target(fraction)",
            "auto",
            "temperature",
        )],
    },
    Word { name: "minimax", about: "the best child (S0.5)", parameters: &[] },
    Word { name: "logsumexp", about: "T·ln Σ exp(x/T)", parameters: &[T] },
    Word { name: "mellowmax", about: "T·ln (1/n)Σ exp(x/T)", parameters: &[T] },
    Word { name: "relative", about: "T·ln Σ p·exp(x/T), p the policy at the last visit", parameters: &[T] },
    Word { name: "sparsemax", about: "T·(½ + ½Σ(q²-ζ²)), q = x/T, over the support", parameters: &[T] },
    Word {
        name: "power-mean",
        about: "(Σ (n/N)·x^p)^(1/p), values counted from 0 to 1",
        parameters: &[parameter("p", "power", "2", "1 is the mean, much is the maximum")],
    },
    Word {
        name: "implicit-minimax",
        about: "the mean; selection sees (1-α)·mean + α·minimax of the evaluations below",
        parameters: &[parameter("alpha", "fraction", "0.3", "how much of the minimax selection sees")],
    },
];

impl Backup {
    /// Reads a rule, for example `softmax(t=80)`.
    pub fn parse(spec: &Spec) -> Result<Backup, TextError> {
        let args = among(spec, WORDS, "a backup rule")?;
        let t = || Constant::read(&args, "t", Range::Positive);
        let backup = match spec.name.as_str() {
            "softmax" => Backup::Softmax { t: Temperature::read(&args, "t")? },
            "minimax" => Backup::Minimax,
            "logsumexp" => Backup::LogSumExp { t: t()? },
            "mellowmax" => Backup::Mellowmax { t: t()? },
            "relative" => Backup::Relative { t: t()? },
            "sparsemax" => Backup::Sparsemax { t: t()? },
            "power-mean" => Backup::PowerMean { p: args.number("p", Range::Positive)? },
            "implicit-minimax" => Backup::ImplicitMinimax { alpha: args.number("alpha", Range::Fraction)? },
            _ => Backup::Mean,
        };
        args.reject_unused()?;
        Ok(backup)
    }
}

impl fmt::Display for Backup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backup::Mean => write!(f, "mean"),
            Backup::Softmax { t } => write!(f, "softmax(t={t})"),
            Backup::Minimax => write!(f, "minimax"),
            Backup::LogSumExp { t } => write!(f, "logsumexp(t={t})"),
            Backup::Mellowmax { t } => write!(f, "mellowmax(t={t})"),
            Backup::Relative { t } => write!(f, "relative(t={t})"),
            Backup::Sparsemax { t } => write!(f, "sparsemax(t={t})"),
            Backup::PowerMean { p } => write!(f, "power-mean(p={p})"),
            Backup::ImplicitMinimax { alpha } => write!(f, "implicit-minimax(alpha={alpha})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_its_defaults_and_prints_as_typed() {
        for word in WORDS {
            let backup = Backup::parse(&Spec::parse(word.name).unwrap()).unwrap();
            let text = backup.to_string();
            assert_eq!(Backup::parse(&Spec::parse(&text).unwrap()).unwrap(), backup, "{text}");
        }
        for (wrong, column) in
            [("max", 1), ("softmax(t=-3)", 11), ("sparsemax(t=0)", 13), ("power-mean(p=0)", 14), ("mean(t=1)", 6)]
        {
            assert_eq!(Backup::parse(&Spec::parse(wrong).unwrap()).unwrap_err().column, column, "{wrong}");
        }
    }
}
