//! A report as blocks, written as Markdown or as one self-contained page of HTML.

use std::fmt::Write;

/// A report.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// What it says, from top to bottom.
    pub blocks: Vec<Block>,
}

/// A part of a report.
#[derive(Clone, PartialEq, Debug)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Something the reader must not miss.
    Warning(String),
    /// A table.
    Table {
        /// The names of the columns.
        head: Vec<String>,
        /// The rows.
        rows: Vec<Vec<String>>,
    },
    /// A picture: in the page itself, and as a file beside the Markdown.
    Figure {
        /// The file, relative to the report: `plots/score.svg`.
        file: String,
        /// The picture.
        svg: String,
        /// What it shows.
        caption: String,
    },
    /// Lines of fixed-width text under a title, folded away.
    Details {
        /// The title.
        title: String,
        /// The text.
        text: String,
    },
}

impl Document {
    /// An empty report.
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), blocks: Vec::new() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds a table.
    pub fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        self.blocks.push(Block::Table { head: head.iter().map(ToString::to_string).collect(), rows });
    }

    /// Adds a picture.
    pub fn figure(&mut self, file: impl Into<String>, svg: String, caption: impl Into<String>) {
        self.blocks.push(Block::Figure { file: file.into(), svg, caption: caption.into() });
    }

    /// The pictures: their files and contents.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure { file, svg, .. } => Some((file.as_str(), svg.as_str())),
            _ => None,
        })
    }

    /// The report as Markdown; pictures are links.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", plain(&self.title));
        for block in &self.blocks {
            out.push('\n');
            match block {
                Block::Heading(text) => out += &format!("## {}\n", plain(text)),
                Block::Text(text) => out += &format!("{}\n", plain(text)),
                Block::Warning(text) => out += &format!("> **Warning:** {}\n", plain(text)),
                Block::Table { head, rows } => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| plain(cell).replace('|', "\\|")).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    out += &line(head);
                    out += &format!("|{}\n", "---|".repeat(head.len()));
                    rows.iter().for_each(|row| out += &line(row));
                }
                Block::Figure { file, caption, .. } => out += &format!("![{}]({file})\n", plain(caption)),
                Block::Details { title, text } => {
                    out += &format!("{}:\n\n```\n{}\n```\n", plain(title), text.trim_end())
                }
            }
        }
        out
    }

    /// The report as one page that needs nothing else.
    pub fn html(&self) -> String {
        let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
        let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>", escape(&self.title));
        let _ = writeln!(out, "<h1>{}</h1>", escape(&self.title));
        let mut row_open = false;
        for block in &self.blocks {
            let figure = matches!(block, Block::Figure { .. });
            if figure != row_open {
                out += if figure { "<div class=\"figures\">\n" } else { "</div>\n" };
                row_open = figure;
            }
            html_block(&mut out, block);
        }
        if row_open {
            out += "</div>\n";
        }
        out + "</body>\n</html>\n"
    }
}

/// The look of a page: narrow text, tables that scroll on small screens, light and dark.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}\
th,td{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:left;font-variant-numeric:tabular-nums}\
.warning{border-left:.3rem solid #d55e00;background:#fff3e8;padding:.5rem 1rem}\
.figures{display:flex;flex-wrap:wrap;gap:1rem}figure{margin:0;flex:1 1 20rem;max-width:46rem}\
figure svg{width:100%;height:auto;background:#fff}figcaption{color:#555;font-size:.9rem}\
pre{overflow-x:auto;white-space:pre-wrap;background:#f5f5f5;padding:.7rem}\
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th,td{border-color:#444}pre{background:#222}\
.warning{background:#3a2414}figcaption{color:#aaa}}";

fn html_block(out: &mut String, block: &Block) {
    let _ = match block {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", escape(text)),
        Block::Text(text) => writeln!(out, "<p>{}</p>", escape(text)),
        Block::Warning(text) => writeln!(out, "<p class=\"warning\">{}</p>", escape(text)),
        Block::Table { head, rows } => {
            let line = |tag: &str, cells: &[String]| {
                let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
                format!("<tr>{cells}</tr>\n")
            };
            let rows: String = rows.iter().map(|row| line("td", row)).collect();
            writeln!(out, "<table>\n<thead>{}</thead>\n<tbody>\n{rows}</tbody>\n</table>", line("th", head).trim_end())
        }
        Block::Figure { svg, caption, .. } => {
            // A declaration in front of the picture has no place inside a page.
            let picture = svg.find("<svg").map_or("", |start| &svg[start..]);
            writeln!(out, "<figure>{}<figcaption>{}</figcaption></figure>", picture.trim_end(), escape(caption))
        }
        Block::Details { title, text } => writeln!(
            out,
            "<details><summary>{}</summary><pre>{}</pre></details>",
            escape(title),
            escape(text.trim_end())
        ),
    };
}

/// Text for a page. Names come from outside: nothing of them may become markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() && c != '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text on one line of Markdown.
fn plain(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_becomes_markup() {
        let mut document = Document::new("<b>");
        document.table(&["a|b"], vec![vec!["<script>&\"".into()]]);
        document.figure("plots/x.svg", "<?xml version=\"1.0\"?><svg></svg>".into(), "a<b");
        document.blocks.push(Block::Details { title: "moves".into(), text: "1<2\n".into() });
        document.blocks.push(Block::Warning("few <games>".into()));
        let html = document.html();
        assert!(html.contains("<td>&lt;script&gt;&amp;&quot;</td>") && !html.contains("<script"), "{html}");
        assert!(html.contains("<figure><svg></svg><figcaption>a&lt;b</figcaption></figure>"));
        assert!(html.contains("<pre>1&lt;2</pre>"));
        assert_eq!(html.matches("<div").count(), html.matches("</div>").count());
        let markdown = document.markdown();
        assert!(markdown.contains("| a\\|b |\n|---|\n| &lt;script>&\" |"), "{markdown}");
        assert!(markdown.contains("![a&lt;b](plots/x.svg)"));
        assert_eq!(document.figures().count(), 1);
    }
}
