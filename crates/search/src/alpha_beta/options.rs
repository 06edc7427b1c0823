//! The parameters of alpha-beta, and how they are written.

use std::fmt;
use std::str::FromStr;

use yomi_core::{Spec, TextError};

use crate::alpha_beta::path::Repetition;
use crate::alpha_beta::scale::MAX_PLY;
use crate::alpha_beta::soft::SoftOptions;
use crate::machine::{MAX_THREADS, TABLE_MEMORY};
use crate::parameters::{Parameter, parameter};
use crate::quiescence::QuietOptions;
use crate::transposition::Table;

/// The techniques of an alpha-beta search, each with its switch: `alpha-beta(depth=8,null=false,quiet=on(checks=1))`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AlphaBetaOptions {
    /// Iterative deepening goes no further.
    pub depth: u32,
    /// Threads that search the same tree and meet in the table (lazy SMP).
    pub threads: usize,
    /// MiB of the transposition table.
    pub hash: usize,
    /// How many root moves get a line and a value of their own.
    pub multipv: usize,
    /// What a pawn is worth in the evaluator's unit: every margin is measured by it.
    pub pawn: f32,
    /// Half the first window around the last value, in hundredths of a pawn; 0 opens every window fully.
    pub aspiration: u32,
    /// Principal variation search: later moves must first show against a null window that they are worth more.
    pub scout: bool,
    /// Use the transposition table.
    pub table: bool,
    /// Keep what quiescence searches find in the table as well, and look there before one begins. Needs `table`.
    pub leaf_table: bool,
    /// Try quiet moves first that refuted something at the same ply.
    pub killers: bool,
    /// Try quiet moves in the order of their successes elsewhere.
    pub history: bool,
    /// Null move: a position so good that even passing does not lose it is not searched further.
    pub null: bool,
    /// Late-move reductions: later quiet moves are searched less deeply at first. Needs `scout`.
    pub lmr: bool,
    /// Extended futility: near the leaves quiet moves are left out that cannot lift the value to alpha.
    pub futility: bool,
    /// How close to the leaves, in plies, quiet moves are left out by extended futility.
    pub futile: u32,
    /// The margin of extended futility, in hundredths of a pawn per ply.
    pub margin: u32,
    /// Move-count pruning: near the leaves late quiet moves are left out.
    pub move_count: bool,
    /// ProbCut (Buro 1995): how many standard deviations beyond the window a shallower search must be to settle a node, in games where
    /// that was measured; 0 searches every node.
    pub probcut: f32,
    /// Search one ply more in check.
    pub extend: bool,
    /// Judge all moves of a node at once: they are tried in the order of their values, and the last ply is not searched move by move. For
    /// evaluations by difference in games with hundreds of moves.
    pub siblings: bool,
    /// The probability of a move that costs one ply of depth (realization-probability search, S3.2); 0 lets every move cost one. Needs an
    /// evaluator that knows how probable moves are.
    pub realization: f32,
    /// What to make of a position that comes again.
    pub repetition: Repetition,
    /// The quiescence search at the leaves of tactical games.
    pub quiet: Option<QuietOptions>,
    /// A softmax tree over the likely moves, whose leaves are alpha-beta searches: `mcss-deep`.
    pub soft: Option<SoftOptions>,
}

impl Default for AlphaBetaOptions {
    fn default() -> Self {
        AlphaBetaOptions {
            depth: MAX_PLY as u32,
            threads: 1,
            hash: TABLE_MEMORY.0,
            multipv: 1,
            pawn: 87.0,
            aspiration: 50,
            scout: true,
            table: true,
            leaf_table: false,
            killers: true,
            history: true,
            null: true,
            lmr: true,
            futility: true,
            futile: 2,
            margin: 150,
            move_count: true,
            probcut: 1.5,
            extend: true,
            siblings: false,
            realization: 0.0,
            repetition: Repetition::First,
            quiet: Some(QuietOptions { depth: 16, nodes: u64::MAX, futility: 150, ..QuietOptions::default() }),
            soft: None,
        }
    }
}

