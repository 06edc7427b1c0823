//! What a paper says about where curves of learning end, judged: the greatest of them, a bound, a ratio of two.
//!
//! A curve is one learning run. How far runs of the same learner lie apart cannot be seen in one of them, so there is no interval and
//! nothing is tested: numbers are compared as they are. The end of a curve is the last stretch of the horizontal axis that all curves of the
//! claim have. A claim
//!
//! * **agrees** if it holds for the means over this stretch and at most of its points,
//! * **differs** if it fails for the means and at most of the points,
//! * is **open** otherwise.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::TextError;

use crate::experiment::verdict::Verdict;
use crate::report::text::short;
use crate::report::{Field, Sheet};

/// A claim about the ends of curves, by their labels. Exactly one of its forms is given: `greatest`, `smallest`, `below`, or `ratio` with
/// what was published of it or with `below`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CurveClaim {
    /// In words.
    pub says: String,
    /// The part of the horizontal axis that counts as the end.
    #[serde(default = "tenth")]
    pub over: f64,
    /// This curve ends above all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greatest: Option<String>,
    /// This curve ends below all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smallest: Option<String>,
    /// Every curve, or the ratio, ends below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The first of these two curves divided by the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<[String; 2]>,
    /// What was printed of the ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<f64>,
    /// Which part of the published effect, the ratio less one, it may miss or exceed and still be the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

fn tenth() -> f64 {
    0.1
}

/// Half the published effect, either way.
const USUAL_MARGIN: f64 = 0.5;

/// A curve by its name; no points if it was not read yet.
pub(super) type Named<'a> = (&'a str, &'a [[f64; 2]]);

/// The form of a claim, by places of curves.
#[derive(Clone, Copy)]
enum Form {
    Greatest(usize),
    Smallest(usize),
    Below(f64),
    /// The curve above the line and that below it, and the least and the greatest that their ratio may be.
    Ratio(usize, usize, [f64; 2]),
}

/// A claim judged.
struct Judged {
    verdict: Verdict,
    found: String,
}

impl CurveClaim {
    /// Refuses claims about curves that do not exist, and those of no form or of two.
    pub(super) fn check(&self, labels: &[&str]) -> Result<(), TextError> {
        self.form(labels).map(drop)
    }

    fn form(&self, labels: &[&str]) -> Result<Form, TextError> {
        let error = |what: &str| TextError::new(format!("claim “{}”: {what}", self.says));
        let find = |label: &String| {
            let place = labels.iter().position(|other| other == label);
            place.ok_or_else(|| error(&format!("there is no curve “{label}”")))
        };
        if !(self.over > 0.0 && self.over <= 1.0) {
            return Err(error("over is a part of the horizontal axis, above 0 and at most 1"));
        }
        if self.below.is_some_and(|bound| !bound.is_finite()) {
            return Err(error("below is a number"));
        }
        if self.margin.is_some() && self.published.is_none() {
            return Err(error("margin is a part of a published ratio"));
        }
        match (&self.greatest, &self.smallest, self.below, &self.ratio, self.published) {
            (Some(label), None, None, None, None) => Ok(Form::Greatest(find(label)?)),
            (None, Some(label), None, None, None) => Ok(Form::Smallest(find(label)?)),
            (None, None, Some(bound), None, None) => Ok(Form::Below(bound)),
            (None, None, Some(bound), Some([above, below]), None) => {
                Ok(Form::Ratio(find(above)?, find(below)?, [f64::NEG_INFINITY, bound.next_down()]))
            }
            (None, None, None, Some([above, below]), Some(published)) => {
                let margin = self.margin.unwrap_or(USUAL_MARGIN);
                if !(margin > 0.0 && margin < 1.0) {
                    return Err(error("margin is a part of the published effect, between 0 and 1"));
                }
                if !(published.is_finite() && published > 0.0) || published == 1.0 {
                    return Err(error("a published ratio is a number above 0, and 1 is no effect"));
                }
                let off = margin * (published - 1.0).abs();
                Ok(Form::Ratio(find(above)?, find(below)?, [published - off, published + off]))
            }
            _ => Err(error("give greatest, smallest, below, or ratio with published or below")),
        }
    }

