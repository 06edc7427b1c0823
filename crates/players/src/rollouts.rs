//! Evaluations by playing out.

use yomi_core::{AnyEvaluator, Simulate, Spec, TextError, Uniform};
use yomi_eval::Rollout;

use super::policies::{Policies, TabuLists, policy};

/// `rollout(tabu-state(18,5,patterns),n=4)`: the mean of n playouts by a policy, the game's own uniform one if none is named.
pub(super) fn rollout<P: Policies>(spec: &Spec) -> Result<AnyEvaluator<P>, TextError> {
    let default = Spec::named("uniform");
    let playouts = spec.value_or("n", 1u32)?;
    let policy_spec = spec.positional(0).unwrap_or(&default);
    spec.reject_unused()?;
    if playouts == 0 {
        return Err(spec.error("a rollout plays at least one game out"));
    }
    // The quickest policies keep their types: a virtual call per move would be felt.
    if policy_spec.name == "uniform" && policy_spec.is_bare() {
        return Ok(averaging(Uniform, playouts));
    }
    if let Some(lists) =
        TabuLists::read(policy_spec)?.filter(|lists| lists.inner.name == "uniform" && lists.inner.is_bare())
    {
        return Ok(averaging(lists.around(Uniform), playouts));
    }
    Ok(averaging(policy::<P>(policy_spec)?, playouts))
}

fn averaging<P: Simulate, Q>(policy: Q, playouts: u32) -> AnyEvaluator<P>
where
    Q: yomi_core::Policy<P> + 'static,
    Q::Scratch: 'static,
{
    AnyEvaluator::new(Rollout::averaging(policy, playouts))
}