impl AlphaBetaOptions {
    /// Alpha-beta with its table and nothing else: the value of plain minimax to a fixed depth.
    pub fn full_width() -> AlphaBetaOptions {
        AlphaBetaOptions {
            aspiration: 0,
            scout: false,
            killers: false,
            history: false,
            null: false,
            lmr: false,
            futility: false,
            move_count: false,
            probcut: 0.0,
            extend: false,
            repetition: Repetition::Rule,
            quiet: None,
            ..AlphaBetaOptions::default()
        }
    }

    /// Reads `alpha-beta` and its parameters.
    pub fn from_spec(spec: &Spec) -> Result<AlphaBetaOptions, TextError> {
        match spec.name.as_str() {
            NAME => AlphaBetaOptions::from_parameters(spec, &[]),
            SOFT_NAME => SoftOptions::from_spec(spec),
            _ => Err(spec.error(format!("{NAME} or {SOFT_NAME} was expected here"))),
        }
    }

    /// Reads the parameters whatever the name; `more` were read already.
    pub(super) fn from_parameters(spec: &Spec, more: &[Parameter]) -> Result<AlphaBetaOptions, TextError> {
        let default = AlphaBetaOptions::default();
        let pawn: f32 = spec.value_or("pawn", default.pawn)?;
        if !(pawn.is_finite() && pawn > 0.0) {
            return Err(spec.error("a pawn is worth more than 0"));
        }
        let probcut: f32 = spec.value_or("probcut", default.probcut)?;
        if !(probcut.is_finite() && probcut >= 0.0) {
            return Err(spec.error("probcut is a number of deviations from 0 up"));
        }
        let realization: f32 = spec.value_or("realization", default.realization)?;
        if !(0.0..1.0).contains(&realization) {
            return Err(spec.error("the probability that costs one ply is from 0 to below 1"));
        }
        let options = AlphaBetaOptions {
            depth: within(spec, "depth", default.depth as usize, 1..=MAX_PLY)? as u32,
            threads: within(spec, "threads", default.threads, 1..=MAX_THREADS)?,
            hash: within(spec, "hash", default.hash, 0..=Table::MAX_MEBIBYTES)?,
            multipv: within(spec, "multipv", default.multipv, 1..=usize::MAX)?,
            pawn,
            aspiration: spec.value_or("aspiration", default.aspiration)?,
            scout: spec.value_or("scout", default.scout)?,
            table: spec.value_or("table", default.table)?,
            leaf_table: spec.value_or("leaf-table", default.leaf_table)?,
            killers: spec.value_or("killers", default.killers)?,
            history: spec.value_or("history", default.history)?,
            null: spec.value_or("null", default.null)?,
            lmr: spec.value_or("lmr", default.lmr)?,
            futility: spec.value_or("futility", default.futility)?,
            futile: within(spec, "futile", default.futile as usize, 1..=MAX_PLY)? as u32,
            margin: spec.value_or("margin", default.margin)?,
            move_count: spec.value_or("move-count", default.move_count)?,
            probcut,
            extend: spec.value_or("extend", default.extend)?,
            siblings: spec.value_or("siblings", default.siblings)?,
            realization,
            repetition: spec.get("repetition").map_or(Ok(default.repetition), |s| s.choice(&REPETITIONS))?,
            quiet: spec.get("quiet").map_or(Ok(default.quiet), read_quiet)?,
            soft: None,
        };
        spec.reject_unused_of(more.iter().chain(PARAMETERS).map(Parameter::line))?;
        Ok(options)
    }
}

