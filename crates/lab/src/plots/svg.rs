//! Drawing a chart.

use std::fmt::Write;

use super::scale::Scale;
use super::{Chart, Point, Series};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// The frame of the picture inside the paper.
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = HEIGHT - 60.0;

/// About the width of a letter beside an axis or in the legend.
const LETTER: f64 = 7.0;

/// Okabe and Ito's colours, which people with any colour vision can tell apart.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

pub(super) fn draw(chart: &Chart) -> String {
    let points = || chart.series.iter().flat_map(|series| &series.points);
    let names = (0..chart.x.names.len()).map(|i| i as f64);
    let x = Scale::around(points().map(|p| p.x).chain(names), chart.x.logarithmic, LEFT, RIGHT);
    let heights = points().flat_map(|p| [Some(p.y), p.bar.map(|bar| bar.low), p.bar.map(|bar| bar.high)]).flatten();
    let y = Scale::around(heights.chain(chart.marks.iter().copied()), chart.y.logarithmic, BOTTOM, TOP);
    let mut svg = Paper::new();
    svg.text((LEFT + RIGHT) / 2.0, 26.0, "middle", 16, &chart.title);
    axes(&mut svg, chart, &x, &y);
    for height in chart.marks.iter().filter_map(|&mark| y.place(mark)) {
        svg.dashed(height);
    }
    for (i, series) in chart.series.iter().enumerate() {
        one(&mut svg, series, i, &x, &y);
    }
    legend(&mut svg, &chart.series);
    svg.finish()
}

fn axes(svg: &mut Paper, chart: &Chart, x: &Scale, y: &Scale) {
    let named = |names: &[String]| -> Vec<(f64, String)> {
        // So many names that they would overlap are thinned out.
        let every = names.len().div_ceil(12).max(1);
        names.iter().enumerate().step_by(every).map(|(i, name)| (i as f64, name.chars().take(14).collect())).collect()
    };
    let x_ticks = if chart.x.names.is_empty() { x.ticks(8) } else { named(&chart.x.names) };
    // Names that would run into each other stand in two rows.
    let longest = chart.x.names.iter().map(|name| name.chars().count().min(14)).max().unwrap_or(0);
    let crowded = (longest * x_ticks.len()) as f64 * LETTER > RIGHT - LEFT;
    for (i, (at, text)) in x_ticks.iter().filter_map(|(v, text)| Some((x.place(*v)?, text))).enumerate() {
        svg.line([at, BOTTOM, at, BOTTOM + 5.0], "#000000");
        let lower = if crowded && i % 2 == 1 { 14.0 } else { 0.0 };
        svg.text(at, BOTTOM + 20.0 + lower, "middle", 12, text);
    }
    for (at, text) in y.ticks(6).iter().filter_map(|(v, text)| Some((y.place(*v)?, text))) {
        svg.line([LEFT, at, RIGHT, at], "#e4e4e4");
        svg.text(LEFT - 8.0, at + 4.0, "end", 12, text);
    }
    svg.line([LEFT, TOP, LEFT, BOTTOM], "#000000");
    svg.line([LEFT, BOTTOM, RIGHT, BOTTOM], "#000000");
    svg.text((LEFT + RIGHT) / 2.0, HEIGHT - 16.0, "middle", 13, &chart.x.label);
    let middle = (TOP + BOTTOM) / 2.0;
    svg.turned_text(20.0, middle, &chart.y.label);
}

fn one(svg: &mut Paper, series: &Series, index: usize, x: &Scale, y: &Scale) {
    let colour = COLOURS[index % COLOURS.len()];
    let place = |p: &Point| p.y.is_finite().then(|| Some((x.place(p.x)?, y.place(p.y)?))).flatten();
    if series.joined {
        let path: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
        svg.path(&path, colour);
    }
    for point in &series.points {
        if let (Some(bar), Some(at)) = (point.bar, x.place(point.x))
            && let (Some(low), Some(high)) = (y.place(bar.low), y.place(bar.high))
        {
            svg.line([at, low, at, high], colour);
            for (end, height) in [(bar.low, low), (bar.high, high)] {
                // A bar that never ends has no cap.
                if end.is_finite() {
                    svg.line([at - 5.0, height, at + 5.0, height], colour);
                }
            }
        }
        if let Some((at, height)) = place(point)
            && (!series.joined || series.points.len() <= 60)
        {
            svg.dot(at, height, colour);
        }
    }
}

fn legend(svg: &mut Paper, series: &[Series]) {
    let mut at = LEFT;
    for (i, name) in series.iter().map(|s| &s.name).enumerate().filter(|(_, name)| !name.is_empty()) {
        svg.dot(at + 4.0, 50.0, COLOURS[i % COLOURS.len()]);
        svg.text(at + 14.0, 54.0, "start", 12, name);
        at += 34.0 + LETTER * name.chars().count() as f64;
    }
}

/// SVG being written.
struct Paper(String);

impl Paper {
    fn new() -> Paper {
        Paper(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        ))
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{element}");
    }

    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], stroke: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        ));
    }

    fn dashed(&mut self, y: f64) {
        self.add(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" stroke=\"#888888\" stroke-dasharray=\"6 4\"/>"
        ));
    }

    fn dot(&mut self, x: f64, y: f64, fill: &str) {
        self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\"/>"));
    }

    fn path(&mut self, points: &[(f64, f64)], stroke: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.add(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        ));
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, size: u32, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    fn turned_text(&mut self, x: f64, y: f64, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"13\" text-anchor=\"middle\">{text}</text>"
        ));
    }
}

/// Text that means nothing to XML. Control characters, which it forbids, become spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::Axis;
    use crate::statistics::Interval;

    #[test]
    fn draws_what_is_there() {
        let bar = |low, high| Some(Interval { low, high });
        let points = vec![
            Point { x: 20.0, y: 0.576, bar: bar(0.54, 0.61) },
            Point { x: 40.0, y: f64::INFINITY, bar: bar(0.6, f64::INFINITY) },
            Point { x: f64::NAN, y: 0.5, bar: None },
            Point::plain(120.0, 0.597),
        ];
        let series = Series { name: "1 < 2 & 3".to_string(), points, joined: true };
        let chart = Chart {
            title: "T".into(),
            x: Axis::labelled("x"),
            series: vec![series],
            marks: vec![0.5],
            ..Chart::default()
        };
        let svg = chart.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("1 &lt; 2 &amp; 3") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // Two finite points and the legend; the infinite point has a bar with one cap only.
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert_eq!(svg.matches("#0072b2\" stroke-width").count(), 1 + 3 + 2, "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
    }

    #[test]
    fn empty_charts_are_drawn_too() {
        let svg = Chart::default().svg();
        assert!(svg.contains("<line") && !svg.contains("NaN"));
        let names = (0..500).map(|i| format!("player {i}")).collect();
        let x = Axis { names, ..Axis::default() };
        assert!(Chart { x, ..Chart::default() }.svg().matches("player").count() <= 12);
    }
}
