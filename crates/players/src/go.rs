//! Players of Go.

use std::sync::Arc;

use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_eval::Guided;
use yomi_eval::go::dynamic_komi::POINTS_A_STONE;
use yomi_eval::go::tactics::is_sensible;
use yomi_eval::go::{DynamicKomi, Model};
use yomi_eval::rollout::AnyPolicy;
use yomi_eval::rollout::patterns::{Patterns, Rules};
use yomi_games::go::{Go, GoMove};
use yomi_net::input::Layout;
use yomi_search::{AlphaBeta, AlphaBetaOptions, Search};

use super::forecast::{Forecaster, Playouts};
use super::guided::guided;
use super::net::net;
use super::policies::Policies;
use super::rollouts::rollout;
use super::{Evaluations, unknown};

impl<const LEN: usize> Evaluations for Go<LEN> {
    const NAMES: &'static [&'static str] = &["go", "rollout", "guided(…,file=…)", "net(file=…)", "cached(net(…))"];

    fn default_for(search: &Spec) -> Spec {
        // Searches that ask for priors get them; the others are the papers' baselines.
        Spec::named(if search.name == "prior-rave" { "go" } else { "rollout" })
    }

    fn named(spec: &Spec) -> Result<AnyEvaluator<Self>, TextError> {
        match spec.name.as_str() {
            "go" => knowing(spec),
            "rollout" => rollout(spec),
            "guided" => {
                let default = Spec::named("rollout");
                let inner = Self::named(spec.positional(0).unwrap_or(&default))?;
                guided(spec, inner)
            }
            "net" | "cached" => net(
                spec,
                Layout::Go(*Self::SIZES.end() as u8),
                |layout| matches!(layout, Layout::Go(size) if Self::SIZES.contains(&usize::from(size))),
            ),
            _ => Err(unknown(spec, Self::NAMES)),
        }
    }

    fn forecast(evaluator: AnyEvaluator<Self>) -> (AnyEvaluator<Self>, Option<Arc<dyn Forecaster<Self>>>) {
        let (playouts, audible) = Playouts::of(evaluator);
        (audible, Some(playouts))
    }

    fn alpha_beta(evaluator: AnyEvaluator<Self>, options: AlphaBetaOptions) -> Box<dyn Search<Self>> {
        Box::new(AlphaBeta::new(evaluator, options))
    }
}

/// `go(rollout(patterns),priors=learned,komi=dynamic)`: playouts, learned move probabilities, and a komi that keeps handicap games
/// open; `priors=even` and `komi=fixed` switch them off, `komi=8` says what a handicap stone is worth.
fn knowing<const LEN: usize>(spec: &Spec) -> Result<AnyEvaluator<Go<LEN>>, TextError> {
    let default = Spec::parse("rollout(patterns)")?;
    let inner = spec.positional(0).unwrap_or(&default);
    if inner.name != "rollout" {
        return Err(inner.error(format!("{} is no rollout", inner.name)));
    }
    let learned = spec.get("priors").map_or(Ok(true), |word| word.choice(&[("learned", true), ("even", false)]))?;
    let a_stone = match spec.get("komi") {
        None => POINTS_A_STONE,
        Some(word) if word.name == "dynamic" && word.is_bare() => POINTS_A_STONE,
        Some(word) if word.name == "fixed" && word.is_bare() => 0.0,
        Some(word) => {
            let points: f32 = word.value()?;
            if points.abs() <= 100.0 {
                points
            } else {
                return Err(word.error("a handicap stone is worth -100 to 100 points"));
            }
        }
    };
    spec.reject_unused()?;
    let playouts = DynamicKomi::new(rollout(inner)?, a_stone);
    Ok(if learned { AnyEvaluator::new(Guided::new(playouts, Model::embedded())) } else { AnyEvaluator::new(playouts) })
}

impl<const LEN: usize> Policies for Go<LEN> {
    const OWN: &'static [&'static str] = &["patterns"];
    // The learned probabilities of moves are priors, not values; a game of Go is judged by playing on.
    const SCORER: &'static str = "rollout";

    fn own(spec: &Spec) -> Option<Result<AnyPolicy<Self>, TextError>> {
        (spec.name == "patterns").then(|| Ok(AnyPolicy::new(Patterns::new(rules(spec)?))))
    }

    fn is_worthy(position: &Self, mv: GoMove) -> bool {
        mv.vertex().is_some_and(|v| is_sensible(position, v))
    }
}

/// `patterns(capture=on,atari=off,shapes=0.5)`.
fn rules(spec: &Spec) -> Result<Rules, TextError> {
    let default = Rules::default();
    let rule = |key: &str, default: f32| match spec.get(key) {
        None => Ok(default),
        Some(word) if word.is_bare() && word.name == "on" => Ok(default),
        Some(word) if word.is_bare() && word.name == "off" => Ok(0.0),
        Some(word) => match word.value::<f32>() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
            _ => Err(word.error(format!("{word} is not on, off or a probability"))),
        },
    };
    let rules = Rules {
        capture: rule("capture", default.capture)?,
        atari: rule("atari", default.atari)?,
        nakade: rule("nakade", default.nakade)?,
        shapes: rule("shapes", default.shapes)?,
        careful: rule("careful", default.careful)?,
        wary: rule("wary", default.wary)?,
    };
    spec.reject_unused()?;
    Ok(rules)
}
