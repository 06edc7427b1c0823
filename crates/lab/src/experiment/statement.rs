//! What a paper says about the rows of a table, judged: an order, an optimum inside a range, a difference between two rows.
//!
//! Before anything is said about an order, the rows must differ at all (a test of homogeneity). All p-values of one table are
//! corrected together by Holm. A statement
//!
//! * **agrees** if what it says is shown: a rising trend; both ends worse than some row between them; a difference of the stated
//!   direction whose size does not contradict the published one,
//! * **differs** if its contrary is shown: an order that the games contradict; an end better than all rows between, or two peaks; a
//!   difference that is certainly not within the margin of the published one,
//! * is **not significant** otherwise.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yomi_core::{Seed, TextError};

use super::verdict::{ALPHA, Verdict};
use crate::report::text::p_text;
use crate::report::{Field, Sheet};
use crate::statistics::distributions::normal_two_sided;
use crate::statistics::holm::holm;
use crate::statistics::homogeneity::homogeneity;
use crate::statistics::isotonic::{Shape, draw};
use crate::statistics::proportions::{compare, difference};
use crate::statistics::trend::cochran_armitage;
use crate::statistics::{Level, Proportion};

/// A statement about some rows of a table, by their labels. Exactly one of its forms is given.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Statement {
    /// In words.
    pub says: String,
    /// *Shape*: these rows win more and more often.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub increasing: Vec<String>,
    /// *Shape*: of these rows, in their order, neither end is the best.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peak: Vec<String>,
    /// *Effect*: this row wins more often …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
    /// … than this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub than: Option<String>,
    /// Which part of the published effect a difference may miss or exceed and still be the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// Half the published effect, either way.
const USUAL_MARGIN: f64 = 0.5;
/// Tables drawn for a p-value.
const BOOTSTRAP: u32 = 999;
/// Tables drawn for a power.
const POWER: u32 = 200;

/// The form of a statement, by places of rows.
enum Form {
    Increasing(Vec<usize>),
    Peak(Vec<usize>),
    Effect(usize, usize),
}

/// A row of a table: what was measured, and what was published, in every reading of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Row {
    /// Its label.
    pub label: String,
    /// What was measured, as a number of independent games.
    pub measured: Proportion,
    /// What was published: nothing, one number, or two that contradict each other.
    pub published: Vec<Proportion>,
}

/// A statement judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The outcome.
    pub verdict: Verdict,
    /// The corrected p-value of what decided it.
    pub p: f64,
    /// What was found, in words.
    pub found: String,
}

/// What speaks for a statement and what against it, each with its p-value.
struct Evidence {
    shown: f64,
    refuted: f64,
    found: String,
    refutation: String,
}

impl Statement {
    /// Refuses statements about rows that do not exist, and those of no form or of two.
    pub(crate) fn check(&self, labels: &[&str]) -> Result<(), TextError> {
        self.form(&|label| labels.iter().position(|other| *other == label)).map(drop)
    }

    fn form(&self, place: &dyn Fn(&str) -> Option<usize>) -> Result<Form, TextError> {
        let wrong = |what: String| Err(TextError::new(format!("claim “{}”: {what}", self.says)));
        let find = |label: &String| {
            place(label).ok_or_else(|| TextError::new(format!("claim “{}”: there is no row “{label}”", self.says)))
        };
        if self.margin.is_some_and(|margin| !(margin > 0.0 && margin < 1.0)) {
            return wrong("margin is a part of the published effect, between 0 and 1".to_string());
        }
        match (self.increasing.as_slice(), self.peak.as_slice(), &self.more, &self.than) {
            (rows @ [_, _, ..], [], None, None) => {
                Ok(Form::Increasing(rows.iter().map(find).collect::<Result<_, _>>()?))
            }
            ([], rows @ [_, _, _, ..], None, None) => Ok(Form::Peak(rows.iter().map(find).collect::<Result<_, _>>()?)),
            ([], [], Some(more), Some(than)) => Ok(Form::Effect(find(more)?, find(than)?)),
            _ => wrong("give increasing = two rows or more, peak = three or more, or more and than".to_string()),
        }
    }

