//! A method of the tree family is a recipe of three words.

use std::fmt;

use yomi_core::{Spec, TextError};

use crate::backup::Backup;
use crate::expand::Expand;
use crate::parameters::{Args, Parameter, Range, parameter};
use crate::select::Select;
use crate::tree::Extras;

/// How samples descend, how the tree grows, how values come back. The loop that follows the recipe is written once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recipe {
    /// Which child a sample goes to.
    pub select: Select,
    /// How and when a leaf gets children.
    pub expand: Expand,
    /// What a node is worth, given its children.
    pub backup: Backup,
    /// Which move is played in the end, and which way the principal variation goes.
    pub choose: Choose,
    /// Whether wins, draws and losses are proven and believed (MCTS-Solver, Winands et al. 2008).
    pub solver: bool,
}

/// How the move is chosen when the search is over. Mass is the soft depth of the authors' engines (see `select/anchored.rs`); choosing by
/// it needs a selection that keeps it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choose {
    /// The highest value: under a Boltzmann distribution the highest probability (S0.1); the highest win rate (S2.1).
    Value,
    /// The most samples; the higher value among equals.
    Visits,
    /// The highest `E + c·mass`: what is searched deeper is trusted more.
    Mass(f32),
    /// The highest `(mass + 1)·exp(E/c)`.
    MassWeighted(f32),
    /// The highest value among moves of at least this mass, if there are any.
    LeastMass(f32),
    /// The highest value as selection sees it, drawn towards the static one while little is below.
    Anchored,
}

impl Choose {
    /// The forms as they are typed.
    pub(crate) const WORDS: &'static str = "value | visits | mass(c) | mass-weighted(c) | least-mass(m) | anchored";

    /// Reads `value`, `mass(10)` and so on.
    pub(crate) fn parse(spec: &Spec) -> Result<Choose, TextError> {
        let args = Args { spec, table: &[] };
        let choose = match spec.name.as_str() {
            "value" => Choose::Value,
            "visits" => Choose::Visits,
            "mass" => Choose::Mass(args.positional(0, "the worth of a unit of mass", Range::NotNegative)?),
            "mass-weighted" => {
                Choose::MassWeighted(args.positional(0, "the difference worth a factor e", Range::Positive)?)
            }
            "least-mass" => Choose::LeastMass(args.positional(0, "the least mass", Range::NotNegative)?),
            "anchored" => Choose::Anchored,
            _ => return Err(spec.unknown("a way to choose", Choose::WORDS.split(" | "))),
        };
        spec.reject_unused()?;
        Ok(choose)
    }

    /// Whether the mass of the moves matters.
    pub(crate) fn weighs_mass(self) -> bool {
        !matches!(self, Choose::Value | Choose::Visits)
    }
}

impl fmt::Display for Choose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choose::Value => write!(f, "value"),
            Choose::Visits => write!(f, "visits"),
            Choose::Mass(c) => write!(f, "mass({c})"),
            Choose::MassWeighted(c) => write!(f, "mass-weighted({c})"),
            Choose::LeastMass(m) => write!(f, "least-mass({m})"),
            Choose::Anchored => write!(f, "anchored"),
        }
    }
}

/// The parameters of the general form, `tree(select=…,expand=…,backup=…)`.
pub(crate) const PARAMETERS: &[Parameter] = &[
    parameter("select", "a selection rule", "boltzmann", "which child a sample goes to"),
    parameter("expand", "a way to expand", "siblings", "how and when a leaf gets children"),
    parameter("backup", "a backup rule", "softmax", "what a node is worth, given its children"),
];

impl Recipe {
    /// A recipe of these three words, solving, that plays the move of highest value.
    pub const fn new(select: Select, expand: Expand, backup: Backup) -> Recipe {
        Recipe { select, expand, backup, choose: Choose::Value, solver: true }
    }

    /// The same, playing the move most sampled.
    pub const fn by_visits(self) -> Recipe {
        Recipe { choose: Choose::Visits, ..self }
    }

