//! Whether what was measured is what was published: the tests, and the words for their outcomes.
//!
//! Rows are judged together. Every row gets the p-value of "both are the same", corrected by Holm for the number of rows:
//!
//! * **differs**: the corrected p-value is below 0.05.
//! * **agrees**: it is not, and the 95 % interval of the difference lies within the margin, so a difference that matters has been ruled
//!   out. The margin is the one that the file names, or for rates [`level_margin`].
//! * **not significant**: neither; there were too few games to tell.

use serde::Serialize;

use super::sample::Sample;
use crate::statistics::holm::holm;
use crate::statistics::proportions::{compare, difference};
use crate::statistics::{Estimate, Interval, Level, Proportion};

/// How a measured row stands to a published one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No difference was found, and one that matters is ruled out.
    Agrees,
    /// They are not the same.
    Differs,
    /// Too little was measured to tell.
    NotSignificant,
}

impl Verdict {
    /// The words for tables.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::NotSignificant => "not significant",
        }
    }
}

/// Below this a difference is called one.
pub const ALPHA: f64 = 0.05;

/// A row judged.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Judgement {
    /// The outcome.
    pub verdict: Verdict,
    /// The p-value of this row alone.
    pub p: f64,
    /// The same, corrected by Holm for all rows.
    pub corrected: f64,
    /// Measured minus published, with its 95 % interval.
    #[serde(skip)]
    pub difference: Estimate,
}

/// The difference of rates that matters where a file names none: half of the distance of the published rate from 50 %, as a difference of two
/// rows may miss half of the published one. A row that the paper has at 54 % says that something wins by four points: one at 64 % is not
/// the same. At least 2 points, because next to 50 % half of the distance is less than any match shows; at most 10, which is what a table
/// of some hundred games was meant to rule out, however far from 50 % its opponent puts it.
pub fn level_margin(published: Proportion) -> f64 {
    let away = published.rate().map_or(0.0, |rate| (rate - 0.5).abs());
    (0.5 * away).clamp(0.02, 0.10)
}

/// Compares rates, published first. Chi-square with one degree of freedom, Fisher's exact test where a count below five is expected; the
/// interval of the difference is Newcombe's.
pub fn of_rates(rows: &[Option<(Proportion, Proportion)>], margin: Option<f64>) -> Vec<Option<Judgement>> {
    judge(rows, |&(published, measured)| {
        let difference = difference(measured, published, Level::P95)?;
        let margin = margin.unwrap_or_else(|| level_margin(published));
        Some((compare(published, measured, false).p, difference, margin))
    })
}

/// Compares numbers, published first, with how many measurements they are the mean of: how far the published number is from where as many
/// measurements more would have their mean (Student's prediction interval). `margin` is a part of the published number.
pub fn of_numbers(rows: &[Option<(f64, u64, Sample)>], margin: f64) -> Vec<Option<Judgement>> {
    judge(rows, |(published, of, sample)| {
        let mean = sample.mean()?;
        // A published zero has no parts; then the margin is taken as it is.
        let unit = if *published == 0.0 { 1.0 } else { published.abs() };
        let interval = sample.interval(Level::P95);
        let difference = Estimate { value: mean, interval }.map(|x| (x - published) / unit);
        Some((sample.another(*published, *of), difference, margin))
    })
}

/// `test` gives the p-value of a row, its difference and the margin for that.
fn judge<T>(rows: &[Option<T>], test: impl Fn(&T) -> Option<(f64, Estimate, f64)>) -> Vec<Option<Judgement>> {
    let tested: Vec<Option<(f64, Estimate, f64)>> = rows.iter().map(|row| row.as_ref().and_then(&test)).collect();
    let plain: Vec<f64> = tested.iter().flatten().map(|&(p, ..)| p).collect();
    let mut corrected = holm(&plain).into_iter();
    let judged = tested.into_iter().map(|row| {
        let (p, difference, margin) = row?;
        let corrected = corrected.next()?;
        let Interval { low, high } = difference.interval;
        let verdict = match () {
            () if corrected < ALPHA => Verdict::Differs,
            () if low >= -margin && high <= margin => Verdict::Agrees,
            () => Verdict::NotSignificant,
        };
        Some(Judgement { verdict, p, corrected, difference })
    });
    judged.collect()
}

