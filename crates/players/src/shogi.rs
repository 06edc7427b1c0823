//! Players of shogi and minishogi.

use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_eval::Material;
use yomi_games::shogi::{Shogi, Variant};
use yomi_search::{AlphaBeta, AlphaBetaOptions, Quiet, QuietOptions, Search};

use super::rollouts::rollout;
use super::{Evaluations, unknown};

impl<V: Variant> Evaluations for Shogi<V> {
    const NAMES: &'static [&'static str] = &["quiet(material)", "material", "rollout"];

    fn usual(search: &Spec) -> Spec {
        // Alpha-beta has a quiescence search of its own.
        Spec::named(if search.name == "alpha-beta" { "material" } else { "quiet" })
    }

    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
        match spec.name.as_str() {
            "quiet" => {
                if let Some(inner) = spec.positional(0).filter(|inner| inner.name != "material") {
                    return Err(unknown(inner, &["material"]));
                }
                let options = QuietOptions::from_spec(spec, QuietOptions::default())?;
                spec.reject_unused()?;
                Ok(AnyEvaluator::new(Quiet::new(Material, options)))
            }
            "material" => {
                spec.reject_unused()?;
                Ok(AnyEvaluator::new(Material))
            }
            "rollout" => rollout(spec),
            _ => Err(unknown(spec, Self::NAMES)),
        }
    }

    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
        Box::new(AlphaBeta::tactical(evaluator, options))
    }
}