    fn evidence(&self, rows: &[Row], bootstrap: u32) -> Option<Evidence> {
        let form = self.form(&|label| rows.iter().position(|row| row.label == label)).ok()?;
        let of = |places: &[usize]| places.iter().map(|&i| rows[i].measured).collect::<Vec<Proportion>>();
        let all = |places: &[usize]| places.iter().all(|&i| rows[i].measured.trials() > 0);
        match form {
            Form::Increasing(places) => all(&places).then(|| increasing(&of(&places), bootstrap)),
            Form::Peak(places) => all(&places).then(|| {
                let labels: Vec<&str> = places.iter().map(|&i| rows[i].label.as_str()).collect();
                peak(&of(&places), &labels, bootstrap)
            }),
            Form::Effect(more, than) => {
                all(&[more, than]).then(|| effect(&rows[more], &rows[than], self.margin.unwrap_or(USUAL_MARGIN)))
            }
        }
    }
}

fn increasing(rows: &[Proportion], bootstrap: u32) -> Evidence {
    let alike = homogeneity(rows);
    let scores: Vec<f64> = (0..rows.len()).map(|i| i as f64).collect();
    let (z, p) = cochran_armitage(rows, &scores);
    let broken = if bootstrap > 0 { Shape::Rising.p_value(rows, bootstrap) } else { 1.0 };
    let falls = if z < 0.0 { p } else { 1.0 };
    Evidence {
        shown: if z > 0.0 { p.max(alike.p) } else { 1.0 },
        refuted: falls.min(broken),
        found: format!("homogeneity p = {}, trend z = {z:+.2}", p_text(alike.p)),
        refutation: if falls < broken { "they fall" } else { "the order is broken" }.to_string(),
    }
}

fn peak(rows: &[Proportion], labels: &[&str], bootstrap: u32) -> Evidence {
    let alike = homogeneity(rows);
    let last = rows.len() - 1;
    let inside = &rows[1..last];
    // The best row between is chosen after the fact, so each end is compared with all of them and pays for it.
    let worse = |end: Proportion| {
        let p = inside.iter().map(|&row| one_sided(row, end)).fold(1.0, f64::min);
        (p * inside.len() as f64).min(1.0)
    };
    let better = |end: Proportion| inside.iter().map(|&row| one_sided(end, row)).fold(0.0, f64::max);
    let (left, right) = (worse(rows[0]), worse(rows[last]));
    let end = (2.0 * better(rows[0]).min(better(rows[last]))).min(1.0);
    let broken = if bootstrap > 0 { Shape::OnePeak.p_value(rows, bootstrap) } else { 1.0 };
    let rate = |row: &Proportion| row.rate().unwrap_or(0.0);
    let best = (0..rows.len()).max_by(|&i, &j| rate(&rows[i]).total_cmp(&rate(&rows[j]))).unwrap_or(0);
    Evidence {
        shown: left.max(right).max(alike.p),
        refuted: end.min(broken),
        found: format!(
            "homogeneity p = {}; highest: {}; worse ends: {} p = {}, {} p = {}",
            p_text(alike.p),
            labels[best],
            labels[0],
            p_text(left),
            labels[last],
            p_text(right)
        ),
        refutation: if end < broken { "an end is the best" } else { "there is more than one peak" }.to_string(),
    }
}

