//! Players of shogi and minishogi.

use std::sync::Arc;

use yomi_core::file::{read_file, read_text_file};
use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_eval::linear::Weights;
use yomi_eval::nnue::Network;
use yomi_eval::{Effect, Linear, Material, Nnue, WinInOne, material};
use yomi_games::shogi::{Shogi, Variant};
use yomi_net::input::Layout;
use yomi_search::book::LARGEST_BOOK;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Book, Bookish, MateFirst, Quiet, QuietOptions, Search};

use super::guided::guided;
use super::net::net;
use super::rollouts::rollout;
use super::{Evaluations, unknown};

/// No file of linear weights is larger; ours have a tenth of a megabyte.
const LARGEST_WEIGHTS: u64 = 64 << 20;

impl<V: Variant> Evaluations for Shogi<V> {
    const NAMES: &'static [&'static str] = &[
        "quiet(linear)",
        "linear",
        "linear(file=…)",
        "nnue(file=…)",
        "effect",
        "material",
        "quiet(…)",
        "win-in-one(…)",
        "guided(…,file=…)",
        "rollout",
        "net(file=…)",
        "cached(net(…))",
    ];

    fn default_for(search: &Spec) -> Spec {
        // Alpha-beta has a quiescence search of its own.
        Spec::named(if ["alpha-beta", "mcss-deep"].contains(&search.name.as_str()) { "linear" } else { "quiet" })
    }

    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
        // `glance` is what it was called in older records.
        if ["win-in-one", "glance"].contains(&spec.name.as_str()) {
            let default = Spec::named("quiet");
            let inner = Self::named(spec.positional(0).unwrap_or(&default))?;
            spec.reject_unused()?;
            return Ok(AnyEvaluator::new(WinInOne::new(inner)));
        }
        if spec.name == "guided" {
            let default = Spec::named("quiet");
            let inner = Self::named(spec.positional(0).unwrap_or(&default))?;
            return guided(spec, inner);
        }
        if ["net", "cached"].contains(&spec.name.as_str()) {
            let default = if V::SIZE == 9 { Layout::Shogi } else { Layout::Minishogi };
            return net(spec, default, |layout| layout.game() == V::NAME);
        }
        let options = match spec.name.as_str() {
            "quiet" => Some(QuietOptions::from_spec(spec, QuietOptions::default())?),
            _ => None,
        };
        let default = Spec::named("linear");
        let inner = if options.is_some() { spec.positional(0).unwrap_or(&default) } else { spec };
        let evaluator = match inner.name.as_str() {
            "linear" => settled(linear::<V>(inner)?, options),
            "nnue" => settled(nnue::<V>(inner)?, options),
            "effect" => settled(Effect, options),
            "material" => settled(Material, options),
            "rollout" if options.is_none() => return rollout(spec),
            _ if options.is_some() => return Err(unknown(inner, &["linear", "nnue", "effect", "material"])),
            _ => return Err(unknown(spec, Self::NAMES)),
        };
        inner.reject_unused()?;
        spec.reject_unused()?;
        Ok(evaluator)
    }

    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
        Box::new(AlphaBeta::tactical(evaluator, options))
    }

    fn wrap(spec: &Spec, inner: Box<dyn Search<Self>>) -> Result<Box<dyn Search<Self>>, TextError> {
        let search: Box<dyn Search<Self>> = match (spec.name.as_str(), spec.get("file")) {
            ("book", Some(file)) => {
                let text = read_text_file(&file.name, LARGEST_BOOK).map_err(|e| file.error(e.message))?;
                let book = Book::parse(&Self::default(), &text);
                let book = book.map_err(|e| file.error(format!("{}: {e}", file.name)))?;
                Box::new(Bookish::new(inner, Arc::new(book)))
            }
            ("book", None) => return Err(spec.error("a book needs a file: book(mcss,file=book.db)")),
            ("endgame-first" | "break-symmetry", _) => {
                return Err(spec.error(format!("{} is for blokus-duo", spec.name)));
            }
            _ => Box::new(MateFirst::new(inner, spec.value_or("nodes", 10_000)?, material::WIN)),
        };
        spec.reject_unused()?;
        Ok(search)
    }
}

/// The evaluator itself, or with a quiescence search in front of it.
fn settled<V, E>(evaluator: E, options: Option<QuietOptions>) -> AnyEvaluator<Shogi<V>>
where
    V: Variant,
    E: yomi_core::Evaluator<Shogi<V>> + 'static,
    E::Scratch: 'static,
{
    match options {
        Some(options) => AnyEvaluator::new(Quiet::new(evaluator, options)),
        None => AnyEvaluator::new(evaluator),
    }
}

/// `linear`, or `linear(file=w.linear)` with weights of one's own.
fn linear<V: Variant>(spec: &Spec) -> Result<Linear<V>, TextError> {
    let Some(file) = spec.get("file") else { return Ok(Linear::embedded()) };
    let bytes = read_file(&file.name, LARGEST_WEIGHTS).map_err(|e| file.error(e.message))?;
    let weights = Weights::read::<V>(&bytes).map_err(|e| file.error(format!("{}: {}", file.name, e.message)))?;
    Linear::new(&weights, spec.to_string())
}

/// `nnue(file=w.nnue)`: a network of one's own.
fn nnue<V: Variant>(spec: &Spec) -> Result<Nnue<V>, TextError> {
    let Some(file) = spec.get("file") else { return Err(spec.error("a network needs a file: nnue(file=w.nnue)")) };
    let bytes = read_file(&file.name, LARGEST_WEIGHTS).map_err(|e| file.error(e.message))?;
    let network = Network::read::<V>(&bytes).map_err(|e| file.error(format!("{}: {}", file.name, e.message)))?;
    Ok(Nnue::new(network, spec.to_string()))
}
