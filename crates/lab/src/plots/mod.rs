//! Charts with error bars, as SVG text: what a sweep, a rating list or a running test looks like.
//!
//! A [`Chart`] is data; [`Chart::svg`] draws it. Points that are not finite are left out, bars that are infinite end at the frame, so
//! whatever the statistics answer can be drawn. Over an axis of numbers points make curves; over an axis of names every name has a line of
//! its own, so that names of any length can be read.

mod curves;
mod lines;
mod paper;
mod scale;
mod text;

use crate::statistics::{Estimate, Interval};
use paper::Paper;

/// A chart: series of points over a common horizontal axis.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Chart {
    /// What is shown.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
    /// Heights that are marked by a line from side to side: even chances, the bounds of a test.
    pub marks: Vec<f64>,
    /// Whether points of different series at the same place stand side by side, a few pixels apart, instead of on top of each other.
    pub apart: bool,
}

/// An axis.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// Whether equal ratios, not equal differences, are equally long. Needs positive numbers.
    pub logarithmic: bool,
    /// Names instead of numbers: the first for 0, the next for 1, and so on.
    pub names: Vec<String>,
    /// What is drawn ends here, even if that leaves no air around the points.
    pub bounds: Option<Interval>,
}

impl Axis {
    /// An axis of numbers.
    pub fn labelled(label: &str) -> Axis {
        Axis { label: label.to_string(), ..Axis::default() }
    }

    /// An axis of shares in percent: nothing below 0 or above 100.
    pub fn percent(label: &str) -> Axis {
        Axis { bounds: Some(Interval { low: 0.0, high: 100.0 }), ..Axis::labelled(&format!("{label}, %")) }
    }
}

/// Points that belong together.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<Point>,
    /// Whether they are joined by a line.
    pub joined: bool,
    /// How points and lines look.
    pub look: Look,
    /// The number of its colour; its place among the series if left out.
    pub colour: Option<usize>,
}

/// How a series looks: different marks, so that colour is never needed to tell series apart.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Look {
    /// Filled discs: what was measured.
    #[default]
    Solid,
    /// Rings and dashes: what others published.
    Hollow,
    /// Diamonds and dots: what is known from another run.
    Known,
}

/// A point, with an error bar if there is an interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// From where to where the error bar reaches.
    pub bar: Option<Interval>,
}

impl Point {
    /// A point without an error bar.
    pub fn plain(x: f64, y: f64) -> Point {
        Point { x, y, bar: None }
    }

    /// An estimate with its interval.
    pub fn estimate(x: f64, estimate: Estimate) -> Point {
        Point { x, y: estimate.value, bar: Some(estimate.interval) }
    }

    /// A share and its interval, in percent.
    pub fn percent(x: f64, estimate: Estimate) -> Point {
        Point::estimate(x, estimate.map(|share| 100.0 * share))
    }
}

impl Chart {
    /// The chart as an SVG document.
    pub fn svg(&self) -> String {
        self.draw(true)
    }

    /// The chart for a place where its title stands already.
    pub fn untitled_svg(&self) -> String {
        self.draw(false)
    }

    fn draw(&self, titled: bool) -> String {
        let mut paper = Paper::new(&self.title);
        if titled {
            paper.heading(&self.title);
        }
        paper.legend(&self.series);
        if self.x.names.is_empty() {
            curves::draw(&mut paper, self);
        } else {
            lines::draw(&mut paper, self);
        }
        paper.finish()
    }