fn effect(more: &Row, than: &Row, margin: f64) -> Evidence {
    let (a, b) = (more.measured, than.measured);
    let gain = difference(a, b, Level::P95);
    let (value, interval) = gain.map_or((0.0, None), |gain| (gain.value, Some(gain.interval)));
    let p = compare(a, b, false).p;
    let published: Vec<f64> =
        more.published.iter().flat_map(|x| than.published.iter().filter_map(|y| Some(x.rate()? - y.rate()?))).collect();
    let (mut found, mut outside) = (String::new(), 1.0);
    if let Some(interval) = interval {
        found = format!("{:+.1} points [{:+.1}, {:+.1}]", 100.0 * value, 100.0 * interval.low, 100.0 * interval.high);
    }
    if !published.is_empty() {
        let least = published.iter().map(|d| d - margin * d.abs()).fold(f64::INFINITY, f64::min);
        let most = published.iter().map(|d| d + margin * d.abs()).fold(f64::NEG_INFINITY, f64::max);
        let differences: Vec<String> = published.iter().map(|d| format!("{:+.1}", 100.0 * d)).collect();
        found +=
            &format!(" (published {}, margin {:+.1} to {:+.1})", differences.join(" or "), 100.0 * least, 100.0 * most);
        outside = normal_two_sided((value - value.clamp(least, most)) / deviation(a, b));
    }
    let opposite = if value < 0.0 { p } else { 1.0 };
    Evidence {
        shown: if value > 0.0 { p } else { 1.0 },
        refuted: opposite.min(outside),
        found,
        refutation: if opposite < outside { "the other way round" } else { "not of the published size" }.to_string(),
    }
}

/// The standard deviation of a difference of rates; each row counts one game of either kind more, so that it is never zero.
fn deviation(a: Proportion, b: Proportion) -> f64 {
    let variance = |row: Proportion| {
        let n = row.trials() as f64 + 2.0;
        let p = (row.successes() as f64 + 1.0) / n;
        p * (1.0 - p) / n
    };
    (variance(a) + variance(b)).sqrt()
}

/// The p-value of "a is not better than b".
fn one_sided(a: Proportion, b: Proportion) -> f64 {
    let p = compare(a, b, false).p / 2.0;
    if a.rate() > b.rate() { p } else { 1.0 - p }
}

/// Judges all statements of a table together. Nothing is said about rows without games.
pub fn judge(statements: &[Statement], rows: &[Row]) -> Vec<Option<Judged>> {
    judged(statements, rows, BOOTSTRAP)
}

fn judged(statements: &[Statement], rows: &[Row], bootstrap: u32) -> Vec<Option<Judged>> {
    let evidence: Vec<Option<Evidence>> = statements.iter().map(|s| s.evidence(rows, bootstrap)).collect();
    let plain: Vec<f64> = evidence.iter().flatten().flat_map(|e| [e.shown, e.refuted]).collect();
    let mut corrected = holm(&plain).into_iter();
    let verdict = |evidence: Option<Evidence>| {
        let Evidence { found, refutation, .. } = evidence?;
        let (shown, refuted) = (corrected.next()?, corrected.next()?);
        let (verdict, p, found) = match () {
            () if refuted < ALPHA => (Verdict::Differs, refuted, format!("{refutation}; {found}")),
            () if shown < ALPHA => (Verdict::Agrees, shown, found),
            () => (Verdict::NotSignificant, shown.min(refuted), found),
        };
        Some(Judged { verdict, p, found })
    };
    evidence.into_iter().map(verdict).collect()
}

/// How often each statement would be found to agree if these were the true rates, each row having this many independent games: the power of
/// the design. By 200 tables drawn with a fixed seed; nothing where a rate is not known.
pub fn power(statements: &[Statement], rows: &[Row], rates: &[Option<f64>], games: &[u64]) -> Vec<Option<f64>> {
    let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
    let known = |statement: &Statement| {
        let place = |label: &str| {
            labels.iter().position(|other| *other == label).filter(|&i| rates[i].is_some() && games[i] > 0)
        };
        statement.form(&place).is_ok()
    };
    let known: Vec<bool> = statements.iter().map(known).collect();
    let askable: Vec<Statement> =
        statements.iter().zip(&known).filter(|(_, known)| **known).map(|(s, _)| s.clone()).collect();
    let mut agreed = vec![0u32; askable.len()];
    let mut rng = Seed::new(1).branch("power", 0).rng();
    for _ in 0..if askable.is_empty() { 0 } else { POWER } {
        let drawn: Vec<Row> = rows
            .iter()
            .zip(rates.iter().zip(games))
            .map(|(row, (rate, &games))| Row {
                measured: rate.map_or(Proportion::default(), |p| draw(games, p, &mut rng)),
                ..row.clone()
            })
            .collect();
        for (count, judged) in agreed.iter_mut().zip(judged(&askable, &drawn, 0)) {
            *count += u32::from(judged.is_some_and(|judged| judged.verdict == Verdict::Agrees));
        }
    }
    let mut shares = agreed.into_iter().map(|count| f64::from(count) / f64::from(POWER));
    known.into_iter().map(|known| if known { shares.next() } else { None }).collect()
}