    /// What was printed, as tables show it.
    fn print(&self) -> String {
        let bound = |bound: f64| format!("below {bound}");
        match (self.published, self.below) {
            (Some(published), _) => published.to_string(),
            (None, Some(below)) => bound(below),
            (None, None) => String::new(),
        }
    }

    /// Nothing if a curve is missing, or no two of them have a point in common at the end.
    fn judged(&self, curves: &[Named]) -> Option<Judged> {
        let labels: Vec<&str> = curves.iter().map(|(label, _)| *label).collect();
        let form = self.form(&labels).ok()?;
        let concerned: Vec<usize> = match form {
            Form::Ratio(above, below, _) => vec![above, below],
            _ => (0..curves.len()).collect(),
        };
        let end = ends(curves, &concerned, self.over)?;
        let n = end.values.len();
        let means: Vec<f64> =
            (0..curves.len()).map(|i| end.values.iter().map(|values| values[i]).sum::<f64>() / n as f64).collect();
        let at = end.values.iter().filter(|values| form.holds(values)).count();
        let verdict = match form.holds(&means) {
            true if 2 * at > n => Verdict::Agrees,
            false if 2 * at < n => Verdict::Differs,
            _ => Verdict::NotSignificant,
        };
        let found = format!(
            "{}; holds at {at} of {n} points, {} to {}",
            form.found(&labels, &means),
            short(end.x[0]),
            short(end.x[1])
        );
        Some(Judged { verdict, found })
    }
}

impl Form {
    /// Whether this is so for one number of each curve.
    fn holds(self, values: &[f64]) -> bool {
        let others = |of: usize| values.iter().enumerate().filter(move |(i, _)| *i != of).map(|(_, value)| *value);
        match self {
            Form::Greatest(it) => others(it).all(|other| values[it] > other),
            Form::Smallest(it) => others(it).all(|other| values[it] < other),
            Form::Below(bound) => values.iter().all(|value| *value < bound),
            Form::Ratio(above, below, [least, most]) => {
                let ratio = values[above] / values[below];
                ratio >= least && ratio <= most
            }
        }
    }

    /// The numbers in words.
    fn found(self, labels: &[&str], values: &[f64]) -> String {
        let named = |i: usize| format!("{} {}", labels[i], short(values[i]));
        let extreme = |of: Option<usize>, sign: f64| {
            let others = (0..values.len()).filter(|i| Some(*i) != of);
            others.max_by(|&i, &j| (sign * values[i]).total_cmp(&(sign * values[j]))).map_or("–".to_string(), named)
        };
        match self {
            Form::Greatest(it) => format!("{}; greatest of the others: {}", named(it), extreme(Some(it), 1.0)),
            Form::Smallest(it) => format!("{}; smallest of the others: {}", named(it), extreme(Some(it), -1.0)),
            Form::Below(bound) => {
                let under: Vec<&str> = (0..values.len()).filter(|&i| values[i] < bound).map(|i| labels[i]).collect();
                let which = if under.is_empty() { String::new() } else { format!(" ({})", under.join(", ")) };
                format!("{} of {}{which}; greatest: {}", under.len(), values.len(), extreme(None, 1.0))
            }
            Form::Ratio(above, below, [least, most]) => {
                let margin = if least.is_finite() {
                    format!(" (margin {} to {})", short(least), short(most))
                } else {
                    String::new()
                };
                format!("{}{margin}", short(values[above] / values[below]))
            }
        }
    }
}

/// The last stretch of some curves.
struct End {
    /// Where its points lie.
    x: [f64; 2],
    /// A number of every curve at each of its points; nothing that counts for curves that are not concerned.
    values: Vec<Vec<f64>>,
}

