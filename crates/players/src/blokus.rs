//! Players of Blokus Duo.

use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_games::blokus::BlokusDuo;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Search};

use super::rollouts::rollout;
use super::{Evaluations, unknown};

impl Evaluations for BlokusDuo {
    const NAMES: &'static [&'static str] = &["rollout"];

    fn usual(_search: &Spec) -> Spec {
        Spec::named("rollout")
    }

    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
        match spec.name.as_str() {
            "rollout" => rollout(spec),
            _ => Err(unknown(spec, Self::NAMES)),
        }
    }

    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
        Box::new(AlphaBeta::new(evaluator, options))
    }
}
