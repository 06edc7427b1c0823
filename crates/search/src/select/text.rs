//! Selection rules as they are typed.

use std::fmt;

use yomi_core::{Spec, TextError};

use super::{Belief, Criticality, FirstPlay, Gumbel, Rave, Regularizer, Schedule, Select, Unit};
use crate::constant::Constant;
use crate::parameters::{Args, Parameter, Range, Word, among, parameter};
use crate::temperature::Temperature;

const C_BY_RATE: Parameter = parameter("c", "win rate or value, see unit", "1.5", "weight of exploration (S2.1)");
const UNIT: Parameter =
    parameter("unit", "rate | value", "rate", "whether c counts in win rates from 0 to 1 or in the evaluator's unit");
pub(crate) const EPSILON: Parameter =
    parameter("e", "fraction", "0.01", "exploration ε: the uniform part is ε|A|/ln(N+1), at most 1");
/// The same for BTS and DENTS, whose schedule has no factor |A| (Painter et al. 2023).
pub(crate) const EPSILON_BTS: Parameter =
    parameter("e", "fraction", "0.1", "exploration ε: the uniform part is ε/ln(e+N), at most 1");
pub(crate) const T: Parameter = parameter("t", "value | auto(part of a result)", "auto(0.05)", "temperature");
pub(crate) const BETA: Parameter =
    parameter("beta", "value | auto(part of a result)", "auto(0.05)", "weight of the entropy, falling as 1/ln(e+N)");
pub(crate) const SIGMA: Parameter =
    parameter("sigma", "value | auto(part of a result)", "auto(0.1)", "standard deviation of a child not visited yet");
pub(crate) const C_PUCT: Parameter =
    parameter("c", "value | auto(part of a result)", "auto(1)", "weight of exploration");
/// UCB1 over values of a heuristic, which are less noisy than results of single playouts.
pub(crate) const C_HEURISTIC: Parameter =
    parameter("c", "value | auto(part of a result)", "auto(0.1)", "weight of exploration");

pub(crate) const EVEN: Parameter = parameter("even", "samples", "0", "virtual samples of every move, all even");
pub(crate) const WINS: Parameter = parameter("wins", "samples", "0", "virtual wins of a move of prior p: wins·√p");
pub(crate) const CRITICAL: Parameter =
    parameter("critical", "weight", "0", "of criticality, how much winning goes with playing there; Pachi's is 1.1");

/// The rules and their parameters.
pub const WORDS: &[Word] = &[
    Word {
        name: "boltzmann",
        about: "at random by exp(E/T) (S0.2, S4.1)",
        parameters: &[
            parameter("t", "auto | value | by-depth(t,decay=,floor=) | target(fraction)", "auto", "temperature"),
            parameter("c", "value | auto(part of a result)", "0", "weight of the policy term c·P·√Σn/(1+n) (S4.1)"),
        ],
    },
    Word {
        name: "anchored",
        about: "at random by exp(E'/T), E' drawn towards the static value while little is below (Shibaura MCSS)",
        parameters: &[
            parameter("t", "auto | value | by-depth(t,decay=,floor=) | target(fraction)", "auto", "temperature"),
            parameter(
                "share",
                "fraction",
                "0.5",
                "how much of E' is static with nothing below; falls as one over the mass",
            ),
            parameter("td", "value", "100", "temperature of the mass, a soft depth"),
            parameter("cool", "factor", "1", "what a unit of a node's mass multiplies the temperature by"),
        ],
    },
    Word { name: "ucb1", about: "the highest X + c·√(2 ln n/n_u) (S2.1)", parameters: &[C_BY_RATE, UNIT] },
    Word {
        name: "rave",
        about: "the highest (1-β)·UCB + β·AMAF (S2.1)",
        parameters: &[
            C_BY_RATE,
            UNIT,
            parameter("beta", "hand(k) | least-squares(b)", "hand(1000)", "how all-moves-as-first fades"),
            EVEN,
            WINS,
            CRITICAL,
        ],
    },
    Word {
        name: "puct",
        about: "the highest Q + c·P·√Σn/(1+n) (S4.1)",
        parameters: &[
            C_PUCT,
            parameter("base", "visits", "0", "c grows by ln((N+base+1)/base); 0: it does not"),
            parameter("fpu", "parent(less) | value(x) | loss", "parent(0)", "value of an unvisited move"),
        ],
    },
    Word {
        name: "gumbel",
        about: "sequential halving with Gumbel noise at the root, the improved policy below (Danihelka et al. 2022)",
        parameters: &[
            parameter("moves", "count", "16", "moves that are considered at the root"),
            parameter("visit", "visits", "50", "c_visit: how much values count before there are visits"),
            parameter("scale", "factor", "1", "c_scale: how much values count against priors"),
        ],
    },
    Word {
        name: "thompson",
        about: "the highest of one draw N(E, σ²/(1+n)) for each child (S0.5)",
        parameters: &[SIGMA],
    },
    Word { name: "greedy", about: "the highest value", parameters: &[] },
    Word {
        name: "best-first",
        about: "towards the leaf of highest realization probability (S0.5)",
        parameters: &[parameter("t", "auto | value | by-depth(…) | target(…)", "auto", "temperature")],
    },
    Word {
        name: "e2w",
        about: "a maximum-entropy policy with uniform exploration: E2W, E3W",
        parameters: &[T, EPSILON, parameter("by", "shannon | relative | tsallis", "shannon", "which entropy")],
    },
    Word {
        name: "bts",
        about: "Boltzmann, cooling with visits, with uniform exploration",
        parameters: &[T, EPSILON_BTS, parameter("decay", "power", "0", "T falls as N^-decay")],
    },
    Word {
        name: "dents",
        about: "Boltzmann with a fading bonus for subtree entropy, with uniform exploration",
        parameters: &[T, EPSILON_BTS, BETA],
    },
];