/// The parameters, for help pages; the fields above say more.
pub const PARAMETERS: &[Parameter] = &[
    parameter("depth", "plies", "128", "iterative deepening goes no further"),
    parameter("threads", "count", "1", "threads that search the same tree and meet in the table (lazy SMP)"),
    parameter("hash", "mebibytes", TABLE_MEMORY.1, "memory of the transposition table"),
    parameter("multipv", "moves", "1", "root moves that get a line and a value of their own"),
    parameter("pawn", "value", "87", "a pawn in the evaluator's unit: margins are measured by it"),
    parameter("aspiration", "hundredths of a pawn", "50", "half the first window around the last value; 0 opens all"),
    parameter("scout", "true | false", "true", "principal variation search"),
    parameter("table", "true | false", "true", "use the transposition table"),
    parameter("leaf-table", "true | false", "false", "use it for quiescence searches too"),
    parameter("killers", "true | false", "true", "quiet moves first that refuted something at the same ply"),
    parameter("history", "true | false", "true", "quiet moves in the order of their successes elsewhere"),
    parameter("null", "true | false", "true", "null move pruning"),
    parameter("lmr", "true | false", "true", "late-move reductions"),
    parameter("futility", "true | false", "true", "extended futility pruning"),
    parameter("futile", "plies", "2", "how close to the leaves extended futility leaves quiet moves out"),
    parameter("margin", "hundredths of a pawn", "150", "margin of extended futility per ply"),
    parameter("move-count", "true | false", "true", "move-count pruning"),
    parameter(
        "probcut",
        "standard deviations",
        "1.5",
        "a shallower search so far beyond the window settles a node (blokus-duo); 0: never",
    ),
    parameter("extend", "true | false", "true", "search one ply more in check"),
    parameter(
        "siblings",
        "true | false",
        "false",
        "judge all moves of a node at once: orders them, and settles the last ply (blokus-duo: on)",
    ),
    parameter(
        "realization",
        "probability",
        "0",
        "probability of a move that costs one ply: probable lines are searched deeper (S3.2); 0: every move costs one",
    ),
    parameter(
        "repetition",
        "first | rule",
        "first",
        "judge a repetition when it first comes, or by the rules of the game",
    ),
    parameter(
        "quiet",
        "on(depth=,checks=,nodes=,exchange=,futility=,pawn=) | off",
        "on",
        "quiescence search at the leaves",
    ),
];

const NAME: &str = "alpha-beta";
const SOFT_NAME: &str = "mcss-deep";
const REPETITIONS: [(&str, Repetition); 2] = [("first", Repetition::First), ("rule", Repetition::Rule)];

fn within(spec: &Spec, key: &str, default: usize, range: std::ops::RangeInclusive<usize>) -> Result<usize, TextError> {
    let Some(given) = spec.get(key) else { return Ok(default) };
    let value = given.value()?;
    if range.contains(&value) {
        return Ok(value);
    }
    Err(given.error(format!("{key} goes from {} to {}", range.start(), range.end())))
}

/// What the quiescence search of alpha-beta starts from before its own parameters are read.
fn default_quiet() -> QuietOptions {
    AlphaBetaOptions::default().quiet.unwrap_or_default()
}

fn read_quiet(spec: &Spec) -> Result<Option<QuietOptions>, TextError> {
    match spec.name.as_str() {
        "off" if spec.is_bare() => Ok(None),
        "on" => {
            let options = QuietOptions::from_spec(spec, default_quiet())?;
            spec.reject_unused()?;
            Ok(Some(options))
        }
        _ => Err(spec.error(format!("{spec} is not one of off, on, on(depth=..,checks=..)"))),
    }
}

/// Only what differs from the default is printed.
impl fmt::Display for AlphaBetaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = AlphaBetaOptions::default();
        let repetition = REPETITIONS.iter().find(|(_, value)| *value == self.repetition).map_or("", |(name, _)| name);
        let quiet = match &self.quiet {
            None => "off".to_string(),
            Some(options) => {
                let parameters = options.parameters(&default_quiet());
                if parameters.is_empty() { "on".to_string() } else { format!("on({})", parameters.join(",")) }
            }
        };
        let all = [
            (self.depth != default.depth, format!("depth={}", self.depth)),
            (self.threads != default.threads, format!("threads={}", self.threads)),
            (self.hash != default.hash, format!("hash={}", self.hash)),
            (self.multipv != default.multipv, format!("multipv={}", self.multipv)),
            (self.pawn != default.pawn, format!("pawn={}", self.pawn)),
            (self.aspiration != default.aspiration, format!("aspiration={}", self.aspiration)),
            (self.scout != default.scout, format!("scout={}", self.scout)),
            (self.table != default.table, format!("table={}", self.table)),
            (self.leaf_table != default.leaf_table, format!("leaf-table={}", self.leaf_table)),
            (self.killers != default.killers, format!("killers={}", self.killers)),
            (self.history != default.history, format!("history={}", self.history)),
            (self.null != default.null, format!("null={}", self.null)),
            (self.lmr != default.lmr, format!("lmr={}", self.lmr)),
            (self.futility != default.futility, format!("futility={}", self.futility)),
            (self.futile != default.futile, format!("futile={}", self.futile)),
            (self.margin != default.margin, format!("margin={}", self.margin)),
            (self.move_count != default.move_count, format!("move-count={}", self.move_count)),
            (self.probcut != default.probcut, format!("probcut={}", self.probcut)),
            (self.extend != default.extend, format!("extend={}", self.extend)),
            (self.siblings != default.siblings, format!("siblings={}", self.siblings)),
            (self.realization != default.realization, format!("realization={}", self.realization)),
            (self.repetition != default.repetition, format!("repetition={repetition}")),
            (self.quiet != default.quiet, format!("quiet={quiet}")),
        ];
        let soft = self.soft.iter().map(SoftOptions::to_string);
        let given = all.into_iter().filter(|(differs, _)| *differs).map(|(_, text)| text);
        let given: Vec<String> = soft.chain(given).collect();
        let name = if self.soft.is_some() { SOFT_NAME } else { NAME };
        if given.is_empty() { write!(f, "{name}") } else { write!(f, "{name}({})", given.join(",")) }
    }
}