    /// How far, in pixels, points of the series at place `i` stand from where they belong.
    fn offset(&self, i: usize) -> f64 {
        const APART: f64 = 7.0;
        if self.apart { (i as f64 - (self.series.len() as f64 - 1.0) / 2.0) * APART } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let bar = |low, high| Some(Interval { low, high });
        let points = vec![
            Point { x: 20.0, y: 57.6, bar: bar(54.0, 61.0) },
            Point { x: 40.0, y: f64::INFINITY, bar: bar(60.0, f64::INFINITY) },
            Point { x: f64::NAN, y: 50.0, bar: None },
            Point::plain(120.0, 59.7),
        ];
        let series = Series { name: "1 < 2 & 3".to_string(), points, joined: true, ..Series::default() };
        Chart { title: "T".into(), x: Axis::labelled("x"), series: vec![series], marks: vec![50.0], ..Chart::default() }
    }

    #[test]
    fn draws_what_is_there() {
        let svg = chart().svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("1 &lt; 2 &amp; 3") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // Two finite points and the legend; the infinite point has a bar with one cap only.
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert_eq!(svg.matches("#0072b2\" stroke-width").count(), 1 + 3 + 2, "{svg}");
        assert_eq!(svg.matches("stroke-dasharray").count(), 1);
        roxmltree::Document::parse(&svg).unwrap();
    }

    #[test]
    fn empty_charts_are_drawn_too() {
        let svg = Chart::default().svg();
        assert!(svg.contains("<line") && !svg.contains("NaN"));
        let names = (0..5000).map(|i| format!("player {i}")).collect();
        let x = Axis { names, ..Axis::default() };
        let svg = Chart { x, ..Chart::default() }.svg();
        assert!(svg.matches("player").count() <= 100 && svg.contains("4900 more"), "{svg}");
    }

    /// Published points stand beside the measured ones by a few pixels, not at another temperature.
    #[test]
    fn points_of_two_series_stand_side_by_side() {
        let mut chart = chart();
        chart.series[0].points.retain(|point| point.y.is_finite() && point.x.is_finite());
        let print = Series { look: Look::Hollow, colour: Some(0), ..chart.series[0].clone() };
        chart.series.push(print);
        chart.apart = true;
        let svg = chart.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let at: Vec<f64> = document
            .descendants()
            .filter(|node| node.attribute("data-x") == Some("120"))
            .filter_map(|node| node.attribute("data-px")?.parse().ok())
            .collect();
        assert_eq!(at.len(), 2, "{svg}");
        assert!((at[1] - at[0] - 7.0).abs() < 0.11, "{at:?}");
    }

    /// Nothing that is written is cut off or lies outside the picture.
    #[test]
    fn long_titles_and_names_are_broken_into_lines() {
        let long = "Minishogi: temperatures and alpha-beta against one opponent at five thousand evaluations per move, two hundred games";
        let x = Axis { names: vec![long.to_string(), "b".into()], ..Axis::default() };
        let points = vec![Point::plain(0.0, 1.0), Point::plain(1.0, 2.0)];
        let series =
            (0..6).map(|_| Series { name: long.into(), points: points.clone(), ..Series::default() }).collect();
        let chart = Chart { title: long.into(), x, series, ..Chart::default() };
        let svg = chart.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let number = |node: &roxmltree::Node, key: &str| node.attribute(key).and_then(|v| v.parse::<f64>().ok());
        let root = document.root_element();
        let (width, height) = (number(&root, "width").unwrap(), number(&root, "height").unwrap());
        let mut words = 0;
        for node in document.descendants().filter(|node| node.has_tag_name("text")) {
            let (text, size) = (node.text().unwrap_or(""), number(&node, "font-size").unwrap());
            let reach = text::width(text, size);
            let x = number(&node, "x").unwrap_or(0.0);
            let left = match node.attribute("text-anchor") {
                Some("end") => x - reach,
                Some("middle") => x - reach / 2.0,
                _ => x,
            };
            if node.attribute("transform").is_none() {
                assert!(left >= -1.0 && left + reach <= width + 1.0, "{text}: {left}..{}", left + reach);
                assert!(number(&node, "y").unwrap() < height, "{text}");
            }
            words += text.matches("evaluations").count();
        }
        assert_eq!(words, 1 + 1 + 6, "{svg}");
    }
}