const ENTROPIES: &[(&str, Regularizer)] =
    &[("shannon", Regularizer::Shannon), ("relative", Regularizer::Relative), ("tsallis", Regularizer::Tsallis)];
const UNITS: &[(&str, Unit)] = &[("rate", Unit::WinRate), ("value", Unit::Value)];

impl Select {
    /// Reads a rule, for example `boltzmann(t=80)`.
    pub fn parse(spec: &Spec) -> Result<Select, TextError> {
        let args = among(spec, WORDS, "a selection rule")?;
        let select = match spec.name.as_str() {
            "boltzmann" => Select::Boltzmann {
                t: Temperature::read(&args, "t")?,
                c: Constant::read(&args, "c", Range::NotNegative)?,
            },
            "anchored" => Select::Anchored {
                t: Temperature::read(&args, "t")?,
                share: args.number("share", Range::Fraction)?,
                td: args.number("td", Range::NotNegative)?,
                cool: args.number("cool", Range::NotNegative)?,
            },
            "ucb1" => {
                Select::Ucb1 { c: Constant::read(&args, "c", Range::NotNegative)?, unit: args.choice("unit", UNITS)? }
            }
            "rave" => Select::Rave {
                c: args.number("c", Range::NotNegative)?,
                unit: args.choice("unit", UNITS)?,
                rave: parse_rave(&args)?,
            },
            "puct" => Select::Puct {
                c: Constant::read(&args, "c", Range::NotNegative)?,
                base: args.number("base", Range::NotNegative)?,
                first_play: parse_first_play(&args.word("fpu")?)?,
            },
            "gumbel" => Select::gumbel(
                args.number("moves", Range::Positive)?,
                args.number("visit", Range::NotNegative)?,
                args.number("scale", Range::NotNegative)?,
            ),
            "thompson" => Select::Thompson { sigma: Constant::read(&args, "sigma", Range::NotNegative)? },
            "best-first" => Select::BestFirst { t: Temperature::read(&args, "t")? },
            "e2w" => Select::Entropy {
                t: Constant::read(&args, "t", Range::Positive)?,
                epsilon: args.number("e", Range::NotNegative)?,
                by: args.choice("by", ENTROPIES)?,
            },
            "bts" => Select::Bts {
                t: Constant::read(&args, "t", Range::Positive)?,
                epsilon: args.number("e", Range::NotNegative)?,
                decay: args.number("decay", Range::NotNegative)?,
            },
            "dents" => Select::Dents {
                t: Constant::read(&args, "t", Range::Positive)?,
                epsilon: args.number("e", Range::NotNegative)?,
                beta: Constant::read(&args, "beta", Range::NotNegative)?,
            },
            _ => Select::Greedy,
        };
        args.reject_unused()?;
        Ok(select)
    }
}

fn parse_schedule(spec: &Spec) -> Result<Schedule, TextError> {
    let args = Args { spec, table: &[] };
    let schedule = match spec.name.as_str() {
        "hand" => Schedule::Hand { k: args.positional(0, "k", Range::Positive)? },
        "least-squares" => Schedule::LeastSquares { b: args.positional(0, "b", Range::NotNegative)? },
        _ => return Err(spec.unknown("a schedule", ["hand(k)", "least-squares(b)"])),
    };
    spec.reject_unused()?;
    Ok(schedule)
}

