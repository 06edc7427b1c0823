//! The parameters of `mcss-deep`, and how they are written.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::alpha_beta::options::AlphaBetaOptions;
use crate::constant::Constant;
use crate::parameters::{Args, Parameter, Range, parameter};
use crate::softmax::{Moments, ln};

/// How a softmax tree over alpha-beta searches is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SoftOptions {
    /// Temperature of the probabilities (S0.2); 0: the best move alone.
    pub t: Constant,
    /// Temperature of the backup (S0.3).
    pub tb: Constant,
    /// Exact values are searched out for moves within this many temperatures of the best; others have no weight.
    pub k: f32,
    /// A move's replies belong to the tree while its realization probability is above this; 1: the moves of the root alone.
    pub reach: f32,
    /// Least plies of alpha-beta below a leaf of the tree.
    pub leaf: u32,
    /// What a node is worth, given its moves.
    pub backup: SoftBackup,
    /// Late moves of the root are searched less deeply at first, as elsewhere.
    pub late: bool,
    /// How much of its value an iteration ago counts when a move is chosen: odd and even depths see different things.
    pub steady: f32,
    /// The part of the budget after which a settled move is played at once; 1: the budget is used up.
    pub early: f32,
}

/// What a softmax node is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SoftBackup {
    /// The expectation under the Boltzmann distribution (S0.3).
    #[default]
    Softmax,
    /// `t·ln Σ exp(v/t)`: many good moves are worth more than one (MENTS).
    LogSumExp,
    /// The best.
    Max,
}

const BACKUPS: &[(&str, SoftBackup)] =
    &[("softmax", SoftBackup::Softmax), ("logsumexp", SoftBackup::LogSumExp), ("max", SoftBackup::Max)];

impl Default for SoftOptions {
    fn default() -> Self {
        SoftOptions {
            t: Constant::Auto(0.0125),
            tb: Constant::Auto(0.0125),
            k: 3.0,
            reach: 0.2,
            leaf: 3,
            backup: SoftBackup::Softmax,
            late: true,
            steady: 0.0,
            early: 1.0,
        }
    }
}

impl SoftOptions {
    /// The options for an evaluator to which a won game is worth `win`.
    pub(super) fn resolved(self, win: f32) -> SoftOptions {
        SoftOptions { t: self.t.resolved(win), tb: self.tb.resolved(win), ..self }
    }

    /// How far below the best a move may lie and still have weight.
    pub(super) fn width(&self) -> f32 {
        self.k * self.t.value().max(self.tb.value())
    }

    /// What moves of these values are worth together.
    pub(super) fn back_up(&self, values: &[f32]) -> f32 {
        let t = self.tb.value();
        match (self.backup, Moments::of(values, t)) {
            (_, None) => f32::NEG_INFINITY,
            (SoftBackup::Softmax, Some(moments)) => moments.expectation(),
            (SoftBackup::LogSumExp, Some(moments)) => moments.max + t * ln(moments.z),
            (SoftBackup::Max, Some(moments)) => moments.max,
        }
    }

    /// Reads the parameters of `mcss-deep` and, beside them, those of alpha-beta.
    pub fn from_spec(spec: &Spec) -> Result<AlphaBetaOptions, TextError> {
        let args = Args { spec, table: PARAMETERS };
        let t = Constant::read(&args, "t", Range::NotNegative)?;
        let tb = if spec.get("tb").is_some() { Constant::read(&args, "tb", Range::NotNegative)? } else { t };
        let soft = SoftOptions {
            t,
            tb,
            k: args.number("k", Range::NotNegative)?,
            reach: args.number("reach", Range::Fraction)?,
            leaf: args.value("leaf")?,
            backup: args.choice("backup", BACKUPS)?,
            late: args.switch("late")?,
            steady: args.number("steady", Range::Fraction)?,
            early: args.number("early", Range::Fraction)?,
        };
        for key in ["multipv", "realization"] {
            if let Some(word) = spec.get(key) {
                return Err(word.error(format!("{key} is for alpha-beta: mcss-deep has probabilities of its own")));
            }
        }
        let plain = AlphaBetaOptions::from_parameters(spec, PARAMETERS)?;
        Ok(AlphaBetaOptions { soft: Some(soft), ..plain })
    }
}

/// The parameters, for help pages; the fields above say more.
pub const PARAMETERS: &[Parameter] = &[
    parameter("t", "auto | value", "auto(0.0125)", "temperature of the moves' probabilities; 0: alpha-beta itself"),
    parameter("tb", "auto | value", "", "temperature of the backup (S4.1); as t if left out"),
    parameter("k", "temperatures", "3", "how far below the best a move has an exact value and weight"),
    parameter("reach", "probability", "0.2", "replies belong to the tree above this realization probability; 1: none"),
    parameter("leaf", "plies", "3", "least depth of the alpha-beta searches at the leaves"),
    parameter("backup", "softmax | logsumexp | max", "softmax", "what a node is worth, given its moves"),
    parameter("late", "on | off", "on", "late moves of the root are searched less deeply at first"),
    parameter("steady", "fraction", "0", "how much of its value an iteration ago counts when a move is chosen"),
    parameter("early", "fraction", "1", "a settled move is played at once after this part of the budget; 1: never"),
];

impl fmt::Display for SoftOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let backup = BACKUPS.iter().find(|(_, value)| *value == self.backup).map_or("", |(name, _)| name);
        let late = if self.late { "on" } else { "off" };
        write!(f, "t={},tb={},k={},reach={},leaf={},", self.t, self.tb, self.k, self.reach, self.leaf)?;
        write!(f, "backup={backup},late={late},steady={},early={}", self.steady, self.early)
    }
}
