//! A chart over an axis of numbers.

use super::paper::{EDGE, LETTERS, LINE, Paper, WIDTH, colour, data};
use super::scale::Scale;
use super::text::wrap;
use super::{Chart, Point};

const LEFT: f64 = 74.0;
const RIGHT: f64 = WIDTH - 20.0;
/// The height of the frame.
const TALL: f64 = 320.0;
/// No curve of more points has discs on them.
const CROWDED: usize = 60;

pub(super) fn draw(paper: &mut Paper, chart: &Chart) {
    let (top, bottom) = (paper.top + 4.0, paper.top + 4.0 + TALL);
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let x = Scale::around(points().map(|p| p.x), &chart.x, LEFT + 12.0, RIGHT - 12.0);
    let heights = points().flat_map(|p| [Some(p.y), p.bar.map(|bar| bar.low), p.bar.map(|bar| bar.high)]).flatten();
    let y = Scale::around(heights.chain(chart.marks.iter().copied()), &chart.y, bottom, top);
    axes(paper, chart, (&x, &y), (top, bottom));
    for height in chart.marks.iter().filter_map(|&mark| y.place(mark)) {
        paper.mark([LEFT, height, RIGHT, height]);
    }
    for i in 0..chart.series.len() {
        one(paper, chart, i, &x, &y);
    }
}

fn axes(paper: &mut Paper, chart: &Chart, (x, y): (&Scale, &Scale), (top, bottom): (f64, f64)) {
    for (at, text) in y.ticks(6).iter().filter_map(|(v, text)| Some((y.place(*v)?, text))) {
        paper.rule([LEFT, at, RIGHT, at], 0.13);
        paper.text([LEFT - 8.0, at + 4.0], "end", LETTERS, text);
    }
    for (at, text) in x.ticks(8).iter().filter_map(|(v, text)| Some((x.place(*v)?, text))) {
        paper.rule([at, bottom, at, bottom + 5.0], 0.6);
        paper.text([at, bottom + 20.0], "middle", LETTERS, text);
    }
    paper.rule([LEFT, top, LEFT, bottom], 0.6);
    paper.rule([LEFT, bottom, RIGHT, bottom], 0.6);
    let mut under = bottom + 24.0;
    for line in wrap(&chart.x.label, LETTERS, RIGHT - LEFT) {
        under += LINE;
        paper.text([(LEFT + RIGHT) / 2.0, under], "middle", LETTERS, &line);
    }
    for (k, line) in wrap(&chart.y.label, LETTERS, TALL).iter().take(2).enumerate() {
        paper.turned_text([EDGE + 4.0 + k as f64 * LINE, (top + bottom) / 2.0], line);
    }
    paper.height = under + EDGE;
}

fn one(paper: &mut Paper, chart: &Chart, index: usize, x: &Scale, y: &Scale) {
    let series = &chart.series[index];
    let (colour, offset) = (colour(series, index), chart.offset(index));
    let across = |p: &Point| x.place(p.x).map(|at| at + offset);
    let place = |p: &Point| p.y.is_finite().then(|| Some((across(p)?, y.place(p.y)?))).flatten();
    if series.joined {
        let path: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
        paper.path(&path, series.look, colour);
    }
    for point in &series.points {
        if let (Some(bar), Some(at)) = (point.bar, across(point))
            && let (Some(low), Some(high)) = (y.place(bar.low), y.place(bar.high))
        {
            paper.stroke([at, low, at, high], colour);
            for (end, height) in [(bar.low, low), (bar.high, high)] {
                // A bar that never ends has no cap.
                if end.is_finite() {
                    paper.stroke([at - 4.0, height, at + 4.0, height], colour);
                }
            }
        }
        if let Some((at, height)) = place(point)
            && (!series.joined || series.points.len() <= CROWDED)
        {
            paper.dot([at, height], series.look, colour, &data(point.x, point.y, at));
        }
    }
}