/// Judges the statement that the rows are in increasing order, by paired differences of neighbours and of the ends.
///
/// It *agrees* if no neighbours are significantly the other way round (paired Student test, Holm) and the last row is significantly
/// above the first; it *differs* if some are, or if the last is significantly below the first.
pub fn of_order(rows: &[Sample]) -> Option<Judgement> {
    if rows.len() < 2 {
        return None;
    }
    // Two rows are their own ends and are compared once.
    let pairs = rows.windows(2).map(|pair| (&pair[0], &pair[1])).filter(|_| rows.len() > 2);
    let ends = (&rows[0], &rows[rows.len() - 1]);
    let differences: Vec<Sample> = pairs.chain([ends]).map(|(a, b)| b.minus(a)).collect();
    let p: Vec<f64> = differences.iter().map(|difference| difference.same_as(0.0)).collect();
    let corrected = holm(&p);
    let (whole, mean) = (differences.last()?, |d: &Sample| d.mean().unwrap_or(0.0));
    let reversed = differences.iter().zip(&corrected).any(|(d, &p)| mean(d) < 0.0 && p < ALPHA);
    let last = p.len() - 1;
    let risen = mean(whole) > 0.0 && corrected[last] < ALPHA;
    let verdict = match (reversed, risen) {
        (true, _) => Verdict::Differs,
        (false, true) => Verdict::Agrees,
        (false, false) => Verdict::NotSignificant,
    };
    let difference = Estimate { value: whole.mean()?, interval: whole.interval(Level::P95) };
    Some(Judgement { verdict, p: p[last], corrected: corrected[last], difference })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(wins: u64, games: u64) -> Proportion {
        Proportion::new(wins, games).unwrap()
    }

    #[test]
    fn three_verdicts_on_rates() {
        let rows = [
            Some((rate(540, 1000), rate(5200, 10_000))),
            Some((rate(540, 1000), rate(100, 1000))),
            Some((rate(540, 1000), rate(3, 8))),
            None,
        ];
        let verdicts: Vec<Option<Verdict>> =
            of_rates(&rows, Some(0.1)).iter().map(|row| row.map(|j| j.verdict)).collect();
        assert_eq!(verdicts, [Some(Verdict::Agrees), Some(Verdict::Differs), Some(Verdict::NotSignificant), None]);
    }

    /// Two rows of p = 0.03 each are no longer significant together.
    #[test]
    fn holm_counts_the_rows() {
        let row = Some((rate(50, 100), rate(66, 100)));
        let alone = of_rates(&[row], Some(0.05))[0].unwrap();
        assert!((0.02..0.025).contains(&alone.p) && alone.verdict == Verdict::Differs, "{alone:?}");
        let rows = of_rates(&[row, row, row], Some(0.05));
        assert!((rows[0].unwrap().corrected - 3.0 * alone.p).abs() < 1e-12);
        assert_eq!(rows[0].unwrap().verdict, Verdict::NotSignificant);
    }

    /// Published 54 %: 2 points either way. Published 68 %: 9. Published 100 %: 10. What was measured lies within four points of it, for sure.
    #[test]
    fn the_margin_of_a_level_is_half_the_published_effect() {
        for (published, margin) in
            [(0.5, 0.02), (0.51, 0.02), (0.54, 0.02), (0.6, 0.05), (0.68, 0.09), (0.32, 0.09), (1.0, 0.1)]
        {
            let found = level_margin(rate((published * 1000.0) as u64, 1000));
            assert!((found - margin).abs() < 1e-9, "{published}: {found}");
        }
        assert_eq!(level_margin(Proportion::default()), 0.02);
        let verdict = |published: u64, margin: Option<f64>| {
            let row = (rate(published, 5000), rate(published + 50, 5000));
            of_rates(&[Some(row)], margin)[0].unwrap().verdict
        };
        assert_eq!(verdict(2700, Some(0.1)), Verdict::Agrees);
        assert_eq!(verdict(2700, None), Verdict::NotSignificant, "a point more than 54 % may be three");
        assert_eq!(verdict(3400, None), Verdict::Agrees, "9 points are ruled out at 68 %");
    }

    #[test]
    fn numbers_are_compared_with_more_measurements() {
        let sample = Sample::new([98.0, 100.0, 102.0, 101.0, 99.0]);
        let verdict = |published| of_numbers(&[Some((published, 1, sample.clone()))], 0.1)[0].unwrap().verdict;
        assert_eq!(verdict(101.0), Verdict::Agrees);
        assert_eq!(verdict(140.0), Verdict::Differs);
        let mean_of_many = of_numbers(&[Some((104.0, 100, sample.clone()))], 0.01)[0].unwrap().verdict;
        assert_eq!(mean_of_many, Verdict::Differs, "a single one may be as far off");
        assert_eq!(of_numbers(&[Some((104.0, 1, sample.clone()))], 0.01)[0].unwrap().verdict, Verdict::NotSignificant);
        let one = Sample::new([100.0]);
        assert_eq!(of_numbers(&[Some((140.0, 1, one))], 0.1)[0].unwrap().verdict, Verdict::NotSignificant);
    }

    #[test]
    fn orders() {
        let rising = [1.0, 2.0, 3.0].map(|x| Sample::new([x, x + 0.1, x - 0.1, x + 0.05]));
        assert_eq!(of_order(&rising).unwrap().verdict, Verdict::Agrees);
        let falling = [3.0, 2.0, 1.0].map(|x| Sample::new([x, x + 0.1, x - 0.2, x + 0.05]));
        assert_eq!(of_order(&falling).unwrap().verdict, Verdict::Differs);
        let noise = [[1.0, 5.0, 2.0], [4.0, 1.0, 3.0]].map(Sample::new);
        assert_eq!(of_order(&noise).unwrap().verdict, Verdict::NotSignificant);
        assert!(of_order(&noise[..1]).is_none());
    }
}
