//! Statistics of matches, as `yomi stats --json` gives them.

use pyo3::prelude::*;
use serde_json::{Value, json};
use yomi_core::TextError;
use yomi_lab::statistics::elo::{elo as elo_of, likelihood_of_superiority, normalized_elo};
use yomi_lab::statistics::expected::expectation;
use yomi_lab::statistics::power::PowerPlan;
use yomi_lab::statistics::proportions::{compare as compare_proportions, difference};
use yomi_lab::statistics::score::score;
use yomi_lab::statistics::{Estimate, Interval, Level, Model, Proportion, Sprt, Tally};

use crate::error::{OrRaise, wrong};

fn interval_json(interval: Interval) -> Value {
    json!([interval.low, interval.high])
}

fn estimate_json(estimate: Option<Estimate>) -> Value {
    estimate.map_or(Value::Null, |e| json!({ "value": e.value, "interval": interval_json(e.interval) }))
}

/// Counts of one player: wins, draws and losses, or the five counts of pairs.
fn tally(counts: &[u64]) -> Result<Tally, TextError> {
    match *counts {
        [wins, draws, losses] => Tally::games(wins, draws, losses),
        [ll, ld, even, wd, ww] => Tally::pairs([ll, ld, even, wd, ww]),
        _ => Err(TextError::new(
            "counts are three (wins, draws, losses) or five (pairs: two losses, loss and draw, balanced, win and draw, two wins)",
        )),
    }
}

/// Score, Elo, normalized Elo and likelihood of superiority of a match.
#[pyfunction]
#[pyo3(signature = (counts, level = 0.95))]
pub(crate) fn elo(counts: Vec<u64>, level: f64) -> PyResult<String> {
    let (tally, level) = (tally(&counts).or_raise()?, Level::new(level).or_raise()?);
    Ok(json!({ "counts": tally.counts(), "games": tally.len(), "level": level.confidence(),
        "score": estimate_json(score(&tally, level)), "elo": estimate_json(elo_of(&tally, level)),
        "normalized_elo": estimate_json(normalized_elo(&tally, level)),
        "superiority": likelihood_of_superiority(&tally) })
    .to_string())
}

/// Successes out of trials against a rate, with exact and Wilson intervals.
#[pyfunction]
#[pyo3(signature = (successes, trials, p = 0.5, level = 0.95))]
pub(crate) fn binomial(successes: u64, trials: u64, p: f64, level: f64) -> PyResult<String> {
    if !(0.0..=1.0).contains(&p) {
        return Err(wrong(format!("a rate lies between 0 and 1, not at {p}")));
    }
    let (proportion, level) = (Proportion::new(successes, trials).or_raise()?, Level::new(level).or_raise()?);
    Ok(json!({ "successes": successes, "trials": trials, "rate": proportion.rate(), "null": p,
        "p": proportion.exact_test(p), "level": level.confidence(),
        "clopper_pearson": interval_json(proportion.clopper_pearson(level)),
        "wilson": interval_json(proportion.wilson(level)) })
    .to_string())
}

/// Two proportions compared: p, by which test, and the difference with its interval.
#[pyfunction]
#[pyo3(signature = (a, b, level = 0.95))]
pub(crate) fn compare(a: (u64, u64), b: (u64, u64), level: f64) -> PyResult<String> {
    let (a, b) = (Proportion::new(a.0, a.1).or_raise()?, Proportion::new(b.0, b.1).or_raise()?);
    let level = Level::new(level).or_raise()?;
    let comparison = compare_proportions(a, b, true);
    Ok(json!({ "p": comparison.p, "test": comparison.method.name(), "level": level.confidence(),
        "difference": estimate_json(difference(a, b, level)) })
    .to_string())
}

/// A sequential test: its bounds, how long it will take and, with counts, where it stands.
#[pyfunction]
#[pyo3(signature = (elo0, elo1, counts = None, alpha = 0.05, beta = 0.05, logistic = false))]
pub(crate) fn sprt(
    elo0: f64,
    elo1: f64,
    counts: Option<Vec<u64>>,
    alpha: f64,
    beta: f64,
    logistic: bool,
) -> PyResult<String> {
    let model = if logistic { Model::Logistic } else { Model::Normalized };
    let sprt = Sprt::new(model, elo0, elo1, alpha, beta).or_raise()?;
    let tally = counts.map(|counts| tally(&counts)).transpose().or_raise()?;
    let deviation = tally.as_ref().map_or(0.5, |t| (t.softened().variance() * t.games_a_sample() as f64).sqrt());
    let [lower, upper] = sprt.bounds();
    let expected = [elo0, (elo0 + elo1) / 2.0, elo1].map(|truth| {
        let expected = expectation(&sprt, truth, deviation);
        json!({ "elo": truth, "games": expected.games, "accept_h1": expected.accept_h1 })
    });
    let mut answer = json!({ "model": model.to_string(), "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta,
        "lower": lower, "upper": upper, "expected": expected });
    if let Some(tally) = tally {
        let ratio = sprt.log_likelihood_ratio(&tally);
        answer["llr"] = json!(ratio);
        answer["decision"] = json!(sprt.decide(ratio).to_string());
    }
    Ok(answer.to_string())
}

/// How many games show that a score differs from one half.
#[pyfunction]
#[pyo3(signature = (score, power = 0.8, draws = 0.0, alpha = 0.05))]
pub(crate) fn games_needed(score: f64, power: f64, draws: f64, alpha: f64) -> PyResult<u64> {
    PowerPlan::new(score, draws, alpha).and_then(|plan| plan.games_needed(power)).or_raise()
}
