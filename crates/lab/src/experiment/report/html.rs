//! The report as one web page: pictures and style are inside, nothing is fetched from anywhere.

use std::fmt::Write;

use super::{Report, TESTS};
use crate::experiment::page::{Block, Sheet};
use crate::experiment::verdict::Verdict;
use crate::experiment::workshop::{Drawing, Scene};
use crate::plots::Chart;

const STYLE: &str = include_str!("style.css");

pub(super) fn text(report: &Report<'_>, boards: &[Option<Drawing>]) -> String {
    let mut page = Page { out: String::new(), boards, board: 0 };
    let experiment = &report.plan.experiment;
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    page.raw("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    page.element("title", "", &experiment.title);
    page.raw(&format!("<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n"));
    if !experiment.paper.is_empty() {
        page.element("p", "kicker", &experiment.paper);
    }
    page.element("h1", "", &experiment.title);
    page.element("p", "question", &experiment.question);
    page.verdicts(report);
    for remark in report.preface() {
        page.element("p", "remark", &remark);
    }
    page.raw("</header>\n");
    page.contents(report);
    let mut charts = report.charts().into_iter();
    for (i, section) in report.sections.iter().enumerate() {
        page.raw(&format!("<section id=\"part-{}\">\n", i + 1));
        page.element("h2", "", &section.title);
        for block in &section.blocks {
            match block {
                Block::Text(text) => page.element("p", "", text),
                Block::Notes(notes) => page.list("notes", notes),
                Block::Table(sheet) => page.table(sheet),
                Block::Figure(..) => charts.next().into_iter().for_each(|(_, chart)| page.figure(chart)),
                Block::Boards(scenes) => page.scenes(scenes),
                Block::Conditions(pairs) => page.conditions(pairs),
            }
        }
        page.raw("</section>\n");
    }
    page.raw("<section id=\"method\">\n");
    page.element("h2", "", "How this was judged");
    page.list("notes", TESTS);
    page.element("h2", "", "The run");
    let facts: Vec<(String, String)> = report.facts().into_iter().map(|(k, v)| (k.to_string(), v)).collect();
    page.pairs(&facts);
    page.raw("</section>\n</main>\n</body>\n</html>\n");
    page.out
}

struct Page<'a> {
    out: String,
    boards: &'a [Option<Drawing>],
    board: usize,
}

impl Page<'_> {
    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn element(&mut self, tag: &str, class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "<{tag}{class}>{}</{tag}>", escaped(text));
    }

    fn list<T: AsRef<str>>(&mut self, class: &str, items: &[T]) {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(self.out, "<ul class=\"{class}\">");
        items.iter().for_each(|item| self.element("li", "", item.as_ref()));
        self.raw("</ul>\n");
    }

    /// The verdicts as three numbers.
    fn verdicts(&mut self, report: &Report<'_>) {
        let [agree, differ, open] = report.verdicts();
        if agree + differ + open > 0 {
            self.raw("<p class=\"score\">");
            for (count, verdict) in
                [(agree, Verdict::Agrees), (differ, Verdict::Differs), (open, Verdict::NotSignificant)]
            {
                let (class, words) = (class_of(verdict), verdict.words());
                let _ = write!(self.out, "<span class=\"{class}\"><b>{count}</b> {words}</span> ");
            }
            self.raw("</p>\n");
        }
        self.element("p", "", &report.sentence());
    }

    /// Links to the parts, if there are several.
    fn contents(&mut self, report: &Report<'_>) {
        if report.sections.len() < 2 {
            return;
        }
        self.raw("<nav>\n<ol>\n");
        for (i, section) in report.sections.iter().enumerate() {
            let marks: String =
                section.verdicts.iter().map(|&v| format!("<i class=\"{}\"></i>", class_of(v))).collect();
            let title = escaped(&section.title);
            let _ = writeln!(
                self.out,
                "<li><a href=\"#part-{}\">{title}</a> <span class=\"dots\">{marks}</span></li>",
                i + 1
            );
        }
        self.raw("</ol>\n</nav>\n");
    }

    fn table(&mut self, sheet: &Sheet) {
        if sheet.head.is_empty() {
            return;
        }
        self.raw("<div class=\"table\"><table>\n<thead><tr>");
        sheet.head.iter().for_each(|text| self.element("th", "", text));
        self.raw("</tr></thead>\n<tbody>\n");
        for row in &sheet.rows {
            self.raw("<tr>");
            for field in row {
                match field.verdict {
                    Some(verdict) => {
                        let (class, text) = (class_of(verdict), escaped(&field.text));
                        let _ = write!(self.out, "<td><span class=\"{class}\">{text}</span></td>");
                    }
                    None => {
                        let _ = write!(self.out, "<td>{}</td>", escaped(&field.text));
                    }
                }
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table></div>\n");
    }

    fn figure(&mut self, chart: &Chart) {
        self.raw("<figure class=\"chart\">\n");
        self.raw(&chart.svg());
        self.raw("</figure>\n");
    }

    fn scenes(&mut self, scenes: &[(Scene, String)]) {
        if scenes.is_empty() {
            return;
        }
        self.raw("<div class=\"boards\">\n");
        for (_, caption) in scenes {
            let drawing = self.boards.get(self.board).cloned().flatten();
            self.board += 1;
            if let Some(drawing) = drawing {
                self.raw("<figure>\n");
                self.raw(svg_only(&drawing.svg));
                let (caption, text) = (escaped(caption), escaped(&drawing.text));
                let _ = writeln!(self.out, "<figcaption>{caption}<br/><code>{text}</code></figcaption>\n</figure>");
            }
        }
        self.raw("</div>\n");
    }

    fn conditions(&mut self, pairs: &[(String, String)]) {
        self.raw("<details>\n<summary>Conditions</summary>\n");
        self.pairs(pairs);
        self.raw("</details>\n");
    }

    fn pairs(&mut self, pairs: &[(String, String)]) {
        self.raw("<dl>\n");
        for (what, how) in pairs {
            let _ = writeln!(self.out, "<dt>{}</dt><dd><code>{}</code></dd>", escaped(what), escaped(how));
        }
        self.raw("</dl>\n");
    }
}

fn class_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Differs => "differs",
        Verdict::NotSignificant => "open",
    }
}

/// An SVG document without what may stand only at the head of a file.
fn svg_only(document: &str) -> &str {
    document.find("<svg").map_or("", |start| &document[start..])
}

/// Text that means nothing to HTML. Control characters become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
