//! `yomi stats table`: several matches compared.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde_json::json;
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_lab::statistics::holm::holm;
use yomi_lab::statistics::proportions::{Comparison, SMALL_CELL, compare, difference};
use yomi_lab::statistics::table::{ChiSquare, Table};
use yomi_lab::statistics::{Estimate, Level, Proportion};

use super::{Form, draw, estimate_json, interval_json, p_text};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  yomi stats table 124/171 100/194\n  yomi stats table T80=124/5/171 T40=100/6/194 T120=69/0/231 --json\n  \
    yomi stats table 20=527/388 40=647/296 60=651/316 120=564/380 --svg sweep.svg\n\n\
    The table as a whole is tested by chi-square with all its columns. Pairs of rows are compared\n\
    by wins and losses, draws dropped: by chi-square, or by Fisher's exact test where a count below\n\
    5 is expected. Their p-values are corrected for being many after Holm."
)]
pub(crate) struct Args {
    /// Two rows or more: wins/losses or wins/draws/losses, with a name in front if you like
    #[arg(required = true, value_name = "[NAME=]W/L")]
    rows: Vec<String>,
    /// Apply Yates's correction to tables of two by two
    #[arg(long)]
    yates: bool,
    /// Draw the win rates with their intervals; names that are numbers are the horizontal axis
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

/// A match: its name, all its counts, and its wins among wins and losses.
struct Row {
    name: String,
    counts: Vec<u64>,
    decisive: Proportion,
}

/// All pairs of rows would be too many to read beyond this.
const MAX_ROWS: usize = 50;

fn parse(i: usize, text: &str) -> anyhow::Result<Row> {
    let (name, counts) =
        text.rsplit_once('=').map_or((format!("row {}", i + 1), text), |(name, c)| (name.to_string(), c));
    let parsed: Result<Vec<u64>, _> = counts.split('/').map(|word| word.trim().parse()).collect();
    let counts = parsed.ok().filter(|counts| counts.len() == 2 || counts.len() == 3);
    let counts = counts.with_context(|| format!("{text} is not wins/losses or wins/draws/losses"))?;
    let (wins, losses) = (counts[0], counts[counts.len() - 1]);
    let decisive = Proportion::new(wins, wins.saturating_add(losses)).with_context(|| text.to_string())?;
    Ok(Row { name, counts, decisive })
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.rows.len() <= MAX_ROWS, "more than {MAX_ROWS} rows cannot be compared two by two");
    let rows: Vec<Row> = args.rows.iter().enumerate().map(|(i, text)| parse(i, text)).collect::<anyhow::Result<_>>()?;
    let table = Table::new(rows.iter().map(|row| row.counts.clone()).collect())?;
    let whole = table.chi_square(args.yates);
    // Of two rows each is all the rest of the other.
    let row_p: Option<Vec<f64>> =
        (rows.len() > 2).then(|| holm(&table.row_tests().iter().map(|test| test.p).collect::<Vec<_>>()));
    let row_p = |i: usize| row_p.as_ref().map(|p| p[i]);
    let pairs = compare_all(&rows, args);
    let corrected = holm(&pairs.iter().map(|pair| pair.2.p).collect::<Vec<_>>());
    let level = args.form.level;
    draw(args.svg.as_deref(), || chart(&rows, level))?;
    if args.form.json {
        let rows_json: Vec<_> = (rows.iter().enumerate())
            .map(|(i, row)| {
                json!({ "name": row.name, "counts": row.counts, "rate": row.decisive.rate(),
                        "wilson": interval_json(row.decisive.wilson(level)), "p_against_rest_holm": row_p(i) })
            })
            .collect();
        let comparisons: Vec<_> = (pairs.iter().zip(&corrected))
            .map(|((a, b, test, gap), holm)| {
                json!({ "a": a.name, "b": b.name, "method": test.method.name(), "p": test.p, "p_holm": holm, "difference": estimate_json(*gap) })
            })
            .collect();
        let answer = json!({ "type": "stats-table", "chi_square": whole.statistic, "freedom": whole.freedom, "p": whole.p,
            "least_expected": whole.least_expected, "level": level.confidence(), "rows": rows_json, "comparisons": comparisons });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(6);
    let last = if rows.len() > 2 { "  against the rest (Holm)" } else { "" };
    writeln!(out, "{:<width$}  {:>16}  {:>8}  {:<16}{last}", "match", "counts", "win rate", "Wilson")?;
    for (i, row) in rows.iter().enumerate() {
        let counts: Vec<String> = row.counts.iter().map(u64::to_string).collect();
        let rate = row.decisive.rate().map_or("none".to_string(), |rate| format!("{rate:.4}"));
        let (interval, p) = (row.decisive.wilson(level).to_string(), row_p(i).map_or(String::new(), p_text));
        let text = format!("{:<width$}  {:>16}  {rate:>8}  {interval:<16}  {p}", row.name, counts.join("/"));
        writeln!(out, "{}", text.trim_end())?;
    }
    let ChiSquare { statistic, freedom, p, .. } = whole;
    writeln!(out, "\nall rows: chi2 = {statistic:.3}, degrees of freedom {freedom}, p = {}", p_text(p))?;
    if whole.least_expected < SMALL_CELL {
        writeln!(
            out,
            "(a count of {:.1} is expected somewhere: below 5 this p is not to be trusted)",
            whole.least_expected
        )?;
    }
    let width = 2 * width + 3;
    writeln!(out, "\n{:<width$}  {:<12}  {:>9}  {:>9}  difference", "wins and losses", "test", "p", "Holm")?;
    for ((a, b, test, gap), holm) in pairs.iter().zip(&corrected) {
        let gap = gap.map_or("unknown".to_string(), |gap| format!("{:+.4}  {}", gap.value, gap.interval));
        let (names, method) = (format!("{} - {}", a.name, b.name), test.method.name());
        writeln!(out, "{names:<width$}  {method:<12}  {:>9}  {:>9}  {gap}", p_text(test.p), p_text(*holm))?;
    }
    writeln!(out, "intervals: {level}")?;
    Ok(())
}

/// Every pair of rows with its test and the difference of its win rates.
fn compare_all<'a>(rows: &'a [Row], args: &Args) -> Vec<(&'a Row, &'a Row, Comparison, Option<Estimate>)> {
    let pairs = rows.iter().enumerate().flat_map(|(i, a)| rows[i + 1..].iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| {
            let test = compare(a.decisive, b.decisive, args.yates);
            (a, b, test, difference(a.decisive, b.decisive, args.form.level))
        })
        .collect()
}

/// The win rates: over their numbers if all rows are named by one, else side by side.
fn chart(rows: &[Row], level: Level) -> Chart {
    let numbers: Option<Vec<f64>> = rows.iter().map(|row| row.name.parse().ok()).collect();
    let joined = numbers.is_some();
    let names = if joined { Vec::new() } else { rows.iter().map(|row| row.name.clone()).collect() };
    let places = numbers.unwrap_or_else(|| (0..rows.len()).map(|i| i as f64).collect());
    let mut points: Vec<Point> = (rows.iter().zip(places))
        .filter_map(|(row, x)| {
            let estimate = Estimate { value: row.decisive.rate()?, interval: row.decisive.wilson(level) };
            Some(Point::percent(x, estimate))
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Chart {
        title: format!("win rate, draws dropped, with {level} intervals"),
        x: Axis { names, ..Axis::default() },
        y: Axis::percent("win rate"),
        series: vec![Series { points, joined, ..Series::default() }],
        marks: vec![50.0],
        ..Chart::default()
    }
}
