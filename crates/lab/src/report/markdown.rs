//! A report as Markdown.

use std::fmt::Write;

use super::page::{Block, Drawing, Field, Page, Sheet};

/// The report; pictures are links to files beside it.
pub(super) fn text(page: &Page, boards: &[Option<Drawing>]) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    line(&format!("# {}\n", plain(&page.title)));
    for text in [&page.kicker, &page.question].into_iter().filter(|text| !text.is_empty()) {
        line(&format!("{}\n", plain(text)));
    }
    line(&format!("**{}**\n", plain(&page.answer)));
    page.warnings.iter().for_each(|warning| line(&format!("> **Warning:** {}\n", plain(warning))));
    page.remarks.iter().for_each(|remark| line(&format!("> {}\n", plain(remark))));
    if let Some(overview) = &page.overview {
        let title = |section: &super::page::Section| Field::from(section.title.as_str());
        let rows = page
            .sections
            .iter()
            .zip(&overview.rows)
            .map(|(section, fields)| [title(section)].into_iter().chain(fields.iter().cloned()).collect());
        let head = ["part".to_string()].into_iter().chain(overview.head.iter().cloned()).collect();
        line(&table(&Sheet { head, rows: rows.collect(), words: 0 }));
        line(&format!("{}\n", plain(&overview.note)));
    }
    let mut charts = page.charts().into_iter();
    let mut number = 0;
    for section in &page.sections {
        line(&format!("## {}\n", plain(&section.title)));
        for block in &section.blocks {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) => line(&format!("{}\n", plain(text))),
                Block::Notes(notes) if notes.is_empty() => {}
                Block::Notes(notes) => {
                    notes.iter().for_each(|note| line(&format!("- {}", plain(note))));
                    line("");
                }
                Block::Table(sheet) => line(&table(sheet)),
                Block::Figure(..) => {
                    if let Some((name, chart)) = charts.next() {
                        line(&format!("![{}](plots/{name}.svg)\n", plain(&chart.title)));
                    }
                }
                Block::Boards(scenes) => {
                    for (scene, caption) in scenes {
                        number += 1;
                        if let Some(Some(drawing)) = boards.get(number - 1) {
                            line(&format!("![{}](plots/board-{number}.svg)\n", plain(caption)));
                            line(&format!("{}: `{}` ({})\n", plain(caption), drawing.text, scene.game));
                        }
                    }
                }
                Block::Conditions(pairs) => {
                    line("Conditions:\n");
                    pairs.iter().for_each(|(what, how)| line(&format!("- {}: `{how}`", plain(what))));
                    line("");
                }
            }
        }
    }
    line("## How this was judged\n");
    page.method.iter().for_each(|test| line(&format!("- {}", plain(test))));
    if !page.papers.is_empty() {
        line("\n## Papers\n");
        page.papers.iter().for_each(|paper| line(&format!("- {}: {}", paper.code, paper.citation())));
    }
    line("\n## The run\n");
    page.facts.iter().for_each(|(what, value)| line(&format!("- {}: {}", plain(what), plain(value))));
    out
}

fn table(sheet: &Sheet) -> String {
    if sheet.head.is_empty() {
        return String::new();
    }
    let cell = |text: &str| unbroken(&plain(text)).replace('|', "\\|");
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = row(sheet.head.iter().map(|text| cell(text)).collect());
    let align = |i: usize| if i <= sheet.words { "---|" } else { "--:|" };
    let _ = writeln!(out, "|{}", (0..sheet.head.len()).map(align).collect::<String>());
    for fields in &sheet.rows {
        out.push_str(&row(fields.iter().map(|field| cell(&field.text)).collect()));
    }
    out
}

/// A record of wins, draws and losses is not broken into lines at its dashes.
fn unbroken(text: &str) -> String {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let record = text.split('-').count() == 3 && text.split('-').all(is_number);
    if record { text.replace('-', "\u{2011}") } else { text.to_string() }
}

/// Text on one line of Markdown, none of it markup of HTML.
fn plain(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('<', "&lt;")
}
