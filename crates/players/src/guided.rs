//! Evaluations with the priors of a simulation policy (S3.1).

use yomi_core::file::read_text_file;
use yomi_core::{AnyEvaluator, Spec, TextError};
use yomi_eval::simulation::LARGEST_POLICY;
use yomi_eval::{Guided, MoveFeatures, SimulationPolicy};

/// `guided(quiet(linear),file=minishogi.policy)`: the evaluation inside, with the probabilities of moves that the simulation policy of a
/// file has, or the one that comes with the program; `policy=even` finds all moves alike.
pub(super) fn guided<P: MoveFeatures>(spec: &Spec, inner: AnyEvaluator<P>) -> Result<AnyEvaluator<P>, TextError> {
    let even = spec.get("policy").map_or(Ok(false), |word| word.choice(&[("learned", false), ("even", true)]))?;
    let policy = match spec.get("file") {
        Some(file) => {
            let text = read_text_file(&file.name, LARGEST_POLICY).map_err(|e| file.error(e.message))?;
            SimulationPolicy::read(&text).map_err(|e| file.error(format!("{}: {}", file.name, e.message)))?
        }
        None if even => SimulationPolicy::read("")?,
        None => SimulationPolicy::embedded(),
    };
    spec.reject_unused()?;
    Ok(AnyEvaluator::new(Guided::new(inner, policy)))
}