/// The published rates, moved together on the scale of log-odds so that their mean is that of the measured ones: what the paper's shape is
/// at the level of another opponent. Rows without games are left where they were published.
pub fn at_measured_level(rows: &[Row]) -> Vec<Option<f64>> {
    let logit = |p: f64| (p.clamp(0.001, 0.999) / (1.0 - p.clamp(0.001, 0.999))).ln();
    let published = |row: &Row| row.published.first().and_then(|p| p.rate());
    let shifts: Vec<f64> =
        rows.iter().filter_map(|row| Some(logit(row.measured.rate()?) - logit(published(row)?))).collect();
    let shift = if shifts.is_empty() { 0.0 } else { shifts.iter().sum::<f64>() / shifts.len() as f64 };
    rows.iter().map(|row| published(row).map(|p| 1.0 / (1.0 + (-(logit(p) + shift)).exp()))).collect()
}

/// All statements as a table, with verdicts and the power of the design.
pub(crate) fn sheet(statements: &[Statement], judged: &[Option<Judged>], power: &[Option<f64>]) -> Sheet {
    let mut sheet = Sheet { words: 2, ..Sheet::default() };
    if statements.is_empty() {
        return sheet;
    }
    sheet.head = ["the claim", "measured", "verdict", "power"].map(String::from).into();
    for ((statement, judged), power) in statements.iter().zip(judged).zip(power) {
        let verdict = judged.as_ref().map_or(Field::from("no games"), |judged| Field {
            text: format!("{}, p = {}", judged.verdict.words(), p_text(judged.p)),
            verdict: Some(judged.verdict),
            ..Field::default()
        });
        let found = judged.as_ref().map_or(String::new(), |judged| judged.found.clone());
        sheet.rows.push(vec![statement.says.as_str().into(), found.into(), verdict, power_text(*power).into()]);
    }
    sheet
}

/// A power as tables show it.
pub(crate) fn power_text(power: Option<f64>) -> String {
    power.map_or("–".to_string(), |power| format!("{:.0} %", 100.0 * power))
}

