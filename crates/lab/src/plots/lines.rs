//! A chart over an axis of names: one line per name, values from left to right.

use super::paper::{EDGE, LETTERS, LINE, Paper, WIDTH, colour, data};
use super::scale::Scale;
use super::text::{width, wrap};
use super::{Chart, Point};

const RIGHT: f64 = WIDTH - 24.0;
/// Names take no more than this of the picture.
const WIDEST: f64 = 300.0;
/// The height of a line with one series, and what each further one adds.
const ROW: f64 = 26.0;
const EACH: f64 = 7.0;
/// More names than this are left out, and the chart says so.
const MOST: usize = 100;

pub(super) fn draw(paper: &mut Paper, chart: &Chart) {
    let names: Vec<Vec<String>> =
        chart.x.names.iter().take(MOST).map(|name| wrap(name, LETTERS, WIDEST - EDGE - 12.0)).collect();
    let widest = names.iter().flatten().map(|line| width(line, LETTERS)).fold(40.0, f64::max);
    let left = EDGE + widest + 12.0;
    let drawn = |point: &&Point| point.x < names.len() as f64;
    let points = || chart.series.iter().flat_map(|series| series.points.iter().filter(drawn));
    let values = points().flat_map(|p| [Some(p.y), p.bar.map(|bar| bar.low), p.bar.map(|bar| bar.high)]).flatten();
    let scale = Scale::around(values.chain(chart.marks.iter().copied()), &chart.y, left + 8.0, RIGHT);

    let more = EACH * if chart.apart { chart.series.len().saturating_sub(1) as f64 } else { 0.0 };
    let top = paper.top + 2.0;
    let mut bottom = top;
    // The middle of each line; names of several lines need more room.
    let middles: Vec<f64> = names
        .iter()
        .map(|lines| {
            let height = (ROW + more).max(lines.len() as f64 * LINE + 6.0);
            bottom += height;
            bottom - height / 2.0
        })
        .collect();
    for (at, text) in scale.ticks(7).iter().filter_map(|(v, text)| Some((scale.place(*v)?, text))) {
        paper.rule([at, top, at, bottom], 0.13);
        paper.text([at, bottom + 18.0], "middle", LETTERS, text);
    }
    for at in chart.marks.iter().filter_map(|&mark| scale.place(mark)) {
        paper.mark([at, top, at, bottom]);
    }
    for (lines, middle) in names.iter().zip(&middles) {
        let first = middle + 4.0 - (lines.len() as f64 - 1.0) * LINE / 2.0;
        for (k, line) in lines.iter().enumerate() {
            paper.text([left - 10.0, first + k as f64 * LINE], "end", LETTERS, line);
        }
    }
    paper.rule([left, top, left, bottom], 0.6);
    for i in 0..chart.series.len() {
        one(paper, chart, i, &scale, &middles);
    }
    let mut under = bottom + 22.0;
    for line in wrap(&chart.y.label, LETTERS, RIGHT - left) {
        under += LINE;
        paper.text([(left + RIGHT) / 2.0, under], "middle", LETTERS, &line);
    }
    if chart.x.names.len() > names.len() {
        under += LINE;
        let text = format!("and {} more, which stand in the table", chart.x.names.len() - names.len());
        paper.text([EDGE, under], "start", LETTERS, &text);
    }
    paper.height = under + EDGE;
}

fn one(paper: &mut Paper, chart: &Chart, index: usize, scale: &Scale, middles: &[f64]) {
    let series = &chart.series[index];
    let (colour, offset) = (colour(series, index), chart.offset(index));
    for point in &series.points {
        let Some(row) = (point.x >= 0.0).then(|| middles.get(point.x.round() as usize)).flatten() else { continue };
        let row = row + offset;
        if let Some((bar, (low, high))) =
            point.bar.and_then(|bar| Some((bar, scale.place(bar.low).zip(scale.place(bar.high))?)))
        {
            paper.stroke([low, row, high, row], colour);
            for (end, at) in [(bar.low, low), (bar.high, high)] {
                // A bar that never ends has no cap.
                if end.is_finite() {
                    paper.stroke([at, row - 4.0, at, row + 4.0], colour);
                }
            }
        }
        if let Some(at) = scale.place(point.y).filter(|_| point.y.is_finite()) {
            paper.dot([at, row], series.look, colour, &data(point.x, point.y, at));
        }
    }
}
