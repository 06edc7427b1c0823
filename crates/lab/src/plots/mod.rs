//! Charts with error bars, as SVG text: what a sweep, a rating list or a running test looks like.
//!
//! A [`Chart`] is data; [`Chart::svg`] draws it. Points that are not finite are left out, bars that are infinite end at the frame, so
//! whatever the statistics answer can be drawn.

mod scale;
mod svg;

use crate::statistics::{Estimate, Interval};

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
}

impl Axis {
    /// An axis of numbers.
    pub fn labelled(label: &str) -> Axis {
        Axis { label: label.to_string(), ..Axis::default() }
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
}

impl Chart {
    /// The chart as an SVG document.
    pub fn svg(&self) -> String {
        svg::draw(self)
    }
}