/// The points that all of the concerned curves have in the last part of what they have in common.
fn ends(curves: &[Named], concerned: &[usize], over: f64) -> Option<End> {
    let of = |i: usize| curves[i].1.iter().map(|point| point[0]);
    let last = concerned.iter().map(|&i| of(i).fold(f64::NEG_INFINITY, f64::max)).fold(f64::INFINITY, f64::min);
    let first = concerned.iter().map(|&i| of(i).fold(f64::INFINITY, f64::min)).fold(f64::NEG_INFINITY, f64::max);
    let begin = last - over * (last - first);
    let at = |i: usize, x: f64| curves[i].1.iter().find(|point| point[0] == x).map(|point| point[1]);
    let (mut x, mut values) = ([f64::INFINITY, f64::NEG_INFINITY], Vec::new());
    for place in of(*concerned.first()?).filter(|place| (begin..=last).contains(place)) {
        let mut row = vec![0.0; curves.len()];
        let whole = concerned.iter().all(|&i| at(i, place).map(|value| row[i] = value).is_some());
        if whole {
            x = [x[0].min(place), x[1].max(place)];
            values.push(row);
        }
    }
    (!values.is_empty()).then_some(End { x, values })
}

/// All claims as a table, with their verdicts.
pub(super) fn judge(claims: &[CurveClaim], curves: &[Named]) -> (Sheet, Vec<Verdict>) {
    let mut sheet = Sheet { words: 3, ..Sheet::default() };
    if claims.is_empty() {
        return (sheet, Vec::new());
    }
    sheet.head =
        ["the paper says", "published", "at the end", "verdict (one run, no interval)"].map(String::from).into();
    let mut verdicts = Vec::new();
    for claim in claims {
        let judged = claim.judged(curves);
        verdicts.extend(judged.as_ref().map(|judged| judged.verdict));
        let verdict = judged.as_ref().map_or(Field::from("no points"), |judged| Field {
            text: words(judged.verdict).to_string(),
            verdict: Some(judged.verdict),
            ..Field::default()
        });
        let found = judged.map_or(String::new(), |judged| judged.found);
        sheet.rows.push(vec![claim.says.as_str().into(), claim.print().into(), found.into(), verdict]);
    }
    (sheet, verdicts)
}

/// The word for a verdict that is not one of a test.
fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotSignificant => "open",
        other => other.words(),
    }
}