/// The same for programs.
pub(crate) fn summary(statements: &[Statement], judged: &[Option<Judged>], power: &[Option<f64>]) -> Value {
    let one = |((statement, judged), power): ((&Statement, &Option<Judged>), &Option<f64>)| {
        json!({ "says": statement.says, "verdict": judged.as_ref().map(|j| j.verdict), "p": judged.as_ref().map(|j| j.p),
            "found": judged.as_ref().map(|j| j.found.as_str()), "power": power })
    };
    statements.iter().zip(judged).zip(power).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, wins: u64, games: u64, published: &[(u64, u64)]) -> Row {
        let of = |&(k, n): &(u64, u64)| Proportion::new(k, n).unwrap();
        let (measured, published) = (of(&(wins, games)), published.iter().map(of).collect());
        Row { label: label.to_string(), measured, published }
    }

    fn rising() -> Statement {
        Statement { says: "r".into(), increasing: ["a", "b", "c"].map(String::from).into(), ..Statement::default() }
    }

    fn peaked() -> Statement {
        Statement { says: "p".into(), peak: ["a", "b", "c"].map(String::from).into(), ..Statement::default() }
    }

    fn threads() -> Statement {
        Statement { says: "t".into(), more: Some("b".into()), than: Some("a".into()), ..Statement::default() }
    }

    fn verdict(statement: Statement, counts: [u64; 3]) -> Verdict {
        let rows = [
            row("a", counts[0], 1000, &[(500, 1000)]),
            row("b", counts[1], 1000, &[(600, 1000)]),
            row("c", counts[2], 1000, &[]),
        ];
        judge(&[statement], &rows)[0].as_ref().unwrap().verdict
    }

    #[test]
    fn orders_need_rows_that_differ() {
        assert_eq!(verdict(rising(), [400, 500, 600]), Verdict::Agrees);
        assert_eq!(verdict(rising(), [500, 505, 510]), Verdict::NotSignificant);
        assert_eq!(verdict(rising(), [600, 500, 400]), Verdict::Differs);
        assert_eq!(verdict(rising(), [400, 650, 500]), Verdict::Differs, "the trend rises, but its last step falls");
    }

    #[test]
    fn a_peak_needs_both_ends_to_be_worse() {
        assert_eq!(verdict(peaked(), [500, 600, 500]), Verdict::Agrees);
        assert_eq!(verdict(peaked(), [500, 600, 590]), Verdict::NotSignificant);
        assert_eq!(verdict(peaked(), [500, 600, 700]), Verdict::Differs);
        assert_eq!(verdict(peaked(), [600, 500, 600]), Verdict::Differs);
    }

    /// Published: +10 points; between +5 and +15 is the same.
    #[test]
    fn effects_have_a_size() {
        assert_eq!(verdict(threads(), [500, 590, 0]), Verdict::Agrees);
        assert_eq!(verdict(threads(), [500, 510, 0]), Verdict::NotSignificant);
        assert_eq!(verdict(threads(), [500, 495, 0]), Verdict::Differs, "certainly not +5");
        assert_eq!(verdict(threads(), [300, 600, 0]), Verdict::Differs, "far more than +15");
        let rows = [row("a", 500, 1000, &[]), row("b", 600, 1000, &[]), row("c", 0, 0, &[])];
        assert_eq!(
            judge(&[threads()], &rows)[0].as_ref().unwrap().verdict,
            Verdict::Agrees,
            "without a size its direction counts"
        );
        assert!(judge(&[rising()], &rows)[0].is_none(), "no games of c");
    }

    /// Under rates that are all alike at most about 5 % of tables make any of the three statements agree: below 20 of 200 with
    /// probability 0.999.
    #[test]
    fn nothing_is_found_where_nothing_is() {
        let mut rng = Seed::new(3).rng();
        let found = (0..200).filter(|_| {
            let rows: Vec<Row> = ["a", "b", "c"]
                .iter()
                .map(|label| Row {
                    label: label.to_string(),
                    measured: draw(300, 0.5, &mut rng),
                    published: Vec::new(),
                })
                .collect();
            judged(&[rising(), peaked(), threads()], &rows, 0).iter().flatten().any(|j| j.verdict == Verdict::Agrees)
        });
        assert!(found.count() < 20);
    }

    #[test]
    fn power_grows_with_the_games() {
        let rows = [row("a", 0, 0, &[(500, 1000)]), row("b", 0, 0, &[(600, 1000)]), row("c", 0, 0, &[])];
        let rates = at_measured_level(&rows);
        assert!((rates[1].unwrap() - 0.6).abs() < 1e-9 && rates[2].is_none());
        let power = |games: u64| power(&[threads(), rising()], &rows, &rates, &[games; 3]);
        assert!(power(50)[0].unwrap() < 0.4 && power(1000)[0].unwrap() > 0.95 && power(50)[1].is_none());
    }

    #[test]
    fn statements_are_of_one_form() {
        let labels = ["a", "b", "c"];
        for good in [rising(), peaked(), threads()] {
            good.check(&labels).unwrap();
        }
        let two = Statement { peak: peaked().peak, ..rising() };
        let lost = Statement { more: Some("x".into()), ..threads() };
        let wide = Statement { margin: Some(1.5), ..threads() };
        for wrong in [Statement::default(), two, lost, wide, Statement { than: None, ..threads() }] {
            assert!(wrong.check(&labels).is_err(), "{wrong:?}");
        }
    }
}
