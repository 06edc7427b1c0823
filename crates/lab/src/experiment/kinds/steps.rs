//! What of a search's time each step of its evaluation takes, and ratios that a paper prints (S4.5, table 1).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::TextError;

use super::step_timing::TimingMeasurement;
use crate::experiment::sample::Sample;
use crate::report::Sheet;
use crate::report::text::{number_text, short};
use crate::statistics::{Estimate, Level};

/// What a search does beside the steps that its evaluation counts.
const REST: &str = "selection";

/// A ratio of two methods as a paper prints it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ratio {
    /// What it is about: `evaluations`, `evaluations per second`, `time`, or the names of steps joined by ` + `.
    pub of: String,
    /// The label of the method above the line.
    pub method: String,
    /// The label of the method below the line.
    pub to: String,
    /// What is printed.
    pub published: String,
}

/// Refuses ratios of methods that do not exist.
pub(super) fn check(ratios: &[Ratio], labels: &[&str]) -> Result<(), TextError> {
    for ratio in ratios {
        if let Some(lost) = [&ratio.method, &ratio.to].into_iter().find(|label| !labels.contains(&label.as_str())) {
            return Err(TextError::new(format!("ratio of {}: there is no curve “{lost}”", ratio.of)));
        }
    }
    Ok(())
}

/// Seconds of a step of a method in one repetition.
fn seconds(timing: &TimingMeasurement, method: usize, step: &str) -> f64 {
    let Some(steps) = timing.steps.get(method) else { return f64::NAN };
    match steps.iter().find(|(name, _)| name == step) {
        Some((_, seconds)) => *seconds,
        None if step == REST => timing.seconds[method] - steps.iter().map(|(_, seconds)| seconds).sum::<f64>(),
        None => f64::NAN,
    }
}

/// What a ratio is about, of a method in one repetition.
fn quantity(timing: &TimingMeasurement, method: usize, of: &str) -> f64 {
    match of {
        "evaluations" => timing.evaluations[method] as f64,
        "evaluations per second" => timing.evaluations[method] as f64 / timing.seconds[method],
        "time" => timing.seconds[method],
        steps => steps.split(" + ").map(|step| seconds(timing, method, step)).sum(),
    }
}

/// The steps of all methods, in mean seconds.
pub(super) fn table(timings: &[&TimingMeasurement], labels: &[&str]) -> Sheet {
    let mut names: Vec<&str> = vec![REST];
    for (name, _) in timings.iter().flat_map(|timing| &timing.steps).flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut head = vec!["method", "evaluations", "evaluations/s"];
    head.extend(&names);
    head.push("seconds");
    let mut sheet = Sheet::new(&head);
    let mean = |value: &dyn Fn(&TimingMeasurement) -> f64| {
        short(Sample::new(timings.iter().map(|timing| value(timing))).mean().unwrap_or(f64::NAN))
    };
    for (i, label) in labels.iter().enumerate() {
        let mut row = vec![(*label).into(), mean(&|timing| quantity(timing, i, "evaluations")).into()];
        row.push(mean(&|timing| quantity(timing, i, "evaluations per second")).into());
        row.extend(names.iter().map(|name| mean(&|timing| seconds(timing, i, name)).into()));
        row.push(mean(&|timing| timing.seconds[i]).into());
        sheet.rows.push(row);
    }
    sheet
}

/// Published ratios beside measured ones: geometric means over the repetitions with Student's interval.
pub(super) fn ratios(ratios: &[Ratio], timings: &[&TimingMeasurement], labels: &[&str]) -> (Sheet, Value) {
    let mut sheet = Sheet::new(&["ratio", "published", "measured [95 %]"]);
    let mut rows = Vec::new();
    for ratio in ratios {
        let place = |label: &str| labels.iter().position(|other| *other == label).unwrap_or(0);
        let (above, below) = (place(&ratio.method), place(&ratio.to));
        let logs =
            timings.iter().map(|timing| (quantity(timing, above, &ratio.of) / quantity(timing, below, &ratio.of)).ln());
        let logs = Sample::new(logs);
        let estimate = Estimate { value: logs.mean().unwrap_or(f64::NAN), interval: logs.interval(Level::P95) };
        let estimate = estimate.map(f64::exp);
        let shown = number_text(estimate.value, estimate.interval);
        let what = format!("{}, {} to {}", ratio.of, ratio.method, ratio.to);
        sheet.rows.push(vec![what.as_str().into(), ratio.published.as_str().into(), shown.into()]);
        rows.push(json!({ "of": ratio.of, "method": ratio.method, "to": ratio.to, "published": ratio.published,
            "measured": estimate.value, "interval": [estimate.interval.low, estimate.interval.high] }));
    }
    (sheet, Value::Array(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_step_counts_is_selection() {
        let timing = TimingMeasurement {
            seconds: vec![1.0, 4.0],
            simulations: vec![10, 10],
            evaluations: vec![10, 800],
            moves: Vec::new(),
            steps: vec![
                vec![("features".into(), 0.25), ("evaluation".into(), 0.5)],
                vec![("features".into(), 2.0), ("evaluation".into(), 0.5)],
            ],
        };
        assert_eq!(seconds(&timing, 1, "selection"), 1.5);
        assert_eq!(quantity(&timing, 0, "features + evaluation"), 0.75);
        let labels = ["puct", "mcss"];
        let ratio = |of: &str| Ratio { of: of.into(), method: "mcss".into(), to: "puct".into(), published: "?".into() };
        let wanted = [ratio("evaluations"), ratio("features"), ratio("time")];
        let (sheet, summary) = ratios(&wanted, &[&timing, &timing], &labels);
        assert_eq!(sheet.rows.len(), 3);
        let measured: Vec<f64> =
            summary.as_array().unwrap().iter().map(|row| row["measured"].as_f64().unwrap()).collect();
        assert!(measured.iter().zip([80.0, 8.0, 4.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{measured:?}");
        assert_eq!(table(&[&timing], &labels).head.len(), 7);
        assert!(check(&wanted, &["puct"]).is_err() && check(&wanted, &labels).is_ok());
    }
}
