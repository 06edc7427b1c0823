//! Players of the games that know playouts only: Othello and the toy games.

use yomi_core::toy::{ConnectFour, Nim, TicTacToe};
use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_games::othello::Othello;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Search};

use super::rollouts::rollout;
use super::{Evaluations, unknown};

macro_rules! judged_by_playouts {
    ($($game:ty),+) => { $(
        impl Evaluations for $game {
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
    )+ };
}
judged_by_playouts!(Othello, ConnectFour, TicTacToe, Nim);