impl FromStr for AlphaBetaOptions {
    type Err = TextError;
    fn from_str(text: &str) -> Result<Self, TextError> {
        AlphaBetaOptions::from_spec(&Spec::parse(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_typed() {
        for text in [
            "alpha-beta",
            "alpha-beta(depth=8)",
            "alpha-beta(depth=3,threads=2,hash=1,multipv=4,pawn=0.1,aspiration=0,scout=false,table=false,leaf-table=true,killers=false,\
             history=false,null=false,lmr=false,futility=false,futile=5,margin=130,move-count=false,probcut=0,extend=false,siblings=true,realization=0.2,\
             repetition=rule,quiet=off)",
            "alpha-beta(quiet=on(depth=4,checks=1,exchange=false))",
            "mcss-deep(t=40,tb=5,k=2,reach=0.1,leaf=1,backup=logsumexp,late=off,steady=0.5,early=0.25,hash=1)",
        ] {
            let options: AlphaBetaOptions = text.parse().unwrap();
            assert_eq!(options.to_string(), text);
        }
        let full_width = AlphaBetaOptions::full_width();
        assert_eq!(full_width.to_string().parse(), Ok(full_width));
    }

    #[test]
    fn the_help_page_names_the_defaults() {
        let default = AlphaBetaOptions::default();
        for p in PARAMETERS {
            let text = format!("alpha-beta({}={})", p.key, p.default);
            assert_eq!(text.parse(), Ok(default), "{text}");
        }
        let soft: AlphaBetaOptions = "mcss-deep".parse().unwrap();
        assert_eq!(soft, AlphaBetaOptions { soft: Some(SoftOptions::default()), ..default });
        for p in crate::alpha_beta::SOFT_PARAMETERS.iter().filter(|p| !p.default.is_empty()) {
            let text = format!("mcss-deep({}={})", p.key, p.default);
            assert_eq!(text.parse(), Ok(soft), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_where_it_stands() {
        for (text, column) in [
            ("alpha-beta(depth=0)", 18),
            ("alpha-beta(depth=129)", 18),
            ("alpha-beta(hash=99999999999)", 17),
            ("alpha-beta(threads=0)", 20),
            ("alpha-beta(futile=0)", 19),
            ("alpha-beta(multipv=0)", 20),
            ("alpha-beta(null=maybe)", 17),
            ("alpha-beta(quiet=loud)", 18),
            ("alpha-beta(quiet=on(loud=1))", 21),
            ("alpha-beta(repetition=5)", 23),
            ("alpha-beta(pawn=-1)", 1),
            ("alpha-beta(pawn=nan)", 1),
            ("alpha-beta(probcut=-1)", 1),
            ("alpha-beta(realization=1)", 1),
            ("alpha-beta(deep=1)", 12),
            ("mcss", 1),
            ("mcss-deep(t=-1)", 13),
            ("mcss-deep(reach=2)", 17),
            ("mcss-deep(backup=mean)", 18),
            ("mcss-deep(multipv=2)", 19),
            ("mcss-deep(deep=1)", 11),
        ] {
            let error = text.parse::<AlphaBetaOptions>().unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
        }
    }
}
