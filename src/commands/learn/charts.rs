//! The curves of a run as charts.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use yomi_lab::plots::{Axis, Chart, Point, Series};

use crate::files;

/// More points than this are no better to see.
const POINTS: usize = 400;

/// Writes loss.svg, gradient.svg and elo.svg from curves.jsonl.
pub(super) fn write(folder: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let path = folder.join("curves.jsonl");
    let text = String::from_utf8(files::read(&path)?).with_context(|| format!("{} is no text", path.display()))?;
    let rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    /// A line of a chart: its label and the field of a row.
    type Line = (&'static str, &'static str);
    let charts: [(&str, &str, &[Line]); 3] = [
        ("loss", "Loss", &[("loss", "/loss"), ("results explained, nats", "/explained")]),
        ("gradient", "Length of the gradient", &[("gradient, in units of the parameters", "/gradient_norm")]),
        ("elo", "Elo over the start, gates added up", &[("best", "/gate/best")]),
    ];
    for (name, title, lines) in charts {
        let series = lines.iter().map(|(label, field)| series(label, field, &rows)).collect();
        let chart = Chart {
            title: title.to_string(),
            x: Axis::labelled("games"),
            y: Axis::labelled(name),
            series,
            ..Chart::default()
        };
        files::write(&folder.join(format!("{name}.svg")), chart.svg().as_bytes(), out)?;
    }
    Ok(())
}

/// A line over games, thinned to means of neighbours where there are too many.
fn series(name: &str, field: &str, rows: &[Value]) -> Series {
    let point = |row: &Value| Some((row["games"].as_f64()?, row.pointer(field)?.as_f64()?));
    let points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
    let chunk = points.len().div_ceil(POINTS).max(1);
    let mean = |some: &[(f64, f64)], f: fn(&(f64, f64)) -> f64| some.iter().map(f).sum::<f64>() / some.len() as f64;
    let points = points.chunks(chunk).map(|some| Point::plain(mean(some, |p| p.0), mean(some, |p| p.1))).collect();
    Series { name: name.to_string(), points, joined: true, ..Series::default() }
}
