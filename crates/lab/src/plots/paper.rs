//! SVG being written: the strokes of all charts, their title and their legend.
//!
//! Lines and letters have the colour of the text around them (`currentColor`), so that a page in the dark needs no other picture.

use super::text::{width, wrap};
use super::{Look, Series};

pub(super) const WIDTH: f64 = 760.0;
/// Air at the edges.
pub(super) const EDGE: f64 = 14.0;
/// The size of most letters, and the height of their lines.
pub(super) const LETTERS: f64 = 12.5;
pub(super) const LINE: f64 = 17.0;
const TITLE: f64 = 16.0;

/// Okabe and Ito's colours, which people with any colour vision can tell apart. The last is that of the text, black or white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor"];

/// The colour of the series at place `i`.
pub(super) fn colour(series: &Series, i: usize) -> &'static str {
    COLOURS[series.colour.unwrap_or(i) % COLOURS.len()]
}

pub(super) struct Paper {
    title: String,
    out: String,
    /// Where the next thing begins.
    pub(super) top: f64,
    /// The height of the picture, once it is known.
    pub(super) height: f64,
}

impl Paper {
    pub(super) fn new(title: &str) -> Paper {
        Paper { title: title.to_string(), out: String::new(), top: EDGE, height: 0.0 }
    }

    pub(super) fn finish(self) -> String {
        let height = self.height.max(self.top).ceil();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" color=\"#1d2127\" fill=\"currentColor\" font-family=\"system-ui, 'Segoe UI', 'Noto Sans', sans-serif\">\n\
             <title>{}</title>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            escaped(&self.title),
            self.out
        )
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = std::fmt::Write::write_fmt(&mut self.out, format_args!("{element}\n"));
    }

    /// The title in as many lines as it takes.
    pub(super) fn heading(&mut self, text: &str) {
        for line in wrap(text, TITLE, WIDTH - 2.0 * EDGE) {
            self.top += TITLE * 1.3;
            let (y, text) = (self.top - TITLE * 0.3, escaped(&line));
            self.add(format_args!(
                "<text x=\"{EDGE}\" y=\"{y:.1}\" font-size=\"{TITLE}\" font-weight=\"600\">{text}</text>"
            ));
        }
        self.top += 6.0;
    }

    /// What the series are called, in as many lines as it takes.
    pub(super) fn legend(&mut self, series: &[Series]) {
        let named: Vec<(usize, &Series)> = series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()).collect();
        if named.is_empty() {
            return;
        }
        let mut at = EDGE;
        let mut lowest = self.top;
        for (i, series) in named {
            let lines = wrap(&series.name, LETTERS, WIDTH - 2.0 * EDGE - 22.0);
            let reach = lines.iter().map(|line| width(line, LETTERS)).fold(0.0, f64::max);
            if at > EDGE && at + 22.0 + reach > WIDTH - EDGE {
                (at, self.top) = (EDGE, lowest);
            }
            self.dot([at + 6.0, self.top + 9.0], series.look, colour(series, i), "");
            for (k, line) in lines.iter().enumerate() {
                self.text([at + 18.0, self.top + 13.0 + k as f64 * LINE], "start", LETTERS, line);
            }
            lowest = lowest.max(self.top + lines.len() as f64 * LINE);
            at += 42.0 + reach;
        }
        self.top = lowest + 6.0;
    }

    /// A line of an axis or of the grid behind it.
    pub(super) fn rule(&mut self, [x1, y1, x2, y2]: [f64; 4], opacity: f64) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"currentColor\" stroke-opacity=\"{opacity}\"/>"
        ));
    }

    /// A line that marks a value.
    pub(super) fn mark(&mut self, [x1, y1, x2, y2]: [f64; 4]) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"currentColor\" stroke-opacity=\".55\" \
             stroke-dasharray=\"6 4\"/>"
        ));
    }

    /// A stroke of a series: an error bar or its end.
    pub(super) fn stroke(&mut self, [x1, y1, x2, y2]: [f64; 4], stroke: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\" stroke-width=\"1.5\"/>"
        ));
    }

    /// The line through the points of a series.
    pub(super) fn path(&mut self, points: &[(f64, f64)], look: Look, stroke: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dashes = match look {
            Look::Solid => "",
            Look::Hollow => " stroke-dasharray=\"5 4\"",
            Look::Known => " stroke-dasharray=\"1.5 4\" stroke-linecap=\"round\"",
        };
        self.add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.5\"{dashes}/>",
            points.join(" ")
        ));
    }

    /// A point of a series. `data` says what it stands for.
    pub(super) fn dot(&mut self, [x, y]: [f64; 2], look: Look, colour: &str, data: &str) {
        let ring = "class=\"ring\" fill=\"#ffffff\"";
        match look {
            Look::Solid => {
                self.add(format_args!("<circle{data} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"));
            }
            Look::Hollow => self.add(format_args!(
                "<circle{data} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {ring} stroke=\"{colour}\" stroke-width=\"1.8\"/>"
            )),
            Look::Known => self.add(format_args!(
                "<path{data} d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\" {ring} stroke=\"{colour}\" stroke-width=\"1.8\"/>",
                y - 5.0
            )),
        }
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], anchor: &str, size: f64, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub(super) fn turned_text(&mut self, [x, y]: [f64; 2], text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" font-size=\"{LETTERS}\" text-anchor=\"middle\">{text}</text>"
        ));
    }
}

/// What a point stands for, for readers of the file: its numbers as they were given and the pixel it is drawn at.
pub(super) fn data(x: f64, y: f64, pixel: f64) -> String {
    format!(" data-x=\"{x}\" data-y=\"{y}\" data-px=\"{pixel:.1}\"")
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
