//! `yomi plot`: charts of what long commands wrote.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use yomi_lab::plots::{Axis, Chart, Point, Series};
use yomi_lab::statistics::{Interval, Level};

use crate::files;

/// Draw JSON Lines as a chart
#[derive(clap::Args)]
#[command(after_help = "Examples:
  yomi plot runs/match-1f2e3d4c/games.jsonl --x job --y plies --svg plies.svg
  yomi plot runs/*/games.jsonl --x first --y plies --kind mean --svg means.svg
  yomi plot games.jsonl --x plies --kind count --group reason --svg lengths.svg
  yomi plot learning.jsonl --x step --y loss --group run --kind line \\
    --log-x --svg -

A field is the name of a member; dots lead into objects and lists: ms.0, players.1.name. Lines without the fields are left out.
kinds: points as they are; line joins them; mean draws the mean of equal x with its 95 % interval; count counts equal x.
Where x is a text, its values stand side by side in the order of appearance.")]
pub(crate) struct Args {
    /// The files; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The field along the horizontal axis; the number of the line if left out
    #[arg(long, value_name = "FIELD")]
    x: Option<String>,
    /// The field along the vertical axis
    #[arg(long, value_name = "FIELD")]
    y: Option<String>,
    /// One series for each value of this field
    #[arg(long, value_name = "FIELD")]
    group: Option<String>,
    /// What is drawn
    #[arg(long, value_enum, default_value_t = Kind::Points)]
    kind: Kind,
    /// Equal ratios are equally long on the horizontal axis
    #[arg(long)]
    log_x: bool,
    /// Equal ratios are equally long on the vertical axis
    #[arg(long)]
    log_y: bool,
    /// What stands above the chart
    #[arg(long, default_value = "")]
    title: String,
    /// Where the picture goes; - is standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    svg: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Points,
    Line,
    Mean,
    Count,
}

/// Points of one series, in the order of the lines.
type Groups = BTreeMap<String, Vec<(f64, f64)>>;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let kind = args.kind;
    if kind == Kind::Count {
        ensure!(args.x.is_some(), "counting needs --x, the field whose values are counted");
    } else {
        ensure!(args.y.is_some(), "--y is missing");
    }
    let mut reader = RowReader { args, kind, names: Vec::new(), groups: Groups::new(), lines: 0 };
    for path in &args.files {
        let text = String::from_utf8(files::read(path)?).with_context(|| format!("{} is no text", path.display()))?;
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let value = serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), i + 1))?;
            reader.take(&value);
        }
    }
    if reader.groups.is_empty() {
        bail!("none of the {} lines has the fields asked for", reader.lines);
    }
    let series = reader.groups.into_iter().map(|(name, points)| series(name, points, kind)).collect();
    let y = if kind == Kind::Count { "count" } else { args.y.as_deref().unwrap_or_default() };
    let chart = Chart {
        title: args.title.clone(),
        x: Axis {
            label: args.x.clone().unwrap_or_else(|| "line".into()),
            logarithmic: args.log_x && reader.names.is_empty(),
            names: reader.names,
            ..Axis::default()
        },
        y: Axis { logarithmic: args.log_y, ..Axis::labelled(y) },
        series,
        marks: Vec::new(),
        ..Chart::default()
    };
    files::write(&args.svg, chart.svg().as_bytes(), out)
}

struct RowReader<'a> {
    args: &'a Args,
    kind: Kind,
    /// The values of x that are texts, in the order of appearance.
    names: Vec<String>,
    groups: Groups,
    lines: u64,
}

impl RowReader<'_> {
    fn take(&mut self, value: &Value) {
        self.lines += 1;
        let x = match &self.args.x {
            None => Some(self.lines as f64),
            Some(field) => self.place(find(value, field)),
        };
        let y = match self.kind {
            Kind::Count => Some(0.0),
            _ => self.args.y.as_deref().and_then(|field| find(value, field)).and_then(number),
        };
        let group = match &self.args.group {
            None => String::new(),
            Some(field) => find(value, field).map_or("none".into(), text),
        };
        if let (Some(x), Some(y)) = (x, y) {
            self.groups.entry(group).or_default().push((x, y));
        }
    }

    /// Where a value of x stands: numbers at themselves, texts side by side.
    fn place(&mut self, value: Option<&Value>) -> Option<f64> {
        let value = value?;
        if let Some(number) = number(value) {
            return Some(number);
        }
        let name = text(value.as_str().map(|_| value)?);
        let place = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        Some(place as f64)
    }
}

/// The member that a field with dots names.
fn find<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    field.split('.').try_fold(value, |value, word| match value {
        Value::Array(items) => items.get(word.parse::<usize>().ok()?),
        other => other.get(word),
    })
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|yes| f64::from(u8::from(yes))))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn series(name: String, points: Vec<(f64, f64)>, kind: Kind) -> Series {
    if matches!(kind, Kind::Points | Kind::Line) {
        let points = points.into_iter().map(|(x, y)| Point::plain(x, y)).collect();
        return Series { name, points, joined: kind == Kind::Line, ..Series::default() };
    }
    let mut columns: BTreeMap<u64, (f64, Vec<f64>)> = BTreeMap::new();
    for (x, y) in points {
        // The bits of a number order the positive ones; which is all that is needed to bring equals together.
        columns.entry(x.to_bits()).or_insert_with(|| (x, Vec::new())).1.push(y);
    }
    let mut points: Vec<Point> = columns.into_values().map(|(x, values)| column(x, &values, kind)).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Series { name, points, joined: true, ..Series::default() }
}

/// All values at one x: how many, or their mean with x̄ ± t·s/√n.
fn column(x: f64, values: &[f64], kind: Kind) -> Point {
    let n = values.len() as f64;
    if kind == Kind::Count {
        return Point::plain(x, n);
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let reach = Level::P95.reach(values.len() as u64) * (variance / n).sqrt();
    let bar = (values.len() > 1).then(|| Interval::around(mean, reach));
    Point { x, y: mean, bar }
}
