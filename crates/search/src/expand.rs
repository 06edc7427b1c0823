//! How and when the tree grows.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::growth::{Growth, Source};
use crate::parameters::{Parameter, Range, Word, among, parameter};

/// How a leaf becomes a node with children.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Expand {
    /// The leaf itself is judged on every visit; after `after` of them its children are born, unjudged (S2.1).
    Leaf {
        /// Visits that must lie behind.
        after: u32,
    },
    /// All children are born and judged at once, the leaf itself is not (S0.1, S4.2).
    Siblings,
    /// As `Leaf`, and of n visits only the best `c·n^power` moves by their priors are considered: progressive widening.
    Widening {
        /// How many at the first visit.
        c: f32,
        /// How fast more join.
        power: f32,
        /// Visits that must lie behind before the children are born.
        after: u32,
    },
    /// As `Siblings`, where the branch survives: `1/(1 + exp(-(P' - μ)/τ))` of its cumulative selection probability P' (S3.2).
    Growth {
        /// The probability P' at which a branch survives half the time.
        mu: f32,
        /// How sharply survival changes there.
        tau: f32,
        /// How survival decides.
        rule: Growth,
        /// What P' is the product of.
        of: Source,
    },
}

const SOURCES: &[(&str, Source)] = &[("prior", Source::Prior), ("selection", Source::Selection)];

/// The parameter of a method that leaves the way to its user.
pub(crate) const EXPAND: Parameter =
    parameter("expand", "siblings | leaf(after=) | …", "siblings", "how the tree grows");

/// The ways and their parameters.
pub const WORDS: &[Word] = &[
    Word {
        name: "leaf",
        about: "judge the leaf on each visit, then add its children (S2.1)",
        parameters: &[parameter("after", "visits", "0", "how many must lie behind when the children are born")],
    },
    Word { name: "siblings", about: "add all children and judge them together (S0.1, S4.2)", parameters: &[] },
    Word {
        name: "widening",
        about: "as leaf; only the best c·n^power moves by prior are considered",
        parameters: &[
            parameter("c", "moves", "2", "how many at the first visit"),
            parameter("power", "power", "0.5", "how fast more join"),
            parameter("after", "visits", "0", "as in leaf"),
        ],
    },
    Word {
        name: "growth",
        about: "as siblings, where the branch's cumulative selection probability lets it survive (S3.2, S3.4)",
        parameters: &[
            parameter("mu", "probability", "0.001", "survives half the time at this cumulative probability"),
            parameter("tau", "probability", "0.0003", "how sharply survival changes there"),
            parameter("rule", "above(threshold) | chance", "above(0.5)", "deterministic or stochastic growth"),
            parameter("of", "prior | selection", "prior", "the probabilities multiplied along the branch"),
        ],
    },
];

impl Expand {
    /// Whether children are judged when they are born.
    pub fn judges_siblings(&self) -> bool {
        matches!(self, Expand::Siblings | Expand::Growth { .. })
    }

    /// Visits that must lie behind a leaf before it gets children.
    pub fn after(&self) -> u32 {
        match *self {
            Expand::Leaf { after } | Expand::Widening { after, .. } => after,
            Expand::Siblings | Expand::Growth { .. } => 0,
        }
    }

    /// How many of `len` children, best prior first, are considered at a node of `visits` visits.
    pub fn considered(&self, visits: u32, len: u16) -> u16 {
        match *self {
            Expand::Widening { c, power, .. } => {
                let wide = f64::from(c) * f64::from(visits.max(1)).powf(f64::from(power));
                (wide.ceil() as u16).clamp(1, len.max(1))
            }
            _ => len,
        }
    }

    /// Whether children stand in the order of their priors.
    pub(crate) fn sorts_by_prior(&self) -> bool {
        matches!(self, Expand::Widening { .. })
    }

    /// Whether it reads prior probabilities.
    pub(crate) fn uses_priors(&self) -> bool {
        matches!(self, Expand::Widening { .. } | Expand::Growth { of: Source::Prior, .. })
    }

    /// Reads a way to expand, for example `leaf(after=30)`.
    pub fn parse(spec: &Spec) -> Result<Expand, TextError> {
        let args = among(spec, WORDS, "a way to expand")?;
        let expand = match spec.name.as_str() {
            "leaf" => Expand::Leaf { after: args.value("after")? },
            "widening" => Expand::Widening {
                c: args.number("c", Range::Positive)?,
                power: args.number("power", Range::Fraction)?,
                after: args.value("after")?,
            },
            "growth" => Expand::Growth {
                mu: args.number("mu", Range::Fraction)?,
                tau: args.number("tau", Range::Positive)?,
                rule: Growth::parse(&args.word("rule")?)?,
                of: args.choice("of", SOURCES)?,
            },
            _ => Expand::Siblings,
        };
        args.reject_unused()?;
        Ok(expand)
    }
}

impl fmt::Display for Expand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expand::Leaf { after } => write!(f, "leaf(after={after})"),
            Expand::Siblings => write!(f, "siblings"),
            Expand::Widening { c, power, after } => write!(f, "widening(c={c},power={power},after={after})"),
            Expand::Growth { mu, tau, rule, of } => {
                let of = if *of == Source::Prior { "prior" } else { "selection" };
                write!(f, "growth(mu={mu},tau={tau},rule={rule},of={of})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widens_with_visits() {
        let expand = Expand::Widening { c: 2.0, power: 0.5, after: 0 };
        assert_eq!([0, 1, 4, 100, u32::MAX].map(|n| expand.considered(n, 30)), [2, 2, 4, 20, 30]);
        assert_eq!(Expand::Siblings.considered(1, 30), 30);
    }

    #[test]
    fn prints_as_typed() {
        for text in [
            "leaf(after=30)",
            "siblings",
            "widening(c=2,power=0.5,after=1)",
            "growth(mu=0.001,tau=0.1,rule=chance,of=selection)",
        ] {
            assert_eq!(Expand::parse(&Spec::parse(text).unwrap()).unwrap().to_string(), text);
        }
        for (wrong, column) in [
            ("leaf(after=-1)", 12),
            ("growth(tau=0)", 12),
            ("growth(rule=maybe)", 13),
            ("sibling", 1),
            ("siblings(2)", 10),
        ] {
            assert_eq!(Expand::parse(&Spec::parse(wrong).unwrap()).unwrap_err().column, column, "{wrong}");
        }
    }
}
