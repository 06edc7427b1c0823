//! Players of games about which nothing is known but their rules: positions are judged by playing them out.

/// What the list of games says is known of a game: `playouts` gets its evaluations and policies here, `own` has a file for them.
macro_rules! knowledge {
    (own, $game:ty) => {};
    (playouts, $game:ty) => {
        impl Evaluations for $game {
            const NAMES: &'static [&'static str] = &["rollout"];

            fn default_for(_search: &Spec) -> Spec {
                Spec::named("rollout")
            }

            fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
                match spec.name.as_str() {
                    "rollout" => rollouts::rollout(spec),
                    _ => Err(unknown(spec, Self::NAMES)),
                }
            }

            fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
                Box::new(AlphaBeta::new(evaluator, options))
            }
        }
        impl policies::Policies for $game {
            const SCORER: &'static str = "rollout";
        }
    };
}
pub(crate) use knowledge;