    /// The recipe for an evaluator to which a won game is worth `win`: constants left to the unit are fixed.
    #[must_use]
    pub fn resolved(self, win: f32) -> Recipe {
        let select = match self.select {
            Select::Boltzmann { t, c } => Select::Boltzmann { t: t.resolved(win), c: c.resolved(win) },
            Select::Anchored { t, share, td, cool } => Select::Anchored { t: t.resolved(win), share, td, cool },
            Select::BestFirst { t } => Select::BestFirst { t: t.resolved(win) },
            Select::Ucb1 { c, unit } => Select::Ucb1 { c: c.resolved(win), unit },
            Select::Puct { c, base, first_play } => Select::Puct { c: c.resolved(win), base, first_play },
            Select::Thompson { sigma } => Select::Thompson { sigma: sigma.resolved(win) },
            Select::Entropy { t, epsilon, by } => Select::Entropy { t: t.resolved(win), epsilon, by },
            Select::Bts { t, epsilon, decay } => Select::Bts { t: t.resolved(win), epsilon, decay },
            Select::Dents { t, epsilon, beta } => {
                Select::Dents { t: t.resolved(win), epsilon, beta: beta.resolved(win) }
            }
            other => other,
        };
        let backup = match self.backup {
            Backup::Softmax { t } => Backup::Softmax { t: t.resolved(win) },
            Backup::LogSumExp { t } => Backup::LogSumExp { t: t.resolved(win) },
            Backup::Mellowmax { t } => Backup::Mellowmax { t: t.resolved(win) },
            Backup::Relative { t } => Backup::Relative { t: t.resolved(win) },
            Backup::Sparsemax { t } => Backup::Sparsemax { t: t.resolved(win) },
            other => other,
        };
        Recipe { select, backup, ..self }
    }

    /// The columns the tree needs.
    pub fn extras(&self) -> Extras {
        let anchored = matches!(self.select, Select::Anchored { .. });
        Extras {
            auxiliary: matches!(self.select, Select::BestFirst { .. } | Select::Dents { .. } | Select::Gumbel(_))
                || matches!(self.backup, Backup::ImplicitMinimax { .. }),
            static_value: anchored,
            soft_depth: anchored,
            amaf: matches!(self.select, Select::Rave { .. }),
        }
    }

    /// Whether anything reads prior probabilities.
    #[inline]
    pub fn uses_priors(&self) -> bool {
        self.select.uses_priors() || self.expand.uses_priors() || matches!(self.backup, Backup::Relative { .. })
    }

    /// Reads the three words.
    pub(crate) fn read(args: &Args<'_>) -> Result<Recipe, TextError> {
        let select = Select::parse(&args.word("select")?)?;
        let expand = Expand::parse(&args.word("expand")?)?;
        let backup = Backup::parse(&args.word("backup")?)?;
        let shared = matches!(select, Select::BestFirst { .. } | Select::Dents { .. } | Select::Gumbel(_));
        if shared && matches!(backup, Backup::ImplicitMinimax { .. }) {
            let word = args.word("backup")?;
            return Err(word
                .error("implicit-minimax cannot go with best-first, dents or gumbel: both need the auxiliary column"));
        }
        Ok(Recipe::new(select, expand, backup))
    }
}

impl fmt::Display for Recipe {
    /// The general form, which reads back to the same recipe.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tree(select={},expand={},backup={}", self.select, self.expand, self.backup)?;
        if self.choose != Choose::Value {
            write!(f, ",choose={}", self.choose)?;
        }
        if !self.solver {
            write!(f, ",solver=off")?;
        }
        write!(f, ")")
    }
}

/// Any method's text is a recipe's, its options left aside.
impl std::str::FromStr for Recipe {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Recipe, TextError> {
        crate::methods::Method::parse(&Spec::parse(text)?).map(|method| method.recipe)
    }
}