/// The parameters `beta`, [`EVEN`], [`WINS`] and [`CRITICAL`].
pub(crate) fn parse_rave(args: &Args<'_>) -> Result<Rave, TextError> {
    Ok(Rave {
        schedule: parse_schedule(&args.word("beta")?)?,
        belief: Belief {
            even: args.number("even", Range::NotNegative)?,
            wins: args.number("wins", Range::NotNegative)?,
        },
        critical: Criticality { weight: args.number("critical", Range::NotNegative)? },
    })
}

pub(crate) fn parse_first_play(spec: &Spec) -> Result<FirstPlay, TextError> {
    let args = Args { spec, table: &[] };
    let first_play = match spec.name.as_str() {
        "parent" => FirstPlay::Parent(args.positional(0, "how much less", Range::NotNegative)?),
        "value" => FirstPlay::Value(args.positional(0, "the value", Range::Finite)?),
        "loss" => FirstPlay::Loss,
        _ => return Err(spec.unknown("a first-play urgency", ["parent(less)", "value(x)", "loss"])),
    };
    spec.reject_unused()?;
    Ok(first_play)
}

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, v)| v == value).map_or("", |(name, _)| name)
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Select::Boltzmann { t, c } => write!(f, "boltzmann(t={t},c={c})"),
            Select::Anchored { t, share, td, cool } => write!(f, "anchored(t={t},share={share},td={td},cool={cool})"),
            Select::Ucb1 { c, unit } => write!(f, "ucb1(c={c},unit={})", name_of(UNITS, unit)),
            Select::Rave { c, unit, rave: Rave { schedule, belief, critical } } => {
                write!(f, "rave(c={c},unit={},beta={schedule}", name_of(UNITS, unit))?;
                if belief.counts() {
                    write!(f, ",even={},wins={}", belief.even, belief.wins)?;
                }
                if critical.weight > 0.0 {
                    write!(f, ",critical={}", critical.weight)?;
                }
                write!(f, ")")
            }
            Select::Puct { c, base, first_play } => write!(f, "puct(c={c},base={base},fpu={first_play})"),
            Select::Gumbel(Gumbel { moves, visit, scale, .. }) => {
                write!(f, "gumbel(moves={moves},visit={visit},scale={scale})")
            }
            Select::Thompson { sigma } => write!(f, "thompson(sigma={sigma})"),
            Select::Greedy => write!(f, "greedy"),
            Select::BestFirst { t } => write!(f, "best-first(t={t})"),
            Select::Entropy { t, epsilon, by } => write!(f, "e2w(t={t},e={epsilon},by={})", name_of(ENTROPIES, by)),
            Select::Bts { t, epsilon, decay } => write!(f, "bts(t={t},e={epsilon},decay={decay})"),
            Select::Dents { t, epsilon, beta } => write!(f, "dents(t={t},e={epsilon},beta={beta})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_its_defaults_and_prints_as_typed() {
        for word in WORDS {
            let select = Select::parse(&Spec::parse(word.name).unwrap()).unwrap();
            let text = select.to_string();
            assert!(text.starts_with(word.name), "{text}");
            assert_eq!(Select::parse(&Spec::parse(&text).unwrap()).unwrap(), select);
        }
        for text in [
            "rave(c=0,unit=value,beta=least-squares(0.1))",
            "rave(c=0,unit=rate,beta=hand(1000),even=10,wins=300,critical=1.1)",
            "puct(c=2,base=19652,fpu=value(-0.5))",
            "puct(c=2,base=0,fpu=loss)",
        ] {
            assert_eq!(Select::parse(&Spec::parse(text).unwrap()).unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_point_at_the_wrong_word() {
        for (text, column) in [
            ("bolzmann", 1),
            ("boltzmann(t=-1)", 13),
            ("boltzmann(t=target(2))", 20),
            ("ucb1(c=1,x=2)", 10),
            ("ucb1(unit=foo)", 11),
            ("rave(beta=foo(1))", 11),
            ("rave(beta=hand(0))", 16),
            ("rave(wins=-1)", 11),
            ("puct(fpu=parent(-1))", 17),
            ("puct(fpu=win)", 10),
            ("puct(fpu=value(x))", 16),
            ("e2w(t=0)", 7),
            ("e2w(by=renyi)", 8),
            ("greedy(1)", 8),
        ] {
            let error = Select::parse(&Spec::parse(text).unwrap()).unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
        }
    }
}