/// The same for programs.
pub(super) fn summary(claims: &[CurveClaim], curves: &[Named]) -> Value {
    let one = |claim: &CurveClaim| {
        let judged = claim.judged(curves);
        json!({ "says": claim.says, "printed": claim.print(), "runs": 1, "verdict": judged.as_ref().map(|judged| judged.verdict),
            "found": judged.map(|judged| judged.found) })
    };
    claims.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty points of each: `a` falls from 20 to 1, `b` stays at 4, `c` is 1 and jumps to 50 at the last point.
    fn verdict_over(claim: &str, over: f64) -> Option<Verdict> {
        let x = |i: u32| f64::from(10 * i);
        let a: Vec<[f64; 2]> = (1..=20).map(|i| [x(i), f64::from(21 - i)]).collect();
        let b: Vec<[f64; 2]> = (1..=20).map(|i| [x(i), 4.0]).collect();
        let c: Vec<[f64; 2]> = (1..=20).map(|i| [x(i), if i == 20 { 50.0 } else { 1.0 }]).collect();
        let claim: CurveClaim = toml::from_str(&format!("says = \"s\"\nover = {over}\n{claim}")).unwrap();
        let curves: [Named; 3] = [("a", &a), ("b", &b), ("c", &c)];
        claim.check(&["a", "b", "c"]).unwrap();
        let (sheet, verdicts) = judge(std::slice::from_ref(&claim), &curves);
        assert_eq!(sheet.head.len(), sheet.rows[0].len());
        assert_eq!(summary(&[claim], &curves)[0]["verdict"], json!(verdicts.first()));
        verdicts.first().copied()
    }

    fn verdict(claim: &str) -> Option<Verdict> {
        verdict_over(claim, 0.1)
    }

    /// The end is the points 190 and 200: a is 2 and 1 there, b 4 and 4, c 1 and 50.
    #[test]
    fn orders_and_bounds_at_the_end() {
        assert_eq!(verdict("greatest = \"b\""), Some(Verdict::NotSignificant), "c is above it at one of two points");
        assert_eq!(verdict("greatest = \"a\""), Some(Verdict::Differs));
        assert_eq!(verdict_over("greatest = \"a\"", 0.9), Some(Verdict::Agrees), "for most of the way");
        assert_eq!(verdict("smallest = \"b\""), Some(Verdict::Differs));
        assert_eq!(verdict_over("smallest = \"c\"", 1.0), Some(Verdict::Agrees), "a jump at the end is one point");
        assert_eq!(verdict("below = 60"), Some(Verdict::Agrees));
        assert_eq!(verdict("below = 0.5"), Some(Verdict::Differs));
        assert_eq!(verdict("below = 5"), Some(Verdict::NotSignificant), "c jumps at the last point");
    }

    /// b over a is 4 of 1.5 on the mean, 2 and 4 at its points.
    #[test]
    fn ratios_have_a_margin_by_the_published_effect() {
        assert_eq!(verdict("ratio = [\"b\", \"a\"]\npublished = 3.0"), Some(Verdict::Agrees), "2 to 4");
        assert_eq!(verdict("ratio = [\"b\", \"a\"]\npublished = 1.5"), Some(Verdict::Differs), "1.25 to 1.75");
        assert_eq!(verdict("ratio = [\"b\", \"a\"]\npublished = 10"), Some(Verdict::Differs), "5.5 to 14.5");
        assert_eq!(
            verdict("ratio = [\"b\", \"a\"]\npublished = 10\nmargin = 0.9"),
            Some(Verdict::Agrees),
            "1.9 to 18.1"
        );
        assert_eq!(verdict("ratio = [\"b\", \"a\"]\nbelow = 5"), Some(Verdict::Agrees));
        assert_eq!(verdict("ratio = [\"b\", \"a\"]\nbelow = 2"), Some(Verdict::Differs));
    }

    /// A run that was broken off is compared where it ended, and a curve that is not there yet says nothing.
    #[test]
    fn curves_are_compared_where_all_of_them_are() {
        let long: Vec<[f64; 2]> = (1..=20).map(|i| [f64::from(i), f64::from(i)]).collect();
        let short: Vec<[f64; 2]> = (1..=10).map(|i| [f64::from(i), 2.0 * f64::from(i)]).collect();
        let claim: CurveClaim =
            toml::from_str("says = \"s\"\nratio = [\"short\", \"long\"]\npublished = 2.0\n").unwrap();
        let judged = claim.judged(&[("long", &long), ("short", &short)]).unwrap();
        assert_eq!(judged.verdict, Verdict::Agrees);
        assert!(
            judged.found.starts_with("2.00 (margin 1.50 to 2.50); holds at 1 of 1 points, 10.00 to 10.00"),
            "{}",
            judged.found
        );
        assert!(claim.judged(&[("long", &long), ("short", &[])]).is_none());
        let apart: Vec<[f64; 2]> = vec![[0.5, 1.0], [9.5, 1.0]];
        assert!(claim.judged(&[("long", &long), ("short", &apart)]).is_none(), "no point in common");
        let (sheet, verdicts) = judge(&[claim], &[("long", &long), ("short", &[])]);
        assert!(verdicts.is_empty() && sheet.rows[0][3].text == "no points");
    }

    #[test]
    fn claims_are_of_one_form() {
        for (text, says) in [
            ("", "give greatest"),
            ("greatest = \"a\"\nsmallest = \"b\"", "give greatest"),
            ("greatest = \"x\"", "no curve “x”"),
            ("below = nan", "below is a number"),
            ("below = 1\nover = 0.0", "over"),
            ("below = 1\nover = 1.5", "over"),
            ("ratio = [\"a\", \"b\"]", "give greatest"),
            ("ratio = [\"a\", \"x\"]\npublished = 2", "no curve “x”"),
            ("ratio = [\"a\", \"b\"]\npublished = 1", "1 is no effect"),
            ("ratio = [\"a\", \"b\"]\npublished = -2", "above 0"),
            ("ratio = [\"a\", \"b\"]\npublished = 2\nbelow = 2", "give greatest"),
            ("ratio = [\"a\", \"b\"]\npublished = 2\nmargin = 1.5", "between 0 and 1"),
            ("below = 1\nmargin = 0.5", "margin is a part of a published ratio"),
        ] {
            let claim: CurveClaim = toml::from_str(&format!("says = \"s\"\n{text}")).unwrap();
            let error = claim.check(&["a", "b"]).unwrap_err();
            assert!(error.message.contains(says), "{text}: {error}");
        }
        assert!(toml::from_str::<CurveClaim>("says = \"s\"\nlargest = \"a\"").is_err());
    }
}
