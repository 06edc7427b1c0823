//! The report as Markdown.

use std::fmt::Write;

use super::{Report, TESTS};
use crate::experiment::page::{Block, Sheet};
use crate::experiment::workshop::Drawing;

pub(super) fn text(report: &Report<'_>, boards: &[Option<Drawing>]) -> String {
    let experiment = &report.plan.experiment;
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    line(&format!("# {}\n", experiment.title));
    if !experiment.paper.is_empty() {
        line(&format!("{}. ", experiment.paper));
    }
    line(&format!("{}\n", experiment.question));
    line(&format!("**{}**\n", report.sentence()));
    for remark in report.preface() {
        line(&format!("> {remark}\n"));
    }
    let mut charts = report.charts().into_iter();
    let mut number = 0;
    for section in &report.sections {
        line(&format!("## {}\n", section.title));
        for block in &section.blocks {
            match block {
                Block::Text(text) if text.is_empty() => {}
                Block::Text(text) => line(&format!("{text}\n")),
                Block::Notes(notes) if notes.is_empty() => {}
                Block::Notes(notes) => {
                    notes.iter().for_each(|note| line(&format!("- {note}")));
                    line("");
                }
                Block::Table(sheet) => line(&table(sheet)),
                Block::Figure(..) => {
                    if let Some((name, chart)) = charts.next() {
                        line(&format!("![{}](plots/{name}.svg)\n", chart.title));
                    }
                }
                Block::Boards(scenes) => {
                    for (scene, caption) in scenes {
                        number += 1;
                        if let Some(Some(drawing)) = boards.get(number - 1) {
                            line(&format!("![{caption}](plots/board-{number}.svg)\n"));
                            line(&format!("{caption}: `{}` ({})\n", drawing.text, scene.game));
                        }
                    }
                }
                Block::Conditions(pairs) => {
                    line("Conditions:\n");
                    pairs.iter().for_each(|(what, how)| line(&format!("- {what}: `{how}`")));
                    line("");
                }
            }
        }
    }
    line("## How this was judged\n");
    TESTS.iter().for_each(|test| line(&format!("- {test}")));
    line("\n## The run\n");
    report.facts().iter().for_each(|(what, value)| line(&format!("- {what}: {value}")));
    out
}

fn table(sheet: &Sheet) -> String {
    if sheet.head.is_empty() {
        return String::new();
    }
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = row(sheet.head.iter().map(|text| cell(text)).collect());
    let _ = writeln!(out, "|{}", "---|".repeat(sheet.head.len()));
    for fields in &sheet.rows {
        out.push_str(&row(fields.iter().map(|field| cell(&field.text)).collect()));
    }
    out
}
