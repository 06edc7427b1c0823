//! A report as one web page: pictures, style and script are inside, nothing is fetched from anywhere.

use std::fmt::Write;

use super::games::{Embedded, Replays, stage_name};
use super::page::{Block, Drawing, Field, Page, Scene, Section, Sheet, count};
use crate::experiment::verdict::Verdict;
use crate::plots::Chart;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("replay.js");

/// The page of a report. `boards` are the pictures of its scenes, in their order.
pub(super) fn text(page: &Page, boards: &[Option<Drawing>], replays: &Replays) -> String {
    let embedded = replays.embedded();
    let mut html = Html { out: String::new(), boards, board: 0, stage: None };
    html.head(&page.title);
    html.raw("<header>\n");
    html.element("p", "kicker", &page.kicker);
    html.element("h1", "", &page.title);
    // A page about one paper names it at once; a page about many has a list of them at its end.
    if let [paper] = page.papers.as_slice() {
        html.element("p", "cite", &paper.citation());
    }
    html.element("p", "question", &page.question);
    html.verdicts(page);
    page.warnings.iter().for_each(|warning| html.element("p", "warning", warning));
    html.raw("</header>\n");
    html.contents(page);
    if !page.remarks.is_empty() {
        html.raw("<div class=\"remarks\">\n");
        page.remarks.iter().for_each(|remark| html.element("p", "", remark));
        html.raw("</div>\n");
    }
    let mut charts = page.charts().into_iter();
    for (i, section) in page.sections.iter().enumerate() {
        let _ = writeln!(html.out, "<section id=\"part-{}\">", i + 1);
        html.element("h2", "", &section.title);
        html.stage = embedded.get(i).is_some_and(Option::is_some).then(|| stage_name(i));
        for block in &section.blocks {
            match block {
                Block::Text(text) => html.element("p", "", text),
                Block::Notes(notes) => html.list("notes", notes),
                Block::Table(sheet) => html.table(sheet),
                Block::Figure(..) => charts.next().into_iter().for_each(|(_, chart)| html.figure(chart, section)),
                Block::Boards(scenes) => html.scenes(scenes),
                Block::Conditions(pairs) => html.conditions(pairs),
            }
        }
        if let Some(Some(games)) = embedded.get(i) {
            html.replay(i, games, section.games.as_ref().map_or(0, |set| set.games.len()));
        }
        html.raw("</section>\n");
    }
    html.closing(page);
    html.stages(replays, embedded.iter().enumerate().filter_map(|(i, one)| Some((i, one.as_ref()?.data.as_str()))));
    html.raw("</main>\n</body>\n</html>\n");
    html.out
}

/// A page of games alone, beside the report.
pub(super) fn game_page(page: &Page, replays: &Replays, section: usize, data: &str) -> String {
    let mut html = Html { out: String::new(), boards: &[], board: 0, stage: None };
    let title = page.sections.get(section).map_or("", |section| section.title.as_str());
    html.head(title);
    html.raw("<header>\n<p class=\"kicker\"><a href=\"../report.html\">");
    html.words(&page.title);
    html.raw("</a></p>\n");
    html.element("h1", "", title);
    let _ =
        writeln!(html.out, "</header>\n<section>\n<div class=\"replay\" data-set=\"{}\"></div>", stage_name(section));
    html.raw("</section>\n");
    html.stages(replays, [(section, data)].into_iter());
    html.raw("</main>\n</body>\n</html>\n");
    html.out
}

struct Html<'a> {
    out: String,
    boards: &'a [Option<Drawing>],
    board: usize,
    /// The games of the present section, if it has any: what its rows lead to.
    stage: Option<String>,
}

