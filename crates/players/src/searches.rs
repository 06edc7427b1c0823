//! The searches, the same in every game.

use yomi_core::{AnyEvaluator, Spec, TextError, Uniform};
use yomi_search::{
    AlphaBetaOptions, Flat, FlatOptions, Greedy, METHODS, Method, RandomPlayer, Search, TreeSearch, Weakened,
    WeakenedOptions,
};

use super::Evaluations;

/// The searches beside those of the tree family.
pub const OTHER_SEARCHES: &[(&str, &str)] = &[
    ("alpha-beta", "iterative deepening, PVS and the standard pruning; an evaluation is needed"),
    (
        "mcss-deep",
        "a softmax tree (S0.2, S0.3) over the likely moves, whose leaves are alpha-beta searches, all deepened together; takes \
         the parameters of alpha-beta, too",
    ),
    ("flat", "flat Monte Carlo (S1.4): n playouts per legal move"),
    ("greedy", "the move whose position is judged best, one ply deep"),
    ("random", "any legal move"),
];

/// What stands around another search.
pub const WRAPPERS: &[(&str, &str)] = &[
    ("mate-first", "a mate solver of nodes=10000 in front of another search: mate-first(mcss); shogi and minishogi"),
    (
        "knowledge",
        "a program that rates moves (GTP top_moves_black, …_white) chooses among those with more than share=0.5 of the \
         best one's visits: knowledge(\"gnugo --mode gtp\",uct); in matches and experiments",
    ),
    (
        "book",
        "moves of an opening book (YaneuraOu .db) before another search: book(mcss,file=book.db); shogi and minishogi",
    ),
    (
        "endgame-first",
        "exact play by points where at most moves=40 moves are legal, within nodes=100000 positions: endgame-first(uct); blokus-duo",
    ),
    (
        "break-symmetry",
        "takes the middle if the second player has mirrored every move, before another search: break-symmetry(uct); blokus-duo",
    ),
    (
        "weakened",
        "another search that does not always play its best move, for weaker opponents: \
         weakened(alpha-beta(multipv=6),values=80,random=0.05)",
    ),
];

/// The names of all searches.
pub fn search_names() -> impl Iterator<Item = &'static str> {
    let others = OTHER_SEARCHES.iter().chain(WRAPPERS).map(|&(name, _)| name);
    METHODS.iter().map(|entry| entry.name).chain(others)
}

/// The search inside one that stands around another: `mcss` of `mate-first(mcss)`.
pub fn inner(search: &Spec) -> Option<Spec> {
    let around = WRAPPERS.iter().any(|(name, _)| *name == search.name);
    // A copy, for asking marks a parameter as used.
    search.clone().positional(0).filter(|_| around).cloned()
}

/// The search that thinks, whatever stands around it: `mcss` of `mate-first(book(mcss,file=…))`.
pub(super) fn innermost(search: &Spec) -> Spec {
    let mut search = search.clone();
    while let Some(inner) = inner(&search) {
        search = inner;
    }
    search
}

/// The search that `spec` names, with this evaluation.
pub(super) fn build<P: Evaluations>(spec: &Spec, evaluator: AnyEvaluator<P>) -> Result<Box<dyn Search<P>>, TextError> {
    Ok(match spec.name.as_str() {
        "alpha-beta" | "mcss-deep" => P::alpha_beta(evaluator, AlphaBetaOptions::from_spec(spec)?),
        "mate-first" | "book" | "endgame-first" | "break-symmetry" | "weakened" => {
            let inner = spec.positional(0).ok_or_else(|| spec.error(format!("{} needs a search inside", spec.name)))?;
            let inner = build(inner, evaluator)?;
            match spec.name.as_str() {
                "weakened" => Box::new(Weakened::new(inner, WeakenedOptions::from_spec(spec)?)),
                _ => P::wrap(spec, inner)?,
            }
        }
        "level" => return Err(spec.error("levels are players of play, analyze, match, experiment, usi, gtp and csa")),
        "flat" => Box::new(Flat::new(Uniform, FlatOptions::from_spec(spec)?)),
        "random" => {
            spec.reject_unused()?;
            Box::new(RandomPlayer)
        }
        "greedy" => {
            spec.reject_unused()?;
            Box::new(Greedy::new(evaluator))
        }
        "knowledge" => {
            return Err(spec.error("knowledge attaches a program and is a player of matches and experiments"));
        }
        name if METHODS.iter().any(|entry| entry.name == name) => {
            Box::new(TreeSearch::new(Method::parse(spec)?, evaluator))
        }
        _ => return Err(spec.unknown("a search", search_names())),
    })
}
