//! What a paper says in words, judged.

use serde_json::{Value, json};
use yomi_core::TextError;

use super::published::Claim;
use super::sample::Sample;
use super::verdict::{Judgement, Verdict, of_order};
use crate::report::{Field, Sheet};

/// Refuses claims about rows that do not exist.
pub(crate) fn check<'a>(claims: &[Claim], labels: impl Iterator<Item = &'a str>) -> Result<(), TextError> {
    let labels: Vec<&str> = labels.collect();
    for claim in claims {
        if claim.increasing.len() < 2 {
            return Err(TextError::new(format!("claim “{}”: an order needs two rows at least", claim.says)));
        }
        if let Some(lost) = claim.increasing.iter().find(|label| !labels.contains(&label.as_str())) {
            return Err(TextError::new(format!("claim “{}”: there is no row “{lost}”", claim.says)));
        }
    }
    Ok(())
}

/// The judgement of one claim over the rows that are there.
fn judged(claim: &Claim, samples: &[(&str, Sample)]) -> Option<Judgement> {
    let of = |label: &String| samples.iter().find(|(name, _)| name == label).map(|(_, sample)| sample.clone());
    of_order(&claim.increasing.iter().filter_map(of).collect::<Vec<Sample>>())
}

/// All claims as a table, with their verdicts.
pub(crate) fn judge(claims: &[Claim], measure: &str, samples: &[(&str, Sample)]) -> (Sheet, Vec<Verdict>) {
    let mut sheet = Sheet { words: 1, ..Sheet::default() };
    if claims.is_empty() {
        return (sheet, Vec::new());
    }
    sheet.head = vec!["the paper says".to_string(), format!("{measure}, increasing"), "verdict".to_string()];
    let mut verdicts = Vec::new();
    for claim in claims {
        let judged = judged(claim, samples);
        verdicts.extend(judged.map(|judgement| judgement.verdict));
        let order = claim.increasing.join(" < ");
        sheet.rows.push(vec![claim.says.as_str().into(), order.into(), Field::judged(judged.as_ref())]);
    }
    (sheet, verdicts)
}

/// The same for programs.
pub(crate) fn summary(claims: &[Claim], samples: &[(&str, Sample)]) -> Value {
    claims.iter().map(|claim| json!({ "says": claim.says, "judgement": judged(claim, samples) })).collect()
}
