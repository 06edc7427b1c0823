//! Where words become searches: `mcss(t=80)` and `quiet(material)` become a search of a game.
//!
//! The searches are the same for all games (`searches`); which evaluations there are depends on the game, so each has a file that says
//! so. Every search of every game is built in this crate and nowhere else: the program that uses them is compiled without them.
//!
//! ```
//! use yomi_core::{Line, Seed, Spec};
//! use yomi_games::shogi::Minishogi;
//! use yomi_players::Playable;
//! use yomi_search::Limits;
//!
//! let (search, evaluator) = (Spec::parse("mcss(t=80,hash=16)")?, Spec::parse("quiet(material)")?);
//! let mut search = Minishogi::build(&search, Some(&evaluator))?;
//! let verdict = search.search(&Line::new(Minishogi::default()), &Limits::simulations(50).seeded(Seed::new(1)), &mut ());
//! assert!(verdict.best.is_some());
//! assert!(Minishogi::build(&Spec::parse("mcst")?, None).is_err());
//! # Ok::<(), yomi_core::TextError>(())
//! ```

mod blokus;
mod bounds;
pub mod forecast;
mod go;
mod guided;
mod net;
mod playouts;
mod policies;
mod rollouts;
mod searches;
mod shogi;

use std::sync::Arc;

use forecast::Forecaster;
use yomi_core::{AnyEvaluator, Simulate, Spec, TextError};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Search};

pub use bounds::{Bounds, bounds, check_limits};
pub use net::{NetworkInUse, networks_in_use};
pub use policies::POLICIES;
pub use searches::{OTHER_SEARCHES, WRAPPERS, inner, search_names};

/// A game that can be played.
pub trait Playable: Simulate {
    /// The evaluations there are, the default first.
    const EVALUATORS: &'static [&'static str];

    /// The evaluation that `evaluator` names, or the default of the search.
    fn evaluator(search: &Spec, evaluator: Option<&Spec>) -> Result<AnyEvaluator<Self>, TextError>;

    /// The search that `search` names, with the evaluation that `evaluator` names or the default of that search.
    fn build(search: &Spec, evaluator: Option<&Spec>) -> Result<Box<dyn Search<Self>>, TextError> {
        Self::build_with(search, Self::evaluator(search, evaluator)?)
    }

    /// The search that `search` names, with this evaluation.
    fn build_with(search: &Spec, evaluator: AnyEvaluator<Self>) -> Result<Box<dyn Search<Self>>, TextError>;

    /// An evaluation whose playouts yield a lead in points, in games that are counted; the evaluation itself elsewhere.
    fn forecast(evaluator: AnyEvaluator<Self>) -> (AnyEvaluator<Self>, Option<Arc<dyn Forecaster<Self>>>);
}

/// What a game's file says; [`playable`] makes the rest of it.
trait Evaluations: Simulate {
    /// The evaluations there are, the default first.
    const NAMES: &'static [&'static str];

    /// The evaluation for a player of this search, with nothing around it, that names none.
    fn default_for(search: &Spec) -> Spec;

    /// The evaluation that `spec` names.
    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError>;

    /// Alpha-beta, with whatever the game knows about captures and checks.
    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>>;

    /// An evaluation whose playouts yield a lead in points, in games that are counted.
    fn forecast(evaluator: AnyEvaluator<Self>) -> (AnyEvaluator<Self>, Option<Arc<dyn Forecaster<Self>>>) {
        (evaluator, None)
    }

    /// What stands around another search in this game: `mate-first(mcss,nodes=10000)`.
    fn wrap(spec: &Spec, inner: Box<dyn Search<Self>>) -> Result<Box<dyn Search<Self>>, TextError> {
        let _ = inner;
        let games = if ["endgame-first", "break-symmetry"].contains(&spec.name.as_str()) {
            "blokus-duo"
        } else {
            "shogi and minishogi"
        };
        Err(spec.error(format!("{} is for {games}", spec.name)))
    }
}

/// Builds the searches of all games here. The types must be concrete: code of generic ones would be built again by every user.
macro_rules! playable {
    ([] $( $game:ty, $knowledge:ident, [$($name:literal),+], $summary:literal; )+) => { $(
        impl Playable for $game {
            const EVALUATORS: &'static [&'static str] = <$game as Evaluations>::NAMES;

            fn evaluator(search: &Spec, evaluator: Option<&Spec>) -> Result<AnyEvaluator<Self>, TextError> {
                let default = || <$game as Evaluations>::default_for(&searches::innermost(search));
                <$game as Evaluations>::named(&evaluator.cloned().unwrap_or_else(default))
            }

            fn build_with(search: &Spec, evaluator: AnyEvaluator<Self>) -> Result<Box<dyn Search<Self>>, TextError> {
                searches::build(search, evaluator)
            }

            fn forecast(evaluator: AnyEvaluator<Self>) -> (AnyEvaluator<Self>, Option<Arc<dyn Forecaster<Self>>>) {
                <$game as Evaluations>::forecast(evaluator)
            }
        }
        playouts::knowledge!($knowledge, $game);
    )+ };
}
yomi_games::for_each_game!(playable);

/// The error for an evaluation that the game does not have.
fn unknown(spec: &Spec, names: &[&str]) -> TextError {
    spec.unknown("an evaluation of this game", names.iter().copied())
}
