//! Evaluations by playing out, the same in every game.

use yomi_core::{AnyEvaluator, Simulate, Spec, TextError, Uniform};
use yomi_eval::Rollout;

/// `rollout(n=4)`: playouts by the game's own uniform policy.
pub(super) fn rollout<P: Simulate>(spec: &Spec) -> Result<AnyEvaluator<P>, TextError> {
    let playouts = spec.value_or("n", 1u32)?;
    spec.reject_unused()?;
    if playouts == 0 {
        return Err(spec.error("a rollout plays at least one game out"));
    }
    Ok(AnyEvaluator::new(Rollout::averaging(Uniform, playouts)))
}
