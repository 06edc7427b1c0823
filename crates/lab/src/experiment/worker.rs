//! Jobs of experiments as lines of JSON, and rows as answers: what a cluster distributes. An answer is a line of the ledger.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::plan::ExperimentPlan;
use super::task::{Job, Row};
use super::workshop::{Failure, Workshop};
use crate::error::Result;
use crate::ledger::line;

/// A line that a worker reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The signature of the program that planned the job. A worker with another one refuses it.
    pub signature: u64,
    /// The job.
    #[serde(flatten)]
    pub job: Job,
}

/// The lines of a plan.
pub fn orders(plan: &ExperimentPlan, signature: u64) -> Result<Vec<Order>> {
    Ok(plan.jobs()?.into_iter().map(|job| Order { signature, job }).collect())
}

/// Whether a line is meant for experiments: it names work, not a match.
pub fn is_order(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|value| value.get("work").is_some())
}

/// The answer to one line: a row, or an object with the member `error`.
pub fn answer(order: &[u8], workshop: &dyn Workshop) -> String {
    let refuse = |message: String| json!({ "error": message }).to_string();
    let order: Order = match serde_json::from_slice(order) {
        Ok(order) => order,
        Err(error) => return refuse(format!("this is no job of an experiment: {error}")),
    };
    let signature = workshop.version().bench;
    if order.signature != signature {
        let planned = order.signature;
        return refuse(format!("planned by a build of signature {planned}; this one has {signature} and would differ"));
    }
    match workshop.work(&order.job, &Arc::new(AtomicBool::new(false))) {
        Ok(measurement) => line(&Row::of(&order.job, measurement)).unwrap_or_else(|error| refuse(error.to_string())),
        Err(Failure::Stopped) => refuse("stopped".to_string()),
        Err(Failure::Void(why)) => refuse(why),
        Err(Failure::Wrong(error)) => refuse(error.to_string()),
    }
}