impl Html<'_> {
    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn words(&mut self, text: &str) {
        self.out.push_str(&escaped(text));
    }

    fn head(&mut self, title: &str) {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
        self.raw("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
        let _ = writeln!(self.out, "<title>{}</title>", escaped(title));
        let _ = writeln!(self.out, "<style>\n{STYLE}</style>\n</head>\n<body>\n<main>");
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

    /// The verdicts as three numbers, the answer, and the way to how it was reached.
    fn verdicts(&mut self, page: &Page) {
        let counts = page.verdicts();
        if counts.iter().sum::<usize>() > 0 {
            self.raw("<p class=\"score\">");
            self.chips(counts);
            self.raw("</p>\n");
        }
        let _ = write!(self.out, "<p>{} ", escaped(&page.answer));
        self.raw("<span class=\"ways\"><a href=\"#method\">How this was judged</a> <a href=\"#run\">The run</a></span></p>\n");
    }

    fn chips(&mut self, counts: [usize; 3]) {
        let words = [["agree", "agrees"], ["differ", "differs"], ["not significant"; 2]];
        let classes = [Verdict::Agrees, Verdict::Differs, Verdict::NotSignificant].map(class_of);
        for ((count, words), class) in counts.into_iter().zip(words).zip(classes) {
            let words = words[usize::from(count == 1)];
            let _ = write!(self.out, "<span class=\"chip {class}\"><b>{count}</b> {words}</span> ");
        }
    }

    /// All parts at a glance, or links to them if there are several.
    fn contents(&mut self, page: &Page) {
        let Some(overview) = &page.overview else {
            if page.sections.len() > 1 {
                self.raw("<nav>\n<ol>\n");
                for (i, section) in page.sections.iter().enumerate() {
                    self.raw("<li>");
                    self.link(i, section);
                    self.raw("</li>\n");
                }
                self.raw("</ol>\n</nav>\n");
            }
            return;
        };
        self.raw("<nav class=\"glance\"><div class=\"table\"><table class=\"words-0\">\n<thead><tr><th>part</th>");
        overview.head.iter().for_each(|text| self.element("th", "", text));
        self.raw("</tr></thead>\n<tbody>\n");
        for (i, (section, fields)) in page.sections.iter().zip(&overview.rows).enumerate() {
            self.raw("<tr><td>");
            self.link(i, section);
            self.raw("</td>");
            fields.iter().for_each(|field| self.field(field));
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table></div>\n");
        self.element("p", "note", &overview.note);
        self.raw("</nav>\n");
    }

    /// A link to a part, with a mark for each of its verdicts.
    fn link(&mut self, i: usize, section: &Section) {
        let [agree, differ, open] = count(section.verdicts.iter());
        let marks = section.verdicts.iter().map(|&v| format!("<i class=\"{}\">{}</i>", class_of(v), sign_of(v)));
        let marks: String = marks.collect();
        let _ = write!(self.out, "<a href=\"#part-{}\">{}</a>", i + 1, escaped(&section.title));
        if !marks.is_empty() {
            let title = format!("{agree} agree, {differ} differ, {open} not significant");
            let _ = write!(self.out, " <span class=\"dots\" title=\"{title}\">{marks}</span>");
        }
    }

    fn table(&mut self, sheet: &Sheet) {
        if sheet.head.is_empty() {
            return;
        }
        let _ = write!(self.out, "<div class=\"table\"><table class=\"words-{}\">\n<thead><tr>", sheet.words.min(2));
        sheet.head.iter().for_each(|text| self.element("th", "", text));
        self.raw("</tr></thead>\n<tbody>\n");
        for row in &sheet.rows {
            self.raw("<tr>");
            row.iter().for_each(|field| self.field(field));
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table></div>\n");
    }

    fn field(&mut self, field: &Field) {
        let text = escaped(&field.text);
        let _ = match (field.verdict, &field.full) {
            (Some(verdict), _) => {
                write!(self.out, "<td><span class=\"chip {}\">{text}</span></td>", class_of(verdict))
            }
            (None, Some(full)) => {
                let full = escaped(full);
                write!(
                    self.out,
                    "<td><details class=\"name\"><summary title=\"{full}\">{text}</summary><code>{full}</code></details></td>"
                )
            }
            (None, None) => match (field.games, &self.stage) {
                (Some(row), Some(stage)) => write!(
                    self.out,
                    "<td><a class=\"to-games\" href=\"#games-{stage}\" data-row=\"{row}\" title=\"the games of this row\">{text}</a></td>"
                ),
                _ => write!(self.out, "<td>{text}</td>"),
            },
        };
    }

    fn figure(&mut self, chart: &Chart, section: &Section) {
        self.raw("<figure class=\"chart\">\n");
        // Where the heading says it already the picture need not.
        let svg = if chart.title == section.title { chart.untitled_svg() } else { chart.svg() };
        self.raw(&svg);
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

    /// The place where the script shows games, and where the others are.
    fn replay(&mut self, section: usize, games: &Embedded, all: usize) {
        let stage = stage_name(section);
        let _ = writeln!(self.out, "<h3 id=\"games-{stage}\">Games</h3>\n<div class=\"replay\" data-set=\"{stage}\">");
        self.raw("<noscript><p class=\"note\">Replaying games needs JavaScript; the ledger holds all moves.</p></noscript>\n</div>\n");
        if games.shown < all {
            let _ = write!(
                self.out,
                "<p class=\"note\">{} of {all} games are on this page, the first of each row. All games: ",
                games.shown
            );
            for (i, page) in games.pages.iter().enumerate() {
                let _ = write!(self.out, "<a href=\"{page}\">page {}</a> ", i + 1);
            }
            self.raw("</p>\n");
        }
    }

    fn conditions(&mut self, pairs: &[(String, String)]) {
        self.raw("<details class=\"fine\">\n<summary>Conditions</summary>\n");
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

    /// How it was judged, what it repeats, the run, and who wrote this.
    fn closing(&mut self, page: &Page) {
        self.raw("<section id=\"method\">\n");
        self.element("h2", "", "How this was judged");
        self.list("notes", &page.method);
        if !page.papers.is_empty() {
            self.element("h3", "", "Papers");
            let papers: Vec<String> = page.papers.iter().map(|p| format!("{}  {}", p.code, p.citation())).collect();
            self.list("notes", &papers);
        }
        self.raw("<h2 id=\"run\">The run</h2>\n");
        self.pairs(&page.facts);
        self.raw("</section>\n");
        self.element("footer", "", &page.build);
    }

    /// Shapes and games for the script, and the script.
    fn stages<'d>(&mut self, replays: &Replays, data: impl Iterator<Item = (usize, &'d str)>) {
        let mut sets = Vec::new();
        for (i, data) in data {
            if let Some(Some(reel)) = replays.reels.get(i) {
                let defs = reel.defs(&stage_name(i));
                let _ = writeln!(
                    self.out,
                    "<svg class=\"defs\" xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" aria-hidden=\"true\" \
                     font-family=\"system-ui,sans-serif\" text-anchor=\"middle\"><defs>{defs}</defs></svg>"
                );
                sets.push(data);
            }
        }
        if sets.is_empty() {
            return;
        }
        // Inside strings only: nothing of JSON itself needs these characters.
        let json = format!("[{}]", sets.join(",\n"));
        let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        let _ = writeln!(self.out, "<script type=\"application/json\" id=\"yomi-games\">{json}</script>");
        let _ = writeln!(self.out, "<script>//<![CDATA[\n{SCRIPT}//]]></script>");
    }
}

fn class_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Differs => "differs",
        Verdict::NotSignificant => "open",
    }
}

/// A sign for each verdict, so that colour is not needed.
fn sign_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "✓",
        Verdict::Differs => "✗",
        Verdict::NotSignificant => "·",
    }
}

/// An SVG document without what may stand only at the head of a file.
fn svg_only(document: &str) -> &str {
    document.find("<svg").map_or("", |start| &document[start..])
}

/// Text that means nothing to HTML. Names come from outside: nothing of them may become markup. Control characters become spaces.
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
